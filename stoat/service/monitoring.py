"""The monitor receiver: events of test runs archived as they come in, folded behind, and what they prove told.

    monitor = Monitor(session)
    monitor.start(); monitor.take(body); …; monitor.stop()

Taking in decides of each event whether it is one, writes those that are into their archives, and puts them into a
queue of bounded size: what was answered is there, even if this process is killed in the next moment. One thread empties
the queue into the folded runs; another appends what a run proves to the ref, and whatever that has to wait for, no
publisher does. Nor does one wait for a disk that is full or hangs: what cannot be written stays in memory until it can.
"""

from __future__ import annotations

import logging
import math
import threading
import time
from collections import deque
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

from msgspec import Struct

from stoat.errors import Invalid, Problem, Unreachable
from stoat.observe.archive import RETENTION_DAYS, Archive
from stoat.observe.silence import SILENCE
from stoat.plan.monitor import wire
from stoat.plan.monitor.batches import split_batch
from stoat.service.heard import HeardRuns, Posted
from stoat.service.session import Session
from stoat.service.witness import Witness

RETENTION = "BOBCAT_MONITOR_RETENTION_DAYS"

_WAITING = 16 * 1024 * 1024
"""Bytes of events that may wait to be folded; a publisher that comes then is asked to come again."""
_PATIENCE = 0.2
"""Seconds that a publisher may be kept until there is room, and until somebody else's writing is done."""
_SETTLED = 1.0
"""Seconds that a read waits for what was posted before it."""
_CHUNK = 2_000
_REST = 0.5
_RETIRE = 3600.0
_END = 5.0

_log = logging.getLogger(__name__)


class Unfit(Struct, frozen=True):
    """What of a batch was refused: where in it, from 0, and why."""

    place: int
    why: str


class Taken(Struct, frozen=True):
    """What became of a batch: how many events were taken in, and those that are none."""

    accepted: int
    refused: tuple[Unfit, ...]


class _Waiting(NamedTuple):
    ticket: int
    size: int
    posted: dict[str, Posted]


