"""The prompt of an agent: thin. The claim, the worktree, what done means, the tag rule and the fences; no how-to.

What the repository's own conventions and skills say is not repeated. Every word that Stoat did not write is fenced.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from stoat.derive.wording import commands, review
from stoat.plan.nodes import CHANGE, GATE, REVIEW, SLICE, Node, Step
from stoat.plan.state import NodeState, PlanState
from stoat.plan.variables import RUN_TAG
from stoat.runner.fence import Fence
from stoat.runner.issues import briefing
from stoat.runner.issues.briefing import Brief

LONGEST = 96 * 1024
"""Bytes of a prompt: one argument of a program may have 128 KiB on Linux, and a launcher may add to it."""

MOST_TOLD = 100
"""Findings of earlier rounds that the next reviewer is told of."""


@dataclass(frozen=True, kw_only=True)
class Assignment:
    """What an agent is told: its node, its claim, its place, and what is known of earlier tries.

    `asked` holds (question, answer) pairs that a person settled; `before` says how the last attempt was judged.
    `issue` is what an issue node is about; `reviewed` the branch that a review is of, and `found` what its earlier
    rounds found, one a line; `takes_mcp` whether its launcher hands it our tools.
    """

    plan: str
    node: Node
    claim: str
    holder: str
    worktree: str
    branch: str
    base: str
    attempt: int
    own_names: tuple[str, ...] = ()
    skills: tuple[str, ...] = ()
    before: str | None = None
    asked: tuple[tuple[str, str], ...] = field(default=())
    issue: Brief | None = None
    reviewed: str | None = None
    found: tuple[str, ...] = ()
    takes_mcp: bool = False

    @property
    def ref(self) -> str:
        """PLAN/NODE."""
        return f"{self.plan}/{self.node.id}"


def assignment(
    plan: PlanState, node: NodeState, *, holder: str, own_names: tuple[str, ...], before: str | None,
    issue: Brief | None = None, takes_mcp: bool = False,
) -> Assignment:  # fmt: skip
    """What the agent of the node's attempt is told of it."""
    attempt, spec = node.attempt, node.spec
    assert attempt is not None
    asked = tuple(
        (one.question, one.answer.why or "")
        for one in plan.questions.values()
        if one.node == spec.id and one.state == "answered" and one.answer is not None
    )
    return Assignment(
        plan=plan.slug, node=spec, claim=attempt.claim, holder=holder, worktree=attempt.worktree,
        branch=attempt.branch, base=f"{attempt.base_ref} ({attempt.base[:7]})", attempt=attempt.number,
        own_names=own_names, skills=spec.skills or plan.header.skills, before=before, asked=asked,
        issue=issue, reviewed=plan.header.branch if spec.kind == REVIEW else None,
        found=tuple(review.told(one) for one in node.review.found[-MOST_TOLD:]) if node.review is not None else (),
        takes_mcp=takes_mcp,
    )  # fmt: skip


def prompt(work: Assignment) -> str:
    """The whole prompt, at most LONGEST bytes: what is longer is cut, an issue's text before the brief, and it says
    where the rest is."""
    fence = Fence(_outside(work))
    text = _written(work, fence)
    if work.issue is not None and work.issue.body:
        body = _cut(work.issue.body, _excess(text), briefing.view(work.issue.number))
        work = replace(work, issue=replace(work.issue, body=body))
        text = _written(work, fence)
    if work.node.brief:
        text = _written(work, fence, _cut(work.node.brief, _excess(text), f"stoat node show {work.ref}"))
    return text


def _excess(text: str) -> int:
    return len(text.encode(errors="replace")) - LONGEST


def _cut(text: str, excess: int, whole: str) -> str:
    """The text, shorter by so many bytes and with the command that shows the whole of it where there are too many."""
    if excess <= 0:
        return text
    note = f"\n… cut here; the whole text: {whole}"
    kept = max(0, len(text.encode(errors="replace")) - excess - len(note.encode()))
    return text.encode(errors="replace")[:kept].decode(errors="ignore") + note


def _outside(work: Assignment) -> list[str]:
    node = work.node
    words = [node.title or "", node.brief or "", work.before or "", _steps(work), _place(work)]
    words += [*node.specs, *work.skills, *work.own_names, *work.found]
    words += briefing.outside(work.issue) if work.issue is not None else []
    return words + [text for pair in work.asked for text in pair]


def _written(work: Assignment, fence: Fence, brief: str | None = None) -> str:
    """The prompt, with the node's brief or this cut one."""
    node, issue = work.node, work.issue
    brief = brief if brief is not None else node.brief
    parts = [_claim(work), fence.rule(), fence.around("title", node.title or node.id)]
    if brief:
        parts.append(fence.around("brief", brief))
    parts += briefing.issue(issue, fence, issue.body) if issue is not None else []
    parts.append(_done_means(work))
    if node.specs:
        parts.append("Its specs, one a line:\n" + fence.around("specs", "\n".join(node.specs)))
    if node.steps:
        parts.append(_STEPS + fence.around("steps", _steps(work)))
    if node.kind == REVIEW:
        parts.append(_SUBMIT.format(ref=work.ref))
    if work.found:
        parts.append(_FOUND + fence.around("earlier findings", "\n".join(work.found)))
    parts.append(_tags(work))
    if work.skills:
        parts.append("Use these skills, where you have them:\n" + fence.around("skills", "\n".join(work.skills)))
    if work.asked:
        said = "\n".join(f"Question: {question}\nAnswer: {answer}" for question, answer in work.asked)
        parts.append("This was asked about the node, and a person answered:\n" + fence.around("answers", said))
    if work.before:
        parts.append("The attempt before this one ended so:\n" + fence.around("last attempt", work.before))
    place = _LOOK if node.kind == REVIEW else _PLACE + ("" if issue is not None else _NO_PUSH) + _NO_OTHER
    parts += [f"{place}\n" + fence.around("place", _place(work)), MACHINE]
    if work.own_names:
        parts.append(_VARIABLES + fence.around("variables", "\n".join(work.own_names)))
    parts += briefing.ending(issue, fence, ref=work.ref, claim=work.claim) if issue is not None else []
    parts.append(asking(work.ref, takes_mcp=work.takes_mcp))
    return "\n\n".join(parts) + "\n"


