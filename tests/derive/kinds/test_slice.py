"""Where a slice stands: by the newest word on each of its bound specs."""

from __future__ import annotations

from itertools import product

import pytest

from stoat.plan.evidence import SpecResult
from stoat.plan.facts import Facts
from stoat.plan.nodes import SLICE
from stoat.plan.state import Parked
from tests.support.states import BEFORE, JO, answer, claim, going, landing, node, piece, plan, run


def test_nothing_bound_is_unrealized_whatever_was_run() -> None:
    found = answer("p/a", plan("p", node("a", SLICE, evidence={"": run()}, claim=claim())))
    assert (found.status, found.detail) == ("unrealized", "no specs are bound to it")


@pytest.mark.parametrize(("first", "second"), [*product((None, True, False), repeat=2)])
def test_every_case_of_two_specs(first: bool | None, second: bool | None) -> None:
    words = {"F/a": first, "F/b": second}
    green = tuple(name for name, word in words.items() if word)
    red = tuple(name for name, word in words.items() if word is False)
    found = answer("p/a", plan("p", piece("a", green=green, red=red)))
    expected = "failed" if red else "done" if len(green) == 2 else "waiting"
    assert found.status == expected
    if len(green) == 1 and not red:
        missing = next(name for name in words if name not in green)
        assert found.detail == f"1 of 2 specs green, missing: {missing}"
    if red:
        assert found.detail == f"{len(red)} of 2 specs red: {', '.join(red)}"


def test_no_run_and_a_run_that_cannot_be_seen_into_are_different() -> None:
    assert (found := answer("p/a", plan("p", piece("a")))).status == "waiting" and found.detail == "no run yet"
    blind = answer("p/a", plan("p", piece("a", evidence={"": run()})))
    assert (blind.status, blind.detail) == ("unknown", "a run passed (r-1) and did not say which specs it ran")
    red = answer("p/a", plan("p", piece("a", evidence={"": run(result="failed", exit_code=2)})))
    assert (red.status, red.detail) == ("failed", "its run failed (exit 2) and named no spec")


def test_a_red_command_is_red_although_its_run_was_undecided() -> None:
    undecided = run(result="unknown", seq=15, began=12, exit_code=2, source="pytest")
    command = run(result="failed", seq=20, began=10, exit_code=2)
    red = answer("p/a", plan("p", piece("a", evidence={"": command, "/": undecided})))
    assert (red.status, red.detail) == ("failed", "its run failed (exit 2) and named no spec")
    assert answer("p/a", plan("p", piece("a", evidence={"/": undecided}))).status == "waiting"


def test_a_word_on_another_spec_says_nothing() -> None:
    other = {"F/other": SpecResult(True, "r", 1, BEFORE)}
    assert answer("p/a", plan("p", piece("a", specs=other))).status == "waiting"


def test_a_run_that_is_going_shows_and_a_dead_one_does_not() -> None:
    running = piece("a", running=going("step", process="agent"))
    assert answer("p/a", plan("p", running)).status == "running"
    assert answer("p/a", plan("p", running), facts=Facts(dead=frozenset({"agent"}))).status == "waiting"


def test_where_its_work_is_shows_in_the_detail_and_changes_no_status() -> None:
    def detail(**state: object) -> str:
        found = answer("p/a", plan("p", piece("a", green=("F/a", "F/b"), **state)))
        assert found.status == "done"
        return found.detail

    assert detail() == "all 2 specs green"
    assert detail(landing=landing()) == "all 2 specs green, landed on integ (rebased, bbbbbbb)"
    assert detail(landing=landing("nothing")) == "all 2 specs green, its branch has nothing that integ lacks"
    parked = Parked(why="conflict", at=BEFORE, commit="a" * 40, files=("x.py", "y.py"))
    assert detail(parked=parked) == "all 2 specs green, not landed: conflict in x.py, y.py"


def test_a_spec_that_a_newer_whole_run_has_no_longer_is_missing_and_said() -> None:
    words = {"F/a": SpecResult(True, "r-2", 4, BEFORE), "F/b": SpecResult(True, "r-1", 2, BEFORE, gone="r-2")}
    found = answer("p/a", plan("p", piece("a", specs=words)))
    assert (found.status, found.detail) == ("waiting", "1 of 2 specs green, no longer in the newer run r-2: F/b")
    words["F/b"] = SpecResult(False, "r-1", 2, BEFORE, gone="r-2")
    assert answer("p/a", plan("p", piece("a", specs=words))).status == "waiting"
    words["F/a"] = SpecResult(False, "r-2", 4, BEFORE)
    assert answer("p/a", plan("p", piece("a", specs=words))).status == "failed"


def test_specs_green_on_different_commits_prove_none_of_them_whole() -> None:
    words = {"F/a": SpecResult(True, "r-1", 2, BEFORE, "a" * 40), "F/b": SpecResult(True, "r-2", 4, BEFORE, "b" * 40)}
    found = answer("p/a", plan("p", piece("a", specs=words)))
    assert (found.status, found.detail) == ("done", "all 2 specs green, on different commits (aaaaaaa, bbbbbbb)")
    assert answer("p/a", plan("p", piece("a", specs=words), node("z", "change", "a"))).status == "stale"


def test_an_indeterminate_run_says_nothing_of_specs() -> None:
    unknown = {"/": run(result="unknown", source="bobcat")}
    found = answer("p/a", plan("p", piece("a", evidence=unknown)))
    assert (found.status, found.detail) == ("waiting", "its run ended without a verdict")


def test_a_dirty_pass_and_one_asked_for_again_are_as_for_gates() -> None:
    dirty = {name: SpecResult(True, "r", 4, BEFORE, "a" * 40, True) for name in ("F/a", "F/b")}
    assert answer("p/a", plan("p", piece("a", specs=dirty))).status == "done"
    assert answer("p/a", plan("p", piece("a", specs=dirty), node("z", "change", "a"))).status == "stale"
    asked = piece("a", green=("F/a", "F/b"), reverify_asked=JO, reverify_seq=2)
    assert answer("p/a", plan("p", asked)).status == "stale"


@pytest.mark.parametrize(
    ("source", "result", "seq", "status"),
    [
        ("exec", "failed", 9, "failed"), ("exec", "timed-out", 9, "failed"), ("exec", "passed", 9, "done"),
        ("exec", "failed", 3, "done"), ("junit", "failed", 9, "done"),
    ],
)  # fmt: skip
def test_a_command_that_is_red_after_the_newest_word_turns_green_specs_back(
    source: str, result: str, seq: int, status: str
) -> None:
    words = {name: SpecResult(True, "r", 4, BEFORE, "a" * 40) for name in ("F/a", "F/b")}
    verified = {"": run(result=result, seq=seq, source=source, exit_code=1)}
    assert answer("p/a", plan("p", piece("a", specs=words, evidence=verified))).status == status
