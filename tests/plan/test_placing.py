"""Which of two runs is the newer one: as they were heard of, or found late, whatever their publishers' clocks say."""

from __future__ import annotations

from itertools import permutations
from typing import Any, Literal

import pytest
from msgspec.structs import replace

from stoat.derive import steps
from stoat.derive.verdict import Context
from stoat.plan import fold
from stoat.plan.events.authoring import NodeAdded
from stoat.plan.events.base import Event
from stoat.plan.events.decisions import NodeRestarted, ReverifyAsked
from stoat.plan.events.evidence import GateFinished, GateStarted, RunRecorded, RunStarted
from stoat.plan.events.plans import PlanCreated
from stoat.plan.facts import Facts
from stoat.plan.nodes import GATE, Header, Node, Step
from stoat.plan.state import NodeState, PlanState
from tests.support.states import NOW

COMMAND: dict[str, Any] = {"node": "g", "command": ("make",), "machine": "m", "step": "s"}


def minute(of: int) -> str:
    """A time of that day."""
    return f"2026-12-01T09:{of:02}:00.000Z"


def at(of: int, event: Event) -> Event:
    """The event at that minute."""
    return replace(event, at=minute(of))


def after(*events: Event) -> NodeState:
    """The node after those events: they take the places 3, 4 … of the stream, and happen at those minutes unless they
    say another time."""
    spec = Node(id="g", kind=GATE, steps=(Step(id="s", run="make"),))
    whole = [PlanCreated(header=Header(plan="p")), NodeAdded(node="g", spec=spec), *events]
    timed = [event if event.at else at(place, event) for place, event in enumerate(whole, 1)]
    part, troubles = fold.fold_part("plans/p", None, [fold.encode_event(event) for event in timed])
    assert troubles == [] and isinstance(part, PlanState)
    return part.nodes["g"]


def start(run: str, unit: str | None = "a") -> RunStarted:
    return RunStarted(node="g", run=run, source="bobcat", machine="m", step="s", unit=unit)


def end(run: str, state: Literal["passed", "failed"], unit: str | None = "a", **more: Any) -> RunRecorded:
    specs = {"specs_passed" if state == "passed" else "specs_failed": ("F/a",)}
    return RunRecorded(
        node="g", run=run, source="bobcat", state=state, machine="m", step="s", unit=unit, **specs, **more
    )  # fmt: skip


def begun(run: str = "c") -> GateStarted:
    return GateStarted(run=run, **COMMAND)


def done(run: str = "c", exit_code: int = 0, began: int = 3) -> GateFinished:
    return GateFinished(run=run, exit_code=exit_code, seconds=1.0, started=minute(began), **COMMAND)


def state_of(node: NodeState) -> str:
    """Where the step stands."""
    return steps.read("p", node, Context(NOW, Facts(machine="m"))).shown[0].state


SAYS = {"before": minute(0), "equal": minute(3), "after": minute(59), "nothing": None}
"""What a publisher's clock says of its start."""


@pytest.mark.parametrize("one", SAYS)
@pytest.mark.parametrize("other", SAYS)
@pytest.mark.parametrize("started", [False, True], ids=["in one batch", "start seen first"])
@pytest.mark.parametrize("restart", [False, True], ids=["no restart", "a restart between"])
@pytest.mark.parametrize(("first", "then"), [("passed", "failed"), ("failed", "passed")])
def test_of_two_runs_that_were_heard_the_later_one_decides_whatever_their_clocks_say(
    one: str, other: str, started: bool, restart: bool, first: Any, then: Any
) -> None:
    events: list[Event] = [end("r-1", first, started=SAYS[one])]
    events += [NodeRestarted(node="g")] if restart else []
    events += [start("r-2")] if started else []
    node = after(*events, end("r-2", then, started=SAYS[other]))
    assert (node.evidence["s/a"].run, state_of(node)) == ("r-2", then)
    assert (node.specs["F/a"].run, node.specs["F/a"].passed) == ("r-2", then == "passed")
    assert not restart or node.evidence["s/a"].order > node.restarted_seq


