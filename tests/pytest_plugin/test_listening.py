"""Real pytest runs with somebody who listens: what is published, and that nothing else about a run is different."""

from __future__ import annotations

import re

import pytest

from tests.pytest_plugin.conftest import TAG, Project
from tests.support.listener import Listener

SUITE = """\
import pytest

def test_ok(): pass
def test_bad(): assert 1 == 2, "one is not two"
@pytest.mark.parametrize("row", ["a/b", "c"])
def test_rows(row): pass
@pytest.mark.skip(reason="not now")
def test_skipped(): pass
@pytest.mark.xfail(reason="bug 1")
def test_expected(): assert 0
@pytest.mark.xfail
def test_unexpected(): pass
@pytest.mark.xfail(strict=True)
def test_strict(): pass
@pytest.fixture
def broken(): raise RuntimeError("setup boom")
def test_setup(broken): pass
@pytest.fixture
def torn():
    yield
    raise RuntimeError("teardown boom")
class TestInner:
    def test_teardown(self, torn): pass
tries = []
@pytest.mark.flaky(reruns=2)
def test_flaky():
    tries.append(1)
    assert len(tries) > 1
def test_subtests(subtests):
    for i in range(3):
        with subtests.test(i=i):
            assert i != 1
"""

OUTCOMES = {
    "test_a/test_ok": "CleanPass",
    "test_a/test_bad": "Failed",
    "test_a/test_rows[a/b]": "CleanPass",
    "test_a/test_rows[c]": "CleanPass",
    "test_a/test_skipped": "CleanPass",
    "test_a/test_expected": "CleanPass",
    "test_a/test_unexpected": "CleanPass",
    "test_a/test_strict": "Failed",
    "test_a/test_setup": "Failed",
    "test_a.TestInner/test_teardown": "Failed",
    "test_a/test_flaky": "PassOnRetry",
    "test_a/test_subtests": "Failed",
}


def last(listener: Listener) -> dict[str, str]:
    """How each scenario ended last."""
    return {event["uid"]: event["outcome"] for event in listener.of("scenario_finished")}


@pytest.mark.parametrize("workers", [(), ("-n", "2")], ids=["one process", "xdist"])
def test_every_test_of_a_run_is_published_as_it_ended(
    project: Project, listener: Listener, workers: tuple[str, ...]
) -> None:
    project.write(test_a=SUITE)
    ran = project.run("-q", *workers, env={"BOBCAT_MONITOR_URL": listener.url})
    assert ran.code == 1
    assert last(listener) == OUTCOMES
    assert listener.asked[0] == "/api/ping" and set(listener.asked[1:]) == {"/api/ingest"}
    started, finished = listener.events[0], listener.events[-1]
    assert {key: started[key] for key in ("type", "suite", "mode", "tag", "totalScenarios", "branch")} == {
        "type": "run_started", "suite": "project", "mode": "pytest", "tag": TAG, "totalScenarios": 12, "branch": "main",
    }  # fmt: skip
    assert (started["repository"], started["commit"]) == ("project", project.repo.head())
    counted = ("passed", "failed", "passedOnRetry", "indeterminate")
    assert (finished["type"], finished["exitCode"]) == ("run_finished", 1)
    assert [finished[count] for count in counted] == [6, 5, 1, 0]
    assert len({event["runId"] for event in listener.events}) == 1
    [retry] = listener.of("retry_scheduled")
    assert (retry["uid"], retry["nextAttempt"]) == ("test_a/test_flaky", 2)
    assert [event["attempt"] for event in listener.of("scenario_started") if event["uid"] == retry["uid"]] == [1, 2]
    messages = {event["uid"]: event["errorMessage"] for event in listener.of("scenario_finished")}
    assert "one is not two" in messages["test_a/test_bad"]
    assert messages["test_a/test_setup"] == "RuntimeError: setup boom"
    if workers:
        assert {event["lane"] for event in listener.of("lane_started")} == {0, 1}
        assert sum(event["outcomes"] for event in listener.of("lane_finished")) == 12
        assert all(event["processId"] for event in listener.of("worker_started"))


def test_output_and_exit_code_are_what_they_are_without_a_tag(project: Project, listener: Listener) -> None:
    project.write(test_a=SUITE)

    def shown(tag: str | None) -> tuple[int, str]:
        ran = project.run("-v", "--durations=0", env={"BOBCAT_MONITOR_URL": listener.url, "BOBCAT_RUN_TAG": tag})
        return ran.code, re.sub(r"\d+\.\d+s", "N", re.sub(r"0x[0-9a-f]+", "A", ran.out)).split("slowest durations")[0]

    assert shown(TAG) == shown(None)
    assert len(listener.of("run_started")) == 1


@pytest.mark.parametrize("said", ["0", "off", "FALSE"])
def test_a_monitor_that_is_switched_off_is_not_even_asked(project: Project, listener: Listener, said: str) -> None:
    project.write(test_a="def test_ok(): pass\n")
    assert project.run(env={"BOBCAT_MONITOR_URL": listener.url, "BOBCAT_MONITOR": said}).code == 0
    assert listener.asked == []


