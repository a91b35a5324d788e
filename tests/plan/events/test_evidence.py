"""What runs of tests leave in the state: in whatever order their starts, ends and losses come."""

from __future__ import annotations

from typing import Any

import pytest

from stoat.plan import fold
from stoat.plan.events.authoring import NodeAdded
from stoat.plan.events.base import Event
from stoat.plan.events.evidence import (
    GateDiagnosed,
    GateFinished,
    GateStarted,
    ResultAsserted,
    RunLost,
    RunRecorded,
    RunStarted,
    Tree,
)
from stoat.plan.events.plans import PlanCreated
from stoat.plan.nodes import GATE, SLICE, Header, Node
from stoat.plan.state import NodeState, PlanState

A_GATE = Node(id="g", kind=GATE)


def after(*events: Event, spec: Node = A_GATE) -> NodeState:
    """The node `g` after those events, which take the places 3, 4 … of its plan's stream."""
    whole = (PlanCreated(header=Header(plan="p")), NodeAdded(node="g", spec=spec), *events)
    part, troubles = fold.fold_part("plans/p", None, [fold.encode_event(event) for event in whole])
    assert troubles == [] and isinstance(part, PlanState)
    return part.nodes["g"]


def began(run: str, unit: str | None = "a.net9", **more: Any) -> RunStarted:
    return RunStarted(node="g", run=run, source="bobcat", machine="m", step="s", unit=unit, **more)


def ended(run: str, state: Any = "passed", unit: str | None = "a.net9", **more: Any) -> RunRecorded:
    return RunRecorded(node="g", run=run, source="bobcat", state=state, machine="m", step="s", unit=unit, **more)


def test_each_unit_of_a_step_keeps_its_newest_run() -> None:
    node = after(
        began("r-1"), began("r-2", unit="b/c.net9"), ended("r-1", passed=2), ended("r-2", "failed", "b/c.net9")
    )
    assert {key: (seen.run, seen.state, seen.order) for key, seen in node.evidence.items()} == {
        "s/a.net9": ("r-1", "passed", 3), "s/b/c.net9": ("r-2", "failed", 4)
    }  # fmt: skip
    assert node.running == {}


def test_newest_is_the_run_that_began_last_not_the_one_that_ended_last() -> None:
    node = after(began("r-1"), began("r-2"), ended("r-2", "failed"), ended("r-1"))
    assert (node.evidence["s/a.net9"].run, node.running) == ("r-2", {})
    wrapper = {"node": "g", "command": ("make",), "machine": "m", "step": "s"}
    node = after(
        GateStarted(run="g-1", **wrapper), GateStarted(run="g-2", **wrapper),
        GateFinished(run="g-2", exit_code=1, seconds=1, **wrapper),
        GateFinished(run="g-1", exit_code=0, seconds=1, **wrapper),
    )  # fmt: skip
    assert (node.evidence["s"].run, node.evidence["s"].order) == ("g-2", 4)


def test_a_start_that_comes_after_the_end_opens_nothing_again() -> None:
    assert after(ended("r-1"), began("r-1")).running == {}


def test_a_start_said_twice_is_one_run_of_the_first_place() -> None:
    node = after(began("r-1"), began("r-1", total=9))
    assert [(seen.order, seen.total) for seen in node.running.values()] == [(3, 9)]


def test_a_lost_run_is_going_no_more_and_its_results_heal_it() -> None:
    lost = after(began("r-1"), RunLost(node="g", run="r-1", why="no heartbeat for 30s"))
    assert [(seen.state, seen.why) for seen in lost.running.values()] == [("lost", "no heartbeat for 30s")]
    healed = after(began("r-1"), RunLost(node="g", run="r-1"), ended("r-1"))
    assert (healed.running, healed.evidence["s/a.net9"].order) == ({}, 3)
    again = after(began("r-1"), RunLost(node="g", run="r-1"), began("r-1"))
    assert [seen.state for seen in again.running.values()] == ["running"]


def test_lost_runs_of_a_unit_do_not_pile_up() -> None:
    lose = [event for at in range(9) for event in (began(f"r-{at}"), RunLost(node="g", run=f"r-{at}"))]
    assert list(after(*lose).running) == ["r-8"]
    assert after(*lose, ended("r-9")).running == {}


def test_losing_a_run_that_ended_or_never_began_changes_nothing() -> None:
    node = after(ended("r-1"), RunLost(node="g", run="r-1"), RunLost(node="g", run="r-7"))
    assert (node.running, node.evidence["s/a.net9"].state) == ({}, "passed")


def specs_of(*events: Event, bound: tuple[str, ...] = ("F/a", "F/b")) -> dict[str, str | None]:
    """What became of each spec: green, red, or the run that it is gone from."""
    words = after(*events, spec=Node(id="g", kind=SLICE, specs=bound)).specs
    return {name: word.gone or ("green" if word.passed else "red") for name, word in words.items()}


def suite(run: str, *green: str, commit: str | None = "c0", others: int = 0, dirty: bool | None = False) -> RunRecorded:
    """A run under the node's own tag that passed those specs, and so many other tests."""
    return RunRecorded(
        node="g", run=run, source="bobcat", state="passed", machine="m", passed=len(green) + others,
        specs_passed=green, tree=Tree(commit, "b", dirty),
    )  # fmt: skip


