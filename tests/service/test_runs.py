"""Runs on record: in which order they are told, and in what shape."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import msgspec
import pytest
from msgspec.structs import replace

from stoat import clock
from stoat.errors import Invalid, NotFound, Refused
from stoat.observe.archive import Archive
from stoat.plan.nodes import Header
from stoat.service import exporting, ledger, plans, proving, run_list, run_names, runs
from stoat.service.session import Session
from tests.service.conftest import As
from tests.support.streams import Publisher

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
        "indeterminate", "skipped",
    }  # fmt: skip
    assert (listed.scenarios, listed.total_scenarios, listed.scenarios_finished) == (1, 1, 1)
    shown = msgspec.to_builtins(run_list.show(session, run))
    assert set(shown) == {"run", "scenarios", "lanes", "recycles", "workerFaults", "stalls", "progress"}
    assert list(shown["scenarios"]) == [
        {
            "uid": "Parcels/Send one", "feature": "Parcels", "scenario": "Send one", "outcome": "CleanPass",
            "attempt": 1, "attempts": 1, "durationMs": None, "errorMessage": None, "retryReasons": (), "steps": (),
            "skipped": False, "touchedTypes": None,
        }
    ]  # fmt: skip


FLAKY = '<testcase classname="Parcels" name="Send one"><flakyFailure message="first"/></testcase>'
RED = '<testcase classname="Parcels" name="Lose one"><failure message="gone"/></testcase>'
Write = Callable[..., Path]


@pytest.fixture
def write(tmp_path: Path) -> Write:
    """`write(case, …, name="x.xml")` is a report with these cases."""

    def report(*cases: str, name: str = "report.xml") -> Path:
        file = tmp_path / name
        file.write_text(f"<testsuite name='s'>{''.join(cases)}</testsuite>", encoding="utf-8")
        return file

    return report


@pytest.mark.parametrize("format", exporting.FORMATS)
def test_a_run_that_is_written_out_and_added_again_is_the_same_evidence(
    speak: As, write: Write, tmp_path: Path, format: str
) -> None:
    session = speak()
    archive = Archive.of(session.store.common)
    first = runs.add(session, [write(FLAKY, RED)], "demo/send")
    again = tmp_path / "again"
    again.write_bytes(b"".join(exporting.export(archive, first.run_id, format)))
    added = runs.add(session, [again], "demo/send")
    assert added.format == ("bobcat" if format == "ndjson" else format)
    assert added.run_id != first.run_id
    assert msgspec.structs.replace(added, run_id="", format="") == msgspec.structs.replace(first, run_id="", format="")
    one, other = (run_list.show(session, run.run_id).run for run in (added, first))
    assert (one.commit, one.passed, one.passed_on_retry, one.failed) == (other.commit, 0, 1, 1)


def test_an_archive_that_names_its_commit_is_evidence_of_that_one(speak: As, tmp_path: Path) -> None:
    session = speak()
    events = [
        {"type": "run_started", "runId": "x", "commit": "c" * 40, "dirty": False, "branch": "b", "mode": "pytest"},
        {"type": "scenario_finished", "runId": "x", "uid": "Parcels/Send one", "outcome": "CleanPass"},
        {"type": "run_finished", "runId": "x", "exitCode": 0, "passed": 1, "failed": 0},
    ]
    file = tmp_path / "run.ndjson"
    file.write_bytes(b"\n".join(msgspec.json.encode(event) for event in events) + b"\n")
    shown = run_list.show(session, runs.add(session, [file], "demo/send/x").run_id).run
    assert (shown.commit, shown.branch, shown.dirty, shown.mode) == ("c" * 40, "b", False, "pytest")
    assert shown.tag == "demo/send/x"
    file.write_bytes(b"\n".join(msgspec.json.encode(event) for event in events[:2]) + b"\n")
    with pytest.raises(Refused, match="the run never finished"):
        runs.add(session, [file], "demo/send")
    assert len(run_list.listed(session)) == 1


def test_a_report_that_is_broken_after_many_cases_leaves_nothing(speak: As, tmp_path: Path) -> None:
    session = speak()
    file = tmp_path / "cut.xml"
    file.write_text("<testsuite name='s'>" + "<testcase classname='c' name='n'/>" * 3000, encoding="utf-8")
    with pytest.raises(Invalid, match="it ends before its report does"):
        runs.add(session, [file], "demo/send")
    assert run_list.listed(session) == []
    assert [found for found in Archive.of(session.store.common).directory.rglob("*") if found.is_file()] == []


def test_undecided_is_neither_passed_nor_failed(speak: As, tmp_path: Path) -> None:
    session = speak()
    file = tmp_path / "r.json"
    test = {"name": "Send one", "suite": ["Parcels"], "status": "other", "duration": 1}
    file.write_bytes(msgspec.json.encode({"reportFormat": "CTRF", "results": {"tests": [test]}}))
    added = runs.add(session, [file], "demo/send")
    assert (added.state, added.indeterminate, added.specs_passed, added.specs_failed) == ("unknown", 1, (), ())


def test_runs_that_only_an_archive_knows_are_listed_and_shown(speak: As, report: Path) -> None:
    session = speak()
    archive = Archive.of(session.store.common)
    recorded = runs.add(session, [report], "demo/send").run_id
    event = {"type": "run_started", "runId": "live", "suite": "S", "mode": "pytest", "tag": "no-plan/x"}
    archive.append("live", [msgspec.json.encode(event)])
    assert {run.run_id for run in run_list.listed(session)} == {"live", recorded}
    (alone,) = run_list.listed(session, "no-plan/x")
    assert (alone.finished, alone.orphaned, alone.suite, alone.commit) == (False, False, "S", None)
    long_ago = time.time() - 3600
    os.utime(archive.path("live"), (long_ago, long_ago))
    assert run_list.show(session, "live").run.orphaned
    archive.eject(recorded)
    kept = run_list.show(session, recorded)
    assert (kept.run.archived, [one.uid for one in kept.scenarios]) == (False, ["Parcels/Send one"])


def test_a_limit_lists_the_same_runs_whatever_only_an_archive_knows(speak: As, report: Path) -> None:
    session = speak()
    archive = Archive.of(session.store.common)
    expected = []
    for place in range(9):
        run, tag = f"live-{place}", ("demo/send", "demo/nobody", "no-plan/x")[place % 3]
        begun = {"type": "run_started", "runId": run, "suite": "S", "tag": tag, "startedAt": clock.now()}
        archive.append(run, [msgspec.json.encode(begun)])
        if place % 3 == 0:
            going = archive.read(run)
            going.orphaned = False
            proving.prove(session, [proving.Heard(going)])
            end = {"type": "run_finished", "runId": run, "exitCode": 0, "passed": 1, "failed": 0}
            archive.append(run, [msgspec.json.encode(end)])
            proving.prove(session, [proving.Heard(archive.read(run))])
        expected += [run, runs.add(session, [report], "demo/send").run_id]
        time.sleep(0.002)  # so that no two of them are of one millisecond
    everything = run_list.listed(session)
    assert [one.run_id for one in everything] == expected[::-1]
    for limit in range(1, len(everything) + 2):
        assert run_list.listed(session, limit=limit) == everything[:limit]
    of_send = run_list.listed(session, "demo/send")
    assert [one.run_id for one in of_send] == [one.run_id for one in everything if one.tag == "demo/send"]
    assert run_list.listed(session, "demo/send", 3) == of_send[:3]


def test_the_log_is_read_no_further_than_a_run_can_have_left_a_word(speak: As, report: Path) -> None:
    session = speak()
    runs.add(session, [report], "demo/send")
    (row,) = run_list.listed(session)
    read = []

    def log() -> Iterator[tuple[str, run_list.RunShown]]:
        for place in range(5_000):
            read.append(place)
            yield clock.plus("2026-12-01T00:00:00.000Z", -place * 60), replace(row, run_id=f"r-{place}")

    ahead = run_list._Ahead(log())
    assert ahead.has("r-300", "2026-11-30T12:00:00.000Z") and len(read) == 301
    assert not ahead.has("absent", "2026-11-30T12:00:00.000Z") and len(read) < 1_000
    assert ahead.has("r-4", "2026-11-30T12:00:00.000Z")
    assert [one.run_id for _, one in ahead] == [f"r-{place}" for place in range(5_000)]


def test_the_ledger_takes_retries_from_archives_and_flips_from_the_record_too(speak: As, write: Write) -> None:
    session = speak()
    red = runs.add(session, [write(RED.replace("Lose", "Send"))], "demo/send").run_id
    green = runs.add(session, [write("<testcase classname='Parcels' name='Send one'/>")], "demo/send").run_id
    retried = runs.add(session, [write(FLAKY)], "demo/send").run_id
    found = ledger.flaky(session)
    (line,) = found.flaky
    assert found.runs == 3 and found.since is not None and found.until is not None and found.since <= found.until
    assert (line.uid, line.runs, line.failed, line.on_retry, line.times) == ("Parcels/Send one", 3, 1, 1, 2)
    assert [(set(flip.passed), flip.failed) for flip in line.flips] == [({green, retried}, (red,))]
    for run in (red, green, retried):
        Archive.of(session.store.common).eject(run)
    (line,) = ledger.flaky(session, "demo/send").flaky
    assert (line.runs, line.on_retry, len(line.flips)) == (3, 0, 1)
    assert ledger.flaky(session, "demo/suite") == ledger.Ledger((), 0, None, None)
    assert (ledger.flaky(session, limit=1).flaky, ledger.flaky(session, limit=1).runs) == ((), 1)


def test_the_ledger_looks_at_every_run_that_is_known(speak: As) -> None:
    session = speak()
    archive = Archive.of(session.store.common)
    for place in range(1_100):
        says = Publisher(f"r-{place}")
        says.scenario("F/a", *(["Failed", "PassOnRetry"] if place == 0 else ["CleanPass"]), steps=0)
        says.finish(0, passed=1)
        archive.append(says.run_id, [msgspec.json.encode(event) for event in says.events])
        os.utime(archive.path(says.run_id), (1_700_000_000 + place,) * 2)
    found = ledger.flaky(session)
    assert ([(line.uid, line.last_run, line.runs) for line in found.flaky], found.runs) == (
        [("F/a", "r-0", 1_100)],
        1_100,
    )
    assert ledger.flaky(session, limit=1_000).flaky == ()


class TestNames:
    """A run by the beginning of its id."""

    @pytest.fixture
    def session(self, speak: As, write: Write) -> Session:
        """A session at a store with some archived runs, and one that only the ref knows of."""
        session = speak()
        archive = Archive.of(session.store.common)
        for name in (
            "5b0c9d8e-0000-4000-8000-000000000001",
            "5b0c9d8f-0000-4000-8000-000000000001",
            "ab",
            "abc",
            "Night.1",
        ):
            says = Publisher(name)
            says.start(None)
            archive.append(name, [msgspec.json.encode(event) for event in says.events])
        return session

    @pytest.mark.parametrize(
        ("written", "meant"),
        [
            ("5b0c9d8e", "5b0c9d8e-0000-4000-8000-000000000001"),
            ("5B0C9D8F-0", "5b0c9d8f-0000-4000-8000-000000000001"),
            ("ab", "ab"), ("abc", "abc"), ("N", "Night.1"),
        ],
    )  # fmt: skip
    def test_one_that_begins_so_alone_is_meant(self, session: Session, written: str, meant: str) -> None:
        assert run_names.named(session, written) == meant

    @pytest.mark.parametrize(("written", "names"), [("5", ["5b0c9d8e", "5b0c9d8f"]), ("a", ["ab", "abc"])])
    def test_of_several_all_are_named_and_none_is_taken(self, session: Session, written: str, names: list[str]) -> None:
        with pytest.raises(Refused) as refused:
            run_names.named(session, written)
        assert all(name in refused.value.message for name in names)

    @pytest.mark.parametrize("written", ["", "x", "../ab", "abcd", "b", "\n"])
    def test_one_that_nothing_begins_with_is_unknown(self, session: Session, written: str) -> None:
        with pytest.raises(NotFound):
            run_names.named(session, written)

    def test_one_that_only_the_ref_knows_of_is_found_too(self, session: Session, write: Write) -> None:
        run = runs.add(session, [write(FLAKY)], "demo/send").run_id
        Archive.of(session.store.common).eject(run)
        assert run_names.named(session, run) == run_names.named(session, run[:6]) == run


def test_a_run_that_publishes_is_running_then_lost_then_over(speak: As) -> None:
    session = speak()
    archive = Archive.of(session.store.common)
    begun = {
        "type": "run_started",
        "runId": "live",
        "suite": "S",
        "mode": "pytest",
        "tag": "demo/send",
        "totalScenarios": 2,
    }
    one = {
        "type": "scenario_finished",
        "runId": "live",
        "uid": "Parcels/Send one",
        "outcome": "PassOnRetry",
        "attempts": 2,
    }
    archive.append("live", [msgspec.json.encode(begun), msgspec.json.encode(one)])
    running = archive.read("live")
    running.orphaned = False
    proving.prove(session, [proving.Heard(running)])

    def listed() -> tuple[object, ...]:
        (run,) = run_list.listed(session)
        return run.finished, run.orphaned, run.passed_on_retry, run.total_scenarios, run.by

    assert listed() == (False, False, 1, 2, "ada")
    proving.prove(session, [proving.Heard(archive.read("live"))])
    assert listed() == (False, True, 1, 2, "ada")
    end = {"type": "run_finished", "runId": "live", "exitCode": 0, "passed": 0, "failed": 0, "passedOnRetry": 1}
    archive.append("live", [msgspec.json.encode(end)])
    proving.prove(session, [proving.Heard(archive.read("live"))])
    assert listed() == (True, False, 1, 1, "ada")
    assert run_list.show(session, "live").run == run_list.listed(session, "demo/send")[0]


def test_what_a_kill_left_of_an_addition_is_removed_a_day_later(speak: As, report: Path) -> None:
    session = speak()
    draft = Archive(Archive.of(session.store.common).directory / "adding")
    for run, age in (("r-old", 100_000), ("r-new", 10)):
        draft.append(run, [b"{}"])
        os.utime(draft.path(run), (time.time() - age, time.time() - age))
    runs.add(session, [report], "demo/send")
    assert [run.run_id for run in draft.runs()] == ["r-new"]
