"""CTRF reports: statuses, suites, attempts and steps, as different writers put them."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.observe.reports.conftest import Report
from tests.support.reports import AT, told


def document(*tests: dict[str, Any], **results: Any) -> str:
    summary = {"tests": len(tests), "start": 1706828654274, "stop": 1706828655782}
    whole = {"tool": {"name": "jest"}, "summary": summary, "tests": list(tests), **results}
    return json.dumps({"reportFormat": "CTRF", "specVersion": "0.0.0", "results": whole})


def test_a_test_is_a_scenario_of_its_outermost_suite(report: Report) -> None:
    file = report(
        document(
            {"name": "Send one", "status": "passed", "duration": 12, "suite": ["Parcels"]},
            {"name": "Lose one", "status": "failed", "duration": 1, "suite": ["Parcels", "inner"], "message": "no"},
            {"name": "later", "status": "skipped", "duration": 0},
            {"name": "todo", "status": "pending", "duration": 0, "filePath": "a.test.js"},
            {"name": "odd", "status": "other", "duration": 0, "suite": "Old > style"},
        )
    )
    seen = told([file], "ctrf")
    assert seen.outcomes == {
        "Parcels/Send one": "CleanPass", "Parcels/inner > Lose one": "Failed", "later": "Skipped",
        "a.test.js/todo": "Skipped", "Old > style/odd": "Aborted",
    }  # fmt: skip
    assert (seen.counts, seen.assembly.unknown) == ((1, 1, 2), 1)
    assert (seen.run.suite, seen.run.started_at) == ("jest", "2024-02-01T23:04:14.274Z")
    assert seen.run.scenarios["Parcels/inner > Lose one"].current.error_message == "no"


@pytest.mark.parametrize(
    ("suite", "spec"),
    [
        (["Parcels"], "Parcels/Send one"),
        (["chromium", "a.spec.ts", "Parcels"], "Parcels/Send one"),
        (["Parcels", "express"], "Parcels/express > Send one"),
        (["Parcels", "express"], "Parcels > express/Send one"),
        ([], "src/a.test.ts/Send one"),
    ],
)
def test_a_test_is_a_spec_by_each_of_its_suites(report: Report, suite: list[str], spec: str) -> None:
    test = {"name": "Send one", "status": "passed", "duration": 1, "suite": suite, "filePath": "src/a.test.ts"}
    assert told([report(document(test))], "ctrf", [spec]).assembly.green == {spec}


@pytest.mark.parametrize(
    ("counted", "outcome"),
    [
        ({"failed": 1}, "Failed"),
        ({"tests": 3}, "Aborted"),
        ({"tests": 3, "skipped": 2}, None),
        ({"tests": 3, "pending": 2}, None),
        ({"tests": 1, "failed": 0}, None),
        ({"tests": 0}, None),
        ({"failed": "many", "tests": None}, None),
    ],
)
@pytest.mark.parametrize("last", [False, True])
def test_a_summary_that_says_more_than_the_tests_show_is_no_pass(
    report: Report, counted: dict[str, Any], outcome: str | None, last: bool
) -> None:
    results = {"tool": {"name": "jest"}, "summary": counted, "tests": [{"name": "a", "status": "passed"}]}
    if last:
        results["summary"] = results.pop("summary")
    seen = told([report(json.dumps({"reportFormat": "CTRF", "results": results}))], "ctrf")
    assert seen.outcomes == {"a": "CleanPass", **({"jest/(the run itself)": outcome} if outcome else {})}
    assert seen.run.verdict == {"Failed": "failed", "Aborted": "unknown", None: "passed"}[outcome]


FAILED = {"attempt": 1, "status": "failed", "duration": 5, "message": "first", "trace": "first\n at x"}
PASSED = {"attempt": 2, "status": "passed", "duration": 6}


@pytest.mark.parametrize(
    "attempts",
    [
        {"retries": 1, "retryAttempts": [FAILED]},
        {"retries": 1, "retryAttempts": [PASSED, FAILED]},
        {"retryAttempts": [FAILED, PASSED]},
        {"retryAttempts": [FAILED]},
    ],
)
def test_attempts_are_the_same_whether_or_not_the_last_is_listed(report: Report, attempts: dict[str, Any]) -> None:
    test = {"name": "n", "suite": ["s"], "status": "passed", "duration": 6, "flaky": True, **attempts}
    one = told([report(document(test))], "ctrf").run.scenarios["s/n"]
    assert [(each.outcome, each.duration_ms, each.error_message) for each in one.attempts] == [
        ("Failed", 5, "first\n at x"), ("PassOnRetry", 6, None),
    ]  # fmt: skip


def test_retries_that_are_only_counted_are_attempts_too(report: Report) -> None:
    test = {"name": "n", "suite": ["s"], "status": "failed", "duration": 6, "retries": 2}
    one = told([report(document(test))], "ctrf").run.scenarios["s/n"]
    assert [each.outcome for each in one.attempts] == ["Failed", "Failed", "Failed"]
    many = {"name": "n", "suite": ["s"], "status": "passed", "duration": 6, "retries": 10**9}
    assert len(told([report(document(many))], "ctrf").run.scenarios["s/n"].attempts) == 101


def test_steps_are_those_of_the_last_attempt(report: Report) -> None:
    steps = [{"name": "open", "status": "passed"}, {"name": "close", "status": "failed"}, "noise", {"status": "x"}]
    test = {"name": "n", "suite": ["s"], "status": "failed", "duration": 6, "steps": steps}
    one = told([report(document(test))], "ctrf").run.scenarios["s/n"]
    assert [(step.text, step.status) for step in one.current.steps] == [
        ("open", "Passed"), ("close", "Failed"), ("", "Unknown"),
    ]  # fmt: skip


def test_tests_before_the_tool_and_no_tests_at_all_are_read_as_well(report: Report) -> None:
    test = '{"name":"n","status":"passed","duration":1.6}'
    early = f'{{"results":{{"tests":[{test}],"tool":{{"name":"x"}}}},"reportFormat":"CTRF"}}'
    seen = told([report(early)], "ctrf")
    assert (seen.outcomes, seen.run.suite, seen.run.started_at) == ({"n": "CleanPass"}, "ctrf", AT)
    assert told([report(document())], "ctrf").outcomes == {}
