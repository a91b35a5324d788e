"""Which runs count for a step, in whole tables: what its command did, what its units did, and which began when."""

from __future__ import annotations

from itertools import product
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stoat.derive import rounds, steps
from stoat.derive.answers import StepShown
from stoat.derive.verdict import Context
from stoat.plan import fold
from stoat.plan.events.authoring import NodeAdded
from stoat.plan.events.base import Event
from stoat.plan.events.evidence import GateFinished, GateStarted, RunLost, RunRecorded, RunStarted
from stoat.plan.events.plans import PlanCreated
from stoat.plan.evidence import Evidence
from stoat.plan.facts import Facts
from stoat.plan.nodes import GATE, Header, Node, Step
from stoat.plan.state import NodeState, PlanState
from tests.support.states import JO, NOW, node, run

CONTEXT = Context(NOW, Facts(machine="box", dead=frozenset({"dead"})))
STEP = Step(id="s", run="make test")
COMMANDS = ("none", "going", "dead", "passed", "failed", "timed-out")
UNITS = ("none", "going", "lost", "unknown", "passed", "failed")
BEGAN = {"before": 2, "inside": 12, "after": 32}
"""Where a run begins in the log; the step's command begins at 10, and ends, if it does, at 20."""


def command(state: str, argv: tuple[str, ...] = ("make", "test"), **more: Any) -> dict[str, dict[str, Evidence]]:
    """The step's command in that state."""
    if state == "none":
        return {"evidence": {}, "running": {}}
    if state in ("going", "dead"):
        one = run("s", "running", 10, began=10, process=state, seconds=None, command=argv)
        return {"evidence": {}, "running": {"r-cmd": one}}
    return {"evidence": {"s": run("s", state, 20, began=10, command=argv, **more)}, "running": {}}


def unit(name: str, state: str, began: int, **more: Any) -> dict[str, dict[str, Evidence]]:
    """A run of a unit (empty: of the whole step) in that state."""
    of = {"unit": name or None, "source": "bobcat", "began": began, **more}
    if state == "none":
        return {"evidence": {}, "running": {}}
    if state in ("going", "lost"):
        word = "running" if state == "going" else "lost"
        return {"evidence": {}, "running": {f"r-{name}": run("s", word, began, seconds=None, **of)}}
    return {"evidence": {f"s/{name}": run("s", state, began + 1, **of)}, "running": {}}


def gate_of(*parts: dict[str, dict[str, Evidence]], step: Step = STEP, **more: Any) -> NodeState:
    """A gate of one step with all of that."""
    evidence = {key: one for part in parts for key, one in part["evidence"].items()}
    running = {key: one for part in parts for key, one in part["running"].items()}
    return node("g", GATE, spec={"steps": (step,)}, evidence=evidence, running=running, **more)


def shown(*parts: dict[str, dict[str, Evidence]], **more: Any) -> StepShown:
    """The step as it is shown."""
    return steps.read("p", gate_of(*parts, **more), CONTEXT).shown[0]


def expected(of: str, units: list[tuple[str, str]]) -> str:
    """The same by a rule that is written in another way: from the states of what counts."""
    kept = of in ("none", "dead")
    counted = [(state, when) for state, when in units if state != "none" and (kept or when != "before")]
    killed = of in ("dead", "timed-out")
    states = ["lost" if state == "going" and killed and when == "inside" else state for state, when in counted]
    ended = of in ("passed", "failed", "timed-out")
    word = of if ended and not (counted and all(when == "after" for _, when in counted)) else None
    if of == "going" or "going" in states:
        return "running"
    if word == "timed-out":
        return "timed-out"
    if "failed" in states or word == "failed":
        return "failed"
    if not states and word is None:
        return "pending"
    cut = of == "dead" and any(when == "inside" for _, when in counted)
    if "lost" in states or "unknown" in states or cut:
        return "pending"
    return "passed"


@pytest.mark.parametrize("of", COMMANDS)
def test_every_mix_of_a_command_and_two_units(of: str) -> None:
    whens = ("before", "inside", "after") if of in ("passed", "failed", "timed-out") else ("before", "inside")
    for (a, b), (then, when) in product(product(UNITS, repeat=2), product(whens, repeat=2)):
        found = shown(command(of), unit("a", a, BEGAN[then]), unit("b", b, BEGAN[when] + 3))
        assert found.state == expected(of, [(a, then), (b, when)]), (of, a, then, b, when, found.detail)


@pytest.mark.parametrize(("of", "whole", "when"), [*product(COMMANDS, UNITS[1:], BEGAN)])
def test_every_mix_of_a_command_and_a_run_of_the_whole_step(of: str, whole: str, when: str) -> None:
    if when == "after" and of in ("none", "going", "dead"):
        return
    found = shown(command(of), unit("", whole, BEGAN[when])).state
    if of == "dead" and when == "inside" and whole in ("passed", "failed", "unknown"):
        wanted = "pending" if whole == "unknown" else whole
    else:
        wanted = expected(of, [(whole, when)])
    assert found == wanted


