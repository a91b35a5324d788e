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
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Protocol

from stoat.gitstore.porcelain import Ran, git
from stoat.processes.locking import taken


class Git(Protocol):
    """`porcelain.git`, with the lock held by the command as well."""

    def __call__(
        self, directory: Path, *args: str, check: bool = True, timeout: float | None = None, input: bytes | None = None
    ) -> Ran: ...


class Occupied(Exception):
    """Somebody else was at work there for as long as it was worth waiting."""


@contextmanager
def occupied(common: Path, *names: str, patience: float) -> Iterator[Git]:
    """Hold these places of the repository with this common git directory; gives the git to work in them with.

    Waits up to `patience` seconds and raises Occupied. A held place cannot be taken again by the same process.
    """
    directory = common / "stoat" / "locks"
    directory.mkdir(parents=True, exist_ok=True)
    deadline = time.monotonic() + patience
    with ExitStack() as held:
        handles = []
        for name in sorted(set(names)):  # in one order everywhere, so that no two wait for each other
            handle = os.open(directory / f"{name}.lock", os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o644)
            held.callback(os.close, handle)
            if not taken(handle, deadline):
                raise Occupied(f"another process is at work in {name}")
            # Said aloud, because a daemon that a hook left behind may hold the file open for years.
            held.callback(fcntl.flock, handle, fcntl.LOCK_UN)
            handles.append(handle)
        yield functools.partial(git, inherit=tuple(handles))
