"""A change is work with nothing on GitHub behind it: done when its branch has landed, and never before.

The first row that applies:

| what                                                                   | status   |
|------------------------------------------------------------------------|----------|
| its branch landed: rebased, merged, fast-forwarded or seen there       | done     |
| a run of a step is going                                               | running  |
| a step's newest run is red or timed out                                | failed   |
| a step's newest run is green, of another command                       | mismatch |
| somebody holds it                                                      | claimed  |
| its finished work could not be landed                                  | waiting, naming the conflict |
| it was given up on                                                     | failed   |
| it is finished: its last attempt was judged done, or (with no attempt) every step passed on a clean commit | waiting to land |
| some steps passed                                                      | waiting, naming the others |
| else                                                                   | open, with what the last attempt came to |

"There was nothing to land" makes no change done. An attempt from before the last restart is history.
"""  # noqa: E501 -- a table row

from __future__ import annotations

from stoat.derive import steps
from stoat.derive.freshness import Proof
from stoat.derive.verdict import Context, Verdict
from stoat.derive.wording import status as say
from stoat.plan.state import Attempt, NodeState, PlanState


def status(node: NodeState, plan: PlanState, context: Context) -> Verdict:
    """Where a change stands."""
    read = steps.read(plan.slug, node, context) if node.spec.steps else _NO_STEPS
    if node.landing is not None and node.landing.how != "nothing":
        return Verdict("done", say.landed(node.landing), read.shown)
    return _of_steps(node, read, context) or _of_attempts(node, plan, read, context)


_NO_STEPS = steps.Steps((), (), ())


def _of_steps(node: NodeState, read: steps.Steps, context: Context) -> Verdict | None:
    going = steps.any_in_flight(node, context)
    if going:
        return Verdict("running", say.progress(read.tally) if read.shown else say.running(going), read.shown)
    bad = read.first("failed", "timed-out")
    if bad:
        detail = say.ended(node.evidence[bad.id])
        return Verdict("failed", say.steps_bad(bad.id, detail, read.tally), read.shown)
    other = read.first("mismatch")
    if other:
        return Verdict("mismatch", say.steps_bad(other.id, other.detail, read.tally), read.shown)
    return None


def _of_attempts(node: NodeState, plan: PlanState, read: steps.Steps, context: Context) -> Verdict:
    held = node.lease(context.now, context.facts) is not None
    attempt = node.current_attempt
    if node.parked is not None:
        return Verdict("waiting", say.parked(node.parked), read.shown, finished=not held)
    if node.gave_up is not None and not held:
        return Verdict("failed", say.gave_up(node.gave_up), read.shown)
    if _finished(attempt, read):
        proved = say.steps_passed(len(read.shown)) if read.shown else say.committed(attempt) if attempt else ""
        return Verdict("waiting", say.change_finished(proved, plan.header.branch), read.shown, finished=not held)
    if read.deciding:
        return Verdict("waiting", _steps_so_far(attempt, read), read.shown)
    if node.landing is not None:
        return Verdict("open", say.landed_nothing(node.landing), read.shown)
    return Verdict("open", say.change_open(attempt), read.shown)


def _steps_so_far(attempt: Attempt | None, read: steps.Steps) -> str:
    if read.missing:
        return say.steps_waiting(read.missing, read.tally)
    passed = say.steps_passed(len(read.shown))
    return say.less(passed, say.change_open(attempt) if attempt else say.NOT_A_COMMIT)


def _finished(attempt: Attempt | None, read: steps.Steps) -> bool:
    if attempt is not None:
        return attempt.outcome == "done"
    if not read.shown or len(read.deciding) < len(read.shown):
        return False
    proofs = [Proof.of_run(run) for run in read.deciding]
    return all(proof.commit and not proof.dirty and not proof.moved for proof in proofs)
