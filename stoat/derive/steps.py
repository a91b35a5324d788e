"""Where the declared steps of a gate or a change stand: the newest run of each decides it, and only under its own id.

| newest run of the step           | state     |
|----------------------------------|-----------|
| one is going                     | running   |
| none finished                    | pending   |
| killed at its timeout            | timed-out |
| red                              | failed    |
| green, of another command        | mismatch  |
| green                            | passed    |

Newest is by the log's order. A run whose process is dead is not going. One that began elsewhere before the newest
finished run is not either: where it runs cannot be seen, and the newer word counts.
"""

from __future__ import annotations

from collections.abc import Iterable

from msgspec import Struct

from stoat.derive.answers import StepShown, StepState
from stoat.derive.integration import as_declared
from stoat.derive.verdict import Context, Verdict
from stoat.derive.wording import commands, status
from stoat.plan.evidence import Evidence
from stoat.plan.nodes import Step
from stoat.plan.state import NodeState

BARE = ""
"""The key of evidence under a node's own tag, which names no step."""
BAD: frozenset[StepState] = frozenset({"failed", "timed-out", "mismatch"})


class Steps(Struct, frozen=True):
    """All steps of a node: each as shown, the runs that decided the passed ones, and runs that count for none."""

    shown: tuple[StepShown, ...]
    deciding: tuple[Evidence, ...]
    unassigned: tuple[str, ...]

    @property
    def tally(self) -> status.Tally:
        """How many passed, failed in any way, and have no verdict."""
        passed = sum(step.state == "passed" for step in self.shown)
        bad = sum(step.state in BAD for step in self.shown)
        return passed, bad, len(self.shown) - passed - bad

    def first(self, *states: StepState) -> StepShown | None:
        """The first step in one of those states."""
        return next((step for step in self.shown if step.state in states), None)

    @property
    def missing(self) -> tuple[str, ...]:
        """The ids of the steps that nothing finished for."""
        return tuple(step.id for step in self.shown if step.state == "pending")


def read(plan: str, node: NodeState, context: Context) -> Steps:
    """The steps of a node of that plan, in declared order."""
    shown = []
    deciding = []
    for step in node.spec.steps:
        run = node.evidence.get(step.id)
        going, orphan = in_flight(node, step.id, context)
        state = _state(step, run, going)
        if state == "passed" and run is not None:
            deciding.append(run)
        shown.append(
            StepShown(
                step.id,
                step.title,
                state,
                _detail(step, state, run, going, orphan),
                commands.gate_exec(plan, node.spec.id, step),
                going.run if going else run.run if run else None,
            )
        )
    declared = {step.id for step in node.spec.steps}
    unassigned = tuple(run.run for key, run in sorted(node.evidence.items()) if key not in declared)
    return Steps(tuple(shown), tuple(deciding), unassigned)


def bad(node: NodeState, read: Steps) -> Verdict | None:
    """The verdict on a node with a bad step: red and timed-out ones before those that ran another command."""
    red = read.first("failed", "timed-out")
    if red is not None:
        detail = status.ended(node.evidence[red.id])
        return Verdict("failed", status.steps_bad(red.id, detail, read.tally), read.shown)
    other = read.first("mismatch")
    if other is not None:
        return Verdict("mismatch", status.steps_bad(other.id, other.detail, read.tally), read.shown)
    return None


def in_flight(node: NodeState, step: str, context: Context) -> tuple[Evidence | None, Evidence | None]:
    """The newest run of a step (BARE: the node's own tag) that is going, and the newest orphan with no later word."""
    if not node.running:
        return None, None
    finished = node.evidence.get(step)
    going = orphan = None
    for run in sorted(node.running.values(), key=lambda run: run.seq):
        if (run.step or BARE) != step:
            continue
        superseded = finished is not None and finished.seq > run.seq
        if run.process is not None and run.process in context.facts.dead:
            orphan = orphan if superseded else run
        elif not superseded or run.machine == context.facts.machine:
            going = run
    return going, orphan


def any_in_flight(node: NodeState, context: Context) -> Evidence | None:
    """Any run of the node that is going, whatever it is of; None when nothing runs."""
    keys: Iterable[str] = sorted({run.step or BARE for run in node.running.values()})
    return next((going for going, _ in (in_flight(node, key, context) for key in keys) if going), None)


def _state(step: Step, run: Evidence | None, going: Evidence | None) -> StepState:
    if going is not None:
        return "running"
    if run is None:
        return "pending"
    if run.state == "timed-out":
        return "timed-out"
    if run.state != "passed":
        return "failed"
    if not as_declared(step, run):
        return "mismatch"
    return "passed"


def _detail(step: Step, state: StepState, run: Evidence | None, going: Evidence | None, orphan: Evidence | None) -> str:
    if going is not None:
        return status.running(going)
    if run is None:
        return status.step_pending(orphan)
    if state == "mismatch":
        return status.step_mismatch(run, step.run or "")
    return status.step_detail(run)
