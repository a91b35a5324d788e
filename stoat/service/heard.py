"""The runs that are heard of now, folded in memory, over the archives of all of them.

What runs is in memory; what is over stays there for a while and is read from its archive after that. A run that is
read back unfinished is orphaned until it publishes again.
"""

from __future__ import annotations

import contextlib
import logging
import threading
import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple, TypeVar

from msgspec.structs import replace

from stoat.errors import NotFound
from stoat.observe.archive import Archive, Span
from stoat.observe.run_index import Indexed, RunIndex
from stoat.observe.silence import SILENCE
from stoat.plan.events.evidence import Tree
from stoat.plan.monitor import wire
from stoat.plan.monitor.fold import fold
from stoat.plan.monitor.run import Run
from stoat.plan.monitor.shown import RunSummary, summary
from stoat.processes import is_known_dead

IDLE = 32
"""How many runs that are over stay in memory."""

_GONE = 2.0
"""The same for one whose process is known to be dead."""

_UNWRITTEN = 8 * 1024 * 1024
"""Bytes of events that are kept for a run whose archive cannot be written."""

_log = logging.getLogger(__name__)

_Seen = TypeVar("_Seen")


class Posted(NamedTuple):
    """Events that came together, of one run: as they were written, as they are read, and where in the archive they are;
    None where they are not there yet."""

    lines: Sequence[bytes]
    events: Sequence[dict[str, Any]]
    span: Span | None


@dataclass
class Held:
    """A run in memory: when it was last heard (monotonic), on which trees, and what of it the ref was `told`.

    `end` is up to where it is what its archive says, `ahead` what it has of that behind there; `unwritten` is what the
    archive lacks.
    """

    run: Run
    heard: float
    end: int = 0
    ahead: list[Span] = field(default_factory=list)
    before: Tree | None = None
    after: Tree | None = None
    told: str | None = None
    unwritten: list[bytes] = field(default_factory=list)

    @property
    def over(self) -> bool:
        """Whether nothing more is expected of it."""
        return self.run.finished or self.run.orphaned