@pytest.mark.parametrize("option", ["--collect-only", "--setup-plan", "--fixtures", "--help", "--version"])
def test_what_runs_no_test_is_no_run(project: Project, listener: Listener, option: str) -> None:
    project.write(test_a="def test_ok(): pass\n")
    assert project.run(option, env={"BOBCAT_MONITOR_URL": listener.url}).code == 0
    assert listener.asked == []


def test_a_pinned_id_is_the_runs_and_an_owner_has_its_bracket(project: Project, listener: Listener) -> None:
    run = "0fd1a1a4-3c5c-4a60-9a0a-6d0d6a0f0001"
    project.write(test_a="def test_ok(): pass\n")
    env = {"BOBCAT_MONITOR_URL": listener.url, "BOBCAT_RUN_ID": run}
    assert project.run(env={**env, "BOBCAT_RUN_OWNER": "supervisor"}).code == 0
    assert [event["type"] for event in listener.events] == ["scenario_started", "scenario_finished"]
    assert project.run(env=env).code == 0
    assert {event["runId"] for event in listener.events} == {run}
    assert listener.events[-1]["type"] == "run_finished"


def test_a_pytest_that_a_test_starts_is_no_run_of_the_tag(project: Project, listener: Listener) -> None:
    project.repo.write("inner/test_red.py", "def test_red(): assert 0\n")
    project.write(
        test_a="""\
import subprocess, sys
def test_inner():
    assert subprocess.run([sys.executable, "-m", "pytest", "inner"], capture_output=True).returncode == 1
"""
    )
    assert project.run("test_a.py", env={"BOBCAT_MONITOR_URL": listener.url}).code == 0
    assert last(listener) == {"test_a/test_inner": "CleanPass"}
    assert len(listener.of("run_finished")) == 1


@pytest.mark.parametrize("workers", [(), ("-n", "1")], ids=["one process", "xdist"])
def test_scenarios_of_pytest_bdd_have_the_names_of_their_feature_file(
    project: Project, listener: Listener, workers: tuple[str, ...]
) -> None:
    project.repo.write(
        "parcels.feature",
        """\
Feature: Sending parcels
  Scenario: Send one
    Given a parcel

  Scenario Outline: Weigh it
    Given a parcel of <kilos>
    Examples:
      | kilos |
      | 1     |
      | 2     |
""",
    )
    project.write(
        test_parcels="""\
from pytest_bdd import given, parsers, scenarios
scenarios("parcels.feature")
@given("a parcel")
def parcel(): pass
@given(parsers.parse("a parcel of {kilos:d}"))
def heavy(kilos): assert kilos == 1
"""
    )
    assert project.run(*workers, env={"BOBCAT_MONITOR_URL": listener.url}).code == 1
    ended = last(listener)
    assert ended["Sending parcels/Send one"] == "CleanPass"
    rows = {uid: outcome for uid, outcome in ended.items() if uid.startswith("Sending parcels/Weigh it[")}
    assert sorted(rows.values()) == ["CleanPass", "Failed"]
    assert len(ended) == 3
    assert {event["feature"] for event in listener.of("scenario_started")} == {"Sending parcels"}


def test_each_worker_that_runs_every_test_has_rows_of_its_own(project: Project, listener: Listener) -> None:
    project.write(test_a="import os\ndef test_it(): assert os.environ['PYTEST_XDIST_WORKER'] == 'gw0'\n")
    assert project.run("--dist=each", "--tx=2*popen", env={"BOBCAT_MONITOR_URL": listener.url}).code == 1
    assert last(listener) == {"test_a/test_it[gw0]": "CleanPass", "test_a/test_it[gw1]": "Failed"}


def test_a_big_run_goes_out_in_batches_of_at_most_two_hundred(project: Project, listener: Listener) -> None:
    project.write(
        test_a="""\
import pytest
@pytest.mark.parametrize("i", range(700))
def test_it(i): pass
"""
    )
    assert project.run("-q", env={"BOBCAT_MONITOR_URL": listener.url}).code == 0
    assert max(listener.batches) <= 200
    assert len(last(listener)) == 700
    assert listener.events[-1]["passed"] == 700


def test_a_test_that_forks_is_not_warned_of_the_thread_that_publishes(project: Project, listener: Listener) -> None:
    project.repo.write("pytest.ini", "[pytest]\nfilterwarnings = error\n")
    project.write(
        test_a="""\
import os, warnings
def test_forks():
    child = os.fork()
    if child == 0:
        os._exit(0)
    assert os.waitpid(child, 0)[1] == 0
def test_what_newer_pythons_say():
    said = "This process (pid=7) is multi-threaded, use of fork() may lead to deadlocks in the child."
    warnings.warn(said, DeprecationWarning)
"""
    )
    assert project.run(env={"BOBCAT_MONITOR_URL": listener.url}).code == 0
    assert listener.events[-1]["passed"] == 2


def test_what_is_no_unicode_reaches_a_strict_reader(project: Project, listener: Listener) -> None:
    project.write(test_a="def test_bad(): assert 0, 'half \\ud800 and \\x00'\n")
    assert project.run("--tb=no", "-rN", env={"BOBCAT_MONITOR_URL": listener.url}).code == 1
    [finished] = listener.of("scenario_finished")
    assert finished["errorMessage"].startswith("AssertionError: half ? and \x00")
