"""A `stoat serve` that is killed while a run publishes to it: the archive that the run then writes itself is whole."""

from __future__ import annotations

from typing import Any

import pytest

from stoat.observe.archive import Archive
from stoat.pytest_plugin import journal
from stoat.pytest_plugin.journal import Journal
from tests.pytest_plugin.conftest import Project
from tests.pytest_plugin.test_archiving import recorded, started, with_store
from tests.support.command import Stoat
from tests.support.gitrepo import MakeRepo
from tests.support.waiting import wait_until

WAITING = """\
import pathlib, time, pytest
@pytest.mark.parametrize("row", range(8))
def test_before(row): pass
def test_between():
    pathlib.Path("here").touch()
    until = time.monotonic() + 50
    while not pathlib.Path("go").exists() and time.monotonic() < until:
        time.sleep(0.02)
@pytest.mark.parametrize("row", range(4))
def test_after(row): assert row != 2
"""


@pytest.mark.slow
@pytest.mark.parametrize("workers", [(), ("-n", "2")], ids=["one process", "xdist"])
@pytest.mark.parametrize("same", [True, False], ids=["its own store", "another store"])
def test_a_run_whose_monitor_is_killed_half_way_is_whole_in_the_archive_of_its_own_store(
    project: Project, make_repo: MakeRepo, same: bool, workers: tuple[str, ...]
) -> None:
    store = with_store(project)
    project.repo.commit({"test_a.py": WAITING, ".gitignore": "here\ngo\n__pycache__\n"}, "Tests")
    other = make_repo("other")
    Stoat(other.path).ok("init")
    where = project.path if same else other.path
    serve = Stoat(where).start("serve", "--port", "0", "--monitor-port", "0", "--no-sweep")
    heard = Archive(where / ".git" / "stoat" / "runs")
    try:
        assert serve.stdout is not None
        serve.stdout.readline()
        url = serve.stdout.readline().decode().partition(": ")[2].strip()
        pytest_ = project.start("-q", *workers, env={"BOBCAT_MONITOR_URL": None if same else url})
        wait_until((project.path / "here").exists, 50, "the run to be half-way")
        run_id = wait_until(lambda: next((one.run_id for one in heard.runs()), None), 20, "the server to hear of it")
        wait_until(lambda: len(heard.read(run_id).scenarios) >= 5, 20, "the server to hear some of it")
    finally:
        serve.kill()
        serve.communicate()
    before = heard.read(run_id)
    assert not before.finished
    (project.path / "go").touch()
    out, _ = pytest_.communicate(timeout=60)
    assert pytest_.returncode == 1, out
    kept = Archive(project.path / ".git" / "stoat" / "runs")
    whole = kept.read(run_id)
    assert (whole.tag, whole.total_scenarios, whole.verdict, whole.dropped) == ("trains/suite", 13, "failed", 0)
    assert (len(whole.scenarios), whole.counts.failed, whole.counts.passed) == (13, 1, 12)
    assert (whole.commit, whole.dirty, whole.after) == (project.repo.head(), False, (project.repo.head(), False))
    finished = [event for event in project.archived() if event["type"] == "scenario_finished"]
    assert sorted(event["uid"] for event in finished) == sorted(whole.scenarios)
    [run] = recorded(store)
    assert (run.run, run.state, run.failed, run.passed) == (run_id, "failed", 1, 12)
    assert {one.run for one in started(store)} <= {run_id}


def test_what_was_sent_is_kept_in_its_order(monkeypatch: pytest.MonkeyPatch) -> None:
    kept = Journal()
    assert list(kept.batches()) == []
    sent: list[list[dict[str, Any]]] = [[{"n": place, "text": "é\n"}] * 3 for place in range(5)]
    for batch in sent:
        kept.keep(batch)
    assert (list(kept.batches()), kept.lost) == (sent, 0)


def test_of_more_than_there_is_room_for_the_beginning_and_the_newest_are_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(journal, "MOST", 2_000)
    kept = Journal()
    for place in range(500):
        kept.keep([{"n": place}, {"n": place}])
    [first, *rest] = [batch[0]["n"] for batch in kept.batches()]
    assert first == 0 and rest == list(range(rest[0], 500)) and rest[0] > 300
    assert kept.lost == 2 * (rest[0] - 1)
