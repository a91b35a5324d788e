"""Runs that nobody listens to: they write their own archive, and what they prove is on the ref when they are over."""

from __future__ import annotations

import os
import shutil
import signal
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import requests

from stoat.derive.wording import tags as wording
from stoat.gitstore.log import Change, Store
from stoat.observe.archive import Archive
from stoat.plan import streams
from stoat.plan.events.authoring import NodeAdded
from stoat.plan.events.base import Actor
from stoat.plan.events.evidence import GateStarted, RunRecorded, RunStarted
from stoat.plan.events.plans import PlanCreated
from stoat.plan.nodes import Header, Node, Step
from stoat.pytest_plugin import outlets
from tests.pytest_plugin.conftest import TAG, Project
from tests.support.command import Stoat
from tests.support.gitrepo import MakeRepo
from tests.support.listener import Listener
from tests.support.waiting import wait_until
from tests.web.conftest import serving

GREEN = "def test_a(): pass\ndef test_b(): pass\n"
ROWS = "import pytest\n@pytest.mark.parametrize('row', 'ab')\ndef test_rows(row): pass\n"
SEND = ("test_a/test_a", "test_a/test_rows", "test_a/test_gone")
NODES = (
    Node(id="suite", kind="test-run-gate"),
    Node(id="steps", kind="test-run-gate", steps=(Step(id="unit"),)),
    Node(id="send", kind="slice", pattern="command", specs=SEND),
)


def with_store(project: Project) -> Store:
    """A store in the project's repository, with the plan `trains`; everything is committed and clean."""
    project.repo.commit({".gitignore": "__pycache__\n.pytest_cache\n"}, "Ignore")
    store, _ = Store.create(project.path)
    entries: list[Any] = [("plans/trains", PlanCreated(header=Header(plan="trains", title="Trains")))]
    entries += [("plans/trains", NodeAdded(node=node.id, spec=node)) for node in NODES]
    store.append(lambda state, now: Change(entries, "trains"), Actor("Ada", "person", None, "ada@example.org"))
    return store


def recorded(store: Store) -> list[RunRecorded]:
    """The results on the ref, oldest first."""
    history = store.history(streams.of_plan("trains"))
    return [one.event for one in history if isinstance(one.event, RunRecorded)]


def started(store: Store) -> list[RunStarted]:
    """The starts on the ref, oldest first."""
    history = store.history(streams.of_plan("trains"))
    return [one.event for one in history if isinstance(one.event, RunStarted)]


def test_a_run_that_nobody_hears_is_on_record_when_it_is_over(project: Project) -> None:
    store = with_store(project)
    project.repo.commit({"test_a.py": GREEN + ROWS}, "Tests")
    assert project.run(env={"BOBCAT_RUN_TAG": "trains/send"}).code == 0
    [run] = recorded(store)
    assert (run.node, run.source, run.state, run.passed, run.failed, run.exit_code) == (
        "send", "pytest", "passed", 4, 0, 0,
    )  # fmt: skip
    assert run.specs_passed == ("test_a/test_a", "test_a/test_rows")
    assert (run.tree.commit, run.tree.branch, run.tree.dirty) == (project.repo.head(), "main", False)
    [event, *_] = project.archived()
    assert (event["type"], event["runId"]) == ("run_started", run.run)


def test_a_run_that_leaves_the_tree_dirty_is_of_more_than_its_commit(project: Project) -> None:
    store = with_store(project)
    project.repo.commit({"test_a.py": "def test_a(): open('left', 'w').close()\n"}, "Tests")
    assert project.run().code == 0
    assert recorded(store)[0].tree.dirty is True


def test_a_directory_below_and_a_worktree_write_into_the_one_store(project: Project) -> None:
    store = with_store(project)
    project.repo.commit({"deep/pytest.ini": "[pytest]\n", "deep/test_a.py": GREEN}, "Tests")
    other = project.path.parent / "other tree"
    project.repo.run_git("worktree", "add", "--quiet", "-b", "other", str(other))
    assert project.run("--rootdir=deep", "deep").code == 0
    assert project.run(f"--rootdir={other}", str(other / "deep")).code == 0
    assert [run.tree.branch for run in recorded(store)] == ["main", "other"]
    assert len(project.archives()) == 2


def test_another_repository_may_hold_the_store(project: Project, make_repo: MakeRepo) -> None:
    elsewhere = Project(make_repo("elsewhere"))
    store = with_store(elsewhere)
    project.write(test_a=GREEN)
    assert project.run(env={"STOAT_STORE": str(elsewhere.path)}).code == 0
    assert [run.state for run in recorded(store)] == ["passed"]
    assert (len(elsewhere.archives()), project.archives()) == (1, [])


def test_without_a_store_nothing_is_written(project: Project) -> None:
    project.write(test_a=GREEN)
    assert project.run().code == 0
    assert not (project.path / ".git/stoat").exists()


