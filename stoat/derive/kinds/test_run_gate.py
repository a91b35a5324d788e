"""A gate is a suite that passes: every declared step under its own id, or its one run where it declares none.

The first row that applies:

| what                                                | status   |
|-----------------------------------------------------|----------|
| a run of a step (or of the gate) is going           | running  |
| a step's newest run is red or timed out             | failed   |
| a step's newest run is green, of another command    | mismatch |
| every step passed                                   | done, or stale: see freshness.py |
| somebody holds it                                   | claimed  |
| else                                                | waiting, naming what was not run |

Every run is recorded in the store that is being read, so no run is `waiting`, never `unknown`.
"""

from __future__ import annotations

from msgspec.structs import replace

from stoat.derive import freshness, steps
from stoat.derive.freshness import Proof
from stoat.derive.verdict import Context, Verdict
from stoat.derive.wording import status as say
from stoat.plan.state import NodeState, PlanState


def status(node: NodeState, plan: PlanState, context: Context) -> Verdict:
    """Where a gate stands."""
    return _stepped(node, plan, context) if node.spec.steps else _bare(node, plan, context)


def _stepped(node: NodeState, plan: PlanState, context: Context) -> Verdict:
    read = steps.read(plan.slug, node, context)
    verdict = _of_steps(node, plan, read)
    if verdict.status != "done" and read.unassigned:
        verdict = replace(verdict, detail=say.with_remark(verdict.detail, say.unassigned(read.unassigned)))
    return verdict


def _of_steps(node: NodeState, plan: PlanState, read: steps.Steps) -> Verdict:
    if read.first("running"):
        return Verdict("running", say.progress(read.tally), read.shown)
    bad = steps.bad(node, read)
    if bad is not None:
        return bad
    if read.missing:
        return Verdict("waiting", say.steps_waiting(read.missing, read.tally), read.shown)
    proofs = [Proof.of_run(run) for run in read.deciding]
    return freshness.passed(node, plan, proofs, say.steps_passed(len(read.shown)), read.shown)


def _bare(node: NodeState, plan: PlanState, context: Context) -> Verdict:
    going, orphan = steps.in_flight(node, steps.BARE, context)
    run = node.evidence.get(steps.BARE)
    if going:
        return Verdict("running", say.running(going))
    if run is None:
        return Verdict("waiting", say.no_run(orphan))
    if run.state != "passed":
        return Verdict("failed", say.ended(run))
    return freshness.passed(node, plan, [Proof.of_run(run)], say.bare_passed(run))
