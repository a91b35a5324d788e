"""Runs on record: in which order they are told, and in what shape."""

from __future__ import annotations

from pathlib import Path

import msgspec
import pytest

from stoat import clock
from stoat.plan.nodes import Header
from stoat.service import plans, run_list, runs
from tests.service.conftest import As

REPORT = "<testsuite name='s'><testcase classname='Parcels' name='Send one'/></testsuite>"


@pytest.fixture
def report(tmp_path: Path) -> Path:
    """A report with one green case."""
    file = tmp_path / "report.xml"
    file.write_text(REPORT, encoding="utf-8")
    return file


def test_the_newest_run_is_the_last_one_in_the_log_whatever_the_clock_said(
    speak: As, report: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    session = speak()
    first = runs.add(session, [report], "demo/send").run_id
    with monkeypatch.context() as slow:
        slow.setattr(clock, "now", lambda: "2001-01-01T00:00:00.000Z")
        last = runs.add(session, [report], "demo/send").run_id
    assert [run.run_id for run in run_list.listed(session)] == [last, first]
    assert [run.run_id for run in run_list.listed(session, limit=1)] == [last]
    plans.create(session, Header(plan="other"))
    assert [run.run_id for run in run_list.listed(session, "demo/send")] == [last, first]
    assert run_list.listed(session, "other/x") == []


def test_a_run_has_every_field_that_readers_of_runs_expect(speak: As, report: Path) -> None:
    session = speak()
    run = runs.add(session, [report], "demo/send").run_id
    (listed,) = run_list.listed(session)
    assert set(msgspec.to_builtins(listed)) >= {
        "runId", "suite", "repository", "branch", "mode", "finished", "orphaned", "exitCode", "scenarios", "startedAt",
        "finishedAt", "tag", "totalScenarios", "scenariosFinished", "passed", "failed", "passedOnRetry",
        "indeterminate",
    }  # fmt: skip
    assert (listed.scenarios, listed.total_scenarios, listed.scenarios_finished) == (1, 1, 1)
    shown = msgspec.to_builtins(run_list.show(session, run))
    assert set(shown) == {"run", "scenarios", "lanes", "recycles", "workerFaults", "stalls", "progress"}
    assert list(shown["scenarios"]) == [
        {
            "uid": "Parcels/Send one", "feature": "Parcels", "scenario": "Send one", "outcome": "CleanPass",
            "attempt": 1, "attempts": 1, "durationMs": None, "errorMessage": None, "retryReasons": (), "steps": (),
            "touchedTypes": None,
        }
    ]  # fmt: skip
