"""What the receiver takes in: what it answers for is in the archive, what it refuses is said, whoever else writes."""

from __future__ import annotations

import contextlib
import json
import logging
import os
import threading
import time
from collections.abc import Iterator
from typing import Any

import pytest

from stoat import clock
from stoat.observe.archive import Archive
from stoat.observe.silence import SILENCE, lost_runs
from stoat.plan.monitor.shown import detail
from stoat.service import monitoring, run_list
from stoat.service.heard import Posted
from stoat.service.monitoring import Monitor
from stoat.service.session import Session, open_session
from tests.support.gitrepo import GitRepo
from tests.support.streams import Publisher
from tests.support.waiting import wait_until


@pytest.fixture
def session(repo: GitRepo) -> Session:
    """A session at the store of the plan `demo`."""
    return open_session(repo.path)


@pytest.fixture
def monitors(repo: GitRepo) -> Iterator[tuple[Monitor, Monitor]]:
    """Two receivers of one store, as two servers have them."""
    both = Monitor(open_session(repo.path), {}), Monitor(open_session(repo.path), {})
    with contextlib.ExitStack() as ending:
        for one in both:
            one.start()
            ending.callback(one.stop)
        yield both


def a_run(run_id: str = "r-1", scenarios: int = 6) -> Publisher:
    """A whole run."""
    says = Publisher(run_id, begin=clock.now())
    says.start(None, total=scenarios)
    for place in range(scenarios):
        says.scenario(f"F/{place}", "Failed", "PassOnRetry")
    says.finish(0, on_retry=scenarios)
    return says


def body(*events: Any) -> bytes:
    """A batch; bytes stand in it as they are."""
    written = [event if isinstance(event, bytes) else json.dumps(event).encode() for event in events]
    return b'{"events":[' + b",".join(written) + b"]}"


DEEP = b'{"type":"x","runId":"r-1","of":' + b"[" * 5_000 + b"]" * 5_000 + b"}"
LONG = b'{"type":"x","runId":"r-1","of":' + b"9" * 5_000 + b"}"


def test_a_bad_event_is_refused_and_said_and_the_others_count(
    session: Session, caplog: pytest.LogCaptureFixture
) -> None:
    monitor, says = Monitor(session, {}), a_run()
    with caplog.at_level(logging.WARNING):
        for _ in range(2):
            taken = monitor.take(body(*says.events[:3], DEEP, 7, LONG, *says.events[3:]))
    assert taken.accepted == len(says.events) + 1
    assert [(one.place, one.why) for one in taken.refused] == [
        (3, "it is nested deeper than 100 levels"), (4, "it is no object with a type and a runId"),
    ]  # fmt: skip
    # A publisher that errs does so in every batch: it is in the log once.
    assert len([one for one in caplog.records if "refused" in one.message]) == 2
    run = monitor.runs.look("r-1", lambda run: run)
    assert (run.verdict, len(run.scenarios)) == ("passed", 6)
    kept = monitor.runs.archive
    assert len(list(kept.lines("r-1"))) == 2 * taken.accepted
    assert kept.read("r-1").heard == run.heard == 2 * taken.accepted


def test_what_was_taken_in_is_in_the_archive_before_anybody_folds_it(session: Session) -> None:
    monitor, says = Monitor(session, {}), a_run()
    monitor.take(body(says.events[0]))
    looking, looked = threading.Event(), threading.Event()
    # While somebody looks at a run, it stands still.
    looks = threading.Thread(target=monitor.runs.look, args=("r-1", lambda _: (looking.set(), looked.wait(20))))
    monitor.start()
    looks.start()
    try:
        assert looking.wait(10)
        for event in says.events[1:]:
            monitor.take(body(event))
        assert [json.loads(line) for line in Archive.of(session.store.common).lines("r-1")] == says.events
    finally:
        looked.set()
        looks.join()
        monitor.stop()
    assert monitor.runs.look("r-1", lambda run: run.heard) == len(says.events)


