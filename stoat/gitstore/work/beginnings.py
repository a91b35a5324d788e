"""Where the own work of a branch began that nobody recorded: by what git remembers of the branch, else by its merge.

A branch that was only cut, or only brought up to where others were, has no work of its own, though every commit of it
is on the default branch too. What cannot be told is None, and counts as no work.
"""

from __future__ import annotations

import re
from pathlib import Path

from stoat.gitstore.porcelain import git
from stoat.gitstore.work.branches import HEADS, commit_of

_MADE_HERE = ("commit", "cherry-pick", "revert", "am", "merge", "pull")
_ONTO = re.compile(r"(?:\(finish\)|finished): \S+ onto ([0-9a-f]{40,64})$")


def tips_below(directory: Path, prefix: str) -> dict[str, str]:
    """The local branches whose names begin with `prefix` (which ends with a slash), and their commits."""
    listed = git(directory, "for-each-ref", "--format=%(objectname) %(refname)", HEADS + prefix).lines
    return {name.removeprefix(HEADS): commit for commit, name in (line.split(" ", 1) for line in listed)}


def merge_base(directory: Path, one: str, other: str) -> str | None:
    """The best commit that both have, None when there is none."""
    found = git(directory, "merge-base", one, other, check=False).out.split()
    return found[0] if found else None


def began_at(directory: Path, branch: str, tip: str, onto: str) -> str | None:
    """The commit beyond which the commits of `branch`, now at `tip`, are its own; `onto` is where they are to land.

    The commit that both have, while `onto` lacks some. Once it has them all the branch's reflog tells, or the merge
    commit that took the work in.
    """
    shared = merge_base(directory, tip, onto)
    if shared != tip:
        return shared
    return _remembered(directory, branch) or _merged_from(directory, tip, onto)


def _remembered(directory: Path, branch: str) -> str | None:
    """By the reflog, oldest first: where the branch was cut, and where it was moved to without work of its own."""
    ran = git(directory, "reflog", "show", "--format=%H %gs", HEADS + branch, "--", check=False)
    base = before = None
    for line in reversed(ran.lines if ran.code == 0 else []):
        now, _, action = line.partition(" ")
        onto = _ONTO.search(action)
        if onto is not None:
            base = commit_of(directory, onto[1]) or now
        elif action.endswith("Fast-forward"):
            base = now if base == before else base
        elif base is None or not action.startswith(_MADE_HERE):
            base = now
        before = now
    return base


def _merged_from(directory: Path, tip: str, onto: str) -> str | None:
    """By the merge commit on `onto` that took `tip` in beside its own line; None when there is none."""
    path = ("rev-list", "--first-parent", "--ancestry-path", "--parents", f"{tip}..{onto}")
    listed = git(directory, *path, check=False).out.splitlines()
    _, first, *others = listed[-1].split() if listed else ("", tip)
    return merge_base(directory, tip, first) if others and first != tip else None
