"""The turnstile: writers append one after the other in roughly the order they came.

It makes appending fair and is never needed to be right, so it gives up waiting behind a writer that is stopped.
fcntl.flock queues in the kernel; filelock polls, and under eight writers the quickest poller wins again and again.
"""

from __future__ import annotations

import fcntl
import os
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

PATIENCE = 5.0


class Turnstile:
    """Two locks in `directory`: who is next, and who is in. Being next is what the one who just left has not got."""

    def __init__(self, directory: Path) -> None:
        self._next = directory / "next.lock"
        self._inside = directory / "inside.lock"

    @contextmanager
    def turn(self, patience: float = PATIENCE) -> Iterator[bool]:
        """Wait for a turn, at most `patience` seconds for each lock; gives whether it is really ours."""
        next_up = _take(self._next, patience)
        inside = _take(self._inside, patience)
        _release(next_up)
        try:
            yield inside is not None
        finally:
            _release(inside)


def _take(path: Path, patience: float) -> int | None:
    """The locked file's descriptor; None when it cannot be had (in time, or on this file system)."""
    try:
        descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o666)
    except OSError:
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o666)
        except OSError:
            return None
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        return descriptor
    except BlockingIOError:
        return descriptor if _Wait(descriptor).within(patience) else None
    except OSError:
        os.close(descriptor)
        return None


def _release(descriptor: int | None) -> None:
    if descriptor is not None:
        os.close(descriptor)


class _Wait:
    """A blocking flock with a time limit: flock has none, and a signal would need the main thread."""

    def __init__(self, descriptor: int) -> None:
        self._descriptor = descriptor
        self._settled = threading.Lock()
        self._ours: bool | None = None
        self._got = threading.Event()

    def within(self, seconds: float) -> bool:
        """Whether the lock became ours in that time. If not, the descriptor is closed as soon as it is granted."""
        threading.Thread(target=self._block, daemon=True).start()
        self._got.wait(seconds)
        with self._settled:
            if self._ours is None:
                self._ours = False
            return self._ours

    def _block(self) -> None:
        granted = True
        try:
            fcntl.flock(self._descriptor, fcntl.LOCK_EX)
        except OSError:
            granted = False
        with self._settled:
            if self._ours is None:
                self._ours = granted
            if not self._ours:
                os.close(self._descriptor)
        self._got.set()
