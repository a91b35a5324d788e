"""The same ten tests from every source: the same counts at every door.

Five pass, one on a retry, two fail, one is skipped and of one nobody knows.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest

from stoat.observe.archive import Archive
from stoat.observe.run_index import RunIndex
from stoat.service import exporting, proving, run_list, runs
from stoat.service.heard import HeardRuns
from stoat.service.monitoring import Monitor
from stoat.service.session import Session, open_session
from tests.pytest_plugin.conftest import Project
from tests.pytest_plugin.test_archiving import recorded, with_store
from tests.support.streams import Publisher
from tests.support.waiting import wait_until

MODULE = """
import pytest
@pytest.mark.parametrize('row', range(5))
def test_green(row): pass
TRIES = []
@pytest.mark.flaky(reruns=1)
def test_late():
    TRIES.append(1)
    assert len(TRIES) > 1
@pytest.mark.parametrize('row', range(2))
def test_red(row): assert 0
@pytest.mark.skip(reason='not here')
def test_left_out(): pass
"""
CASES = {
    **{f"green {place}": ("passed",) for place in range(5)},
    "late": ("failed", "passed"), "red 1": ("failed",), "red 2": ("failed",), "left out": ("skipped",),
    "nobody knows": ("unknown",),
}  # fmt: skip
AT = {"seconds": 1796091797, "nanos": 0}
WORDS = {"passed": "CleanPass", "failed": "Failed", "unknown": "Aborted"}
COUNTS = {"passed": 6, "passedOnRetry": 1, "failed": 2, "indeterminate": 1, "skipped": 1, "scenariosFinished": 10}
"""As the wire counts: what was skipped is a clean pass, and said once more beside."""


def published() -> Publisher:
    """The run as Bobcat tells it."""
    says = Publisher("r-bobcat")
    says.start("trains/suite", total=10)
    for name, outcomes in CASES.items():
        if outcomes == ("skipped",):
            says.forwarded(f"F/{name}", "Skipped")
        else:
            words = [WORDS[one] for one in outcomes]
            says.scenario(f"F/{name}", *words[:-1], "PassOnRetry" if len(words) > 1 else words[0])
    says.finish(1, passed=6, failed=2, on_retry=1, indeterminate=1)
    return says


def with_bobcat(project: Project, session: Session) -> str:
    """Bobcat publishes it."""
    monitor, says = Monitor(session, {}), published()
    monitor.take(json.dumps({"events": says.events}).encode())
    (held,) = monitor.runs.held()
    proving.prove(session, [proving.Heard(held.run)])
    return says.run_id


def with_an_archive(project: Project, session: Session) -> str:
    """An archive of it, made elsewhere, is added."""
    file = project.path / ".git" / "run.ndjson"
    file.write_text("".join(json.dumps(event) + "\n" for event in published().events), encoding="utf-8")
    return runs.add(session, [file], "trains/suite", "bobcat").run_id


def with_pytest(project: Project, session: Session) -> str:
    """pytest runs it, with nobody listening."""
    project.write(test_a=MODULE, test_broken="import no_such_module\n")
    assert project.run("--continue-on-collection-errors").code == 1
    return project.archives()[0].stem


def with_junit(project: Project, session: Session) -> str:
    """A JUnit report of it is added."""
    inside = {
        ("passed",): "", ("failed",): "<failure/>", ("failed", "passed"): "<flakyFailure/>",
        ("skipped",): "<skipped/>", ("unknown",): "<skipped/>",
    }  # fmt: skip
    aborted: dict[tuple[str, ...], str] = {("unknown",): 'status="aborted"'}
    cases = "".join(
        f'<testcase classname="F" name="{name}" {aborted.get(outcomes, "")}>{inside[outcomes]}</testcase>'
        for name, outcomes in CASES.items()
    )
    return add(project, session, "report.xml", f'<testsuite name="s">{cases}</testsuite>')


def with_ctrf(project: Project, session: Session) -> str:
    """A CTRF report of it is added."""
    tests = [
        {"name": name, "suite": "F", "status": {"unknown": "other"}.get(outcomes[-1], outcomes[-1]), "duration": 1,
         "retries": len(outcomes) - 1}
        for name, outcomes in CASES.items()
    ]  # fmt: skip
    results = {"tool": {"name": "jest"}, "summary": {}, "tests": tests}
    document = {"reportFormat": "CTRF", "specVersion": "0.0.0", "results": results}
    return add(project, session, "report.json", json.dumps(document))


def with_cucumber(project: Project, session: Session) -> str:
    """Cucumber's messages of it are added."""
    parsed = [{"scenario": {"id": name, "name": name, "examples": []}} for name in CASES]
    told: list[Any] = [
        {"meta": {"protocolVersion": "27.2.0", "implementation": {"name": "cucumber-js"}}},
        {"gherkinDocument": {"uri": "f.feature", "feature": {"name": "F", "children": parsed}}},
        {"testRunStarted": {"timestamp": AT}},
    ]
    for name, outcomes in CASES.items():
        steps = [] if outcomes == ("unknown",) else [{"id": f"{name}.1", "text": "it", "type": "Action"}]
        pickle = {"id": f"{name}.p", "uri": "f.feature", "name": name, "astNodeIds": [name], "steps": steps}
        case = [{"id": f"{name}.t1", "pickleStepId": step["id"]} for step in steps]
        told += [{"pickle": pickle}, {"testCase": {"id": f"{name}.t", "pickleId": f"{name}.p", "testSteps": case}}]
        for number, outcome in enumerate(outcomes):
            run, again = f"{name}#{number}", number + 1 < len(outcomes)
            told.append({"testCaseStarted": {"id": run, "testCaseId": f"{name}.t", "attempt": number, "timestamp": AT}})
            result = {"status": outcome.upper(), "duration": {"seconds": 0, "nanos": 0}}
            told += [
                {"testStepFinished": {"testCaseStartedId": run, "testStepId": one["id"], "testStepResult": result}}
                for one in case
            ]
            told.append({"testCaseFinished": {"testCaseStartedId": run, "willBeRetried": again}})
    told.append({"testRunFinished": {"success": False, "timestamp": AT}})
    return add(project, session, "run.ndjson", "".join(json.dumps(one) + "\n" for one in told))


