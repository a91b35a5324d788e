"""A change is work with nothing on GitHub behind it: done when its branch has landed, and never before.

The first row that applies:

| what                                                                   | status   |
|------------------------------------------------------------------------|----------|
| its branch landed: rebased, merged, fast-forwarded or seen there       | done     |
| a run of a step is going                                               | running  |
| a step's newest run is red or timed out                                | failed   |
| a step's newest run is green, of another command or directory          | mismatch |
| somebody holds it                                                      | claimed  |
| its finished work could not be landed                                  | waiting, naming the conflict |
| it was given up on                                                     | failed   |
| it is finished: its last attempt was judged done, or (with no attempt) every step passed on one clean commit | waiting to land |
| some steps passed                                                      | waiting, naming the others |
| else                                                                   | open, with what the last attempt came to |

"There was nothing to land" makes no change done. What is from before the last restart is history: an attempt, and passes
that would have made a change without one finished. Work done by hand is landed by a runner that finds its branch, so the
detail names that.
"""  # noqa: E501 -- a table row

from __future__ import annotations

from stoat.derive import steps
from stoat.derive.integration import unproved_steps
from stoat.derive.verdict import Context, Verdict
from stoat.derive.wording import status as say
from stoat.plan.ids import node_branch
from stoat.plan.state import NodeState, PlanState


def status(node: NodeState, plan: PlanState, context: Context) -> Verdict:
    """Where a change stands."""
    read = steps.read(plan.slug, node, context) if node.spec.steps else _NO_STEPS
    if node.landing is not None and node.landing.how != "nothing":
        return Verdict("done", say.landed(node.landing), read.shown)
    return _of_steps(node, read, context) or _of_attempts(node, plan, read, context)


_NO_STEPS = steps.Steps(())


def _of_steps(node: NodeState, read: steps.Steps, context: Context) -> Verdict | None:
    going = steps.any_in_flight(node, context)
    if going:
        return Verdict("running", say.progress(read.tally) if read.shown else say.running(going), read.shown)
    return steps.bad(read)


def _of_attempts(node: NodeState, plan: PlanState, read: steps.Steps, context: Context) -> Verdict:
    held = node.lease(context.now, context.facts) is not None
    attempt = node.current_attempt
    if node.parked is not None:
        return Verdict("waiting", say.parked(node.parked), read.shown, finished=not held)
    if node.gave_up is not None and not held:
        return Verdict("failed", say.gave_up(node.gave_up), read.shown)
    if attempt is not None and attempt.outcome == "done":
        proved = say.steps_passed(len(read.shown)) if read.shown else say.committed(attempt)
        return Verdict("waiting", say.change_finished(proved, plan.header.branch), read.shown, finished=not held)
    if attempt is None and _finished_by_hand(node, read):
        ours = node_branch(plan.slug, node.spec.id)
        detail = say.finished_by_hand(say.steps_passed(len(read.shown)), plan.header.branch, ours)
        return Verdict("waiting", detail, read.shown, finished=not held)
    if read.deciding:
        return Verdict("waiting", _steps_so_far(node, read), read.shown)
    if node.landing is not None:
        return Verdict("open", say.landed_nothing(node.landing), read.shown)
    return Verdict("open", say.change_open(attempt), read.shown)


def _steps_so_far(node: NodeState, read: steps.Steps) -> str:
    if read.missing or read.undecided:
        return say.steps_waiting(read.missing, read.undecided, read.tally)
    passed, attempt = say.steps_passed(len(read.shown)), node.current_attempt
    if attempt is not None:
        return say.with_remark(passed, say.change_open(attempt))
    return say.with_remark(passed, say.NOT_A_COMMIT if _all_since_restart(node, read) else say.BEFORE_RESTART)


def _finished_by_hand(node: NodeState, read: steps.Steps) -> bool:
    """Whether its steps prove one commit, as they would have to prove the branch that a runner lands."""
    if not read.shown or not _all_since_restart(node, read):
        return False
    head = max(read.deciding, key=lambda run: run.seq).commit_after
    return head is not None and not unproved_steps(node, head)


def _all_since_restart(node: NodeState, read: steps.Steps) -> bool:
    every = bool(read.shown) and all(step.state == "passed" for step in read.shown)
    return every and all(run.order > node.restarted_seq for run in read.deciding)
