"""What a monitor was told of a run, kept packed until the run is over: should the monitor go away, the archive that the
run then writes itself is whole."""

from __future__ import annotations

import json
import zlib
from collections import deque
from collections.abc import Iterator, Sequence

from stoat.pytest_plugin.outlets import encoded
from stoat.pytest_plugin.story import Event

MOST = 16 * 1024 * 1024
"""Bytes that are kept, packed: some half a million tests. Of a run with more, the beginning and the newest are."""


class Journal:
    """The batches that were sent, in their order. `lost` counts the events for which there was no room."""

    def __init__(self) -> None:
        self.lost = 0
        self._first: bytes | None = None
        self._rest: deque[tuple[bytes, int]] = deque()
        self._size = 0

    def keep(self, events: Sequence[Event]) -> None:
        """Keep a batch."""
        packed = zlib.compress(encoded(list(events)), 1)
        if self._first is None:
            self._first = packed
            return
        self._rest.append((packed, len(events)))
        self._size += len(packed)
        while self._size > MOST:
            old, count = self._rest.popleft()
            self._size -= len(old)
            self.lost += count

    def batches(self) -> Iterator[list[Event]]:
        """All that is kept, a batch at a time."""
        for packed in [] if self._first is None else [self._first, *(each for each, _ in self._rest)]:
            yield json.loads(zlib.decompress(packed))
