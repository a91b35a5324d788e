"""The monitor receiver: events of test runs taken in at once, archived and folded behind, and what they prove told.

    monitor = Monitor(session)
    monitor.start(); monitor.take(body); …; monitor.stop()

Taking in only checks that the body is JSON and puts it into a queue of bounded size. One thread empties the queue into
the archive and the folded runs; another appends what a run proves to the ref, and whatever that has to wait for, no
publisher does.
"""

from __future__ import annotations

import logging
import math
import threading
import time
from collections import deque
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

from stoat.errors import Invalid, Problem, Unreachable
from stoat.observe.archive import RETENTION_DAYS, Archive
from stoat.observe.silence import SILENCE
from stoat.plan.monitor import wire
from stoat.service.heard import HeardRuns
from stoat.service.session import Session
from stoat.service.witness import Witness

RETENTION = "BOBCAT_MONITOR_RETENTION_DAYS"

_WAITING = 16 * 1024 * 1024
"""Bytes of events that may wait in the queue; a publisher that comes then is asked to come again."""
_PATIENCE = 0.2
"""Seconds that a publisher may be kept until there is room."""
_SETTLED = 1.0
"""Seconds that a read waits for what was posted before it."""
_CHUNK = 2_000
_REST = 0.5
_RETIRE = 3600.0
_END = 5.0

_log = logging.getLogger(__name__)


class _Posted(NamedTuple):
    ticket: int
    size: int
    events: list[tuple[str, bytes, dict[str, Any]]]


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
        self._queue: deque[_Posted] = deque()
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

    def take(self, body: bytes) -> int:
        """Take in a posted batch; gives how many events it has.

        Invalid when the body is no batch; what in it is no event is stepped over. Unreachable when so much waits to be
        written that there is no room.
        """
        try:
            lines = wire.split_batch(body)
        except ValueError as problem:
            raise Invalid([Problem(0, 0, f"no batch of events: {problem}", 'post {"events": [...]}')]) from problem
        events = []
        for line in lines:
            event = wire.decode(line)
            run_id = wire.run_of(event)
            if event is not None and run_id is not None:
                events.append((run_id, line, event))
        if events:
            self._put(len(body), events)
        return len(events)

    def settle(self) -> None:
        """Wait a moment for what was posted until now, so that a publisher reads what it wrote."""
        with self._news:
            given = self._given
            self._news.wait_for(lambda: self._done >= given or self._stopped, _SETTLED)

    def _put(self, size: int, events: list[tuple[str, bytes, dict[str, Any]]]) -> None:
        with self._news:
            if self._thread is not None:
                room = self._news.wait_for(lambda: self._stopped or self._waiting < _WAITING, _PATIENCE)
                if self._stopped or not room:
                    raise Unreachable("the monitor cannot take that in now", hint="post it again in a moment")
            self._given += 1
            self._waiting += size
            self._queue.append(_Posted(self._given, size, events))
            self._news.notify_all()
        if self._thread is None:
            self._empty()

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
                    self.runs.archive.retire(time.time(), self._days)
                    self.runs.index.tidy()
            except Exception:
                _log.exception("the monitor stumbled and goes on")

    def _empty(self) -> None:
        """Take in what waits, some of it at a time, a run's events together."""
        with self._news:
            posted, count = [], 0
            while self._queue and count < _CHUNK:
                posted.append(self._queue.popleft())
                count += len(posted[-1].events)
        if not posted:
            return
        together: dict[str, tuple[list[bytes], list[dict[str, Any]]]] = {}
        for one in posted:
            for run_id, line, event in one.events:
                lines, events = together.setdefault(run_id, ([], []))
                lines.append(line)
                events.append(event)
        for run_id, (lines, events) in together.items():
            try:
                self.runs.take(run_id, lines, events)
            except Exception:
                _log.exception("events of run %s could not be taken in", run_id)
        with self._news:
            self._waiting -= sum(one.size for one in posted)
            self._done = posted[-1].ticket
            self._news.notify_all()
        self._witness.look()


def retention(environ: Mapping[str, str]) -> float:
    """After how many days without a touch an archive goes; 0 or less: never."""
    try:
        days = float(environ.get(RETENTION, RETENTION_DAYS))
    except ValueError:
        return RETENTION_DAYS
    return days if math.isfinite(days) else 0.0
