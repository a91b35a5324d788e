"""A gate is a suite that passes: every declared step under its own id, or its one run where it declares none.

The first row that applies:

| what                                                | status   |
|-----------------------------------------------------|----------|
| a run of a step (or of the gate) is going           | running  |
| it is red, and a worker diagnosed it since          | findings |
| a step is red or timed out                          | failed   |
| a step is green, of another command or directory    | mismatch |
| every step passed                                   | done, or stale: see freshness.py |
| somebody holds it                                   | claimed  |
| else                                                | waiting, naming what was not run |

Every run is recorded in the store that is being read, so no run is `waiting`, never `unknown`. A diagnosis stands until
the gate is run again, or restarted by a person.
"""

from __future__ import annotations

from msgspec.structs import replace

from stoat.derive import freshness, rounds, steps
from stoat.derive.freshness import Proof
from stoat.derive.rounds import Round
from stoat.derive.verdict import Context, Verdict
from stoat.derive.wording import status as say
from stoat.derive.wording import steps as words
from stoat.plan.state import NodeState, PlanState

RED = frozenset({"failed", "mismatch"})


def status(node: NodeState, plan: PlanState, context: Context) -> Verdict:
    """Where a gate stands."""
    verdict = _stepped(node, plan, context) if node.spec.steps else _bare(node, plan, context)
    if verdict.status in RED and node.diagnosed is not None and _is_newest(node):
        return replace(verdict, status="findings", detail=say.diagnosed(verdict.detail, node.diagnosed))
    return verdict


def _is_newest(node: NodeState) -> bool:
    """Whether the diagnosis is of what the gate is red by: no run ended after it, and nobody began it again."""
    newest = max((run.seq for run in node.evidence.values()), default=0)
    return node.diagnosed_seq > max(newest, node.restarted_seq)


def _stepped(node: NodeState, plan: PlanState, context: Context) -> Verdict:
    read = steps.read(plan.slug, node, context)
    verdict = _of_steps(node, plan, read)
    if read.lost:
        verdict = _with(verdict, say.newer_lost(tuple(read.lost.values()), tuple(read.lost)))
    if read.unassigned:
        runs, done = read.unassigned, verdict.status == "done"
        verdict = _with(verdict, say.unassigned_beside(len(runs)) if done else say.unassigned(runs))
    return verdict


def _with(verdict: Verdict, remark: str) -> Verdict:
    """The verdict with a remark in its detail, whichever of the two it comes to be."""
    weaker = _with(verdict.weaker, remark) if verdict.weaker is not None else None
    return replace(verdict, detail=say.with_remark(verdict.detail, remark), weaker=weaker)


def _of_steps(node: NodeState, plan: PlanState, read: steps.Steps) -> Verdict:
    if read.first("running"):
        return Verdict("running", say.progress(read.tally), read.shown)
    bad = steps.bad(read)
    if bad is not None:
        return bad
    if read.missing or read.undecided:
        return Verdict("waiting", say.steps_waiting(read.missing, read.undecided, read.tally), read.shown)
    proofs = [Proof.of_run(run) for run in read.deciding]
    return freshness.passed(node, plan, proofs, say.steps_passed(len(read.shown)), read.shown)


def _bare(node: NodeState, plan: PlanState, context: Context) -> Verdict:
    of = steps.counting(node, rounds.BARE, context)
    verdict, lost = _of_round(node, plan, of), of.lost_since
    return verdict if lost is None or of.in_flight is not None else _with(verdict, say.newer_lost([lost]))


def _of_round(node: NodeState, plan: PlanState, of: Round) -> Verdict:
    going, run = of.in_flight, of.decided
    if going is not None:
        return Verdict("running", say.running(going))
    if of.red is not None:
        return Verdict("failed", words.bad(of))
    if of.open or run is None:
        return Verdict("waiting", say.bare_open(run, of.gone))
    return freshness.passed(node, plan, [Proof.of_run(one) for one in of.deciding], say.bare_passed(run))
