"""What a measure gives, and how a process is timed."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

STOAT = str(Path(sys.executable).parent / "stoat")


class Measured(NamedTuple):
    """One line of the table: what, the figure as shown, its budget as written, and whether it held."""

    what: str
    shown: str
    budget: str
    held: bool


class Timed(NamedTuple):
    """A process that ran: seconds of wall time, the largest resident set in MB, its output."""

    seconds: float
    megabytes: float
    output: bytes


def timed(argv: Sequence[str], cwd: Path) -> Timed:
    """Run a process to its end and time it from fork to exit; fails loudly when it does."""
    before = time.perf_counter()
    process = subprocess.Popen(argv, cwd=cwd, stdout=subprocess.PIPE)
    assert process.stdout is not None
    output = process.stdout.read()
    _, status, usage = os.wait4(process.pid, 0)
    seconds = time.perf_counter() - before
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        raise RuntimeError(f"{' '.join(argv)} ended with {process.returncode}")
    return Timed(seconds, usage.ru_maxrss / 1024, output)


def at_most(what: str, seconds: float, budget: float) -> Measured:
    """A time against its upper bound, both in seconds."""
    return Measured(what, _seconds(seconds), f"< {_seconds(budget)}", seconds < budget)


def _seconds(seconds: float) -> str:
    return f"{seconds * 1000:.1f} ms" if seconds < 1 else f"{seconds:.2f} s"
