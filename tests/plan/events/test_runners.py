"""A plan's pause: what it leaves in the state, and that saying it again is no news."""

from __future__ import annotations

from msgspec.structs import replace

from stoat.plan import fold
from stoat.plan.events import runners
from stoat.plan.events.base import Actor, Event
from stoat.plan.events.plans import PlanCreated
from stoat.plan.events.runners import RunnerPaused, RunnerResumed
from stoat.plan.nodes import Header
from stoat.plan.state import Mark, PlanState

AT = "2026-11-30T12:00:00.000Z"


def folded(*events: Event) -> PlanState:
    lines = [
        fold.encode_event(replace(event, id="01", at=AT, by=Actor("jo", "person")))
        for event in (PlanCreated(header=Header(plan="p")), *events)
    ]
    part, troubles = fold.fold_part("plans/p", None, lines)
    assert troubles == [] and isinstance(part, PlanState)
    return part


def test_a_pause_holds_until_it_is_taken_back() -> None:
    assert folded(RunnerPaused(runner="r-1")).paused == Mark("jo", AT)
    assert folded(RunnerPaused(runner="r-1"), RunnerResumed(runner="r-2")).paused is None
    assert folded(RunnerResumed(runner="r-1")).paused is None


def test_what_is_so_already_is_no_event() -> None:
    going, held = folded(), folded(RunnerPaused(runner="r-1"))
    assert runners.pause(going, "r-1") == RunnerPaused(runner="r-1") and runners.resume(going, "r-1") is None
    assert runners.resume(held, "r-2") == RunnerResumed(runner="r-2") and runners.pause(held, "r-2") is None
