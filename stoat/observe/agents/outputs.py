"""Where agents' tools write what they say for programs: a file of its own for each attempt, kept for a month.

What of it matters is recorded as the attempt ends, and is told in the log beside the project.
"""

from __future__ import annotations

import contextlib
from collections.abc import Collection
from pathlib import Path

from stoat.clock import Time, parse

KEPT = 30 * 24 * 3600.0
"""Seconds after its last word for which an output is kept."""


def place(common_dir: Path, claim: str) -> Path:
    """The output file of the attempt that is made under that claim."""
    return common_dir / "stoat" / "agents" / f"{claim}.out"


def forget_old(common_dir: Path, in_use: Collection[str], now: Time) -> None:
    """Remove the outputs nobody wrote to for a month, but for those `in_use` (as texts): attempts not judged yet."""
    directory = common_dir / "stoat" / "agents"
    oldest = parse(now).timestamp() - KEPT
    for output in directory.glob("*.out") if directory.is_dir() else ():
        with contextlib.suppress(OSError):
            if str(output) not in in_use and output.stat().st_mtime < oldest:
                output.unlink()
