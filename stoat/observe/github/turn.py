"""Whose turn it is to sweep: one process a machine and store at a time, by an OS lock that dies with its process."""

from __future__ import annotations

import contextlib
import os
import time
from collections.abc import Iterator
from pathlib import Path

import msgspec
from msgspec import Struct

from stoat.errors import UNDECODABLE, Unreachable
from stoat.processes.locking import taken


class Sweeping(Struct, frozen=True):
    """Who sweeps: the process and what it is (`stoat serve`). `ours` when that is who asked for the turn."""

    pid: int
    what: str
    ours: bool = False

    def __str__(self) -> str:
        return f"process {self.pid} ({self.what})" if self.pid else "another process"


@contextlib.contextmanager
def turn(common_dir: Path, what: str, patience: float = 0.0) -> Iterator[Sweeping]:
    """Take the turn for the length of the block, waiting at most `patience` seconds; gives who has it.

    Unreachable where no lock can be had at all.
    """
    with contextlib.ExitStack() as ending:
        try:
            handle = _opened(common_dir / "stoat" / "locks" / "sweep.lock")
            ending.callback(os.close, handle)
            holder = _taken_by(handle, what, patience)
        except OSError as error:
            raise Unreachable(f"no sweep can be told from another one: {error}") from error
        yield holder


def _opened(place: Path) -> int:
    place.parent.mkdir(parents=True, exist_ok=True)
    return os.open(place, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o644)


def _taken_by(handle: int, what: str, patience: float) -> Sweeping:
    if not taken(handle, time.monotonic() + patience):
        return _holder(handle)
    os.truncate(handle, 0)
    os.pwrite(handle, msgspec.json.encode(Sweeping(os.getpid(), what)), 0)
    return Sweeping(os.getpid(), what, ours=True)


def _holder(handle: int) -> Sweeping:
    try:
        said = msgspec.json.decode(os.pread(handle, 4096, 0), type=Sweeping)
    except (OSError, *UNDECODABLE):
        return Sweeping(0, "")
    return Sweeping(said.pid, said.what)
