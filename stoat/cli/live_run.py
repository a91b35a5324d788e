"""What a person sees who runs a plan on a terminal: the run's lines scroll, and below them stands how it is just now.

`frame` makes the lines of that part, `Screen` keeps them at the bottom: a line of the run is written in their place,
and they below it again. A thread of its own writes: lines at once, the rest at most once a second, and only while an
agent's time is counted or something is new. So the run never waits for the terminal, not even for one that is held
(Ctrl-S): lines that find no room in the queue are counted.
"""

from __future__ import annotations

import contextlib
import os
import queue
import shutil
import signal
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import IO, TYPE_CHECKING

from stoat import clock
from stoat.cli import render, steer
from stoat.clock import Time
from stoat.derive.wording import steering as say

if TYPE_CHECKING:
    from stoat.runner.telling import Glimpse

_AGENTS = 8
_NEEDS = 3
_OFTEN = 1.0
"""Seconds between two drawings by itself."""
MOST = 1000
"""Lines that wait for a terminal that takes none."""
LAST = 5.0
"""Seconds for which the last lines wait for it."""


def wanted(out: IO[str], environ: Mapping[str, str]) -> bool:
    """Whether there is a terminal that can redraw, and nobody asked for plain lines."""
    return out.isatty() and not environ.get("NO_COLOR") and environ.get("TERM", "dumb") not in ("", "dumb")


def frame(now: Glimpse, at: Time, rows: int) -> list[str]:
    """The lines that say how a run stands at a moment, at most `rows` of them: first what is said in one line, then the
    agents, what holds the run, and what waits for a person. They are cleaned, and as long as they are."""
    one = now.runner
    spent = say.spent(now.spent, at_least=now.at_least) if now.spent is not None else None
    head = [one.state, say.slots(one.slots_in_use, one.parallel or 0), say.done(now.done, now.total)]
    lines = [" · ".join(part for part in (*head, spent, say.waiting(len(now.needs))) if part)]
    width = max((len(agent.node) for agent in one.running[:_AGENTS]), default=0)
    for agent in one.running[:_AGENTS]:
        took = clock.duration_text(int(max(0.0, clock.seconds_between(agent.since, at)))) if agent.since else ""
        parts = (f"{agent.node:<{min(width, 40)}}", f"{took:>7}", say.attempt(agent.attempt), agent.model)
        lines.append("  → " + "  ".join(part for part in parts if part))
    if len(one.running) > _AGENTS:
        lines.append(f"    {say.more(len(one.running) - _AGENTS)}")
    lines += [f"  ⏸ {line}" for line in steer.notes(one)]
    for need in now.needs[:_NEEDS]:
        lines.append(f"  ✋ {f'{need.node}: ' if need.node else ''}{need.why} — {need.action}")
    if len(now.needs) > _NEEDS:
        lines.append(f"    {say.more_needs(len(now.needs) - _NEEDS, now.needs[0].plan)}")
    return [render.clean(line) for line in lines[: max(1, rows)]]


class Screen:
    """The bottom of a terminal, drawn on while `shown` lasts. Every method may be called from any thread."""

    def __init__(self, out: IO[str], paint: Callable[[str], str]) -> None:
        """Write to `out`; `paint` colours a line, by its first sign."""
        self._out = out
        self._paint = paint
        self._wakes: queue.SimpleQueue[str | bool] = queue.SimpleQueue()
        """Lines to write; True where something is to be drawn anew, False for the end."""
        self._lock = threading.Lock()
        self._unshown = 0
        self._is_over = False
        self._now: Glimpse | None = None
        self._drawn: list[str] = []
        self._thread = threading.Thread(target=self._run, name="stoat-screen", daemon=True)

    def say(self, line: str) -> None:
        """A line of the run, above what is shown. Waits for nothing; a line too many is counted and not shown."""
        if self._is_over:
            self._write(self._rows([line]))
        elif self._wakes.qsize() < MOST:
            self._wakes.put(line)
        else:
            with self._lock:
                self._unshown += 1

    def seen(self, now: Glimpse) -> None:
        """How the run stands; drawn soon."""
        self._now = now
        self._redraw()

    @contextlib.contextmanager
    def shown(self) -> Iterator[None]:
        """Draw until it is left, with all lines that a terminal takes in the end; it is then as if only lines had been
        printed."""
        self._thread.start()
        before = None
        if hasattr(signal, "SIGWINCH") and threading.current_thread() is threading.main_thread():
            before = signal.signal(signal.SIGWINCH, lambda number, stack: self._redraw())
        try:
            yield
        finally:
            if before is not None:
                signal.signal(signal.SIGWINCH, before)
            self._wakes.put(False)
            self._thread.join(LAST)
            self._is_over = not self._thread.is_alive()

    def _redraw(self) -> None:
        if self._wakes.qsize() < MOST:
            self._wakes.put(True)

    def _run(self) -> None:
        drawn, stale = -_OFTEN, False
        while True:
            ticking = self._now is not None and bool(self._now.runner.running)
            rest = max(0.0, drawn + _OFTEN - time.monotonic())
            wakes = self._awaited(rest if stale or ticking else None)
            lines = [wake for wake in wakes if isinstance(wake, str)]
            stale = stale or ticking or True in wakes
            if lines or (stale and time.monotonic() >= drawn + _OFTEN):
                self._write(self._erased() + self._rows(lines) + self._region())
                drawn, stale = time.monotonic(), False
            if False in wakes:
                self._write(self._erased())
                return

    def _awaited(self, seconds: float | None) -> list[str | bool]:
        """All that came; nothing where nothing does for so long."""
        found = []
        with contextlib.suppress(queue.Empty):
            found.append(self._wakes.get(timeout=seconds))
            while not self._wakes.empty():
                found.append(self._wakes.get_nowait())
        return found

    def _rows(self, lines: Sequence[str]) -> str:
        """What writes lines, and last how many there was no room for while the terminal took none."""
        with self._lock:
            unshown, self._unshown = self._unshown, 0
        said = [*lines, say.unshown(unshown)] if unshown else lines
        rows = [self._paint(row) for line in said for row in render.clean(line, lines=True).split("\n")]
        return "".join(f"{row}\r\n" for row in rows)

    def _erased(self) -> str:
        """What takes away the lines that were drawn; the cursor is at the end of the last of them."""
        up = len(self._drawn) - 1
        self._drawn, drawn = [], self._drawn
        return ("\r" + (f"\x1b[{up}A" if up > 0 else "") + "\x1b[J") if drawn else ""

    def _region(self) -> str:
        """What draws them anew, cut to what the terminal has room for now."""
        if self._now is None:
            return ""
        width, height = shutil.get_terminal_size()
        lines = frame(self._now, clock.now(), height // 2)
        self._drawn = [render.fitted(line, width - 1) for line in lines]
        return "\r\n".join(f"\x1b[2m{row}\x1b[22m" if i else row for i, row in enumerate(self._drawn))

    def _write(self, text: str) -> None:
        # A terminal that went away does not end the run.
        with contextlib.suppress(OSError, ValueError):
            self._out.flush()
            data = text.encode(getattr(self._out, "encoding", None) or "utf-8", "replace")
            while data:
                data = data[os.write(self._out.fileno(), data) :]
