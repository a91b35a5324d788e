"""What a cloud agent is told: the issue and its end as any agent's, a clone instead of a worktree, and that it has to
renew its claim by itself."""

from __future__ import annotations

import json
import shlex
from dataclasses import replace

from stoat.plan.ids import node_branch
from stoat.plan.nodes import Node
from stoat.runner.cloud.engines import Order
from stoat.runner.fence import Fence
from stoat.runner.issues import briefing
from stoat.runner.issues.briefing import Brief

_LEASE = 240
_POST = "curl -sS -X POST -H 'Content-Type: application/json'"


def order(
    plan: str, node: Node, *, claim: str, attempt: int, holder: str, brief: Brief, url: str | None, longest: int,
    before: str | None = None,
) -> Order:  # fmt: skip
    """What is handed over. The prompt has at most `longest` bytes: what is longer is cut, an issue's text before the
    brief, and it says where the rest is."""
    known = _Told(plan, node, claim, attempt, holder, brief, url, before)
    fence = Fence([node.title or "", node.brief or "", before or "", _place(known), *briefing.outside(brief)])
    text = _written(known, fence)
    if brief.body and (over := _over(text, longest)) > 0:
        body = _cut(brief.body, over, briefing.view(brief.number))
        known = known._replace(brief=replace(brief, body=body))
        text = _written(known, fence)
    if node.brief and (over := _over(text, longest)) > 0:
        cut = _cut(node.brief, over, f"stoat node show {plan}/{node.id}")
        text = _written(known, fence, cut)
    return Order(text, plan, node.id, claim, brief.repo, url)


class _Told:
    def __init__(
        self, plan: str, node: Node, claim: str, attempt: int, holder: str, brief: Brief, url: str | None,
        before: str | None,
    ) -> None:  # fmt: skip
        self.plan, self.node, self.claim, self.attempt = plan, node, claim, attempt
        self.holder, self.brief, self.url, self.before = holder, brief, url, before
        self.ref = f"{plan}/{node.id}"

    def _replace(self, *, brief: Brief) -> _Told:
        return _Told(self.plan, self.node, self.claim, self.attempt, self.holder, brief, self.url, self.before)


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
    ways = [f"stoat report {told.ref} --claim {told.claim} --lease 4h"] if told.url is None else []
    if told.url is not None:
        said = {"agent": told.holder, "claimId": told.claim, "leaseMinutes": _LEASE}
        address = f"{told.url.rstrip('/')}/api/plans/{told.plan}/nodes/{told.node.id}"
        give_back = json.dumps({"agent": told.holder, "claimId": told.claim})
        ways += [
            f"{_POST} -d {shlex.quote(json.dumps(said))} {shlex.quote(address + '/report')}",
            f"To release it where there is no `stoat`: {_POST} -d {shlex.quote(give_back)} "
            f"{shlex.quote(address + '/release')}",
        ]
    return (
        "Nobody sees you where the plan is kept, so you renew the claim by yourself: now, and every hour as long as "
        "you work. With it say the address of your session as `link`, where it has one. When that is refused because "
        "the claim is over, stop: somebody else has the node.\n" + "\n".join(ways)
    )


def _asking(told: _Told) -> str:
    how = f"stoat ask {told.ref} 'your question'"
    if told.url is not None:
        how += (
            f", or POST {told.url.rstrip('/')}/api/plans/{told.plan}/nodes/{told.node.id}/questions with "
            f'{{"agent": {json.dumps(told.holder)}, "question": …}}'
        )
    return (
        f"What only a person can decide, ask: {how}. Then release the claim and end; the node waits for the answer. Do "
        "not guess, and do not work around it."
    )