_STEPS = (
    "Its steps, one command a line. Run each exactly as written here, in your worktree, after your last commit; a step "
    f"that ran anything else does not count. Where a line ends with {commands.COMMAND}, the plan names no command: "
    "choose the one that proves it.\n"
)
_PLACE = "Work in this worktree, on this branch of its own. Commit what you do on this branch. Do not switch branches, "
_NO_PUSH = "do not push, "
_NO_OTHER = "do not merge, and change no file outside it."
_LOOK = (
    "Your worktree holds the branch under review, as it was just now, on a branch of its own that nobody merges. Read "
    "it, build it, run its tests. Do not commit, do not push, do not switch branches, and change no file of it."
)
_SUBMIT = (
    "When you are through, submit once, with everything that you found: `stoat review submit {ref} FINDINGS.json`, or "
    "`-` in place of the file to read standard input; write the file outside the worktree. It is a JSON list, `[]` "
    "where you found nothing, of objects with `title` (one line), `severity` (as high, medium or low), `file` (from "
    "the top of the repository), `line` (a number) and `text` (what is wrong, why, and how one sees it). Somebody who "
    "knows only that text has to be able to mend it. Submit what is a defect, not what is a matter of taste."
)
_FOUND = (
    "This was found before, and this became of it. Do not submit again what was rejected, unless it is worse than was "
    "said.\n"
)
MACHINE = (
    "This machine is shared with other agents and with people. Do not stop, restart or clean up any process, "
    "container, service or database that you did not start yourself."
)
_VARIABLES = (
    "These variables of your environment are yours alone, so that you and your neighbours do not meet. Do not change "
    "them back to anything shared.\n"
)


def _claim(work: Assignment) -> str:
    return (
        f"You work on node {work.node.id} (kind: {work.node.kind}) of plan {work.plan}, and on nothing else. It is "
        f"claimed for you: claim {work.claim}, attempt {work.attempt}. Claim no other node. The runner that started "
        "you renews the claim as long as you run."
    )


def _done_means(work: Assignment) -> str:
    if work.issue is not None:
        return briefing.done_means(work.issue)
    match work.node.kind:
        case kind if kind == CHANGE:
            steps = " and every step below has passed on exactly that commit" if work.node.steps else ""
            return (
                f"Done means: your work is committed on your branch, nothing is left uncommitted{steps}. What you say "
                "about it decides nothing."
            )
        case kind if kind == SLICE:
            return (
                "Done means: every spec listed below is green in a recorded run, on committed work. Exiting cleanly or "
                "saying so decides nothing."
            )
        case kind if kind == GATE:
            what = "each step below has a passing run" if work.node.steps else f"a run tagged {work.ref} passes"
            return (
                f"Done means: {what}, recorded by `stoat gate exec`. Where it fails, find out why, mend it, commit, "
                "and run it again; a gate that rightly changes nothing needs no commit. Where you cannot mend it from "
                f"here, say why it is red, and stop: stoat report {work.ref} --diagnosis 'WHY'"
            )
        case kind if kind == REVIEW:
            what = "the integration branch as a whole" if work.reviewed else "the default branch as a whole"
            return (
                f"Review {what}, not the last change alone: what its parts do together, against the plan's nodes "
                f"(`stoat plan export {work.plan}`) and the repository's own rules. Change nothing. Done means: you "
                "submitted what you found. A person then decides every finding, and others mend it."
            )
    return "Done means: what the plan can observe says so. What you say about it decides nothing."


def _steps(work: Assignment) -> str:
    return "\n".join(_step(work, step) for step in work.node.steps)


def _step(work: Assignment, step: Step) -> str:
    """The command that runs a step as evidence. One that does not fit on a line is read from the plan instead."""
    line = commands.gate_exec(work.plan, work.node.id, step)
    return line if line.isprintable() else f"{commands.gate_run(work.plan, work.node.id)} --step {step.id}"


def _tags(work: Assignment) -> str:
    bare = commands.gate_bare(work.plan, work.node.id)
    kept = f"Runs are told apart by their tag. {RUN_TAG}={work.ref} is set for you: keep it as it is."
    if work.node.kind == REVIEW:
        return kept
    return (
        f"{kept} Run tests as evidence with `{bare}`, or record a report with `stoat runs add FILE --tag {work.ref}`."
    )


def _place(work: Assignment) -> str:
    place = f"worktree: {work.worktree}\nbranch: {work.branch}\ncut from: {work.base}\nheld by: {work.holder}"
    return f"{place}\nunder review: {work.reviewed}" if work.reviewed else place


def asking(ref: str, *, takes_mcp: bool) -> str:
    """How an agent asks a person: with our tools, where its launcher hands them over, else at the command line."""
    command = f"stoat ask {ref} 'your question'"
    how = f"with the tool `ask_person` of the MCP server stoat, else {command}" if takes_mcp else command
    return (
        f"What only a person can decide, ask: {how}. Where that does not work, end with a paragraph that begins with "
        "`Question for a person:`. Then end; the node waits for the answer. Do not guess, and do not work around it."
    )
