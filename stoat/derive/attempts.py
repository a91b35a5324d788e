"""What became of an attempt, by the evidence; and whether there is another one.

An exit code is no evidence. An attempt is judged once what it did had time to show, or at once when it shows.
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
from stoat.plan.events.attempts import GOT_NOWHERE, Outcome
from stoat.plan.nodes import CHANGE
from stoat.plan.state import NodeState


class Wait(Struct, frozen=True):
    """Not yet: look again at `until`, or (None) when something new is on the ref."""

    until: Time | None


class Verify(Struct, frozen=True):
    """The evidence says done: run the verification on this commit before believing it."""

    commit: str


class Judged(Struct, frozen=True):
    """The attempt is over: its outcome, and what the evidence said, as a fragment of a sentence."""

    outcome: Outcome
    detail: str


Verdict = Wait | Verify | Judged


def judge(node: NodeState, answer: NodeAnswer, branch: Finish, *, now: Time, settle: float) -> Verdict:
    """What to make of the node's last attempt, whose agent has exited. `settle` is in seconds since then.

    `branch` is what git shows of its work. A change is done by its branch; every other kind by its derived status.
    """
    attempt = node.attempt
    assert attempt is not None
    if isinstance(branch, Red):
        return Judged("failed", say.RED)
    done = isinstance(branch, Mergeable | ToVerify) if node.spec.kind == CHANGE else answer.status == "done"
    if done and isinstance(branch, ToVerify):
        return Verify(branch.commit)
    if done:
        return Judged("done", _committed(branch) if node.spec.kind == CHANGE else answer.detail)
    if node.open_questions:
        return Judged("given-back", say.GIVEN_BACK)
    if attempt.process is None and isinstance(branch, NeverCommitted | Verified | Elsewhere) and not _seen_since(node):
        # Nobody ever saw its process, and nothing is there that it could have done: there is nothing to wait for.
        return Judged("lost", say.LOST)
    if answer.status == "running":
        return Wait(None)
    settled = plus(attempt.exited_at or attempt.started, settle)
    if now < settled:
        return Wait(settled)
    return _failed(node, answer, branch)


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
