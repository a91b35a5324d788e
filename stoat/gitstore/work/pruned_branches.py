"""Local branches that a removal cut short left behind: their worktrees are gone, and a note names each of them.

    with promised(project, branch, tip, path):     around the removal of a worktree that is to take its branch along
    left_behind(project)                           the branches whose removal never came to its end

A note is a file under `stoat/removing/` of the common git directory. Whoever finds one proves everything anew.
"""

from __future__ import annotations

import hashlib
from collections.abc import Collection, Iterator
from contextlib import contextmanager
from pathlib import Path

import msgspec
from msgspec import Struct

from stoat.errors import UNDECODABLE
from stoat.gitstore.work.branches import HEADS
from stoat.gitstore.work.worktrees import Project, Registered


class LeftBehind(Struct, frozen=True):
    """A branch at the commit that it had when its worktree, which was at `path`, was taken away."""

    branch: str
    tip: str
    path: str


@contextmanager
def promised(project: Project, branch: str | None, tip: str | None, path: Path) -> Iterator[None]:
    """Have a note of the branch while the block runs; a process that dies in it leaves the note."""
    if branch is None or tip is None:
        yield
        return
    place = _place(project, branch)
    place.parent.mkdir(parents=True, exist_ok=True)
    place.write_bytes(msgspec.json.encode(LeftBehind(branch, tip, str(path))))
    yield
    place.unlink(missing_ok=True)


def left_behind(project: Project, entries: Collection[Registered], refs: dict[str, str]) -> list[LeftBehind]:
    """The branches that are noted, still where they were, and have no worktree any more.

    `entries` and `refs` are git's registry of worktrees and the local refs just now. A note of a branch that is gone
    or went on says nothing any more.
    """
    found = []
    for place in sorted(_folder(project).glob("*.json")):
        try:
            left = msgspec.json.decode(place.read_bytes(), type=LeftBehind)
        except (OSError, *UNDECODABLE):
            continue
        has_one = any(str(one.path.resolve()) == left.path or left.branch in (one.owner, one.branch) for one in entries)
        if not has_one and refs.get(HEADS + left.branch) == left.tip:
            found.append(left)
    return found


def _folder(project: Project) -> Path:
    return project.common / "stoat" / "removing"


def _place(project: Project, branch: str) -> Path:
    return _folder(project) / f"{hashlib.sha256(branch.encode()).hexdigest()[:20]}.json"