def test_without_a_repository_nothing_happens(project: Project) -> None:
    project.write(test_a=GREEN)
    shutil.rmtree(project.path / ".git")
    ran = project.run("-W", "error")
    assert ran.code == 0 and "2 passed" in ran.out


def test_a_tag_of_no_node_is_archived_and_recorded_nowhere(project: Project) -> None:
    store = with_store(project)
    project.write(test_a=GREEN)
    assert project.run(env={"BOBCAT_RUN_TAG": "JIRA-7"}).code == 0
    assert (recorded(store), len(project.archived())) == ([], 6)


@pytest.mark.parametrize("workers", [(), ("-n", "1")], ids=["one process", "xdist"])
def test_a_run_that_is_killed_half_way_reads_as_orphaned(project: Project, workers: tuple[str, ...]) -> None:
    store = with_store(project)
    project.write(test_a="import time\ndef test_a(): pass\ndef test_b(): time.sleep(60)\n")
    process = project.start(*workers)
    wait_until(lambda: project.archives() and len(project.archived()) >= 4, 20, "the second test's start")
    wait_until(lambda: started(store), 20, "its start on the ref")
    stoat = Stoat(project.path)
    assert stoat.json("status", "trains")["nodes"][0]["status"] == "running"
    os.killpg(process.pid, signal.SIGKILL)
    process.communicate(timeout=20)
    run = Archive.of(store.common).read(project.archives()[0].stem)
    assert (run.orphaned, run.finished, run.verdict, run.tag) == (True, False, None, TAG)
    assert run.scenarios["test_a/test_a"].outcome == "CleanPass"
    assert run.scenarios["test_a/test_b"].outcome is None
    assert recorded(store) == []
    [listed] = stoat.json("runs", "list")
    assert (listed["finished"], listed["orphaned"], listed["passed"]) == (False, True, 1)
    assert [begun.run for begun in started(store)] == [run.run_id]
    [node, *_] = stoat.json("status", "trains")["nodes"]
    assert node["status"] != "running" and "never finished" in node["detail"]


def test_the_command_of_a_gate_and_the_run_in_it_are_of_one_mind(project: Project) -> None:
    store = with_store(project)
    project.repo.commit({"test_a.py": "def test_a(): pass\ndef test_b(): assert 0\n"}, "Tests")
    command = (sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "test_a.py")
    stoat = Stoat(project.path, {"BOBCAT_MONITOR_URL": "http://127.0.0.1:1"})
    assert stoat.run("gate", "exec", "trains/steps", "--step", "unit", "--", *command).code == 1
    events = [one.event for one in store.history(streams.of_plan("trains"))]
    [begun] = [place for place, event in enumerate(events) if isinstance(event, GateStarted)]
    [ended] = [place for place, event in enumerate(events) if isinstance(event, RunRecorded)]
    assert begun < ended
    run = recorded(store)[0]
    assert (run.node, run.step, run.state, run.passed, run.failed) == ("steps", "unit", "failed", 1, 1)
    [step] = stoat.json("status", "trains")["nodes"][1]["steps"]
    assert (step["state"], step["run"]) == ("failed", run.run)


def test_a_monitor_that_goes_away_half_way_loses_nothing_of_the_run(project: Project) -> None:
    with_store(project)
    project.write(
        test_a="import time, pytest\n@pytest.mark.parametrize('i', range(8))\ndef test_a(i): time.sleep(.1)\n"
    )
    with Listener(fails_from=2) as listener:
        ran = project.run(env={"BOBCAT_MONITOR_URL": listener.url})
    assert ran.code == 0
    assert len(listener.batches) == 5
    told = project.archived()
    assert told[: len(listener.events)] == listener.events
    assert [event["type"] for event in told].count("scenario_finished") == 8
    assert told[-1]["type"] == "run_finished"


def test_a_part_of_a_run_that_somebody_else_owns_is_archived_and_proves_nothing_by_itself(project: Project) -> None:
    store = with_store(project)
    project.write(test_a=GREEN)
    assert project.run(env={"BOBCAT_RUN_OWNER": "supervisor", "BOBCAT_RUN_ID": "r-1"}).code == 0
    assert {event["type"] for event in project.archived()} == {"scenario_started", "scenario_finished"}
    assert recorded(store) == []


def test_a_monitor_that_never_answers_costs_a_moment_and_is_given_up(project: Project) -> None:
    store = with_store(project)
    project.write(test_a=GREEN)
    with Listener(mute=True) as listener:
        assert project.run(env={"BOBCAT_MONITOR_URL": listener.url}).code == 0
        assert listener.asked == ["/api/ping"]
    assert [run.state for run in recorded(store)] == ["passed"]


@pytest.mark.parametrize("status", [404, 500])
def test_what_answers_and_is_no_monitor_is_left_alone(project: Project, status: int) -> None:
    project.write(test_a=GREEN)
    with Listener(ping=status) as listener:
        assert project.run(env={"BOBCAT_MONITOR_URL": listener.url}).code == 0
    assert listener.asked == ["/api/ping"]


