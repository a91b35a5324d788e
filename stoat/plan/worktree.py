"""What one worktree shows just now, as a value: gathered by git's room, judged by `derive/prune.py`.

Every field that could speak for keeping it is empty when it was looked at and nothing was found; what could not be
looked at is said in `problem`, or is None where a field says so.
"""

from __future__ import annotations

from typing import Literal

from msgspec import Struct


class WorktreeFact(Struct, frozen=True, kw_only=True):
    """A linked worktree that git's registry lists.

    kind: `stoat` made it (for the branch `made_for`), `agent` is a `.claude/worktrees/agent-*`, all else is `other`'s.
    problem: why it cannot be read. locked: the reason of its lock. gone: its directory is not there any more.
    interrupted: Stoat was removing it and did not get to the end; files that are merely missing are then no change.
    changed, hidden: paths with changes, and paths whose changes git was told not to look at.
    ignored: ignored files that nothing proves to be rebuildable. inside: repositories, worktrees, mounts within.
    busy: lock files of a git at work. processes: the ids of those that stand in it, None when that cannot be seen.
    unproven: commits of its HEAD and of `made_for` that the remote does not have. forgotten: the same of commits that
    only its reflogs and its own refs name, and no other local branch or tag leads to.
    stashes: entries made on its branch. submodules: what speaks against each.
    landed_as: what a landing made of the tip of `made_for`, when the remote has that and not the tip itself.
    in_pull: whether its HEAD is one of the commits of the pull request that was asked for.
    """

    path: str
    kind: Literal["stoat", "agent", "other"]
    made_for: str | None = None
    branch: str | None = None
    head: str | None = None
    tip: str | None = None
    problem: str | None = None
    locked: str | None = None
    gone: bool = False
    interrupted: bool = False
    operation: str | None = None
    changed: tuple[str, ...] = ()
    hidden: tuple[str, ...] = ()
    ignored: tuple[str, ...] = ()
    inside: tuple[str, ...] = ()
    busy: tuple[str, ...] = ()
    processes: tuple[int, ...] | None = ()
    unproven: tuple[str, ...] = ()
    forgotten: tuple[str, ...] = ()
    stashes: tuple[str, ...] = ()
    submodules: tuple[str, ...] = ()
    landed_as: str | None = None
    in_pull: bool = False