@pytest.mark.parametrize("says", SAYS)
@pytest.mark.parametrize("started", [False, True], ids=["in one batch", "start seen first"])
@pytest.mark.parametrize("ended", [False, True], ids=["recorded within its command", "recorded after its command"])
def test_a_red_unit_of_a_green_command_is_red_in_every_round(says: str, started: bool, ended: bool) -> None:
    def a_round(number: int) -> list[Event]:
        seen: list[Event] = [start(f"r-{number}")] if started else []
        red = end(f"r-{number}", "failed", started=SAYS[says])
        finished = done(f"c-{number}")
        return [begun(f"c-{number}"), *seen, *([finished, red] if ended else [red, finished])]

    for rounds in (1, 2, 3):
        events = [event for number in range(rounds) for event in a_round(number)]
        assert state_of(after(*events)) == "failed"


@pytest.mark.parametrize("clock", SAYS)
@pytest.mark.parametrize("found", ["before", "between", "after"])
@pytest.mark.parametrize("restart", [False, True], ids=["no restart", "a restart between"])
@pytest.mark.parametrize("seen", ["in one batch", "start seen first", "going"])
def test_a_run_that_is_found_late_is_as_old_as_it_was_heard(clock: str, found: str, restart: bool, seen: str) -> None:
    heard = {"before": 0, "between": 3, "after": 50}[found]
    again = at(4, NodeRestarted(node="g"))
    late = end("r-1", "failed", started=SAYS[clock], found=minute(heard))
    green = at(6, end("r-2", "passed", started=SAYS[clock]))
    events = [*([again] if restart else []), *([at(5, start("r-2"))] if seen != "in one batch" else [])]
    node = after(*events, *([late, green] if seen == "going" else [green, late]))
    newest = "r-1" if found == "after" else "r-2"
    assert (node.evidence["s/a"].run, node.specs["F/a"].run) == (newest, newest)
    alone = after(again, late)
    assert (alone.evidence["s/a"].order < alone.restarted_seq) == (found != "after")
    wished = after(at(4, ReverifyAsked(node="g")), late)
    assert (wished.evidence["s/a"].order < wished.reverify_seq) == (found != "after")


@pytest.mark.parametrize("order", list(permutations(range(4))))
def test_runs_that_are_found_late_have_their_order_however_they_are_found(order: tuple[int, ...]) -> None:
    runs = [end(f"r-{at}", "failed" if at % 2 else "passed", found=minute(at)) for at in range(4)]
    node = after(*(runs[at] for at in order))
    assert (node.evidence["s/a"].run, node.specs["F/a"].run) == ("r-3", "r-3")
    node = after(at(30, end("r-9", "passed")), *(runs[at] for at in order))
    assert (node.evidence["s/a"].run, node.specs["F/a"].run) == ("r-9", "r-9")


@pytest.mark.parametrize("sibling", [False, True], ids=["alone", "beside a unit"])
@pytest.mark.parametrize(("heard", "state"), [(1, "passed"), (4, "failed"), (40, "failed")])
def test_a_red_unit_that_is_found_late_counts_in_the_round_it_was_heard_in(
    sibling: bool, heard: int, state: str
) -> None:
    units = [at(6, start("r-2", "b")), at(6, end("r-2", "passed", "b"))] if sibling else []
    late = end("r-1", "failed", started=minute(0), found=minute(heard))
    assert state_of(after(begun(), *units, at(8, done()), late)) == state


def test_a_report_is_as_new_as_its_addition() -> None:
    live = end("r-1", "passed", started=minute(40))
    report = RunRecorded(
        node="g", run="r-2", source="junit", state="failed", machine="m", step="s", unit="a", started=minute(0)
    )  # fmt: skip
    assert after(live, report).evidence["s/a"].run == "r-2"
