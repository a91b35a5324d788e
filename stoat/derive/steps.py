"""Where the declared steps of a gate or a change stand, by the runs that count for each (rounds.py); only its own ids.

The first row that applies to a step:

| what                                                                        | state     |
|-----------------------------------------------------------------------------|-----------|
| its command is going, or any of its units                                   | running   |
| its command was killed at its timeout                                       | timed-out |
| any of its units failed                                                     | failed    |
| its command was red, though its units passed or came to no verdict          | failed    |
| nothing finished, or a unit never finished, or a result is not known        | pending   |
| green, of another command than declared, or in another directory            | mismatch  |
| else: the command and every unit passed                                     | passed    |

A unit is running, passed, failed, or pending: it never finished, or came to no verdict.
"""

from __future__ import annotations

from msgspec import Struct

from stoat.derive import rounds
from stoat.derive.answers import StepShown, StepState, UnitShown
from stoat.derive.rounds import Round, Unit
from stoat.derive.verdict import Context, Verdict
from stoat.derive.wording import commands, status
from stoat.derive.wording import steps as say
from stoat.plan.evidence import Evidence
from stoat.plan.nodes import Step
from stoat.plan.state import NodeState

BAD: frozenset[StepState] = frozenset({"failed", "timed-out", "mismatch"})


class Steps(Struct, frozen=True):
    """All steps of a node: each as shown, the runs that decided the passed ones, runs that count for none, how each red
    one ended, and by step the newest run that was lost after what decides it."""

    shown: tuple[StepShown, ...]
    deciding: tuple[Evidence, ...] = ()
    unassigned: tuple[str, ...] = ()
    reds: dict[str, str] = {}
    lost: dict[str, Evidence] = {}

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
        """The ids of the steps of which nothing ended."""
        return tuple(step.id for step in self.shown if step.state == "pending" and step.run is None)

    @property
    def undecided(self) -> tuple[str, ...]:
        """The ids of the steps of which a run ended, and that came to no verdict."""
        return tuple(step.id for step in self.shown if step.state == "pending" and step.run is not None)


def read(plan: str, node: NodeState, context: Context) -> Steps:
    """The steps of a node of that plan, in declared order."""
    shown = []
    deciding: list[Evidence] = []
    reds, lost = {}, {}
    for step in node.spec.steps:
        of = counting(node, step.id, context)
        state = state_of(step, of)
        if state == "passed":
            deciding.extend(of.deciding)
        if state in ("failed", "timed-out"):
            reds[step.id] = say.bad(of)
        if of.in_flight is None and of.lost_since is not None:
            lost[step.id] = of.lost_since
        decided = of.decided
        run = decided.run if decided is not None else None
        detail, again = say.step(state, step, of), commands.gate_exec(plan, node.spec.id, step)
        units = tuple(_unit(unit) for unit in of.units if unit.id != rounds.WHOLE) if of.units else ()
        shown.append(StepShown(step.id, step.title, state, detail, again, run, units))
    return Steps(tuple(shown), tuple(deciding), _unassigned(node), reds, lost)


def counting(node: NodeState, step: str, context: Context) -> Round:
    """The round of a step that counts, with what is seen of this machine's processes."""
    return rounds.counting(node, step, context.facts.dead, context.facts.machine, context.facts.lost)


def state_of(step: Step, of: Round) -> StepState:
    """Where a step stands: the table."""
    if of.in_flight is not None:
        return "running"
    red = of.red
    if red is not None:
        return "timed-out" if red.state == "timed-out" else "failed"
    if of.open:
        return "pending"
    return "passed" if rounds.as_declared(step, of.word) else "mismatch"


def bad(read: Steps) -> Verdict | None:
    """The verdict on a node with a bad step: red and timed-out ones before those that ran another command."""
    red = read.first("failed", "timed-out")
    if red is not None:
        return Verdict("failed", status.steps_bad(red.id, read.reds[red.id], read.tally), read.shown)
    other = read.first("mismatch")
    if other is not None:
        return Verdict("mismatch", status.steps_bad(other.id, other.detail, read.tally), read.shown)
    return None


def any_in_flight(node: NodeState, context: Context) -> Evidence | None:
    """Any run of the node that is going, whatever it is of; None when nothing runs."""
    facts = context.facts
    return rounds.in_flight(node, facts.dead, facts.machine, facts.lost) if node.running else None


def _unit(unit: Unit) -> UnitShown:
    run = unit.going or unit.run or unit.lost
    state: StepState = "pending"
    if unit.going is not None:
        state = "running"
    elif unit.run is not None and unit.run.state != "unknown":
        state = "passed" if unit.run.state == "passed" else "failed"
    return UnitShown(unit.id, state, say.unit(unit), run.run if run is not None else None)


def _unassigned(node: NodeState) -> tuple[str, ...]:
    """The runs that name no declared step, those that go on, too."""
    if not node.evidence and not node.running:
        return ()
    declared = {step.id for step in node.spec.steps}
    runs = (*node.evidence.values(), *node.running.values())
    return tuple(sorted({run.run for run in runs if (run.step or rounds.BARE) not in declared}))
