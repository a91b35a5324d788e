"""Where a branch is in a repository, as far as it is known there: the local branch, else what a remote was last seen to
have. Nothing is fetched."""

from __future__ import annotations

from collections.abc import Collection
from pathlib import Path
from typing import Literal

from stoat.gitstore.porcelain import failure, git
from stoat.gitstore.work.branches import HEADS, is_ancestor

_REMOTES = "refs/remotes/"
_ORIGIN = f"{_REMOTES}origin/"
_BROKEN = "ignoring broken ref "


def known_tip(directory: Path, branch: str, *, timeout: float | None = None) -> str | None:
    """The commit of the local `branch`, where there is none that of origin's (or of the only remote that has it); None
    where nothing has it.

    Raises GitFailed when a ref of that name cannot be read, or its commit cannot: that is never the same as absent.
    """
    command = (
        "for-each-ref", "--format=%(objecttype) %(objectname) %(refname)", HEADS + branch, f"refs/remotes/*/{branch}",
    )  # fmt: skip
    ran = git(directory, *command, timeout=timeout)
    # Other branches of the directory are warned of as well.
    broken = {ref: line for line in ran.err.splitlines() if (ref := line.partition(_BROKEN)[2])}
    if HEADS + branch in broken:
        raise failure(directory, command, ran._replace(err=broken[HEADS + branch]))
    found = [line.split(" ", 2) for line in ran.lines]
    tips = {ref: commit for kind, commit, ref in found if kind == "commit"}
    if HEADS + branch in tips:
        return tips[HEADS + branch]
    for ref, line in broken.items():
        if _tracks(ref, branch):
            raise failure(directory, command, ran._replace(err=line))
    tracked = {ref: tip for ref, tip in tips.items() if _tracks(ref, branch)}
    if _ORIGIN + branch in tracked:
        return tracked[_ORIGIN + branch]
    return next(iter(tracked.values())) if len(tracked) == 1 else None


def standing(
    directory: Path, branch: str, commit: str, known: Collection[str] = (), *, timeout: float | None = None
) -> Literal["tip", "contained", "off"] | None:
    """What `commit` is to `branch`: a tip of it, contained in it, or not on it; None where that cannot be seen.

    The branch is wherever the repository has it, its own or a remote's, and at the `known` tips, of which others told.
    """
    command = ("for-each-ref", "--format=%(objectname) %(refname)", HEADS + branch, f"refs/remotes/*/{branch}")
    ran = git(directory, *command, check=False, timeout=timeout)
    found = [line.split(" ", 1) for line in ran.lines]
    tips = {*known, *(tip for tip, ref in found if ref == HEADS + branch or _tracks(ref, branch))}
    if commit in tips:
        return "tip"
    held = [is_ancestor(directory, commit, tip) for tip in tips]
    if any(held):
        return "contained"
    seen = ran.code == 0 and not any(ref.endswith(f"/{branch}") for ref in _broken(ran.err))
    return "off" if held and seen and None not in held else None


def _broken(said: str) -> list[str]:
    """The refs that git warned of."""
    return [ref for line in said.splitlines() if (ref := line.partition(_BROKEN)[2])]


def _tracks(ref: str, branch: str) -> bool:
    return ref.startswith(_REMOTES) and ref.endswith(f"/{branch}")
