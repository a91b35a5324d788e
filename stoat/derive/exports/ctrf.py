"""A run as CTRF (ctrf.io's JSON): each scenario a test with all its attempts and the steps of the last one."""

from __future__ import annotations

from collections import Counter
from typing import Any

from stoat import clock
from stoat.clock import Time
from stoat.derive.exports import statuses
from stoat.plan.monitor.run import Lane, Run
from stoat.plan.monitor.scenario import PASS_ON_RETRY, Attempt, Scenario
from stoat.plan.monitor.steps import Step
from stoat.plan.specs import WHOLE_RUN

SPEC_VERSION = "0.0.0"
"""The version that the published schema and its own library write."""


def export(run: Run, version: str) -> dict[str, Any]:
    """The document; `version` is Stoat's own. It is valid against the published schema."""
    tests = [_test(one) for one in run.scenarios.values()]
    whole = statuses.of_whole(run)
    if whole is not None:
        tests.append(_whole(run, whole))
    counted = Counter(test["status"] for test in tests)
    start = _epoch(run.started_at) or 0
    stop = max(_epoch(run.finished_at) or start, start)
    facts = {
        "runId": run.run_id, "suite": run.suite, "mode": run.mode, "tag": run.tag, "finished": run.finished,
        "orphaned": run.orphaned, "exitCode": run.exit_code,
        "lanes": [_lane(lane) for lane in run.lanes.values()] or None,
    }  # fmt: skip
    environment = {"repositoryName": run.repository or None, "branchName": run.branch, "commit": run.commit}
    return {
        "reportFormat": "CTRF",
        "specVersion": SPEC_VERSION,
        "generatedBy": f"stoat {version}",
        "extra": _some(facts),
        "results": _some({
            "tool": {"name": run.suite or run.mode or "stoat"},
            "summary": {
                "tests": len(tests), "passed": counted["passed"], "failed": counted["failed"],
                "skipped": counted["skipped"], "pending": counted["pending"], "other": counted["other"],
                "flaky": sum(test["flaky"] for test in tests), "start": start, "stop": stop,
            },
            "tests": tests,
            "environment": _some(environment) or None,
        }),
    }  # fmt: skip


def _test(one: Scenario) -> dict[str, Any]:
    attempts = one.attempts
    last = attempts[-1]
    short, trace = _message(last.error_message)
    status = statuses.of_scenario(one)
    return _some({
        "name": one.scenario or "(unnamed)",
        "status": status,
        "duration": max(0, last.duration_ms or 0),
        "start": _epoch(last.started_at),
        "stop": _epoch(last.finished_at),
        "suite": [one.feature] if one.feature else None,
        "message": short,
        "trace": trace,
        "rawStatus": "Skipped" if status == "skipped" else one.outcome or statuses.UNFINISHED,
        "retries": len(attempts) - 1,
        "retryAttempts": [_attempt(each, last, status) for each in attempts] if len(attempts) > 1 else None,
        "flaky": one.outcome == PASS_ON_RETRY,
        "threadId": None if one.lane is None else str(one.lane),
        "steps": [_step(step) for step in last.steps] or None,
        "extra": {"uid": one.uid},
    })  # fmt: skip


def _lane(lane: Lane) -> dict[str, Any]:
    return _some({"lane": lane.lane, "status": lane.status, "passes": lane.passes, "outcomes": lane.outcomes})


def _whole(run: Run, whole: statuses.Whole) -> dict[str, Any]:
    """A test for what none of the run's scenarios shows."""
    return {
        "name": WHOLE_RUN, "status": whole.status, "duration": 0, "suite": [run.suite or run.mode or "stoat"],
        "message": whole.message, "flaky": False,
    }  # fmt: skip


def _attempt(attempt: Attempt, last: Attempt, status: statuses.Status) -> dict[str, Any]:
    short, trace = _message(attempt.error_message)
    return _some({
        "attempt": max(1, attempt.number),
        "status": status if attempt is last else statuses.of_outcome(attempt.outcome),
        "duration": None if attempt.duration_ms is None else max(0, attempt.duration_ms),
        "message": short,
        "trace": trace,
        "start": _epoch(attempt.started_at),
        "stop": _epoch(attempt.finished_at),
        "extra": _some({"reason": attempt.reason, "disposition": attempt.disposition}) or None,
    })  # fmt: skip


def _step(step: Step) -> dict[str, Any]:
    own = {"kind": step.kind, "status": step.status, "durationMs": step.duration_ms, "errorMessage": step.error_message}
    return {
        "name": step.text or step.step_id or "(a step)",
        "status": statuses.of_step(step.status),
        "extra": _some(own),
    }


def _message(text: str | None) -> tuple[str | None, str | None]:
    """The first line as the message, the whole as the trace where there is more of it."""
    if not text:
        return None, None
    short = text.strip().partition("\n")[0].rstrip()
    return short, text if text != short else None


def _some(fields: dict[str, Any]) -> dict[str, Any]:
    """Without what is not known: an optional field of the format is of its type or not there."""
    return {name: value for name, value in fields.items() if value is not None}


def _epoch(time: Time | None) -> int | None:
    """Milliseconds since 1970."""
    return None if time is None else round(clock.parse(time).timestamp() * 1000)
