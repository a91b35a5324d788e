"""Runs that do not end as they should: told as what they are, and never green."""

from __future__ import annotations

import os
import signal

import pytest

from tests.pytest_plugin.conftest import Project
from tests.support.listener import Listener
from tests.support.waiting import wait_until

SLOW = """\
import time
def test_a(): pass
def test_slow(): time.sleep(60)
def test_z(): pass
"""


@pytest.mark.parametrize("workers", [(), ("-n", "1")], ids=["one process", "xdist"])
def test_a_module_that_cannot_be_collected_leaves_the_run_unknown(
    project: Project, listener: Listener, workers: tuple[str, ...]
) -> None:
    project.write(test_a="def test_ok(): pass\n", test_b="import nothing_of_that_name\n")
    ran = project.run(*workers, env={"BOBCAT_MONITOR_URL": listener.url})
    finished = listener.events[-1]
    assert (finished["type"], finished["exitCode"]) == ("run_finished", ran.code)
    assert ran.code != 0 and finished["indeterminate"] >= 1 and finished["failed"] == 0
    [broken] = [event for event in listener.of("scenario_finished") if event["uid"] == "test_b/(collection)"]
    assert broken["outcome"] == "Aborted" and "nothing_of_that_name" in broken["errorMessage"]


def test_a_run_that_collected_nothing_is_not_green(project: Project, listener: Listener) -> None:
    project.write(test_a="")
    assert project.run(env={"BOBCAT_MONITOR_URL": listener.url}).code == 5
    assert [event["type"] for event in listener.events] == ["run_started", "run_finished"]
    assert (listener.events[-1]["exitCode"], listener.events[-1]["indeterminate"]) == (5, 1)


def test_a_conftest_that_does_not_load_changes_nothing(project: Project, listener: Listener) -> None:
    project.write(conftest="raise RuntimeError('no')\n", test_a="def test_ok(): pass\n")
    assert project.run(env={"BOBCAT_MONITOR_URL": listener.url}).code == 4
    assert listener.of("run_finished") == []


@pytest.mark.parametrize("workers", [(), ("-n", "1")], ids=["one process", "xdist"])
def test_a_run_that_stops_at_its_first_failure_is_red(
    project: Project, listener: Listener, workers: tuple[str, ...]
) -> None:
    project.write(test_a="import pytest\n@pytest.mark.parametrize('i', range(40))\ndef test_it(i): assert i != 1\n")
    ran = project.run("-x", *workers, env={"BOBCAT_MONITOR_URL": listener.url})
    finished = listener.events[-1]
    assert ran.code != 0 and finished["exitCode"] == ran.code
    assert finished["failed"] == 1 and finished["passed"] < 39


def test_pytest_exit_half_way_with_code_0_is_not_green(project: Project, listener: Listener) -> None:
    project.write(
        test_a="""\
import pytest
def test_a(): pass
def test_b(): pytest.exit("enough", returncode=0)
def test_c(): pass
"""
    )
    assert project.run(env={"BOBCAT_MONITOR_URL": listener.url}).code == 0
    assert (listener.events[-1]["passed"], listener.events[-1]["indeterminate"]) == (1, 2)


@pytest.mark.parametrize("workers", [(), ("-n", "1")], ids=["one process", "xdist"])
def test_ctrl_c_ends_a_run_as_one_that_nobody_knows_about(
    project: Project, listener: Listener, workers: tuple[str, ...]
) -> None:
    project.write(test_a=SLOW)
    process = project.start(*workers, env={"BOBCAT_MONITOR_URL": listener.url})
    wait_until(lambda: [one for one in listener.of("scenario_started") if "slow" in one["uid"]], 20, "the slow test")
    os.killpg(process.pid, signal.SIGINT)
    process.communicate(timeout=20)
    assert process.returncode == 2
    finished = listener.events[-1]
    assert (finished["type"], finished["exitCode"], finished["passed"], finished["failed"]) == ("run_finished", 2, 1, 0)
    assert finished["indeterminate"] == 2
    assert {event["uid"]: event["outcome"] for event in listener.of("scenario_finished")} == {
        "test_a/test_a": "CleanPass",
        "test_a/test_slow": "Aborted",
    }


def test_a_worker_that_dies_takes_its_test_with_it_and_is_named(project: Project, listener: Listener) -> None:
    project.write(test_a="import os\ndef test_a(): pass\ndef test_dies(): os._exit(3)\ndef test_z(): pass\n")
    assert project.run("-n", "1", env={"BOBCAT_MONITOR_URL": listener.url}).code == 1
    [fault] = listener.of("worker_faulted")
    assert fault["lane"] == 0 and fault["fault"]
    assert [(event["lane"], event["crashed"]) for event in listener.of("lane_finished")] == [(0, True), (1, False)]
    ended = {event["uid"]: event for event in listener.of("scenario_finished")}
    assert {uid: event["outcome"] for uid, event in ended.items()} == {
        "test_a/test_a": "CleanPass", "test_a/test_dies": "Failed", "test_a/test_z": "CleanPass",
    }  # fmt: skip
    assert "crashed" in ended["test_a/test_dies"]["errorMessage"]


def test_a_worker_that_dies_once_is_a_retry_where_reruns_are_asked_for(project: Project, listener: Listener) -> None:
    project.write(
        test_a="""\
import os, pathlib
def test_dies():
    once = pathlib.Path("once")
    if not once.exists():
        once.touch()
        os._exit(3)
"""
    )
    assert project.run("-n", "1", "--reruns=1", env={"BOBCAT_MONITOR_URL": listener.url}).code == 0
    assert [event["outcome"] for event in listener.of("scenario_finished")] == ["Failed", "PassOnRetry"]
    assert (listener.events[-1]["passedOnRetry"], listener.events[-1]["failed"]) == (1, 0)
