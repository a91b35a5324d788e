"""A run that is written out and read back is the same run."""

from __future__ import annotations

import json
import tempfile
from collections.abc import Callable
from itertools import product
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stoat.derive.exports import ctrf, junit
from stoat.observe.reports.assembling import Assembly, Opening
from stoat.observe.reports.cases import Attempt, Case, Line
from stoat.plan.monitor.fold import fold
from stoat.plan.monitor.run import Run
from stoat.plan.monitor.shown import summary
from tests.support.reports import AT, told


class Seen(NamedTuple):
    """What of a scenario has to come back."""

    outcome: str | None
    skipped: bool
    attempts: tuple[tuple[str | None, str | None], ...]
    duration_ms: int | None


def seen(run: Run) -> dict[str, Seen]:
    return {
        uid: Seen(one.outcome, one.skipped, tuple((each.outcome, each.error_message) for each in one.attempts),
                  one.current.duration_ms or 0)
        for uid, one in run.scenarios.items()
    }  # fmt: skip


names = st.text(st.characters(categories=["L", "N", "P", "S"]), min_size=1, max_size=8).filter(
    lambda name: "/" not in name and "[" not in name and " - #" not in name and name != "�"
)
messages = st.text(st.characters(categories=["L", "N", "P"]) | st.sampled_from("\n "), min_size=1, max_size=20).map(
    lambda text: f"why {text.strip()}".strip()
)
milliseconds = st.integers(0, 10**6)
red = st.builds(Attempt, st.just("failed"), milliseconds, messages)
green = st.builds(Attempt, st.just("passed"), milliseconds, st.none())
undecided = st.builds(Attempt, st.sampled_from(["skipped", "unknown"]), milliseconds, messages)
last = red | green | undecided | st.just(Attempt("unfinished"))
attempts = st.tuples(last) | st.tuples(red, red) | st.tuples(red, green)
line = st.builds(Line, names, names, st.sampled_from(["Passed", "Failed"]), milliseconds, st.none())
lines = st.lists(line, max_size=3).map(tuple)
cases = st.builds(Case, names, names, attempts, lines, st.none(), st.none(), st.none())


def assembled(whole: list[Case]) -> Run:
    assembly = Assembly(Opening("r-1", "pytest", AT))
    run = Run("r-1")
    for case in whole:
        for event in assembly.take(case):
            fold(run, event)
    for event in assembly.end():
        fold(run, event)
    return run


def read_back(document: bytes, format: str) -> Run:
    with tempfile.TemporaryDirectory() as directory:
        file = Path(directory) / "report"
        file.write_bytes(document)
        return told([file], format).run


@given(st.lists(cases, min_size=1, max_size=5))
def test_through_ctrf(whole: list[Case]) -> None:
    run = assembled(whole)
    again = read_back(json.dumps(ctrf.export(run, "0")).encode(), "ctrf")
    assert seen(again) == seen(run)
    assert again.counts == run.counts
    steps: Callable[[Run], Any] = lambda of: {  # noqa: E731
        uid: [(step.kind, step.text, step.status, step.duration_ms) for step in one.current.steps]
        for uid, one in of.scenarios.items()
    }
    assert steps(again) == steps(run)


@given(st.lists(cases, min_size=1, max_size=5))
def test_through_junit(whole: list[Case]) -> None:
    run = assembled(whole)
    again = read_back(junit.export(run), "junit")
    assert seen(again) == seen(run)
    assert again.counts == run.counts


@pytest.mark.parametrize("format", ["ctrf", "junit"])
def test_a_run_of_every_kind_of_scenario(format: str) -> None:
    whole = [
        Case("A", "green", (Attempt("passed", 3),)),
        Case("A", "green", (Attempt("failed", 3, "no"),)),
        Case("A", "retried", (Attempt("failed", None, "no"), Attempt("passed", 3))),
        Case("B c", "off", (Attempt("skipped", 0, "why"),)),
        Case("", "bare", (Attempt("unknown", 0, "why"),)),
    ]
    run = assembled(whole)
    document = junit.export(run) if format == "junit" else json.dumps(ctrf.export(run, "0")).encode()
    assert list(read_back(document, format).scenarios) == list(run.scenarios)


def heard(*outcomes: str | None, exit_code: int | None = None, feature: str = "F") -> Run:
    run = Run("r-1", suite="Acme")
    for number, outcome in enumerate(outcomes):
        uid = {"uid": f"F/s{number}", "feature": feature, "scenario": f"s{number}", "runId": "r-1"}
        fold(run, {"type": "scenario_started", **uid})
        if outcome is not None:
            fold(run, {"type": "scenario_finished", "outcome": outcome, **uid})
    if exit_code is not None:
        fold(run, {"type": "run_finished", "runId": "r-1", "exitCode": exit_code})
    return run


@pytest.mark.parametrize("format", ["ctrf", "junit"])
@pytest.mark.parametrize("code", [None, 0, 1, 2, 5])
@pytest.mark.parametrize("outcomes", [*product(("CleanPass", "Failed", "Aborted", None), repeat=2), ("CleanPass",)])
def test_no_export_makes_a_pass_of_what_was_none(
    format: str, code: int | None, outcomes: tuple[str | None, ...]
) -> None:
    run = heard(*outcomes, exit_code=code)
    document = junit.export(run) if format == "junit" else json.dumps(ctrf.export(run, "0")).encode()
    again = read_back(document, format)
    if code is None:
        assert again.verdict == ("failed" if "Failed" in outcomes else "unknown")
        assert again.scenarios["Acme/(the run itself)"].current.error_message == "the run did not finish"
    elif None not in outcomes:
        assert again.verdict == run.verdict
    else:
        assert again.verdict != "passed"


def test_a_document_that_says_it_is_unfinished_is_undecided_without_a_test_that_says_so() -> None:
    document = ctrf.export(heard("CleanPass"), "0")
    del document["results"]["tests"][-1]
    document["results"]["summary"] |= {"tests": 1, "other": 0}
    again = read_back(json.dumps(document).encode(), "ctrf")
    assert again.verdict == "unknown"
    assert again.scenarios["Acme/(the run itself)"].current.error_message == "the run did not finish"


@pytest.mark.parametrize("format", ["ctrf", "junit"])
def test_a_spec_is_found_by_its_id_where_its_names_are_others(format: str) -> None:
    run = heard("CleanPass", "Failed", exit_code=1, feature="Shown otherwise")
    wanted = ("F/s0", "F/s1")
    assert run.specs(wanted) == (("F/s0",), ("F/s1",))
    document = junit.export(run) if format == "junit" else json.dumps(ctrf.export(run, "0")).encode()
    with tempfile.TemporaryDirectory() as directory:
        file = Path(directory) / "report"
        file.write_bytes(document)
        assembly = told([file], format, wanted).assembly
    assert (assembly.green, assembly.red) == ({"F/s0"}, {"F/s1"})


@given(st.lists(cases, max_size=5))
def test_the_summary_is_that_of_the_folded_run(whole: list[Case]) -> None:
    assembly = Assembly(Opening("r-1", "pytest", AT, tag="p/n", branch="main"))
    run = Run("r-1")
    for case in whole:
        for event in assembly.take(case):
            fold(run, event)
    for event in assembly.end():
        fold(run, event)
    assert assembly.summary == summary(run)
