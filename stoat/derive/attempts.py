"""What became of an attempt, by the evidence; and whether there is another one.

An exit code is no evidence; but a change without steps, whose commits are all there is to see, is not finished by an
agent that was cut off: killed, interrupted, or stopped by a limit.

An attempt is judged once what it did had time to show, or at once when it shows. On a
review it is done once a round was submitted since it began, whatever was found. On an issue it is not commits that
count but what GitHub shows:

| of an issue whose agent has exited                             | the attempt          |
|----------------------------------------------------------------|----------------------|
| it reads done, or a pull request that closes it is open        | done                 |
| a pull request of it was merged since the attempt began        | done                 |
| a limit of its account stopped its agent                       | limited              |
| its agent asked a person                                       | given-back           |
| nobody saw its process, and nothing is on its branch           | lost                 |
| less than --settle-seconds ago                                 | wait                 |
| GitHub was not seen since then                                 | look, and wait       |
| GitHub does not show it any more                               | given-back           |
| else: no pull request was seen, or it was closed               | failed, or nothing   |
"""

from __future__ import annotations

from msgspec import Struct

from stoat.clock import Time, plus
from stoat.derive.answers import NodeAnswer
from stoat.derive.integration import (
    Elsewhere,
    Finish,
    Mergeable,
    NeverCommitted,
    Red,
    StepsOpen,
    ToVerify,
    Uncommitted,
    Unusable,
    Verified,
    of_another_command,
)
from stoat.derive.wording import attempts as say
from stoat.derive.wording.review import outcome as reviewed
from stoat.plan.events.attempts import GOT_NOWHERE, Outcome
from stoat.plan.nodes import CHANGE, ISSUE, REVIEW
from stoat.plan.state import Attempt, NodeState


class Wait(Struct, frozen=True):
    """Not yet: look again at `until`, or (None) when something new is on the ref."""

    until: Time | None


class Verify(Struct, frozen=True):
    """The evidence says done: run the verification on this commit before believing it."""

    commit: str


class Look(Struct, frozen=True):
    """Not before GitHub was seen once more: what it showed is from before the attempt had its time."""


class Judged(Struct, frozen=True):
    """The attempt is over: its outcome, and what the evidence said, as a fragment of a sentence."""

    outcome: Outcome
    detail: str


Verdict = Wait | Look | Verify | Judged


def judge(
    node: NodeState, answer: NodeAnswer, branch: Finish, *, now: Time, settle: float, seen_at: Time | None = None
) -> Verdict:
    """What to make of the node's last attempt, whose agent has exited. `settle` is in seconds since then.

    `branch` is what git shows of its work. A change is done by its branch; every other kind by its derived status.
    `seen_at` is when the repository of an issue was last seen whole on GitHub.
    """
    attempt = node.attempt
    assert attempt is not None
    if node.spec.kind == ISSUE:
        return _of_issue(node, attempt, answer, branch, now=now, settle=settle, seen_at=seen_at)
    if isinstance(branch, Red):
        return Judged("failed", say.RED)
    if node.spec.kind == REVIEW and node.review is not None and node.review.seq > attempt.seq:
        return Judged("done", reviewed(node.review))
    cut_off = _is_cut_off(node, attempt)
    done = isinstance(branch, Mergeable | ToVerify) if node.spec.kind == CHANGE else answer.status == "done"
    done = done and not cut_off
    if done and isinstance(branch, ToVerify):
        return Verify(branch.commit)
    if done:
        return Judged("done", _committed(branch) if node.spec.kind == CHANGE else answer.detail)
    if attempt.limit is not None:
        return Judged("limited", attempt.limit.text)
    if node.open_questions:
        return Judged("given-back", say.GIVEN_BACK)
    if answer.status == "findings" and node.diagnosed_seq > attempt.seq:
        return Judged("given-back", answer.detail)
    if _never_was(node, attempt, branch):
        return Judged("lost", say.LOST)
    if cut_off:
        return Judged("failed", say.CUT_OFF)
    if answer.status == "running":
        return Wait(None)
    settled = plus(attempt.exited_at or attempt.started, settle)
    if now < settled:
        return Wait(settled)
    return _failed(node, answer, branch)


def _of_issue(
    node: NodeState, attempt: Attempt, answer: NodeAnswer, branch: Finish, *, now: Time, settle: float,
    seen_at: Time | None,
) -> Verdict:  # fmt: skip
    if answer.status in ("done", "pr-open") or _merged_since(attempt, answer):
        return Judged("done", answer.detail)
    if attempt.limit is not None:
        return Judged("limited", attempt.limit.text)
    if node.open_questions:
        return Judged("given-back", say.GIVEN_BACK)
    if _never_was(node, attempt, branch):
        return Judged("lost", say.LOST)
    settled = plus(attempt.exited_at or attempt.started, settle)
    if now < settled:
        return Wait(settled)
    if seen_at is None or seen_at < settled or answer.status == "unknown":
        return Look()
    if answer.status == "missing":
        return Judged("given-back", say.reads(answer.detail, answer.status))
    nothing = isinstance(branch, NeverCommitted | Elsewhere)
    detail = answer.detail if answer.status == "abandoned" else say.no_pull(node.spec.issue)
    return Judged("nothing" if nothing else "failed", detail)


def _merged_since(attempt: Attempt, answer: NodeAnswer) -> bool:
    """Whether a pull request was merged as quickly as that, without closing the issue."""
    return any(pull.state == "merged" and (pull.merged_at or "") >= attempt.started for pull in answer.prs)


def _never_was(node: NodeState, attempt: Attempt, branch: Finish) -> bool:
    """Whether nobody ever saw the attempt's process and nothing is there that it could have done."""
    nothing = isinstance(branch, NeverCommitted | Verified | Elsewhere)
    return attempt.process is None and nothing and not _seen_since(node)


def _is_cut_off(node: NodeState, attempt: Attempt) -> bool:
    """Whether a change has nothing to prove that it is whole but its agent's coming to an end, and that it did not."""
    return node.spec.kind == CHANGE and not node.spec.steps and (attempt.cut_off or attempt.limit is not None)


def another(tries: int, max_attempts: int) -> bool:
    """Whether a node that used up `tries` attempts gets one more."""
    return tries < max_attempts


def in_a_row(failures: int, outcome: Outcome) -> int:
    """How many attempts in a row got nowhere, after one more with this outcome; what was given back says nothing."""
    if outcome in GOT_NOWHERE:
        return failures + 1
    return 0 if outcome == "done" else failures


def _failed(node: NodeState, answer: NodeAnswer, branch: Finish) -> Judged:
    if node.spec.kind != CHANGE:
        nothing = isinstance(branch, NeverCommitted | Verified) and not _seen_since(node)
        return Judged("nothing" if nothing else "failed", say.reads(answer.detail, answer.status))
    match branch:
        case NeverCommitted() | Verified():
            return Judged("nothing", say.NO_COMMIT)
        case Uncommitted(files):
            return Judged("failed", say.uncommitted(files))
        case StepsOpen(steps):
            return Judged("failed", say.steps_open(steps, of_another_command(node, steps)))
        case Unusable(why):
            return Judged("failed", why)
    return Judged("nothing", say.NO_WORKTREE)


def _seen_since(node: NodeState) -> bool:
    """Whether any evidence came after the attempt's start."""
    attempt = node.attempt
    assert attempt is not None
    seen = (*(run.seq for run in node.evidence.values()), *(word.seq for word in node.specs.values()))
    return any(seq > attempt.seq for seq in seen)


def _committed(branch: Finish) -> str:
    return say.committed(branch.commits if isinstance(branch, Mergeable) else None)
