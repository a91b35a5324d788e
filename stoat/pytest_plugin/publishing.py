"""Events on their way out of a test run: taken in without waiting, sent by a thread of their own.

A run is never slowed, failed or made to say anything by this: what goes wrong here ends the publishing, not the run.
"""

from __future__ import annotations

import threading
import time
import uuid
from collections import deque
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path

from stoat import clock
from stoat.plan.variables import RUN_TAG
from stoat.pytest_plugin.journal import Journal
from stoat.pytest_plugin.outlets import Archive, Outlet, about, at_end, chosen, stray_in
from stoat.pytest_plugin.story import Event

BATCH = 200
FAILURES = 3
"""So many failed posts in a row, and the monitor is given up."""

HEARTBEAT = 10.0
ROUND = 0.1
"""Seconds between looks at what has come in. Nobody wakes the thread: that would cost each test more."""

AGAIN = 0.5
"""Seconds until a post that failed is tried again."""

MOST_WAITING = 20_000
"""Events that may wait for a slow monitor; what comes then is dropped, and counted."""

PATIENCE = 2.0
"""Seconds that a monitor has to take the last events once a run is over."""

BEFORE_TESTS = 0.5
"""Seconds that the first test may have to wait until the checkout was looked at; collecting takes longer as a rule."""

TAG_KNOWN = 1.0
"""Seconds that the end of a short run may wait until it is known whether its tag names a node."""

LONGEST_END = 12.0
"""Seconds that the end of a run may wait for its own archive: for a disk, or a git that looks at a huge checkout."""


@dataclass(frozen=True)
class Settings:
    """What the environment says about a run, read once: tests may change it."""

    tag: str
    run_id: str
    owned: bool
    url: str | None
    suite: str
    root: Path
    environ: Mapping[str, str]

    @classmethod
    def read(cls, environ: Mapping[str, str], root: Path) -> Settings:
        """The settings of a run of the tests below `root`."""
        return cls(
            tag=environ[RUN_TAG], run_id=environ.get("BOBCAT_RUN_ID") or str(uuid.uuid4()),
            owned=bool(environ.get("BOBCAT_RUN_OWNER")), url=environ.get("BOBCAT_MONITOR_URL") or None,
            suite=root.name, root=root, environ=dict(environ),
        )  # fmt: skip


