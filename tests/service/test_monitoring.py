"""The receiver behind its door: what reaches the ref, when a run is lost, and what keeps nobody waiting."""

from __future__ import annotations

import contextlib
import json
import os
import subprocess
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from msgspec import Struct

from stoat import clock
from stoat.errors import Invalid, NotFound, Unreachable
from stoat.gitstore.porcelain import git
from stoat.observe import live
from stoat.observe.silence import SILENCE
from stoat.plan.events.evidence import RunLost, RunRecorded, RunStarted
from stoat.processes import identity_of
from stoat.service import monitoring, reading, run_list
from stoat.service.monitoring import Monitor, retention
from stoat.service.session import Session, open_session
from tests.support.gitrepo import GitRepo
from tests.support.streams import Publisher
from tests.support.waiting import wait_until

Started = Callable[..., Monitor]


@pytest.fixture
def session(repo: GitRepo) -> Session:
    """A session at the store of the plan `demo`."""
    return open_session(repo.path)


@pytest.fixture
def start(repo: GitRepo) -> Iterator[Started]:
    """Starts a receiver of its own, as a server would; all are stopped in the end."""
    with contextlib.ExitStack() as ending:

        def started(**given: float) -> Monitor:
            monitor = Monitor(open_session(repo.path), {}, **given)
            monitor.start()
            ending.callback(monitor.stop)
            return monitor

        yield started


class _Says(Struct):
    url: str
    since: str


def a_run(run_id: str = "r-1", tag: str | None = "demo/suite/unit", **fields: object) -> Publisher:
    """A run that has just begun."""
    says = Publisher(run_id, begin=clock.now())
    says.start(tag, total=1, **fields)
    return says


def post(monitor: Monitor, says: Publisher) -> None:
    """Publish what was said since."""
    monitor.take(json.dumps({"events": says.events}).encode())
    says.events.clear()


def told(session: Session) -> list[tuple[str, str]]:
    """What the ref says of runs: the run, and how it went."""
    found = []
    for recorded in session.store.history("plans/demo"):
        match recorded.event:
            case RunStarted() as event:
                found.append((event.run, "started"))
            case RunRecorded() as event:
                found.append((event.run, event.state))
            case RunLost() as event:
                found.append((event.run, "lost"))
    return found


def wait_for(session: Session, *expected: tuple[str, str]) -> None:
    """Wait until the ref says exactly that."""
    wait_until(lambda: told(session) == list(expected), 15, f"{expected}; it is {told(session)}")


def test_the_ref_is_told_when_a_run_starts_and_when_it_ends_and_nothing_between(
    start: Started, session: Session
) -> None:
    monitor, says = start(), a_run(repository=str(session.directory))
    post(monitor, says)
    wait_for(session, ("r-1", "started"))
    for place in range(5):
        says.scenario(f"F/{place}", "CleanPass")
        post(monitor, says)
    says.finish(0, passed=5)
    post(monitor, says)
    wait_for(session, ("r-1", "started"), ("r-1", "passed"))
    node = session.state().plans["demo"].nodes["suite"]
    (evidence,) = node.evidence.values()
    assert (evidence.source, evidence.step, evidence.passed, evidence.suite) == ("bobcat", "unit", 5, "Suite")
    head = git(session.directory, "rev-parse", "HEAD").out.strip()
    assert (evidence.commit, evidence.dirty, evidence.branch) == (head, False, "main")
    assert node.running == {}


def test_specs_that_a_run_saw_are_the_slices(start: Started, session: Session) -> None:
    monitor, says = start(), a_run(tag="demo/send")
    says.scenario("Parcels/Send one", "Failed", "PassOnRetry")
    says.scenario("Parcels/Lose one", "Failed")
    says.scenario("Parcels/Another", "CleanPass")
    says.finish(1, passed=1, failed=1, on_retry=1)
    post(monitor, says)
    wait_for(session, ("r-1", "failed"))
    specs = session.state().plans["demo"].nodes["send"].specs
    assert {name: result.passed for name, result in specs.items()} == {
        "Parcels/Send one": True,
        "Parcels/Lose one": False,
    }