class HeardRuns:
    """The runs of a store. Any thread may read; one takes events in."""

    def __init__(self, archive: Archive, silence: float = SILENCE) -> None:
        self.archive = archive
        self.index = RunIndex(archive)
        self.silence = silence
        self._since = time.time()
        self._held: dict[str, Held] = {}
        self._coming: set[str] = set()
        """Runs of which something was written here and is not folded yet."""
        self._lock = threading.RLock()
        self._complained = False

    def keep(self, run_id: str, lines: Sequence[bytes]) -> Span | None:
        """Write events of a run into its archive, at once, and say where they are; None when that cannot be done now.

        Any thread may do it. Whoever does it hands them to `take` afterwards, in the same order.
        """
        with self._lock:
            self._coming.add(run_id)
        try:
            span = self.archive.append(run_id, lines)
        except OSError as problem:
            if not self._complained:
                _log.warning("the archive of run %s cannot be written: %s", run_id, problem.strerror)
                self._complained = True
            return None
        self._complained = False
        return span

    def take(self, run_id: str, posted: Iterable[Posted]) -> None:
        """Fold events of a run, and whatever else is in its archive by now, by whomever it was written there. What
        could not be written yet is written with the next.

        Of a run that is ejected nothing is heard any more; its events are kept where it is.
        """
        if self.archive.is_ejected(run_id):
            self._let_go(run_id)
            for one in posted:
                if one.span is None:
                    self.keep(run_id, one.lines)
            self._is_here(run_id)
            return
        held = self._held.get(run_id) or self._read_back(run_id)
        with self._lock:
            for one in posted:
                if one.span is None:
                    held.unwritten += one.lines
                else:
                    self._catch_up(held, one.span.begin)
                    if held.end != one.span.begin:
                        # Read back already, or it is only after something that cannot be read now.
                        self._catch_up(held, one.span.end)
                        continue
                    held.end = one.span.end
                for event in one.events:
                    fold(held.run, event)
            held.run.orphaned = False
            held.heard = time.monotonic()
        self.write(run_id, held)
        with self._lock:
            if not self.archive.is_ejected(run_id):  # meanwhile
                self._held[run_id] = held
        self._is_here(run_id)

    def _is_here(self, run_id: str) -> None:
        """What was written of the run is folded: from now on it is held, or ejected, or for others to tell."""
        with self._lock:
            self._coming.discard(run_id)

    def write(self, run_id: str, held: Held) -> None:
        """Append what is not in the archive yet."""
        with self._lock:
            lines, held.unwritten = held.unwritten, []
        span = self.keep(run_id, lines) if lines else None
        with self._lock:
            if span is not None:
                held.ahead.append(span)
                self._catch_up(held, span.end)
            elif lines:
                held.unwritten = _newest(lines + held.unwritten)

    def rest(self) -> None:
        """Once in a while: write what could not be written, orphan who fell silent, let go of what is long over."""
        with self._lock:
            for run_id, held in list(self._held.items()):
                self._follow(run_id, held)
            late = [(run_id, held) for run_id, held in self._held.items() if held.unwritten]
            now = time.monotonic()
            for held in self._held.values():
                if not held.over and now - held.heard > (_GONE if is_known_dead(held.run.process) else self.silence):
                    held.run.orphaned = True
            idle = sorted(
                (held.heard, run_id) for run_id, held in self._held.items()
                if held.over and not held.unwritten and held.told is not None
            )  # fmt: skip
            for _, run_id in idle[: max(0, len(idle) - IDLE)]:
                del self._held[run_id]
        for run_id, held in late:
            self.write(run_id, held)
            self._is_here(run_id)

    def held(self) -> list[Held]:
        """What is in memory."""
        with self._lock:
            return list(self._held.values())

    def still(self, held: Held) -> Run:
        """The run as it is now: what is heard of it later is not in there, as far as which scenarios it has."""
        with self._lock:
            return replace(held.run, scenarios=dict(held.run.scenarios))

    def going(self) -> dict[str, tuple[str, tuple[int, int | None, int]]]:
        """The runs with a tag that go on now: tag and how far they are, by run."""
        with self._lock:
            runs = [held.run for held in self._held.values() if not held.over]
            return {run.run_id: (run.tag, run.done) for run in runs if run.tag}

    def others(self) -> list[Indexed]:
        """The archived runs that are neither in memory nor on their way there."""
        with self._lock:
            held = {*self._held, *self._coming}
        return self.index.all(held)

    def listed(self, tag: str | None = None) -> list[RunSummary]:
        """Every run, newest first; with `tag` those of exactly that tag."""
        with self._lock:
            live = {held.run.run_id: summary(held.run) for held in self._held.values()}
        shown = [*live.values(), *(self.shown(one) for one in self.index.all(live))]
        chosen = [one for one in shown if tag is None or one.tag == tag]
        return sorted(chosen, key=lambda one: (one.started_at or "", one.run_id), reverse=True)

    def shown(self, indexed: Indexed) -> RunSummary:
        """An archived run as it is listed: who else appends to it right now is heard of, and no orphan."""
        orphaned = not indexed.summary.finished and not self._is_fresh(indexed.touched, indexed.process)
        return replace(indexed.summary, orphaned=orphaned)

    def look(self, run_id: str, see: Callable[[Run], _Seen]) -> _Seen:
        """What `see` makes of a run, which stands still meanwhile; NotFound when there is none."""
        with self._lock:
            held = self._held.get(wire.run_id(run_id))
            if held is not None:
                return see(held.run)
        run = self.archive.read(run_id)
        run.orphaned = not run.finished and not self._is_fresh(self.archive.path(run_id).stat().st_mtime, run.process)
        return see(run)

    def eject(self, run_id: str) -> None:
        """Take a run out of sight; NotFound when there is none."""
        with self._lock:
            held = self._held.pop(wire.run_id(run_id), None)
            if held is not None:
                self.write(run_id, held)
            self.archive.eject(run_id)

    def _is_fresh(self, touched: float, process: str | None) -> bool:
        """Whether somebody else appended to an archive since this process began, not long ago, and is not dead."""
        return touched > self._since and abs(time.time() - touched) <= self.silence and not is_known_dead(process)

    def _follow(self, run_id: str, held: Held) -> None:
        """Take in what somebody else did to a run that is held: another server that hears of it too, or ejected it."""
        try:
            size = self.archive.size(run_id)
        except OSError:
            return
        if size > held.end and self._catch_up(held, size):
            held.heard = time.monotonic()
            held.run.orphaned = False
        elif size < held.end:
            self._let_go(run_id)

    def _catch_up(self, held: Held, until: int) -> bool:
        """Fold what is in the archive behind what was folded already, up to a place in it; whether there was any. What
        cannot be read now is left for the next time."""
        begin = held.end
        if until > begin:
            with contextlib.suppress(NotFound, OSError):
                for place, event in self.archive.part(held.run.run_id, begin, until):
                    if event is not None and not any(span.begin < place <= span.end for span in held.ahead):
                        fold(held.run, event)
                    held.end = place
            held.ahead = [span for span in held.ahead if span.end > held.end]
        return held.end > begin

    def _read_back(self, run_id: str) -> Held:
        held = Held(Run(run_id), time.monotonic())
        with contextlib.suppress(OSError):
            self._catch_up(held, self.archive.size(run_id))
        return held

    def _let_go(self, run_id: str) -> None:
        with self._lock:
            self._held.pop(run_id, None)


def _newest(lines: list[bytes]) -> list[bytes]:
    """As many of the last lines as memory is kept for."""
    size = 0
    for place in range(len(lines) - 1, -1, -1):
        size += len(lines[place])
        if size > _UNWRITTEN:
            return lines[place + 1 :]
    return lines