def test_a_spec_that_a_newer_whole_run_did_not_have_is_gone_and_may_come_back() -> None:
    whole = suite("r-1", "F/a", "F/b", others=10)
    assert specs_of(whole, suite("r-2", "F/a", commit="c1", others=10)) == {"F/a": "green", "F/b": "r-2"}
    assert specs_of(whole, suite("r-2", "F/a", commit="c0", dirty=True, others=10))["F/b"] == "r-2"
    back = suite("r-3", "F/a", "F/b", commit="c2", others=10)
    assert specs_of(whole, suite("r-2", "F/a", commit="c1", others=10), back) == {"F/a": "green", "F/b": "green"}


def test_a_run_of_a_part_takes_no_spec_away() -> None:
    whole = suite("r-1", "F/a", "F/b", others=10)
    assert specs_of(whole, suite("r-2", "F/a", commit="c1")) == {"F/a": "green", "F/b": "green"}
    assert specs_of(whole, suite("r-2", "F/a", commit="c0", others=10))["F/b"] == "green", "the very same tree"
    assert specs_of(suite("r-1", "F/a"), suite("r-2", "F/b", commit="c1")) == {"F/a": "green", "F/b": "green"}
    unit = ended("r-2", passed=20, tree=Tree("c1", "b", False))
    assert specs_of(whole, unit)["F/b"] == "green", "a run of another tag"
    lost = RunRecorded(node="g", run="r-2", source="bobcat", state="unknown", machine="m", passed=12, indeterminate=1)
    assert specs_of(whole, lost)["F/b"] == "green", "a run without a verdict"


def test_the_only_spec_of_a_slice_is_gone_when_as_large_a_run_does_not_have_it() -> None:
    only = suite("r-1", "F/a", others=3)
    assert specs_of(only, suite("r-2", commit="c1", others=4), bound=("F/a",)) == {"F/a": "r-2"}
    assert specs_of(only, suite("r-2", commit="c1", others=1), bound=("F/a",)) == {"F/a": "green"}
    assert specs_of(only, suite("r-2", commit="c1", others=4)) == {"F/a": "green"}, "it may be the other's run"


def test_an_older_run_that_ends_later_takes_no_newer_word_back() -> None:
    old, new = began("r-1", None), began("r-2", None)
    green = RunRecorded(
        node="g", run="r-2", source="bobcat", state="passed", machine="m", step="s", passed=1, specs_passed=("F/a",)
    )
    red = RunRecorded(
        node="g", run="r-1", source="bobcat", state="failed", machine="m", step="s", failed=1, specs_failed=("F/a",)
    )
    assert specs_of(old, new, green, red) == {"F/a": "green"}


EARLY, LATE = "2026-12-01T09:00:00.000Z", "2026-12-01T09:05:00.000Z"


@pytest.mark.parametrize("started", [None, EARLY])
@pytest.mark.parametrize("start", [False, True])
def test_a_run_that_is_recorded_once_more_keeps_its_place(started: str | None, start: bool) -> None:
    of: dict[str, Any] = {"started": started, "specs_passed": ("F/a",)}
    old, new = ended("r-1", **of), ended("r-2", "failed", started=started, specs_failed=("F/a",))
    first = (began("r-1"), old) if start else (old,)
    once, again = after(*first, new), after(*first, new, old)
    assert (again.evidence, again.specs) == (once.evidence, once.specs)
    assert again.evidence["s/a.net9"].run == "r-2"
    wrapped = GateFinished(node="g", run="g-1", command=("make",), machine="m", step="s", exit_code=1, seconds=1)
    orders = {key: seen.order for key, seen in after(*first, wrapped, old).evidence.items()}
    assert orders["s/a.net9"] < orders["s"]


def test_a_run_that_is_recorded_once_more_says_no_more_what_it_takes_back() -> None:
    first, then = ended("r-1", specs_passed=("F/a", "F/b")), ended("r-1", "failed", specs_failed=("F/b",))
    assert specs_of(first, then) == {"F/b": "red"}


def test_so_many_runs_keep_their_places_and_no_more(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("stoat.plan.placing.PLACES", 3)
    assert list(after(*(ended(f"r-{number}") for number in range(5))).places) == ["r-2", "r-3", "r-4"]


def test_what_passed_on_retry_counts_when_a_run_is_measured_against_another() -> None:
    whole = suite("r-1", "F/a", "F/b", others=10)
    retried = RunRecorded(
        node="g", run="r-2", source="bobcat", state="passed", machine="m", passed=4, on_retry=7, specs_passed=("F/a",),
        tree=Tree("c1", "b", False),
    )  # fmt: skip
    assert specs_of(whole, retried) == {"F/a": "green", "F/b": "r-2"}


def test_an_agents_word_is_kept_beside_what_was_seen() -> None:
    node = after(
        GateFinished(node="g", run="g-1", command=(), machine="m", step="s", exit_code=1, seconds=1),
        ResultAsserted(node="g", run="w-1", state="passed", why="ran it on the GPU box", machine="m", step="s"),
    )
    assert {key: seen.state for key, seen in node.evidence.items()} == {"s": "failed", "s!": "passed"}


def test_a_diagnosis_has_its_place_among_the_runs() -> None:
    node = after(ended("r-1", "failed"), GateDiagnosed(node="g", text="the database image is gone"))
    assert node.diagnosed is not None and node.diagnosed.why == "the database image is gone"
    assert node.diagnosed_seq == 4