def test_a_run_within_its_command_decides_and_says_more_than_it() -> None:
    found = shown(command("passed"), unit("", "passed", 12, passed=9))
    assert (found.run, found.detail) == ("r-13", "passed in 3s · r-13 (bobcat) on aaaaaaa")
    red = shown(command("failed", exit_code=1), unit("", "failed", 12, passed=3, failed=2))
    assert (red.run, red.detail) == ("r-13", "failed (2 of 5 tests) in 3s · r-13 (bobcat) on aaaaaaa")


def test_a_later_command_decides_over_an_older_run() -> None:
    found = shown(unit("", "failed", 2), command("passed"))
    assert (found.state, found.run) == ("passed", "r-20")


def test_a_later_run_decides_over_an_older_command() -> None:
    found = shown(command("failed", exit_code=1), unit("", "passed", 32))
    assert (found.state, found.run) == ("passed", "r-33")


def test_a_later_round_leaves_the_units_of_an_earlier_one_behind() -> None:
    found = shown(unit("gone.net8", "failed", 2), command("passed"), unit("a.net9", "passed", 12))
    assert found.state == "passed"
    assert [one.id for one in found.units] == ["a.net9"]


def test_a_red_command_is_red_although_all_its_units_passed() -> None:
    red = shown(command("failed", exit_code=3), unit("a", "passed", 12), unit("b", "passed", 15))
    assert (red.state, red.run) == ("failed", "r-20")
    assert red.detail == "failed (exit 3) although all its units passed in 3s · r-20 (exec) on aaaaaaa · 2✓"


def test_the_units_of_a_step_are_shown_with_what_decided_each() -> None:
    found = shown(
        command("going"), unit("a.net9", "passed", 12, passed=3, skipped=1), unit("b.net9", "failed", 13, failed=1),
        unit("c.net9", "going", 14, total=40),
    )  # fmt: skip
    assert found.detail == "running since 2026-11-30 11:00Z · 2 of 3 units, 1 failed"
    assert [(one.id, one.state, one.run) for one in found.units] == [
        ("a.net9", "passed", "r-13"), ("b.net9", "failed", "r-14"), ("c.net9", "running", "r-14")
    ]  # fmt: skip
    assert [one.detail for one in found.units] == [
        "passed in 3s · r-13 (bobcat) on aaaaaaa · 3 tests, 1 skipped",
        "failed (1 of 1 tests) in 3s · r-14 (bobcat) on aaaaaaa",
        "running since 2026-11-30 11:00Z, 40 tests · r-14 (bobcat)",
    ]


def test_a_failed_unit_is_named() -> None:
    found = shown(command("failed", exit_code=1), unit("a", "passed", 12), unit("b", "failed", 15, passed=3, failed=2))
    assert found.detail == "failed (2 of 5 tests) in unit b in 3s · r-16 (bobcat) on aaaaaaa · 1✓ 1✗"


def test_a_unit_that_was_lost_keeps_its_step_from_passing_and_is_named() -> None:
    found = shown(command("passed"), unit("a", "passed", 12), unit("b", "lost", 15, why="no heartbeat for 30s"))
    assert (found.state, found.run) == ("pending", "r-20")
    assert found.detail == "not run: unit b, the run begun at 2026-11-30 11:00Z never finished (no heartbeat for 30s)"


@pytest.mark.parametrize(("code", "verdict", "exit_code"), [
    *product((0, 1, 2, 5, 137), ("passed", "failed", "unknown"), (None, 0, 1, 2, 5))
])  # fmt: skip
@pytest.mark.parametrize("name", ["", "a"])
def test_every_exit_of_a_command_with_every_verdict_of_its_run(
    code: int, verdict: str, exit_code: int | None, name: str
) -> None:
    of = command("failed" if code else "passed", exit_code=code)
    found = shown(of, unit(name, verdict, 12, exit_code=exit_code))
    red = code != 0 or verdict == "failed"
    assert found.state == ("failed" if red else "passed" if verdict == "passed" else "pending")


def test_a_red_command_says_its_exit_where_its_run_was_undecided() -> None:
    undecided = unit("", "unknown", 12, indeterminate=2, exit_code=2)
    red = shown(command("failed", exit_code=2), undecided)
    assert (red.run, red.detail) == ("r-20", "failed (exit 2) in 3s · r-20 (exec) on aaaaaaa")
    green = shown(command("passed"), undecided)
    assert green.detail == "ended without a verdict on 2 tests in 3s · r-13 (bobcat) on aaaaaaa"


def test_units_do_not_make_up_for_another_command() -> None:
    found = shown(command("passed", ("make", "some")), unit("a", "passed", 12))
    assert (found.state, found.detail) == ("mismatch", "ran another command: `make some`, declared is `make test`")


def word(state: str, order: int) -> dict[str, dict[str, Evidence]]:
    said = run("s", state, order, began=order, source="asserted", by="bot", why="ran it on the GPU box", seconds=None)
    return {"evidence": {"s!": said}, "running": {}}