@pytest.mark.parametrize("tag", [None, "", "x", "demo", "demo/none", "none/suite", "a b/c d", "/", "//", "demo//unit"])
def test_a_tag_of_no_node_leaves_a_run_in_the_archive_alone(start: Started, session: Session, tag: str | None) -> None:
    monitor, says = start(), a_run("r-lone", tag)
    says.finish(0, passed=1)
    post(monitor, says)
    other = a_run("r-2")
    post(monitor, other)
    wait_for(session, ("r-2", "started"))
    assert {run.run_id: run.tag for run in monitor.runs.listed()} == {"r-lone": tag or None, "r-2": "demo/suite/unit"}


class TestTrees:
    """Which commit a run is evidence of."""

    def tree(
        self, start: Started, session: Session, between: Callable[[], object] = lambda: None, **fields: object
    ) -> tuple[object, object]:
        """Commit and dirt on record of a run that says these things of itself."""
        monitor, says = start(), a_run(**fields)
        post(monitor, says)
        wait_for(session, ("r-1", "started"))
        between()
        says.finish(0, passed=1)
        post(monitor, says)
        wait_for(session, ("r-1", "started"), ("r-1", "passed"))
        (evidence,) = session.state().plans["demo"].nodes["suite"].evidence.values()
        return evidence.commit, evidence.dirty

    @pytest.mark.parametrize("repository", ["acme/parcels", "", "/no/such/place", "."])
    def test_nobody_saw_where_it_ran(self, start: Started, session: Session, repository: str) -> None:
        assert self.tree(start, session, repository=repository) == (None, None)

    def test_the_directory_is_on_another_branch(self, start: Started, session: Session) -> None:
        assert self.tree(start, session, repository=str(session.directory), branch="other") == (None, None)

    def test_the_publisher_says_it(self, start: Started, session: Session) -> None:
        assert self.tree(start, session, commit="c" * 40, dirty=False) == ("c" * 40, False)

    def test_it_is_dirty_at_the_end(self, start: Started, session: Session) -> None:
        head = git(session.directory, "rev-parse", "HEAD").out.strip()
        edit = (session.directory / "new.txt").touch
        assert self.tree(start, session, edit, repository=str(session.directory)) == (head, True)

    def test_the_branch_moved_meanwhile(self, start: Started, session: Session) -> None:
        head = git(session.directory, "rev-parse", "HEAD").out.strip()
        move = lambda: GitRepo(session.directory).commit({"a": "b"}, "Move")  # noqa: E731
        assert self.tree(start, session, move, repository=str(session.directory)) == (head, True)


