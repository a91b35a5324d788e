"""One worker at a time in a worktree: a lock that lives as long as its process and every git that it started there.

A runner that is killed leaves a git command running to its end. That command holds the lock too, so whoever gets it
knows that nobody is at work in that tree any more, and that what is half done there may be cleared up.
"""

from __future__ import annotations

import fcntl
import functools
import os
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Protocol

from stoat.gitstore.porcelain import Ran, git


class Git(Protocol):
    """`porcelain.git`, with the lock held by the command as well."""

    def __call__(
        self, directory: Path, *args: str, check: bool = True, timeout: float | None = None, input: bytes | None = None
    ) -> Ran: ...


class Occupied(Exception):
    """Somebody else was at work there for as long as it was worth waiting."""


@contextmanager
def occupied(common: Path, name: str, patience: float) -> Iterator[Git]:
    """Hold the place `name` of the repository with this common git directory; gives the git to work in it with.

    Waits up to `patience` seconds and raises Occupied. A held place cannot be taken again by the same process.
    """
    directory = common / "stoat" / "locks"
    directory.mkdir(parents=True, exist_ok=True)
    handle = os.open(directory / f"{name}.lock", os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o644)
    try:
        _take(handle, name, patience)
        try:
            yield functools.partial(git, inherit=(handle,))
        finally:
            # Said aloud, because a daemon that a hook left behind may hold the file open for years.
            fcntl.flock(handle, fcntl.LOCK_UN)
    finally:
        os.close(handle)


def _take(handle: int, name: str, patience: float) -> None:
    deadline = time.monotonic() + patience
    pause = 0.01
    while True:
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
            return
        except BlockingIOError:
            if time.monotonic() >= deadline:
                raise Occupied(f"another process is at work in {name}") from None
        time.sleep(pause)
        pause = min(pause * 1.5, 0.25)