def test_a_disk_that_hangs_keeps_one_publisher_waiting_and_loses_nothing(
    session: Session, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(monitoring, "_PATIENCE", 0.05)
    monitor, says = Monitor(session, {}), a_run()
    hangs, keep = threading.Event(), monitor.runs.keep

    def slow(*given: Any) -> Any:
        hangs.wait(20)
        return keep(*given)

    monkeypatch.setattr(monitor.runs, "keep", slow)
    monitor.start()
    first = threading.Thread(target=monitor.take, args=(body(*says.events[:3]),))
    first.start()
    try:
        wait_until(monitor._writing.locked, 10, "the first to write")
        before = time.monotonic()
        for event in says.events[3:]:
            monitor.take(body(event))
        assert time.monotonic() - before < 10
        assert not monitor.runs.archive.has("r-1")
    finally:
        hangs.set()
        first.join()
        monitor.stop()
    run = monitor.runs.archive.read("r-1")
    assert (run.verdict, run.heard) == ("passed", len(says.events))


def test_what_cannot_be_read_back_now_is_heard_later(session: Session) -> None:
    """Another server wrote in between, and just then the archive cannot be read."""
    monitor, says = Monitor(session, {}), a_run()
    runs, path = monitor.runs, monitor.runs.archive.path("r-1")
    monitor.take(body(*says.events[:3]))
    lines = [json.dumps(event).encode() for event in says.events]
    Archive.of(session.store.common).append("r-1", lines[3:5])
    posted = Posted(lines[5:], says.events[5:], runs.keep("r-1", lines[5:]))
    away = path.rename(path.with_suffix(".away"))
    runs.take("r-1", [posted])
    away.rename(path)
    assert _heard(monitor) == 3
    runs.rest()
    runs.rest()
    assert _heard(monitor) == len(says.events)
    assert runs.look("r-1", detail) == detail(runs.archive.read("r-1"))


def test_what_is_written_late_is_behind_what_others_wrote_and_counts_once(session: Session) -> None:
    monitor, says = Monitor(session, {}), a_run()
    monitor.take(body(*says.events[:3]))
    directory = monitor.runs.archive.directory
    away = directory.rename(directory.with_name("away"))
    directory.write_bytes(b"no directory")
    monitor.take(body(*says.events[3:5]))
    directory.unlink()
    away.rename(directory)
    Archive.of(session.store.common).append("r-1", [json.dumps(event).encode() for event in says.events[5:]])
    monitor.runs.rest()
    monitor.runs.rest()
    assert _heard(monitor) == len(says.events)
    assert monitor.runs.look("r-1", detail) == detail(monitor.runs.archive.read("r-1"))


@pytest.mark.parametrize("doubled", [False, True])
def test_a_run_that_goes_to_two_servers_in_turn_is_whole_at_both(
    monitors: tuple[Monitor, Monitor], doubled: bool
) -> None:
    says = a_run()
    for place, event in enumerate(says.events):
        for monitor in monitors if doubled else (monitors[place % 2],):
            monitor.take(body(event))
    for monitor in monitors:
        wait_until(lambda monitor=monitor: _heard(monitor) == len(says.events) * (1 + doubled), 10)  # type: ignore[misc]
    one, other = (monitor.runs.look("r-1", detail) for monitor in monitors)
    assert one == other == detail(monitors[0].runs.archive.read("r-1"))
    assert (one.run.finished, one.run.passed_on_retry) == (True, 6)


def test_a_run_that_moved_to_another_server_is_not_lost_at_the_first(monitors: tuple[Monitor, Monitor]) -> None:
    one, other = monitors
    says = a_run()
    one.take(body(*says.events[:3]))
    one.settle()
    other.take(body(*says.events[3:5]))
    wait_until(lambda: _heard(one) == 5, 10, "the first to hear of it")
    (held,) = one.runs.held()
    held.heard -= SILENCE - 1
    other.take(body(*says.events[5:7]))
    wait_until(lambda: _heard(one) == 7, 10, "the first to hear of it again")
    assert time.monotonic() - held.heard < SILENCE / 2 and not held.run.orphaned


def test_a_run_that_another_server_ejected_is_unknown_here_too(monitors: tuple[Monitor, Monitor]) -> None:
    one, other = monitors
    one.take(body(*a_run().events[:3]))
    one.settle()
    other.runs.eject("r-1")
    wait_until(lambda: one.runs.held() == [], 10, "it to be let go")
    assert one.runs.listed() == other.runs.listed() == []


def test_a_run_that_was_let_go_is_read_back_with_what_came_since(session: Session) -> None:
    monitor, says = Monitor(session, {}), a_run()
    monitor.take(body(*says.events[:4]))
    monitor.runs._held.clear()
    for event in says.events[4:]:
        monitor.take(body(event))
    assert _heard(monitor) == len(says.events)
    assert monitor.runs.look("r-1", detail) == detail(monitor.runs.archive.read("r-1"))


def _heard(monitor: Monitor) -> int:
    return sum(held.run.heard for held in monitor.runs.held())


@pytest.mark.parametrize("off", [-2 * SILENCE, 2 * SILENCE])
def test_a_run_that_was_heard_far_from_now_by_the_clock_is_not_going(session: Session, off: float) -> None:
    """The clock was set back, or forth, since its last word: it goes on as soon as it says another."""
    server, alone = Monitor(session, {}), Monitor(session, {})
    alone.take(body(*a_run().events[:3]))
    assert not server.runs.listed()[0].orphaned and not run_list.listed(session)[0].orphaned
    then = time.time() + off
    os.utime(server.runs.archive.path("r-1"), (then, then))
    assert server.runs.listed()[0].orphaned and run_list.listed(session)[0].orphaned
    assert lost_runs(session.store.common, ["r-1"]) == {"r-1"}
    alone.take(body(a_run().events[3]))
    assert not server.runs.listed()[0].orphaned
