"""A registry entry that `git worktree add` died in the middle of writing: with it, no git command reads the registry.

Git writes an entry file by file. Killed between making `commondir` and filling it, it leaves one that stops every
command that looks at all worktrees ("failed to read …/commondir"), for everybody and for good.
"""

from __future__ import annotations

import shutil
import time
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path

MAKING = "stoat: being made"
"""The lock that a worktree of ours has from git's first step of making it to our last one."""

_PATIENCE = 3.0  # seconds in which a git that is alive has long filled the file


def clear_torn(common: Path) -> bool:
    """Take out the entries of ours that stop git from reading the registry; whether there was one.

    One that somebody else began, whose worktree has any file but its `.git`, or near which a git is at work, stays.
    """
    deadline = time.monotonic() + _PATIENCE
    while torn := [entry for entry in (common / "worktrees").glob("*") if _stops_git(entry)]:
        if time.monotonic() >= deadline:
            break
        time.sleep(0.05)
    else:
        return False
    return any([_clear(entry, common) for entry in torn])


def git_at_work_in(places: Iterable[Path]) -> Path | None:
    """The first of the places in which a git process of this user works, None when there is none."""
    import psutil

    cwds = [
        Path(process.info["cwd"])
        for process in psutil.process_iter(["name", "cwd"])
        if (process.info["name"] or "").startswith("git") and process.info["cwd"]
    ]
    return next((place for place in places if any(cwd.is_relative_to(place) for cwd in cwds)), None)


def _stops_git(entry: Path) -> bool:
    try:
        return (entry / "commondir").stat().st_size == 0
    except OSError:
        return False


def _clear(entry: Path, common: Path) -> bool:
    with suppress(OSError, UnicodeDecodeError):
        ours = (entry / "locked").read_text(encoding="utf-8").strip() == MAKING
        pointer = Path((entry / "gitdir").read_text(encoding="utf-8").removesuffix("\n"))
        tree = pointer.parent
        if not ours or any(each.name != ".git" for each in tree.iterdir()) or git_at_work_in([common.parent, tree]):
            return False
        pointer.unlink(missing_ok=True)
        tree.rmdir()
        shutil.rmtree(entry)
        return True
    return False
