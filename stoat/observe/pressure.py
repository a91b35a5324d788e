"""How this machine stands just now: the load a core, the memory that is available, the disk that is free."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

from stoat.plan.reservations import Pressure


def look(place: Path) -> Pressure:
    """The machine's load and memory, and the room on the disk that `place` is on; None for what cannot be seen."""
    memory, total = _memory()
    disk, disk_total = _disk(place)
    return Pressure(load=_load(), memory=memory, memory_total=total, disk=disk, disk_total=disk_total)


def _load() -> float | None:
    try:
        return os.getloadavg()[0] / (os.cpu_count() or 1)
    except OSError:
        return None


def _memory() -> tuple[int | None, int | None]:
    import psutil

    try:
        seen = psutil.virtual_memory()
    except (psutil.Error, OSError, RuntimeError):
        return None, None
    return int(seen.available), int(seen.total)


def _disk(place: Path) -> tuple[int | None, int | None]:
    try:
        seen = shutil.disk_usage(place)
    except OSError:
        return None, None
    return seen.free, seen.total
