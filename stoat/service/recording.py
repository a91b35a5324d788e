"""Recording a gate's run beside the run: a start, an end, and the lease renewed meanwhile; the command never waits.

One background thread does everything that touches the store, so that a locked ref, a slow disk or a broken store
costs the command nothing but a warning.
"""

from __future__ import annotations

import os
import queue
import signal
import threading
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from stoat import clock
from stoat.clock import Time
from stoat.derive.branches import Tip, news
from stoat.errors import NotFound, Refused, StoatError
from stoat.gitstore.log import Change
from stoat.plan import streams
from stoat.plan.events.base import Actor
from stoat.plan.events.evidence import GateFinished, GateStarted
from stoat.plan.ids import NodeRef
from stoat.plan.state import Claim, State
from stoat.plan.variables import AGENT
from stoat.service import branch_moves, claims, spool
from stoat.service.session import Session, node_of
from stoat.service.spool import GateEvent
from stoat.service.tags import unknown_step

Warn = Callable[[str], None]

_SOONEST = 1.0
"""Seconds that lie at least between two renewals of a lease."""


@dataclass
class _Job:
    """An event to append, and what became of it: `appended` or `trouble` once `settled` is set."""

    event: GateEvent
    settled: threading.Event = field(default_factory=threading.Event)
    appended: bool = False
    trouble: Exception | None = None


class Recorder:
    """Records the runs of one node, or of one `step` of it, in the checkout at `directory`.

    `opening` opens its session; `claim_id` is the lease to keep alive meanwhile.
    """

    def __init__(
        self, opening: Callable[[], Session], ref: NodeRef, step: str | None, claim_id: str | None, directory: Path,
        warn: Warn,
    ) -> None:  # fmt: skip
        self._opening = opening
        self._ref = ref
        self._step = step
        self._claim_id = claim_id
        self._directory = directory
        self._tips: tuple[Tip, ...] = ()
        self._warn = warn
        self._jobs: queue.SimpleQueue[_Job | None] = queue.SimpleQueue()
        self._late: list[_Job] = []
        self.session: Session | None = None
        self.actor = Actor(os.environ.get(AGENT) or "somebody", "observer")
        self.unknown = False
        self._thread = threading.Thread(target=self._work, name="stoat-recorder", daemon=True)
        # Signals are the main thread's: it passes them on to the command.
        before = signal.pthread_sigmask(signal.SIG_BLOCK, signal.valid_signals())
        try:
            self._thread.start()
        finally:
            signal.pthread_sigmask(signal.SIG_SETMASK, before)

    def record(self, event: GateEvent, patience: float) -> bool:
        """Append an event, waiting at most `patience` seconds; whether it is in the log by then.

        One that is not goes on being tried, and counts as unrecorded for `keep`.
        """
        job = _Job(event)
        self._jobs.put(job)
        job.settled.wait(patience)
        if not job.appended:
            self._late.append(job)
        return job.appended

    def keep(self, common: Callable[[], Path]) -> Path | None:
        """Spool what is still not recorded; gives the file, None when nothing is missing or nobody would want it.

        `common` finds the common git directory of a store that cannot be opened.
        """
        missing = [job.event for job in self._late if not job.appended]
        if not missing or self.unknown:
            return None
        for job in self._late:
            if job.trouble is not None:
                self._warn(f"not recorded yet: {job.trouble}")
        folder = self.session.store.common if self.session else common()
        return spool.keep(folder, spool.Spooled(self._ref.plan, self.actor, tuple(missing)))

    def close(self) -> None:
        """Renew the lease no more."""
        self._jobs.put(None)

    def _work(self) -> None:
        renew_at = self._open()
        while True:
            try:
                job = self._jobs.get(timeout=None if renew_at is None else max(0.0, renew_at))
            except queue.Empty:
                renew_at = self._renew()
                continue
            if job is None:
                return
            try:
                self._append(job.event)
                job.appended = True
            except Exception as trouble:
                job.trouble = trouble
            job.settled.set()
            renew_at = self._time_left()

    def _open(self) -> float | None:
        try:
            self.session = self._opening()
            actor = self.session.actor
            # What ran is seen, not said, whoever started it.
            self.actor = Actor(actor.name or self.actor.name, "observer", actor.session, actor.email)
            state = self.session.state()
            lost = unknown_step(node_of(state, self._ref)[1], self._ref, self._step)
            if lost is not None:
                self._warn(lost)
            seen = branch_moves.look(self.session, [self._ref.plan], self._directory)
            self._tips = seen.tips
            for problem in seen.problems:
                self._warn(problem)
        except NotFound as problem:
            self.unknown = True
            self._warn(f"not recorded: {problem.message}{f'; {problem.hint}' if problem.hint else ''}")
        except Exception as trouble:
            self._warn(f"the store cannot be used now: {trouble}")
        return self._time_left()

    def _append(self, event: GateEvent) -> None:
        if self.session is None:
            raise StoatError("there is no store to record it in")

        def decide(state: State, now: Time) -> Change:
            node_of(state, self._ref)
            # First: a run begins on the branch as it is by then.
            moved = news(state, self._tips) if isinstance(event, GateStarted) else []
            return Change([*moved, (streams.of_plan(self._ref.plan), event)], _subject(self._ref, event))

        self.session.store.append(decide, self.actor)

    def _claim(self) -> Claim | None:
        if self._claim_id is None or self.session is None or self.unknown:
            return None
        try:
            claim = node_of(self.session.state(), self._ref)[1].claim
        except StoatError:
            return None
        return claim if claim and claim.id == self._claim_id else None

    def _time_left(self) -> float | None:
        """Seconds until half of what is left of the lease is over; None without a lease to keep."""
        claim = self._claim()
        if claim is None:
            return None
        return max(_SOONEST, clock.seconds_between(clock.now(), claim.expires_at) / 2)

    def _renew(self) -> float | None:
        claim = self._claim()
        if claim is None or self.session is None:
            return None
        length = clock.seconds_between(claim.renewed_at, claim.expires_at)
        try:
            claims.report(self.session, *self._ref, lease=length, claim_id=claim.id)
        except Refused as lost:
            self._warn(lost.message)
            return None
        except StoatError:
            pass
        return self._time_left()


def _subject(ref: NodeRef, event: GateEvent) -> str:
    what = f"step {event.step} of {ref.node}" if event.step else ref.node
    if not isinstance(event, GateFinished):
        return f"{ref.plan}: {what} starts"
    ended = "timed out" if event.timed_out else "passed" if event.exit_code == 0 else f"failed ({event.exit_code})"
    return f"{ref.plan}: {what} {ended}"