@pytest.mark.parametrize("url", ["nonsense", "ftp://x/", "http://", "http://[", "http://127.0.0.1:99999"])
def test_an_address_that_is_none_harms_nothing(project: Project, url: str) -> None:
    project.write(test_a=GREEN)
    ran = project.run("-W", "error", env={"BOBCAT_MONITOR_URL": url})
    assert (ran.code, "2 passed" in ran.out, "rror" in ran.out) == (0, True, False)


def test_a_run_id_that_names_no_file_is_not_written_anywhere(project: Project, tmp_path: Path) -> None:
    with_store(project)
    project.write(test_a=GREEN)
    assert project.run(env={"BOBCAT_RUN_ID": "../../../escaped"}).code == 0
    assert list(tmp_path.rglob("*escaped*")) == []


def test_tests_that_turn_the_world_upside_down_change_nothing_in_what_is_told(project: Project) -> None:
    store = with_store(project)
    project.write(
        test_a="""\
import datetime, os, socket, subprocess, time
import pytest

@pytest.fixture(scope="session", autouse=True)
def upside_down(tmp_path_factory):
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("HOME", "/nowhere")
        patch.setenv("PATH", "/nowhere")
        patch.setenv("STOAT_STORE", "/nowhere")
        patch.delenv("BOBCAT_RUN_TAG")
        patch.setattr(time, "time", lambda: 0.0)
        patch.setattr(time, "monotonic", lambda: 0.0)
        patch.setattr(os, "getpid", lambda: 1)
        patch.setattr(socket, "socket", None)
        patch.chdir(tmp_path_factory.mktemp("gone"))
        yield

def test_a(upside_down): time.sleep(0.4)
def test_b(): pass
"""
    )
    assert project.run().code == 0
    [run] = recorded(store)
    assert (run.state, run.passed) == ("passed", 2)
    assert all(event.get("at", "2").startswith("2") for event in project.archived())


@pytest.fixture
def usual(monkeypatch: pytest.MonkeyPatch) -> Callable[[str], None]:
    """Makes an address the one where a publisher looks that was told none."""
    return lambda url: monkeypatch.setattr(outlets, "DEFAULT_URL", url)


@pytest.mark.parametrize(("store", "taken"), [("own", True), (None, True), ("another", False)])
def test_a_server_of_another_store_is_left_alone_unless_it_was_asked_for(
    project: Project, usual: Callable[[str], None], store: str | None, taken: bool
) -> None:
    with_store(project)
    own = outlets.Archive.find(project.path, "r-1", dict(os.environ))
    assert own is not None and own.common == (project.path / ".git").resolve()
    with Listener(store=str(own.common) if store == "own" else store) as listener:
        usual(listener.url)
        assert (outlets.chosen(None, own) is not None) is taken
        assert outlets.chosen(listener.url, own) is not None
        assert outlets.chosen(None, None) is not None


def test_a_run_that_was_told_no_address_finds_the_server_of_its_own_store_on_any_port(project: Project) -> None:
    store = with_store(project)
    project.repo.commit({"test_a.py": GREEN}, "Tests")
    with serving(project.path) as address:
        assert project.run(env={"BOBCAT_MONITOR_URL": None}).code == 0
        [run] = requests.get(f"{address}/api/runs", timeout=20).json()
        assert (run["tag"], run["finished"], run["passed"]) == (TAG, True, 2)
        wait_until(lambda: recorded(store), 20, "the record")
    assert [one.state for one in recorded(store)] == ["passed"]


@pytest.mark.parametrize("workers", [(), ("-n", "2")], ids=["one process", "xdist"])
@pytest.mark.parametrize(
    ("tag", "stray"),
    [
        ("trains/suite", False),
        ("trains/steps/unit", False),
        ("trains/siute", True),
        ("trians/suite", True),
        ("x", True),
    ],
)
def test_a_tag_that_names_no_node_is_said_once_and_fails_nothing(
    project: Project, tag: str, stray: bool, workers: tuple[str, ...]
) -> None:
    with_store(project)
    project.write(test_a=GREEN)
    ran = project.run("-q", *workers, env={"BOBCAT_RUN_TAG": tag})
    assert ran.code == 0
    said = [line for line in ran.out.splitlines() if line.startswith("stoat: ")]
    assert said == ([f"stoat: {wording.stray(tag)}"] if stray else [])
    assert project.archived()[-1]["exitCode"] == 0


def test_a_tag_that_names_no_step_of_its_node_is_said(project: Project) -> None:
    with_store(project)
    project.write(test_a=GREEN)
    ran = project.run("-q", env={"BOBCAT_RUN_TAG": "trains/steps/typo/x/y"})
    said = [line for line in ran.out.splitlines() if line.startswith("stoat: ")]
    assert (ran.code, said) == (0, [f"stoat: {wording.no_step('trains/steps', 'typo', ['unit'])}"])