class Publisher:
    """Takes events in (`post`) and sends them, in their order, from `start` to `close`; `gone` once nobody listens."""

    def __init__(self, settings: Settings) -> None:
        self.settings = settings
        self.now = _clock()
        self.dropped = 0
        self._waiting: deque[Event] = deque()
        self._stop = threading.Event()
        self._looked = threading.Event()
        self._tagged = threading.Event()
        self._stray: str | None = None
        self.gone = False
        self._batch: list[Event] = []
        self._about: Event = {}
        self._outlet: Outlet | None = None
        self._journal = Journal()
        # Taken now: a test may put another clock in the place of the module's.
        self._tick = time.monotonic
        self._beat: float | None = None
        self._deadline: float | None = None
        self._thread = threading.Thread(target=self._work, name="stoat-publisher", daemon=True)

    def start(self) -> None:
        """Begin to look for a monitor, or else for the store of the repository around the tests."""
        self._thread.start()

    def look(self) -> None:
        """Wait until it is known who listens and what the checkout is: tests may change both what is seen and how."""
        self._looked.wait(BEFORE_TESTS)

    def stray(self) -> str | None:
        """What is to be said of a tag that names no node of the store where the run is kept; None where it names one,
        and where nobody can see that."""
        self._tagged.wait(TAG_KNOWN)
        return self._stray

    def post(self, event: Event) -> None:
        """Take an event in; never waits."""
        if self.gone:
            return
        if len(self._waiting) < MOST_WAITING or event["type"] == "run_finished":
            self._waiting.append(event)
        else:
            self.dropped += 1

    def close(self) -> None:
        """Send what is left, wait for it a moment, and have what the run proves put on record."""
        self._deadline = self._tick() + PATIENCE
        self._stop.set()
        # A second Ctrl-C is about this wait, and no news to pytest any more.
        try:
            self._thread.join(LONGEST_END)
            outlet = self._outlet
            if outlet is not None and not self._thread.is_alive() and not self.settings.owned:
                outlet.settle()
        except KeyboardInterrupt:
            pass

    def _work(self) -> None:
        settings = self.settings
        try:
            own = self._own() if settings.url is None else None
            outlet: Outlet | None = chosen(settings.url, own)
            if outlet is None or not self._send_all(outlet):
                own = own or self._own()
                whole = own is not None and (outlet is None or self._send_again(outlet, own))
                outlet = own if own is not None and whole and self._send_all(own) else None
            self._outlet = outlet
        except Exception:
            self._outlet = None
        finally:
            self.gone = True
            self._looked.set()
            self._tagged.set()
            self._waiting.clear()

    def _own(self) -> Archive | None:
        return Archive.find(self.settings.root, self.settings.run_id, self.settings.environ)

    def _send_again(self, lost: Outlet, own: Archive) -> bool:
        """Write into the run's own archive what a monitor took in that is gone by now; whether that could be done. One
        that kept it in the same store has done so."""
        if lost.store != own.store or not own.has_begun():
            for events in self._journal.batches():
                if not own.send(events):
                    return False
            self.dropped += self._journal.lost
        for event in self._batch:
            if event["type"] == "run_finished" and self.dropped:
                event["droppedEvents"] = self.dropped
        return True

    def _send_all(self, outlet: Outlet) -> bool:
        """Send whatever comes until the run is over; False when the outlet has to be given up."""
        self._about = self._about or about(self.settings.root)
        self._looked.set()
        if not self._tagged.is_set():
            self._stray = stray_in(outlet.store, self.settings.tag)
            self._tagged.set()
        failures = 0
        while True:
            over = self._stop.wait(AGAIN if failures else ROUND)
            while self._fill():
                if outlet.send(self._batch):
                    if outlet.may_hang:
                        self._journal.keep(self._batch)
                    self._batch.clear()
                    failures = 0
                else:
                    failures += 1
                if failures == FAILURES or (outlet.may_hang and self._is_late() and (self._batch or self._waiting)):
                    return False
                if failures and not over:
                    break
            if over and not self._batch:
                return True

    def _is_late(self) -> bool:
        return self._deadline is not None and self._tick() > self._deadline

    def _fill(self) -> bool:
        """Take up to a batch of what waits; whether there is anything to send."""
        batch = self._batch
        while self._waiting and len(batch) < BATCH:
            event = self._waiting.popleft()
            if event["type"] == "run_started":
                event |= self._about
                self._beat = self._tick()
            elif event["type"] == "run_finished":
                event |= at_end(self.settings.root)
                if self.dropped:
                    event["droppedEvents"] = self.dropped
            batch.append(event)
        if not batch and self._beat is not None and self._tick() - self._beat >= HEARTBEAT:
            batch.append({"type": "run_heartbeat", "runId": self.settings.run_id, "at": self.now()})
            self._beat = self._tick()
        return bool(batch)


def _clock() -> Callable[[], clock.Time]:
    """The time as it was at first and has gone on since, whatever a test does to the clock meanwhile."""
    begun, tick = clock.parse(clock.now()), time.monotonic
    # To the second it is spelled once a second: every test asks for it twice.
    start, first = tick() - begun.microsecond / 1e6, begun.replace(microsecond=0)
    spelled = (-1, "")

    def now() -> clock.Time:
        nonlocal spelled
        second, thousandth = divmod(int((tick() - start) * 1000), 1000)
        held = spelled
        if held[0] != second:
            held = spelled = second, clock.text(first + timedelta(seconds=second))[:-4]
        return f"{held[1]}{thousandth:03d}Z"

    return now