class TestHeardAgain:
    """Events of a run that come after its end, for the first time or once more."""

    @pytest.mark.parametrize("tag", ["demo/suite/unit", "demo/send"])
    @pytest.mark.parametrize("forgotten", [False, True])
    def test_a_replay_of_an_older_run_appends_nothing(
        self, start: Started, session: Session, tag: str, forgotten: bool
    ) -> None:
        monitor, old, new = start(), a_run("r-old", tag), a_run("r-new", tag)
        old.scenario("Parcels/Send one", "CleanPass")
        old.finish(0, passed=1)
        replayed = list(old.events)
        post(monitor, old)
        wait_for(session, ("r-old", "passed"))
        new.scenario("Parcels/Send one", "Failed")
        new.finish(1, failed=1)
        post(monitor, new)
        wait_for(session, ("r-old", "passed"), ("r-new", "failed"))
        if forgotten:
            monitor.stop()
            monitor = start()
        for events in (replayed[-1:], replayed[:1], replayed):
            old.events = list(events)
            post(monitor, old)
            wait_until(lambda: {held.told for held in monitor.runs.held()} >= {f"{tag} ended {heard(monitor)}"}, 10)
        assert told(session) == [("r-old", "passed"), ("r-new", "failed")]
        node = session.state().plans["demo"].nodes[tag.split("/")[1]]
        assert {one.run for one in node.evidence.values()} == {"r-new"}

    @pytest.mark.parametrize("newer", [False, True])
    def test_scenarios_that_come_after_the_end_correct_the_result_in_its_place(
        self, start: Started, session: Session, newer: bool
    ) -> None:
        monitor, says, late = start(), a_run(tag="demo/send"), a_run()
        late.scenario("Parcels/Send one", "CleanPass")
        late.scenario("Parcels/Lose one", "Failed")
        says.finish(1, passed=1, failed=1)
        expected = [("r-1", "failed")]
        post(monitor, says)
        wait_for(session, *expected)
        if newer:
            other = a_run("r-2", "demo/send")
            other.scenario("Parcels/Lose one", "CleanPass")
            other.finish(0, passed=1)
            post(monitor, other)
            expected.append(("r-2", "passed"))
            wait_for(session, *expected)
        late.events = late.events[1:]
        post(monitor, late)
        wait_for(session, *expected, ("r-1", "failed"))
        node = session.state().plans["demo"].nodes["send"]
        specs = {name: (word.passed, word.run) for name, word in node.specs.items()}
        lost = (True, "r-2") if newer else (False, "r-1")
        assert specs == {"Parcels/Send one": (True, "r-1"), "Parcels/Lose one": lost}
        assert {one.run for one in node.evidence.values()} == {"r-2" if newer else "r-1"}

    def test_a_red_scenario_after_a_green_end_is_red(self, start: Started, session: Session) -> None:
        monitor, says = start(), a_run(repository=str(session.directory))
        says.finish(0, passed=1)
        post(monitor, says)
        wait_for(session, ("r-1", "passed"))
        says.scenario("F/two", "Failed")
        post(monitor, says)
        wait_for(session, ("r-1", "passed"), ("r-1", "failed"))
        (evidence,) = session.state().plans["demo"].nodes["suite"].evidence.values()
        assert (evidence.state, evidence.failed, evidence.dirty) == ("failed", 1, False)


def heard(monitor: Monitor, run_id: str = "r-old") -> int:
    """How many events of a run were folded, once everything was taken in."""
    monitor.settle()
    return next(held.run.heard for held in monitor.runs.held() if held.run.run_id == run_id)