class Monitor:
    """The receiver over one store. Every method may be called from any thread.

    Without `start` there is no thread: what is posted is taken in by whoever posts it, and nothing is put on the ref.
    With it, `follow` is called once a second, to look at how far runs are.
    """

    def __init__(
        self, session: Session, environ: Mapping[str, str], *, silence: float = SILENCE,
        follow: Callable[[], object] = lambda: None,
    ) -> None:  # fmt: skip
        self.common = session.store.common
        self.runs = HeardRuns(Archive.of(self.common), silence)
        self._witness = Witness(session, self.runs, follow)
        self._days = retention(environ)
        self._queue: deque[_Waiting] = deque()
        self._writing = threading.Lock()
        self._said: set[str] = set()
        self._news = threading.Condition()
        self._waiting = 0
        self._given = 0
        self._done = 0
        self._stopped = False
        self._thread: threading.Thread | None = None

    def start(self) -> None:
        """Begin to take in, and to tell the ref."""
        self._thread = threading.Thread(target=self._work, name="stoat-monitor", daemon=True)
        self._thread.start()
        self._witness.start()

    def stop(self) -> None:
        """Take in what is queued, tell what can be told at once, and end."""
        with self._news:
            self._stopped = True
            self._news.notify_all()
        if self._thread is not None:
            self._thread.join(_END)
            self._witness.stop()

    def take(self, body: bytes) -> Taken:
        """Take in a posted batch: what in it is an event is in its archive when this returns, what is none is told.

        Invalid when the body is no batch. Unreachable when so much waits to be folded that there is no room.
        """
        try:
            lines = split_batch(body)
        except ValueError as problem:
            raise Invalid([Problem(0, 0, f"no batch of events: {problem}", 'post {"events": [...]}')]) from problem
        together: dict[str, tuple[list[bytes], list[dict[str, Any]]]] = {}
        refused = []
        for place, line in enumerate(lines):
            try:
                event = wire.read(line)
            except wire.Unfit as why:
                refused.append(Unfit(place, str(why)))
                continue
            written, events = together.setdefault(wire.run_of(event) or "", ([], []))
            written.append(line)
            events.append(event)
        if together:
            self._put(len(body), together)
        self._complain(refused, len(lines))
        return Taken(len(lines) - len(refused), tuple(refused))

    def settle(self) -> None:
        """Wait a moment for what was posted until now, so that a publisher reads what it wrote."""
        with self._news:
            given = self._given
            self._news.wait_for(lambda: self._done >= given or self._stopped, _SETTLED)

    def _put(self, size: int, together: dict[str, tuple[list[bytes], list[dict[str, Any]]]]) -> None:
        with self._news:
            if self._thread is not None:
                room = self._news.wait_for(lambda: self._stopped or self._waiting < _WAITING, _PATIENCE)
                if self._stopped or not room:
                    raise Unreachable("the monitor cannot take that in now", hint="post it again in a moment")
            self._waiting += size
        posted = self._written(together)
        with self._news:
            self._given += 1
            self._queue.append(_Waiting(self._given, size, posted))
            self._news.notify_all()
        if self._thread is None:
            self._empty()

    def _written(self, together: dict[str, tuple[list[bytes], list[dict[str, Any]]]]) -> dict[str, Posted]:
        """Write the events of each run into its archive, unless somebody else's writing hangs."""
        mine = self._writing.acquire(timeout=_PATIENCE)
        try:
            return {
                run_id: Posted(lines, events, self.runs.keep(run_id, lines) if mine else None)
                for run_id, (lines, events) in together.items()
            }
        finally:
            if mine:
                self._writing.release()

    def _complain(self, refused: list[Unfit], count: int) -> None:
        """Say what was refused, for each reason the first time: a publisher that errs errs in every batch."""
        for one in refused:
            if one.why not in self._said:
                self._said.add(one.why)
                _log.warning("of a batch of %d events %d are refused, the first: %s", count, len(refused), one.why)

    def _work(self) -> None:
        rested = retired = -math.inf
        while True:
            with self._news:
                self._news.wait_for(lambda: self._queue or self._stopped, _REST)
                if self._stopped and not self._queue:
                    return
            try:
                self._empty()
                if time.monotonic() - rested >= _REST:
                    self.runs.rest()
                    rested = time.monotonic()
                if time.monotonic() - retired > _RETIRE:
                    retired = time.monotonic()
                    going = {held.run.run_id for held in self.runs.held() if not held.over}
                    self.runs.archive.retire(time.time(), self._days, going)
                    self.runs.index.tidy()
            except Exception:
                _log.exception("the monitor stumbled and goes on")

    def _empty(self) -> None:
        """Take in what waits, some of it at a time, a run's events together."""
        with self._news:
            waiting, count = [], 0
            while self._queue and count < _CHUNK:
                waiting.append(self._queue.popleft())
                count += sum(len(posted.events) for posted in waiting[-1].posted.values())
        if not waiting:
            return
        together: dict[str, list[Posted]] = {}
        for one in waiting:
            for run_id, posted in one.posted.items():
                together.setdefault(run_id, []).append(posted)
        for run_id, of_run in together.items():
            try:
                self.runs.take(run_id, of_run)
            except Exception:
                _log.exception("events of run %s could not be taken in", run_id)
        with self._news:
            self._waiting -= sum(one.size for one in waiting)
            self._done = waiting[-1].ticket
            self._news.notify_all()
        self._witness.look()


def retention(environ: Mapping[str, str]) -> float:
    """After how many days without a touch an archive goes; 0 or less: never."""
    try:
        days = float(environ.get(RETENTION, RETENTION_DAYS))
    except ValueError:
        return RETENTION_DAYS
    return days if math.isfinite(days) else 0.0
