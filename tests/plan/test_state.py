"""What came before what in a node's life: by the log's order, whatever the clocks of those who wrote say."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from stoat.plan import fold
from stoat.plan.events import decisions
from stoat.plan.events.attempts import AttemptStarted
from stoat.plan.events.authoring import NodeAdded
from stoat.plan.events.base import Actor, Event
from stoat.plan.events.decisions import NodeRestarted
from stoat.plan.events.landings import Landed
from stoat.plan.events.plans import PlanCreated
from stoat.plan.nodes import Header, Node
from stoat.plan.state import PlanState

EARLY, LATE = "2026-11-30T10:00:00.000Z", "2026-11-30T14:00:00.000Z"
STARTED = AttemptStarted(
    node="n", attempt=1, claim="c-1", runner="r", machine="m", launcher="l", worktree="/w", branch="stoat/p/n",
    base="a" * 40, base_ref="main", log="/l",
)  # fmt: skip
RESTARTED = NodeRestarted(node="n")
LANDED = Landed(node="n", branch="stoat/p/n", commit="b" * 40, onto="integ", tip="c" * 40, how="rebased")


def folded(*events: tuple[Event, str]) -> PlanState:
    """A plan with a change `n` and those events, each stamped by a clock of its own."""
    begin: list[tuple[Event, str]] = [
        (PlanCreated(header=Header(plan="p")), EARLY), (NodeAdded(node="n", spec=Node(id="n", kind="change")), EARLY),
    ]  # fmt: skip
    lines = [fold.encode_event(replace(event, at=at, by=Actor("jo", "person"))) for event, at in [*begin, *events]]
    part, troubles = fold.fold_part("plans/p", None, lines)
    assert troubles == [] and isinstance(part, PlanState)
    return part


CLOCKS = [(EARLY, LATE), (LATE, EARLY), (EARLY, EARLY)]


@pytest.mark.parametrize(("first", "second"), CLOCKS, ids=["clocks agree", "clocks disagree", "within a millisecond"])
def test_an_attempt_is_history_once_a_restart_came_after_it(first: str, second: str) -> None:
    plan = folded((STARTED, first), (RESTARTED, second))
    node = plan.nodes["n"]
    assert node.attempt is not None and node.current_attempt is None
    assert decisions.restart(plan, node) is None


@pytest.mark.parametrize(("first", "second"), CLOCKS, ids=["clocks agree", "clocks disagree", "within a millisecond"])
def test_an_attempt_after_the_restart_is_the_nodes(first: str, second: str) -> None:
    plan = folded((RESTARTED, first), (STARTED, second))
    node = plan.nodes["n"]
    assert node.current_attempt is node.attempt is not None
    assert decisions.restart(plan, node) is not None


@pytest.mark.parametrize(("first", "second"), CLOCKS, ids=["clocks agree", "clocks disagree", "within a millisecond"])
def test_a_landing_is_of_the_attempt_before_it(first: str, second: str) -> None:
    assert folded((STARTED, first), (LANDED, second)).nodes["n"].current_landing is not None
    assert folded((LANDED, first), (STARTED, second)).nodes["n"].current_landing is None
    assert folded((LANDED, first)).nodes["n"].current_landing is not None
