"""Packing in the background: after so many appends, git's own maintenance, detached and never twice at once.

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
_TASKS = ("--task=loose-objects", "--task=incremental-repack")


def count(common: Path) -> int:
    """The number of this append in the repository, counted under `stoat/`. Two at once may get the same number."""
    path = common / "stoat" / "appends"
    try:
        counter = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o666)
    except FileNotFoundError:
        path.parent.mkdir(exist_ok=True)
        counter = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o666)
    except OSError:
        return 0
    try:
        held = os.pread(counter, 20, 0)
        number = int(held) + 1 if held.strip().isdigit() else 1
        os.pwrite(counter, b"%-19d\n" % number, 0)
        return number
    finally:
        os.close(counter)


def start_if_due(common: Path, number: int) -> bool:
    """Start a packing behind our back if append `number` is the one that makes it due; whether it was."""
    if number % EVERY:
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
    """Pack the repository's loose objects with git's maintenance; False when somebody is at it already."""
    (common / "stoat" / "locks").mkdir(parents=True, exist_ok=True)
    with open(common / "stoat" / "locks" / "maintenance.lock", "w", encoding="ascii") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            return False
        # Twice: git packs loose objects in one run and removes their files in the next.
        for _ in range(2):
            with suppress(StoatError):
                git(common, "maintenance", "run", "--quiet", *_TASKS, timeout=_LONGEST)
        return True


if __name__ == "__main__":
    pack(Path(sys.argv[1]))
