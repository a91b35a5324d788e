"""Cucumber's messages: features, rows, attempts, and every way in which a run can be red."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

import pytest

from tests.observe.reports.conftest import Report
from tests.support.reports import told

Message = dict[str, Any]
START = [
    {"meta": {"protocolVersion": "27.2.0", "implementation": {"name": "cucumber-js", "version": "11.3.0"}}},
    {"source": {"uri": "f.feature", "data": "Feature: Parcels", "mediaType": "text/x.cucumber.gherkin+plain"}},
]
BEGIN = {"testRunStarted": {"timestamp": {"seconds": 1796091797, "nanos": 744000000}}}


def scenario(id: str, name: str, *rows: str) -> Message:
    body = [{"id": f"{id}-{row}", "cells": [{"value": row}]} for row in rows]
    return {"scenario": {"id": id, "name": name, "examples": [{"tableBody": body}] if rows else []}}


def document(*children: Message, feature: str = "Parcels") -> Message:
    background = {"background": {"id": "b", "name": "", "steps": []}}
    return {"gherkinDocument": {"uri": "f.feature", "feature": {"name": feature, "children": [background, *children]}}}


def pickle(id: str, name: str, *nodes: str) -> Message:
    steps = [{"id": f"{id}.1", "text": "a scale", "type": "Context"}, {"id": f"{id}.2", "text": "it", "type": "Action"}]
    return {"pickle": {"id": id, "uri": "f.feature", "name": name, "astNodeIds": list(nodes), "steps": steps}}


def case(id: str) -> Message:
    steps = [{"id": f"t{id}.h", "hookId": "h"}, *({"id": f"t{id}.{n}", "pickleStepId": f"{id}.{n}"} for n in (1, 2))]
    return {"testCase": {"id": f"t{id}", "pickleId": id, "testSteps": steps}}


def attempt(id: str, *statuses: str, number: int = 0, retried: bool = False, hook: str = "PASSED") -> list[Message]:
    """One attempt of a case: its hook, then its steps."""
    run = f"{id}#{number}"
    told = [
        {
            "testCaseStarted": {
                "id": run,
                "testCaseId": f"t{id}",
                "attempt": number,
                "timestamp": {"seconds": 1796091797 + number, "nanos": 0},
            }
        }
    ]
    for step, status in zip(("h", "1", "2"), (hook, *statuses), strict=False):
        result: Message = {"status": status, "duration": {"seconds": 0, "nanos": 2_000_000}}
        if status == "FAILED":
            result["message"] = f"Error: {id}"
        told.append(
            {"testStepFinished": {"testCaseStartedId": run, "testStepId": f"t{id}.{step}", "testStepResult": result}}
        )
    return [*told, {"testCaseFinished": {"testCaseStartedId": run, "willBeRetried": retried}}]


def end(success: bool) -> Message:
    return {"testRunFinished": {"success": success, "timestamp": {"seconds": 1796091798, "nanos": 0}}}


def lines(messages: Sequence[Message]) -> str:
    return "".join(json.dumps(message) + "\n" for message in messages)


def one(*told: Message, name: str = "Send one", success: bool = True) -> str:
    """The messages of a run of one scenario."""
    return lines([*START, document(scenario("s", name)), pickle("p", name, "s"), BEGIN, case("p"), *told, end(success)])


@pytest.mark.parametrize(
    ("statuses", "outcome"),
    [
        (("PASSED", "PASSED"), "CleanPass"),
        (("PASSED", "FAILED"), "Failed"),
        (("FAILED", "SKIPPED"), "Failed"),
        (("UNDEFINED", "SKIPPED"), "Failed"),
        (("PENDING", "SKIPPED"), "Failed"),
        (("AMBIGUOUS", "SKIPPED"), "Failed"),
        (("SKIPPED", "SKIPPED"), "Skipped"),
        (("PASSED", "SKIPPED"), "Skipped"),
        (("UNKNOWN", "PASSED"), "Aborted"),
    ],
)
def test_the_worst_step_decides(report: Report, statuses: tuple[str, str], outcome: str) -> None:
    seen = told([report(one(*attempt("p", *statuses)))], "cucumber", ["Parcels/Send one"])
    assert seen.outcomes == {"Parcels/Send one": outcome}
    assert seen.assembly.green == ({"Parcels/Send one"} if outcome == "CleanPass" else set())


def test_a_hook_that_fails_is_a_failure_and_a_step_of_its_own(report: Report) -> None:
    run = told([report(one(*attempt("p", "SKIPPED", "SKIPPED", hook="FAILED"), success=False))], "cucumber").run
    steps = [(step.kind, step.text, step.status) for step in run.scenarios["Parcels/Send one"].current.steps]
    assert steps == [("Hook", "a hook", "Failed"), ("Given", "a scale", "Skipped"), ("When", "it", "Skipped")]


def test_attempts_come_in_their_order_and_the_last_decides(report: Report) -> None:
    flaky = [*attempt("p", "PASSED", "FAILED", retried=True), *attempt("p", "PASSED", "PASSED", number=1)]
    seen = told([report(one(*flaky))], "cucumber")
    attempts = seen.run.scenarios["Parcels/Send one"].attempts
    assert [(each.outcome, each.error_message) for each in attempts] == [("Failed", "Error: p"), ("PassOnRetry", None)]
    assert (seen.run.counts.passed_on_retry, seen.run.verdict) == (1, "passed")


def test_rows_count_for_their_scenario_and_rules_are_of_the_feature(report: Report) -> None:
    rule = {"rule": {"name": "Express", "children": [scenario("e", "Send fast")]}}
    messages = [
        *START, document(scenario("o", "Weigh <kind>", "small", "big"), rule),
        pickle("1", "Weigh small", "o", "o-small"), pickle("2", "Weigh big", "o", "o-big"),
        pickle("3", "Send fast", "e"),
        BEGIN, case("1"), case("2"), case("3"), *attempt("2", "PASSED", "FAILED"), *attempt("1", "PASSED", "PASSED"),
        *attempt("3", "PASSED", "PASSED"), end(False),
    ]  # fmt: skip
    file = report(lines(messages))
    seen = told([file], "cucumber")
    assert seen.outcomes == {"Parcels/Weigh <kind>": "Failed", "Parcels/Send fast": "CleanPass"}
    rows = [(step.kind, step.text, step.status) for step in seen.run.scenarios["Parcels/Weigh <kind>"].current.steps]
    assert rows == [("Example", "Weigh big: big", "Failed"), ("Example", "Weigh small: small", "Passed")]
    wanted = ["Parcels/Weigh <kind>", "Parcels/Weigh small", "Express/Send fast"]
    counted = told([file], "cucumber", wanted).assembly
    assert (counted.green, counted.red) == ({"Parcels/Weigh small", "Express/Send fast"}, {"Parcels/Weigh <kind>"})


def test_interleaved_cases_are_told_apart(report: Report) -> None:
    first, second = attempt("1", "PASSED", "PASSED"), attempt("2", "PASSED", "FAILED")
    mixed = [message for pair in zip(first, second, strict=True) for message in pair]
    messages = [*START, document(scenario("a", "A"), scenario("b", "B")), pickle("1", "A", "a"), pickle("2", "B", "b")]
    file = report(lines([*messages, BEGIN, case("1"), case("2"), *mixed, end(False)]))
    assert told([file], "cucumber").outcomes == {"Parcels/A": "CleanPass", "Parcels/B": "Failed"}


GREEN = attempt("p", "PASSED", "PASSED")


@pytest.mark.parametrize(
    ("extra", "success", "scenario", "why"),
    [
        ([], False, "cucumber-js/(the run itself)", "it says that it failed"),
        ([{"parseError": {"source": {"uri": "x.feature"}, "message": "(1:1): no"}}], False, "cucumber-js/x.feature",
         "(1:1): no"),
        ([{"testRunHookFinished": {"result": {"status": "FAILED", "message": "no db"}}}], False,
         "cucumber-js/(a hook of the run)", "no db"),
    ],
)  # fmt: skip
def test_what_is_red_outside_of_every_scenario_is_red(
    report: Report, extra: list[Message], success: bool, scenario: str, why: str
) -> None:
    seen = told([report(one(*GREEN, *extra, success=success))], "cucumber")
    assert seen.outcomes == {"Parcels/Send one": "CleanPass", scenario: "Failed"}
    assert seen.run.scenarios[scenario].current.error_message == why


def test_a_case_that_began_and_did_not_end_is_undecided(report: Report) -> None:
    seen = told([report(one(*attempt("p", "PASSED")[:-1]))], "cucumber")
    assert seen.outcomes == {"Parcels/Send one": None}


def test_a_case_without_steps_proves_nothing(report: Report) -> None:
    started, *_, finished = attempt("p")
    seen = told([report(one(started, finished))], "cucumber", ["Parcels/Send one"])
    assert (seen.outcomes, seen.assembly.green, seen.run.verdict) == ({"Parcels/Send one": "Aborted"}, set(), "unknown")


def test_unknown_messages_and_fields_and_large_attachments_are_stepped_over(report: Report) -> None:
    picture = {"attachment": {"body": "x" * 100_000, "mediaType": "image/png", "testCaseStartedId": "p#0"}}
    seen = told([report(one(picture, {"suggestion": {"id": "1"}, "new": [1]}, *GREEN))], "cucumber")
    assert seen.outcomes == {"Parcels/Send one": "CleanPass"}
    without = lines([START[0], pickle("p", "Send one", "gone"), BEGIN, case("p"), *GREEN, end(True)])
    assert told([report(without)], "cucumber").outcomes == {"f.feature/Send one": "CleanPass"}
