"""A lock that is tried for a while."""

from __future__ import annotations

import fcntl
import os
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from stoat.processes.locking import taken


@pytest.fixture
def handles(tmp_path: Path) -> Iterator[tuple[int, int]]:
    """The same file, opened twice: two holders."""
    both = tuple(os.open(tmp_path / "lock", os.O_RDWR | os.O_CREAT) for _ in range(2))
    yield both[0], both[1]
    for handle in both:
        os.close(handle)


def test_it_is_had_at_once_and_by_one_alone(handles: tuple[int, int]) -> None:
    assert taken(handles[0], 0.0)
    began = time.monotonic()
    assert not taken(handles[1], 0.0)
    assert not taken(handles[1], began + 0.05)
    assert time.monotonic() >= began + 0.05


def test_who_waits_has_it_once_the_other_lets_go(handles: tuple[int, int]) -> None:
    assert taken(handles[0], 0.0)
    lets_go = threading.Timer(0.05, fcntl.flock, (handles[0], fcntl.LOCK_UN))
    lets_go.start()
    assert taken(handles[1], time.monotonic() + 20)
    lets_go.join()
