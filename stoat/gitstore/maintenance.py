"""Packing in the background: after so many appends, git's own repack, detached and never twice at once.

Run as a program (`python -m stoat.gitstore.maintenance GIT_DIRECTORY`) it does the work.
"""

from __future__ import annotations

import fcntl
import os
import subprocess
import sys
from contextlib import suppress
from pathlib import Path

from stoat.errors import StoatError
from stoat.gitstore.porcelain import environment, git

EVERY = 500
"""Appends between two packings: about 3,000 loose objects, under the 6,700 at which git itself would begin."""

_LONGEST = 3600.0

_REPACK = ("-c", "pack.window=100", "repack", "-d", "-l", "-q", "--geometric=2")
"""What `git maintenance` runs as loose-objects and incremental-repack takes twice the room here: it looks for deltas
among ten neighbours by size, where the segments of several streams lie mixed, and its index of all packs repeats
every pack's own. Geometric repacking keeps few packs, drops nothing that is unreachable, and needs one run.
"""


def count(common: Path) -> int:
    """The number of this append in the repository, never given twice; 0 when it cannot be counted.

    The counter is a file that grows by a byte: an appending write is atomic and leaves its descriptor at its own end.
    """
    path = common / "stoat" / "appends"
    flags = os.O_WRONLY | os.O_CREAT | os.O_APPEND | os.O_CLOEXEC
    try:
        try:
            counter = os.open(path, flags, 0o666)
        except FileNotFoundError:
            path.parent.mkdir(exist_ok=True)
            counter = os.open(path, flags, 0o666)
        try:
            os.write(counter, b".")
            return os.lseek(counter, 0, os.SEEK_CUR)
        finally:
            os.close(counter)
    except OSError:
        return 0


def start_if_due(common: Path, number: int) -> bool:
    """Start a packing behind our back if append `number` is the one that makes it due; whether it was."""
    if number % EVERY or number == 0:
        return False
    # The shell ends at once, so that the program belongs to nobody here and leaves no zombie.
    words = [sys.executable, "-m", "stoat.gitstore.maintenance", str(common)]
    with suppress(OSError):
        subprocess.run(
            ["/bin/sh", "-c", '"$@" </dev/null >/dev/null 2>&1 &', "sh", *words],
            cwd=common,
            env=environment(),
            start_new_session=True,
            check=False,
        )
    return True


def pack(common: Path) -> bool:
    """Pack the repository's loose objects; False when somebody is at it already."""
    (common / "stoat" / "locks").mkdir(parents=True, exist_ok=True)
    with (common / "stoat" / "locks" / "maintenance.lock").open("w", encoding="ascii") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            return False
        with suppress(StoatError):
            git(common, *_REPACK, timeout=_LONGEST)
        return True


if __name__ == "__main__":
    pack(Path(sys.argv[1]))
