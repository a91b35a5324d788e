"""What is written to a client, in order and by a thread of its own: one that does not read holds up nothing else."""

from __future__ import annotations

import os
import select
import threading
import time
from collections import deque
from collections.abc import Callable

MOST_UNREAD = 16 * 1024 * 1024
"""Bytes that may wait to be written: a client that left so many unread reads no more."""
_LOOK_AGAIN = 0.2
"""Seconds between two looks at whether to give up, while the client does not read."""


class Outbox:
    """Messages on their way to the file descriptor `sink`. `gone` is called once when nobody reads there any more."""

    def __init__(self, sink: int, gone: Callable[[], None]) -> None:
        self._sink, self._gone = sink, gone
        self._waiting: deque[bytes] = deque()
        self._size = 0
        self._until: float | None = None
        self._lost = False
        self._changed = threading.Condition()
        self._thread = threading.Thread(target=self._write, name="stoat-outbox", daemon=True)
        self._thread.start()

    @property
    def unread(self) -> bool:
        """Whether something still waits to be written."""
        return bool(self._waiting)

    def put(self, data: bytes) -> None:
        """Have a message written after those before it. It never waits; what nobody will read is dropped."""
        with self._changed:
            if self._lost or self._until is not None:
                return
            self._waiting.append(data)
            self._size += len(data)
            full = self._size > MOST_UNREAD
            self._changed.notify()
        if full:
            self._lose()

    def close(self, seconds: float) -> None:
        """Take no more, write what there is for at most `seconds`, and touch the file descriptor no more after that."""
        with self._changed:
            self._until = time.monotonic() + seconds
            self._changed.notify()
        self._thread.join()

    def _write(self) -> None:
        while True:
            with self._changed:
                self._changed.wait_for(lambda: self._waiting or self._lost or self._until is not None)
                if not self._waiting or self._lost:
                    return
                data = self._waiting[0]
            if not self._written(memoryview(data)):
                self._lose()
                return
            with self._changed:
                self._waiting.popleft()
                self._size -= len(data)

    def _written(self, data: memoryview) -> bool:
        # A pipe that takes anything takes so much at once: no write waits for the client.
        while data:
            try:
                if select.select([], [self._sink], [], _LOOK_AGAIN)[1]:
                    data = data[os.write(self._sink, data[: select.PIPE_BUF]) :]
            except OSError:
                return False
            if data and (self._lost or (self._until is not None and time.monotonic() >= self._until)):
                return False
        return True

    def _lose(self) -> None:
        with self._changed:
            first, self._lost = not self._lost, True
            self._changed.notify()
        if first:
            self._gone()
