"""Which processes stand in a directory: whose working directory is it or is below it, whatever path led them there."""

from __future__ import annotations

import contextlib
import os
from pathlib import Path

from stoat.processes.seeing import PROC, see_all

_DELETED = " (deleted)"
_DEEPEST = 100


def standing_in(directory: Path) -> tuple[int, ...] | None:
    """The ids of this user's processes that stand in `directory`, this one included; None when that cannot be seen.

    Other users' processes do not show where they stand and are not counted.
    """
    directory = directory.resolve()
    if PROC.is_dir():
        return _by_kernel(directory)
    return _by_psutil(directory)


def _by_kernel(directory: Path) -> tuple[int, ...] | None:
    try:
        told = directory.stat()
    except FileNotFoundError:
        place = None
    except OSError:
        return None
    else:
        place = (told.st_dev, told.st_ino)
    found = []
    for pid, seen in sorted(see_all().items()):
        link = PROC / str(pid) / "cwd"
        try:
            stands = link.readlink()
        except (FileNotFoundError, ProcessLookupError):
            continue
        except PermissionError:
            # The first process runs the machine or the container and is nobody at work; it may have rights we lack.
            if pid != 1 and not seen.zombie and _is_this_users(pid):
                return None
            continue
        # Of a directory that is gone the kernel gives the name it had; any other it gives as the process's own
        # name space has it, which need not be ours (a container): that one is known by its inodes.
        names = {stands, Path(str(stands).removesuffix(_DELETED))}
        if any(name.is_relative_to(directory) for name in names) or (place and place in _above(link)):
            found.append(pid)
    return tuple(found)


def _above(link: Path) -> set[tuple[int, int]]:
    """Device and inode of the directory that `link` leads to and of all above it."""
    places: set[tuple[int, int]] = set()
    at = str(link)
    with contextlib.suppress(OSError):
        for _ in range(_DEEPEST):
            told = Path(at).stat()
            if (told.st_dev, told.st_ino) in places:
                break
            places.add((told.st_dev, told.st_ino))
            at += "/.."
    return places


def _is_this_users(pid: int) -> bool:
    try:
        return (PROC / str(pid)).stat().st_uid == os.getuid()
    except OSError:
        return False


def _by_psutil(directory: Path) -> tuple[int, ...] | None:
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
        if stands and Path(stands).resolve().is_relative_to(directory):
            found.append(process.pid)
    return tuple(sorted(found))