class TestLost:
    """Runs that fall silent."""

    def test_a_silent_run_is_orphaned_and_lost_until_it_publishes_again(self, start: Started, session: Session) -> None:
        monitor, says = start(), a_run()
        post(monitor, says)
        wait_for(session, ("r-1", "started"))
        monitor.runs.held()[0].heard -= SILENCE + 1
        wait_until(lambda: monitor.runs.listed()[0].orphaned, 10, "the orphan")
        wait_for(session, ("r-1", "started"), ("r-1", "lost"))
        (run,) = monitor.runs.listed()
        assert (run.finished, run.passed, run.failed) == (False, 0, 0)
        says.finish(0, passed=1)
        post(monitor, says)
        wait_for(session, ("r-1", "started"), ("r-1", "lost"), ("r-1", "passed"))
        assert not monitor.runs.listed()[0].orphaned

    def test_a_run_whose_process_died_is_lost_without_a_long_wait(
        self, start: Started, session: Session, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr("stoat.service.heard._GONE", 0.0)
        process = subprocess.Popen(["sleep", "60"])
        identity = identity_of(process.pid)
        assert identity is not None
        monitor, says = start(), a_run(process=identity.key)
        post(monitor, says)
        wait_for(session, ("r-1", "started"))
        process.kill()
        process.wait()
        wait_for(session, ("r-1", "started"), ("r-1", "lost"))
        assert monitor.runs.listed()[0].orphaned

    def test_one_that_writes_its_own_archive_is_orphaned_as_soon_as_it_is_dead(self, session: Session) -> None:
        process = subprocess.Popen(["sleep", "60"])
        identity = identity_of(process.pid)
        assert identity is not None
        server, alone = Monitor(session, {}), Monitor(session, {})
        post(alone, a_run(process=identity.key))
        assert [run.orphaned for run in server.runs.listed()] == [False]
        process.kill()
        process.wait()
        assert [run.orphaned for run in server.runs.listed()] == [True]
        assert server.runs.look("r-1", lambda run: run.orphaned)
        (listed,) = run_list.listed(session)
        assert (listed.finished, listed.orphaned) == (False, True)

    @pytest.mark.parametrize("how", ["silent", "dead", "ejected"])
    def test_a_run_that_no_server_is_left_to_lose_is_not_going(
        self, start: Started, session: Session, how: str
    ) -> None:
        process = subprocess.Popen(["sleep", "60"])
        identity = identity_of(process.pid)
        assert identity is not None
        monitor, says = start(), a_run()
        post(monitor, says)
        wait_for(session, ("r-1", "started"))
        # Said in the archive only, as by a publisher whose start was heard before.
        says.say("run_started", suite="Suite", process=identity.key)
        post(monitor, says)
        monitor.stop()
        watching = open_session(session.directory)
        path = monitor.runs.archive.path("r-1")

        def status() -> str:
            (node,) = [one for one in watching.answers().plans["demo"].nodes if one.id == "suite"]
            return next(step.state for step in node.steps if step.id == "unit")

        before = reading.ready_document(session, explain=True)
        assert (status(), b"running" in before) == ("running", True)
        assert reading.ready_document(session, explain=True) == before
        process.kill()
        process.wait()
        if how != "dead":
            path.write_bytes(path.read_bytes().splitlines(keepends=True)[0])
        if how == "silent":
            os.utime(path, (time.time() - SILENCE - 1,) * 2)
            server = live.announce(session.store.common, "server", "s", _Says(url="http://x", since=clock.now()))
            assert status() == "running", "its server is to say so"
            server.close()
        elif how == "ejected":
            monitor.runs.eject("r-1")
        assert status() == "pending"
        assert b"running" not in reading.ready_document(open_session(session.directory), explain=True)

    def test_heartbeats_keep_it(self, session: Session) -> None:
        monitor, says = Monitor(session, {}), a_run()
        post(monitor, says)
        (held,) = monitor.runs.held()
        for ago, orphaned in ((SILENCE - 9, False), (SILENCE + 1, True)):
            says.say("run_heartbeat", at=clock.now())
            post(monitor, says)
            assert not held.run.orphaned
            held.heard -= ago
            monitor.runs.rest()
            assert held.run.orphaned is orphaned

    def test_a_run_is_read_back_as_an_orphan_and_heals(self, start: Started, session: Session) -> None:
        first, says = start(), a_run()
        says.scenario("F/a", "CleanPass")
        post(first, says)
        wait_for(session, ("r-1", "started"))
        first.stop()
        second = start()
        (run,) = second.runs.listed()
        assert (run.run_id, run.orphaned, run.scenarios_finished) == ("r-1", True, 1)
        says.scenario("F/b", "CleanPass")
        post(second, says)
        second.settle()
        (run,) = second.runs.listed()
        assert (run.orphaned, run.scenarios_finished) == (False, 2)
        says.finish(0, passed=2)
        post(second, says)
        wait_for(session, ("r-1", "started"), ("r-1", "passed"))


@pytest.fixture
def hurried(monkeypatch: pytest.MonkeyPatch) -> None:
    """Archives that somebody else wrote are looked at soon."""
    monkeypatch.setattr("stoat.service.witness._OTHERS", 0.0)
    monkeypatch.setattr("stoat.service.witness._LATE", 0.3)


@pytest.mark.usefixtures("hurried")
def test_what_a_killed_server_did_not_tell_the_next_one_does(start: Started, session: Session) -> None:
    first, lost = start(), a_run("r-lost")
    post(first, lost)
    wait_for(session, ("r-lost", "started"))
    first.stop()
    dead = Monitor(session, {})  # without threads: it archives and never tells
    says, never = a_run("r-1"), a_run("r-never")
    says.finish(1, failed=1)
    post(dead, says)
    post(dead, never)
    start(silence=0.5)
    wait_until(lambda: len(told(session)) == 3, 15, f"two words more: {told(session)}")
    assert sorted(told(session)) == [("r-1", "failed"), ("r-lost", "lost"), ("r-lost", "started")]


@pytest.mark.parametrize("skew", [-3600.0, 3600.0])
def test_what_the_next_server_finds_is_as_old_as_it_was_heard_whatever_its_publisher_says(
    start: Started, session: Session, monkeypatch: pytest.MonkeyPatch, skew: float
) -> None:
    old, new = Publisher("r-old", begin=clock.plus(clock.now(), skew)), a_run("r-new")
    old.start("demo/suite/unit", total=1)
    old.finish(0, passed=1)
    post(Monitor(session, {}), old)
    first = start()
    new.finish(1, failed=1)
    post(first, new)
    wait_for(session, ("r-new", "failed"))
    first.stop()
    monkeypatch.setattr("stoat.service.witness._OTHERS", 0.0)
    start()
    wait_for(session, ("r-new", "failed"), ("r-old", "passed"))
    (evidence,) = session.state().plans["demo"].nodes["suite"].evidence.values()
    assert (evidence.run, evidence.state) == ("r-new", "failed")


@pytest.mark.usefixtures("hurried")
def test_what_a_killed_server_heard_after_the_end_of_a_run_corrects_its_result(
    start: Started, session: Session
) -> None:
    first, says = start(), a_run(repository=str(session.directory))
    says.finish(0, passed=1)
    post(first, says)
    wait_for(session, ("r-1", "passed"))
    first.stop()
    says.scenario("F/two", "Failed")
    post(Monitor(session, {}), says)
    start()
    wait_for(session, ("r-1", "passed"), ("r-1", "failed"))
    (evidence,) = session.state().plans["demo"].nodes["suite"].evidence.values()
    assert (evidence.dirty, evidence.branch) == (False, "main")


@pytest.mark.usefixtures("hurried")
def test_a_result_is_told_once_however_often_servers_are_started(start: Started, session: Session) -> None:
    first = start()
    for name in ("r-1", "r-2"):  # the second takes the place of the first as the step's evidence
        says = a_run(name)
        says.finish(0, passed=1)
        post(first, says)
        wait_until(lambda name=name: (name, "passed") in told(session), 10, name)  # type: ignore[misc]
    before = told(session)
    first.stop()
    again = start()
    wait_until(lambda: len(again._witness._settled) == 2, 10, "a look at the archives")
    assert told(session) == before


@pytest.mark.usefixtures("hurried")
def test_a_run_of_before_the_node_was_there_is_not_its_evidence(start: Started, session: Session) -> None:
    dead, says = Monitor(session, {}), a_run()
    says.finish(0, passed=1)
    post(dead, says)
    old = time.time() - 3600
    os.utime(dead.runs.archive.path("r-1"), (old, old))
    monitor = start()
    wait_until(lambda: monitor._witness._settled, 10, "a look at the archives")
    assert told(session) == []


def test_a_locked_store_delays_the_record_and_nobody_else(start: Started, session: Session) -> None:
    monitor = start()
    lock = Path(f"{session.store.common}/refs/stoat/state.lock")
    lock.touch()
    try:
        says = a_run()
        says.finish(0, passed=1)
        began = time.monotonic()
        post(monitor, says)
        monitor.settle()
        assert len(monitor.runs.listed()) == 1
        assert time.monotonic() - began < 1
    finally:
        lock.unlink()
    wait_for(session, ("r-1", "passed"))


def test_an_archive_that_cannot_be_written_is_written_later(start: Started, session: Session) -> None:
    monitor, says = start(), a_run()
    folder = session.store.common / "stoat" / "runs"
    folder.write_text("in the way")
    written = list(says.events)
    post(monitor, says)
    monitor.settle()
    folder.unlink()
    kept = monitor.runs.archive
    wait_until(lambda: kept.has("r-1") and kept.path("r-1").stat().st_size, 10, "the archive")
    assert [json.loads(line) for line in monitor.runs.archive.lines("r-1")] == written


def test_a_queue_that_is_full_is_said_at_once_and_what_is_in_it_is_not_lost(
    session: Session, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(monitoring, "_WAITING", 1000)
    monitor = Monitor(session, {})
    held = threading.Event()
    take = monitor.runs.take
    monkeypatch.setattr(monitor.runs, "take", lambda *given: (held.wait(20), take(*given)))
    monitor.start()
    taken, refused = 0, 0
    try:
        for number in range(8):
            says = a_run(f"r-{number}")
            try:
                post(monitor, says)
                taken += 1
            except Unreachable:
                refused += 1
    finally:
        held.set()
        monitor.stop()
    assert refused and taken
    assert len(monitor.runs.archive.runs()) == taken


def test_what_is_over_is_let_go_and_read_from_its_archive(
    start: Started, session: Session, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("stoat.service.heard.IDLE", 2)
    monitor = start()
    for number in range(6):
        says = a_run(f"r-{number}", None)
        says.scenario("F/a", "CleanPass")
        says.finish(0, passed=1)
        post(monitor, says)
    monitor.settle()
    wait_until(lambda: len(monitor.runs.held()) == 2, 10, "memory to be let go")
    assert {(run.finished, run.passed) for run in monitor.runs.listed()} == {(True, 1)}
    assert len(monitor.runs.listed()) == 6
    assert monitor.runs.look("r-0", lambda run: run.verdict) == "passed"


def test_an_ejected_run_is_unknown(start: Started) -> None:
    monitor = start()
    post(monitor, a_run())
    monitor.settle()
    monitor.runs.eject("r-1")
    assert monitor.runs.listed() == []
    with pytest.raises(NotFound):
        monitor.runs.look("r-1", lambda run: run)


@pytest.mark.parametrize("elsewhere", [False, True])
def test_what_comes_late_brings_no_ejected_run_back(start: Started, session: Session, elsewhere: bool) -> None:
    monitor, says = start(), a_run()
    post(monitor, says)
    wait_for(session, ("r-1", "started"))
    (start() if elsewhere else monitor).runs.eject("r-1")
    says.say("run_heartbeat", at=clock.now())
    says.finish(0, passed=1)
    late = list(says.events)
    post(monitor, says)
    monitor.settle()
    assert (monitor.runs.listed(), monitor.runs.held(), monitor.runs.archive.runs()) == ([], [], [])
    with pytest.raises(NotFound):
        monitor.runs.look("r-1", lambda run: run)
    kept = monitor.runs.archive.directory / "ejected" / "r-1.ndjson"
    assert [json.loads(line) for line in kept.read_bytes().splitlines()][1:] == late


def test_two_servers_share_the_archives(start: Started, session: Session) -> None:
    one, other = start(), start()
    says = a_run()
    post(one, says)
    wait_for(session, ("r-1", "started"))
    (seen,) = other.runs.listed()
    assert (seen.run_id, seen.orphaned, seen.finished) == ("r-1", False, False)
    says.finish(0, passed=1)
    post(one, says)
    wait_for(session, ("r-1", "started"), ("r-1", "passed"))
    assert other.runs.listed()[0].finished


@pytest.mark.parametrize("body", [b"", b"{}", b"nonsense"])
def test_what_is_no_batch_is_invalid(start: Started, body: bytes) -> None:
    with pytest.raises(Invalid):
        start().take(body)


@pytest.mark.parametrize(
    ("written", "days"),
    [(None, 14.0), ("3", 3.0), ("0", 0.0), ("-1", -1.0), ("0.5", 0.5), ("soon", 14.0), ("inf", 0.0), ("nan", 0.0)],
)
def test_how_long_archives_are_kept(written: str | None, days: float) -> None:
    assert retention({} if written is None else {monitoring.RETENTION: written}) == days
