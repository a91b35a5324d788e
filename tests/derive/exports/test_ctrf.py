"""CTRF: valid by the published schema whatever the run, with the whole history of every scenario."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import jsonschema
from hypothesis import given
from hypothesis import strategies as st

from stoat.derive.exports import ctrf
from stoat.plan.monitor.fold import fold
from stoat.plan.monitor.run import Run

SCHEMA = json.loads((Path(__file__).parent / "published" / "ctrf-schema-0.0.json").read_text())
VALIDATOR = jsonschema.Draft7Validator(SCHEMA)


def run(*events: dict[str, Any]) -> Run:
    folded = Run("r-1")
    for event in events:
        fold(folded, {"runId": "r-1", **event})
    return folded


STARTED = {
    "type": "run_started", "suite": "Acme", "repository": "acme/widgets", "branch": "main", "mode": "Bobcat",
    "startedAt": "2026-12-01T10:00:00Z", "tag": "demo/send",
}  # fmt: skip
FINISHED = {
    "type": "run_finished", "exitCode": 1, "passed": 1, "failed": 1, "passedOnRetry": 1, "indeterminate": 1,
    "finishedAt": "2026-12-01T10:00:09.500Z",
}  # fmt: skip


def scenario(uid: str, outcome: str | None = "CleanPass", attempt: int = 1, **more: Any) -> list[dict[str, Any]]:
    feature, _, name = uid.partition("/")
    at = f"2026-12-01T10:00:0{attempt}Z"
    begun = {"type": "scenario_started", "uid": uid, "feature": feature, "scenario": name, "attempt": attempt, "at": at}
    if outcome is None:
        return [begun]
    return [begun, {"type": "scenario_finished", "uid": uid, "outcome": outcome, "attempts": attempt, "at": at, **more}]


def test_a_run_is_told_whole() -> None:
    step = {"uid": "Parcels/Send one", "stepId": "given", "stepNumber": 1}
    events = [
        STARTED,
        *scenario("Parcels/Send one", durationMs=12),
        {"type": "step_started", "kind": "Given", "text": "a scale", **step},
        {"type": "step_finished", "status": "ok", "durationMs": 3, **step},
        *scenario("Parcels/Flaky one", "Failed", 1, durationMs=5, errorMessage="first\nat x"),
        {
            "type": "retry_scheduled",
            "uid": "Parcels/Flaky one",
            "nextAttempt": 2,
            "disposition": "Retry",
            "reason": "why",
        },
        *scenario("Parcels/Flaky one", "PassOnRetry", 2, durationMs=6),
        *scenario("Parcels/Lose one", "Failed", errorMessage="no"),
        *scenario("Parcels/Odd one", "Aborted"),
        *scenario("Parcels/Slow one", None),
        *scenario("Parcels/Later", "CleanPass", state="Skipped"),
        FINISHED,
    ]
    document = ctrf.export(run(*events), "0.1.0")
    VALIDATOR.validate(document)
    assert (document["reportFormat"], document["generatedBy"]) == ("CTRF", "stoat 0.1.0")
    assert document["extra"] == {
        "runId": "r-1", "suite": "Acme", "mode": "Bobcat", "tag": "demo/send", "finished": True, "orphaned": False,
        "exitCode": 1,
    }  # fmt: skip
    results = document["results"]
    assert results["summary"] == {
        "tests": 6, "passed": 2, "failed": 1, "skipped": 1, "pending": 1, "other": 1, "flaky": 1,
        "start": 1796119200000, "stop": 1796119209500,
    }  # fmt: skip
    assert results["environment"] == {"repositoryName": "acme/widgets", "branchName": "main"}
    tests = {test["name"]: test for test in results["tests"]}
    assert {name: (test["status"], test["rawStatus"]) for name, test in tests.items()} == {
        "Send one": ("passed", "CleanPass"), "Flaky one": ("passed", "PassOnRetry"), "Lose one": ("failed", "Failed"),
        "Odd one": ("other", "Aborted"), "Slow one": ("pending", "unfinished"), "Later": ("skipped", "Skipped"),
    }  # fmt: skip
    flaky = tests["Flaky one"]
    assert (flaky["flaky"], flaky["retries"], flaky["suite"]) == (True, 1, ["Parcels"])
    assert [(one["attempt"], one["status"], one.get("trace")) for one in flaky["retryAttempts"]] == [
        (1, "failed", "first\nat x"), (2, "passed", None),
    ]  # fmt: skip
    assert tests["Send one"]["steps"] == [
        {"name": "a scale", "status": "passed", "extra": {"kind": "Given", "status": "ok", "durationMs": 3}}
    ]
    assert "retryAttempts" not in tests["Send one"]
    assert tests["Lose one"]["message"] == "no"


texts = st.text(max_size=12) | st.none()
numbers = st.integers(-5, 10**10) | st.floats(allow_nan=True) | st.none() | st.text(max_size=3)
times = st.sampled_from([STARTED["startedAt"], "1969-01-01T00:00:00Z", None])
uids = st.sampled_from(["A/x", "A/y", "z", "", "/", "A/"])
events = st.one_of(
    st.just(STARTED),
    st.just(FINISHED),
    st.fixed_dictionaries({"type": st.just("scenario_started"), "uid": uids, "attempt": numbers, "feature": texts,
                           "scenario": texts, "at": times}),
    st.fixed_dictionaries({"type": st.just("scenario_finished"), "uid": uids, "attempts": numbers, "outcome": texts |
                           st.sampled_from(["CleanPass", "Failed", "PassOnRetry"]), "durationMs": numbers,
                           "errorMessage": texts}),
    st.fixed_dictionaries({"type": st.just("retry_scheduled"), "uid": uids, "nextAttempt": numbers, "reason": texts}),
    st.fixed_dictionaries({"type": st.just("step_started"), "uid": uids, "stepId": texts, "text": texts}),
    st.fixed_dictionaries({"type": st.just("step_finished"), "uid": uids, "stepId": texts, "status": texts}),
    st.fixed_dictionaries({"type": st.just("test_finished"), "uid": uids, "state": texts, "lane": numbers}),
)  # fmt: skip


@given(st.lists(events, max_size=12))
def test_whatever_was_heard_the_document_is_valid(heard: list[dict[str, Any]]) -> None:
    document = ctrf.export(run(*heard), "0.1.0")
    VALIDATOR.validate(document)
    json.dumps(document)


def test_what_its_lanes_came_to_is_beside_the_run() -> None:
    lane = {
        "type": "lane_finished",
        "lane": 0,
        "outcomes": {"F/a": "Failed"},
        "crashed": True,
        "at": "2026-12-01T10:00:05Z",
    }
    document = ctrf.export(run(STARTED, lane, FINISHED), "1")
    VALIDATOR.validate(document)
    assert document["extra"]["lanes"] == [{"lane": 0, "status": "crashed", "passes": 1, "outcomes": {"F/a": "Failed"}}]
    assert "lanes" not in ctrf.export(run(STARTED), "1")["extra"]