def add(project: Project, session: Session, name: str, text: str) -> str:
    """Add a report that holds this."""
    file: Path = project.path / ".git" / name
    file.write_text(text, encoding="utf-8")
    return runs.add(session, [file], "trains/suite").run_id


@pytest.mark.parametrize(
    "source", [with_bobcat, with_an_archive, with_pytest, with_junit, with_ctrf, with_cucumber],
    ids=lambda source: source.__name__,
)  # fmt: skip
def test_one_run_has_the_same_counts_at_every_door(project: Project, source: object) -> None:
    store = with_store(project)
    session = open_session(project.path)
    run = source(project, session)  # type: ignore[operator]
    archive = Archive.of(store.common)
    wait_until(lambda: recorded(store), 20, "the record")

    (listed,) = run_list.listed(session)
    shown = run_list.show(session, run)
    assert (listed.run_id, shown.run) == (run, listed)
    (alone,) = HeardRuns(archive).listed()
    archive_only = run_list._alone(RunIndex(archive).all()[0])
    for door, one in (("list", listed), ("REST", alone), ("an archive alone", archive_only)):
        words = {
            "passed": one.passed, "passedOnRetry": one.passed_on_retry, "failed": one.failed,
            "indeterminate": one.indeterminate, "skipped": one.skipped, "scenariosFinished": one.scenarios_finished,
        }  # fmt: skip
        assert words == COUNTS, door
    outcomes = [("skipped" if one.skipped else one.outcome) for one in shown.scenarios]
    assert {word: outcomes.count(word) for word in outcomes} == {
        "CleanPass": 5, "PassOnRetry": 1, "Failed": 2, "Aborted": 1, "skipped": 1,
    }  # fmt: skip

    (event,) = recorded(store)
    assert (event.state, event.passed, event.on_retry, event.failed, event.indeterminate, event.skipped) == (
        "failed", 5, 1, 2, 1, 1,
    )  # fmt: skip
    evidence = session.state().plans["trains"].nodes["suite"].evidence["/"]
    assert (evidence.tests, evidence.green) == (10, 6)

    summary = json.loads(b"".join(exporting.export(archive, run, "ctrf")))["results"]["summary"]
    of_ctrf = {"tests": 10, "passed": 6, "failed": 2, "skipped": 1, "pending": 0, "other": 1, "flaky": 1}
    assert {name: summary[name] for name in of_ctrf} == of_ctrf
    suites = ElementTree.fromstring(b"".join(exporting.export(archive, run, "junit")))
    assert [suites.get(name) for name in ("tests", "failures", "errors", "skipped")] == ["10", "2", "0", "2"]
