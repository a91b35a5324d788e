"""Where a branch is in a repository, as far as it is known there: the local branch, else what a remote was last seen to
have. Nothing is fetched."""

from __future__ import annotations

from pathlib import Path

from stoat.gitstore.porcelain import failure, git
from stoat.gitstore.work.branches import HEADS

_ORIGIN = "refs/remotes/origin/"


def known_tip(directory: Path, branch: str, *, timeout: float | None = None) -> str | None:
    """The commit of the local `branch`, where there is none that of origin's (or of the only remote that has it); None
    where nothing has it.

    Raises GitFailed when a ref of that name cannot be read, or its commit cannot: that is never the same as absent.
    """
    command = (
        "for-each-ref", "--format=%(objecttype) %(objectname) %(refname)", HEADS + branch, f"refs/remotes/*/{branch}",
    )  # fmt: skip
    ran = git(directory, *command, timeout=timeout)
    if "broken ref" in ran.err:
        raise failure(directory, command, ran)
    found = [line.split(" ", 2) for line in ran.out.splitlines()]
    tips = {ref: commit for kind, commit, ref in found if kind == "commit"}
    if HEADS + branch in tips:
        return tips[HEADS + branch]
    tracked = {ref: tip for ref, tip in tips.items() if ref.startswith("refs/remotes/") and ref.endswith(f"/{branch}")}
    if _ORIGIN + branch in tracked:
        return tracked[_ORIGIN + branch]
    return next(iter(tracked.values())) if len(tracked) == 1 else None