@pytest.mark.parametrize("allowed", [None, JO])
@pytest.mark.parametrize(("of", "said", "order"), [*product(COMMANDS, ("passed", "failed"), (2, 12, 32))])
def test_a_word_counts_where_it_is_allowed_and_newest(of: str, said: str, order: int, allowed: Any) -> None:
    found = shown(command(of), word(said, order), asserted_allowed=allowed).state
    ended = of in ("passed", "failed", "timed-out")
    if of == "going":
        wanted = "running"
    elif allowed is not None and (not ended or order > 10):
        wanted = said
    else:
        wanted = of if ended else "pending"
    assert found == wanted


def test_a_word_says_whose_it_is_and_what_it_rests_on() -> None:
    found = shown(word("passed", 32), asserted_allowed=JO)
    assert found.detail == "passed by the word of bot: ran it on the GPU box · r-32 (asserted) on aaaaaaa"


def test_a_run_under_a_unit_counts_for_no_other_step() -> None:
    other = {key.replace("s/", "s2/"): one for key, one in unit("a", "failed", 12)["evidence"].items()}
    assert shown({"evidence": other, "running": {}}).state == "pending"


@given(
    st.sampled_from(COMMANDS),
    st.lists(st.tuples(st.sampled_from(UNITS), st.integers(1, 40).filter(lambda at: at not in (10, 20))), max_size=5),
)
def test_a_failed_unit_of_the_newest_round_never_passes(of: str, units: list[tuple[str, int]]) -> None:
    parts = [unit(f"u{at}", state, began) for at, (state, began) in enumerate(units)]
    last = unit("last", "failed", 12)
    found = rounds.counting(gate_of(command(of), *parts, last), "s", CONTEXT.facts.dead, "box")
    assert any(one.id == "last" for one in found.units)
    assert not rounds.passed(STEP, found)


@given(st.sampled_from(COMMANDS), st.permutations([("a", "passed", 2), ("b", "failed", 12), ("c", "going", 15)]))
def test_the_order_in_which_runs_are_kept_changes_nothing(of: str, units: list[tuple[str, str, int]]) -> None:
    ordered = [unit(*one) for one in sorted(units)]
    assert shown(command(of), *[unit(*one) for one in units]) == shown(command(of), *ordered)


@st.composite
def histories(draw: st.DrawFn) -> list[Event]:
    """What commands and units of a step may have left in the log: each run begins, and may end, be lost or neither."""
    runs: list[list[Event]] = []
    for at, kind in enumerate(draw(st.lists(st.sampled_from(["command", "a", "b", ""]), max_size=6))):
        state: Any = draw(st.sampled_from(["passed", "failed", "unknown", "lost", "going"]))
        if kind == "command":
            of = {"node": "g", "run": f"c{at}", "command": ("make", "test"), "machine": "box", "step": "s"}
            end = GateFinished(**of, exit_code=int(state != "passed"), seconds=1.0)
            runs.append([GateStarted(**of, process=draw(st.sampled_from(["alive", "dead"]))), end])
        else:
            of = {"node": "g", "run": f"u{at}", "source": "bobcat", "machine": "box", "step": "s", "unit": kind or None}
            lost = RunLost(node="g", run=f"u{at}")
            runs.append([RunStarted(**of), lost if state == "lost" else RunRecorded(**of, state=state)])
        if state == "going":
            runs[-1].pop()
    events: list[Event] = []
    while any(runs):
        events.append(draw(st.sampled_from([run for run in runs if run])).pop(0))
    return events


def folded(events: list[Event], start: PlanState | None = None) -> PlanState:
    begin = [PlanCreated(header=Header(plan="p")), NodeAdded(node="g", spec=Node(id="g", kind=GATE, steps=(STEP,)))]
    lines = [fold.encode_event(event) for event in ([*begin, *events] if start is None else events)]
    part, troubles = fold.fold_part("plans/p", start, lines)
    assert isinstance(part, PlanState) and troubles == []
    return part


@given(histories(), st.data())
def test_a_start_said_twice_or_heard_in_portions_changes_no_answer(events: list[Event], data: st.DataObject) -> None:
    whole = folded(events)
    cut = data.draw(st.integers(0, len(events)))
    assert folded(events[cut:], folded(events[:cut])) == whole
    doubled = [one for event in events for one in [event] * (1 + isinstance(event, RunStarted | RunLost))]
    once, twice = (steps.read("p", plan.nodes["g"], CONTEXT).shown for plan in (whole, folded(doubled)))
    assert once == twice


@given(histories())
def test_a_pass_rests_on_green_runs_alone_and_red_is_never_said_without_one(events: list[Event]) -> None:
    found = folded(events).nodes["g"]
    read = steps.read("p", found, CONTEXT)
    (step,) = read.shown
    states = [run.state for run in found.evidence.values()]
    assert all(run.state == "passed" for run in read.deciding)
    assert bool(read.deciding) == (step.state == "passed")
    assert step.state != "failed" or "failed" in states
    assert step.state != "pending" or step.detail
    if step.state in ("passed", "failed"):
        assert step.run in {run.run for run in found.evidence.values()}
