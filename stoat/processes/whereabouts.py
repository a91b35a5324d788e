"""Which processes stand in a directory: whose working directory is it or is below it, whatever path led them there."""

from __future__ import annotations

import contextlib
import os
from pathlib import Path
from typing import NamedTuple

from stoat.processes.seeing import PROC, see_all

_DELETED = " (deleted)"
_DEEPEST = 100


class Standing(NamedTuple):
    """A process and where it stands: the names of that directory; device and inode of it and of all above it."""

    pid: int
    names: tuple[Path, ...]
    places: frozenset[tuple[int, int]] = frozenset()


class Whereabouts:
    """Where this user's processes stand at one moment; it can be asked about many directories."""

    def __init__(self) -> None:
        self._all = _by_kernel() if PROC.is_dir() else _by_psutil()

    def within(self, directory: Path) -> tuple[int, ...] | None:
        """The ids of those that stand in `directory`, this process included; None when that could not be seen."""
        directory = directory.resolve()
        place = None
        try:
            told = directory.stat()
            place = (told.st_dev, told.st_ino)
        except FileNotFoundError:
            pass
        except OSError:
            return None
        if self._all is None:
            return None
        return tuple(
            one.pid
            for one in self._all
            if place in one.places or any(name.is_relative_to(directory) for name in one.names)
        )


def standing_in(directory: Path) -> tuple[int, ...] | None:
    """The ids of this user's processes that stand in `directory`, this one included; None when that cannot be seen.

    Other users' processes do not show where they stand and are not counted.
    """
    return Whereabouts().within(directory)


def _by_kernel() -> list[Standing] | None:
    found = []
    for pid, seen in sorted(see_all().items()):
        link = f"{PROC}/{pid}/cwd"
        try:
            stands = os.readlink(link)  # noqa: PTH115 -- for hundreds of processes a Path each takes longer than all the rest
        except (FileNotFoundError, ProcessLookupError):
            continue
        except PermissionError:
            # The first process runs the machine or the container and is nobody at work; it may have rights we lack.
            if pid != 1 and not seen.zombie and _is_this_users(pid):
                return None
            continue
        # Of a directory that is gone the kernel gives the name it had; any other it gives as the process's own
        # name space has it, which need not be ours (a container): that one is known by its inodes.
        names = dict.fromkeys((stands, stands.removesuffix(_DELETED)))
        found.append(Standing(pid, tuple(map(Path, names)), _above(link)))
    return found


def _above(link: str) -> frozenset[tuple[int, int]]:
    """Device and inode of the directory that `link` leads to and of all above it."""
    places: set[tuple[int, int]] = set()
    at = link
    with contextlib.suppress(OSError):
        for _ in range(_DEEPEST):
            told = os.stat(at)  # noqa: PTH116 -- as above
            if (told.st_dev, told.st_ino) in places:
                break
            places.add((told.st_dev, told.st_ino))
            at += "/.."
    return frozenset(places)


def _is_this_users(pid: int) -> bool:
    try:
        return (PROC / str(pid)).stat().st_uid == os.getuid()
    except OSError:
        return False


def _by_psutil() -> list[Standing] | None:
    import psutil

    found = []
    for process in psutil.process_iter():
        try:
            if process.uids().real != os.getuid():
                continue
            stands = process.cwd()
        except (psutil.NoSuchProcess, psutil.ZombieProcess):
            continue
        except (psutil.Error, OSError):
            return None
        if stands:
            found.append(Standing(process.pid, (Path(stands).resolve(),)))
    return sorted(found)
