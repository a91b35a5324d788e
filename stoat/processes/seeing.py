"""What the kernel says of processes: one line of /proc for each on Linux, psutil elsewhere and for environments."""

from __future__ import annotations

import os
from pathlib import Path
from typing import NamedTuple

PROC = Path("/proc")


class Seen(NamedTuple):
    """One process at one moment; `started` never changes while it lives, the other ids may."""

    pid: int
    started: str
    parent: int
    group: int
    session: int
    zombie: bool


def see(pid: int) -> Seen | None:
    """The process that has this pid now; None when there is none."""
    if not PROC.is_dir():
        return _see_with_psutil(pid)
    # By hand, because one read gives state and start time of the same moment, and the start time as the kernel
    # counts it. psutil's create_time() adds the boot time, which moves whenever the wall clock is set, so a
    # recorded one would stop matching; it has no group or session, and importing it costs 25 ms.
    try:
        return parse_stat((PROC / str(pid) / "stat").read_bytes())
    except (FileNotFoundError, ProcessLookupError, PermissionError):
        return None


def parse_stat(line: bytes) -> Seen:
    """The process that a line of /proc/<pid>/stat tells of.

    The second field is the command's name in parentheses, and a name may itself hold `) Z 1 (`: the fields after
    it begin at the last `)`.
    """
    pid = int(line[: line.index(b" ")])
    fields = line[line.rindex(b")") + 1 :].split()
    state, parent, group, session = fields[0], *map(int, fields[1:4])
    return Seen(pid, fields[19].decode(), parent, group, session, state in (b"Z", b"X", b"x"))


def _see_with_psutil(pid: int) -> Seen | None:
    import psutil

    try:
        process = psutil.Process(pid)
        with process.oneshot():
            zombie = process.status() == psutil.STATUS_ZOMBIE
            started = f"{process.create_time():.6f}"
            return Seen(pid, started, process.ppid(), os.getpgid(pid), os.getsid(pid), zombie)
    except (psutil.Error, OSError, ValueError):
        return None


def see_all() -> dict[int, Seen]:
    """Every process of this machine by pid, as far as this user may see them."""
    if PROC.is_dir():
        pids = [int(entry.name) for entry in PROC.iterdir() if entry.name.isdigit()]
    else:
        import psutil

        pids = psutil.pids()
    return {pid: seen for pid in pids if (seen := see(pid)) is not None}


def environment_holds(pid: int, name: str, value: str) -> bool:
    """Whether a process was started with `name=value` in its environment; False when that cannot be seen."""
    import psutil

    try:
        return bool(psutil.Process(pid).environ().get(name) == value)
    except (psutil.Error, OSError):
        return False  # gone meanwhile, a zombie, or another user's
