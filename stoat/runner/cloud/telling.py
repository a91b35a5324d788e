"""What a cloud agent is told: the issue and its end as any agent's, a clone instead of a worktree, and that it has to
renew its claim by itself."""

from __future__ import annotations

from dataclasses import replace

from stoat.plan.ids import node_branch
from stoat.plan.nodes import Node
from stoat.runner.cloud.engines import Order
from stoat.runner.fence import Fence
from stoat.runner.issues import briefing
from stoat.runner.issues.briefing import Brief


def order(
    plan: str, node: Node, *, claim: str, attempt: int, holder: str, brief: Brief, longest: int,
    before: str | None = None,
) -> Order:  # fmt: skip
    """What is handed over. The prompt has at most `longest` bytes: what is longer is cut, an issue's text before the
    brief, and it says where the rest is."""
    known = _Told(plan, node, claim, attempt, holder, brief, before)
    fence = Fence([node.title or "", node.brief or "", before or "", _place(known), *briefing.outside(brief)])
    text = _written(known, fence)
    if brief.body and (over := _over(text, longest)) > 0:
        body = _cut(brief.body, over, briefing.view(brief.number))
        known = known._replace(brief=replace(brief, body=body))
        text = _written(known, fence)
    if node.brief and (over := _over(text, longest)) > 0:
        cut = _cut(node.brief, over, f"stoat node show {plan}/{node.id}")
        text = _written(known, fence, cut)
    return Order(text, plan, node.id, claim, brief.repo)


class _Told:
    def __init__(
        self, plan: str, node: Node, claim: str, attempt: int, holder: str, brief: Brief,
        before: str | None,
    ) -> None:  # fmt: skip
        self.plan, self.node, self.claim, self.attempt = plan, node, claim, attempt
        self.holder, self.brief, self.before = holder, brief, before
        self.ref = f"{plan}/{node.id}"

    def _replace(self, *, brief: Brief) -> _Told:
        return _Told(self.plan, self.node, self.claim, self.attempt, self.holder, brief, self.before)


def _over(text: str, longest: int) -> int:
    return len(text.encode(errors="replace")) - longest


def _cut(text: str, over: int, whole: str) -> str:
    note = f"\n… cut here; the whole text: {whole}"
    kept = max(0, len(text.encode(errors="replace")) - over - len(note.encode()))
    return text.encode(errors="replace")[:kept].decode(errors="ignore") + note


def _written(told: _Told, fence: Fence, text: str | None = None) -> str:
    node, brief = told.node, told.brief
    words = text if text is not None else node.brief
    parts = [
        f"You work on node {node.id} (kind: {node.kind}) of plan {told.plan}, and on nothing else. It is claimed for "
        f"you: claim {told.claim}, attempt {told.attempt}. Claim no other node.",
        fence.rule(),
        fence.around("title", node.title or node.id),
    ]
    if words:
        parts.append(fence.around("brief", words))
    parts += briefing.issue(brief, fence, brief.body)
    parts.append(briefing.done_means(brief))
    if told.before:
        parts.append("The attempt before this one ended so:\n" + fence.around("last attempt", told.before))
    parts += [_PLACE + fence.around("place", _place(told)), _renewing(told)]
    parts += briefing.ending(brief, fence, ref=told.ref, claim=told.claim)
    parts.append(_asking(told))
    return "\n\n".join(parts) + "\n"


_PLACE = (
    "You have a machine of your own. Clone the repository, and do the work on the branch that is named here, cut from "
    "its default branch and on no other; where the branch is there already, go on with it.\n"
)


def _place(told: _Told) -> str:
    branch = node_branch(told.plan, told.node.id)
    return f"repository: {told.brief.repo}\nbranch: {branch}\nheld by: {told.holder}"


def _renewing(told: _Told) -> str:
    return (
        "Nobody sees you where the plan is kept. The claim is yours for 4 hours from when it was made, so be at your "
        f"pull request by then. Where `stoat` is installed and finds the plan (`stoat node show {told.ref}` shows it), "
        "renew the claim by yourself: now, and every hour as long as you work. With it say the address of your session "
        "with `--link`, where it has one. When that is refused because the claim is over, stop: somebody else has the "
        f"node.\nstoat report {told.ref} --claim {told.claim} --lease 4h\n"
        "Where it does not, leave out every `stoat` command that is named here: what GitHub shows is seen."
    )


def _asking(told: _Told) -> str:
    return (
        f"What only a person can decide, ask: stoat ask {told.ref} 'your question'. Then release the claim and end; "
        "the node waits for the answer. Without `stoat`, ask in a comment on the issue and end. Do not guess, and do "
        "not work around it."
    )
