"""Whether a commit has landed on a branch, asked of git and of nobody's memory.

A rebase gives the work new ids, so before the branch moves the landing keeps what became of the commit as a ref,
`refs/stoat/landed/<branch>/<commit>`. That ref alone proves nothing: what it names must be on the branch.
"""

from __future__ import annotations

import re
from collections.abc import Collection
from pathlib import Path
from typing import Literal, NamedTuple

from stoat.gitstore.porcelain import git
from stoat.gitstore.work.branches import HEADS, branch_tip, commit_of, commits_beyond, is_ancestor
from stoat.gitstore.work.occupancy import Git

LANDED = "refs/stoat/landed/"
"""Where what became of landed commits is kept, by branch."""

_REVERTS = re.compile(r"This reverts commit ([0-9a-f]{40,64})")


class Standing(NamedTuple):
    """How a commit stands to a branch.

    state: True landed, False not, None when git cannot tell (a shallow clone).
    how: ancestor (the commit itself is on the branch) or rebased (what a landing made of it is).
    tip: the commit on the branch that the work landed as; None when it has not landed.
    reverted_by: the commit on the branch that took the work back out; it stays landed.
    """

    state: bool | None
    how: Literal["ancestor", "rebased"] | None = None
    tip: str | None = None
    reverted_by: str | None = None


def landed(directory: Path, branch: str, commit: str, *, base: str | None = None) -> Standing:
    """Whether `commit` is on the local `branch`, and whether it was reverted there.

    `base` is where the work began, so that a revert of any of its commits is seen; without it only a revert of the
    landed tip is.
    """
    stands = standing_of(directory, branch, commit)
    if stands.state is not True or stands.tip is None:
        return stands
    tips = {stands.tip, *_merges_of(directory, branch, stands.tip)}
    work = commits_beyond(directory, stands.tip, base) if base is not None else None
    return stands._replace(reverted_by=reverted_by(directory, branch, tips.union(work or ())))


def _merges_of(directory: Path, branch: str, commit: str) -> list[str]:
    """The merge commits that took `commit` into the branch: reverting one of those takes the work out too."""
    listed = git(directory, "rev-list", "--merges", "--parents", HEADS + branch, "--not", commit).out
    return [merge for merge, _, *others in map(str.split, listed.splitlines()) if commit in others]


def standing_of(directory: Path, branch: str, commit: str) -> Standing:
    """As `landed`, without looking for reverts."""
    tip = branch_tip(directory, branch)
    if tip is None:
        return Standing(False)
    direct = is_ancestor(directory, commit, tip)
    if direct:
        return Standing(True, "ancestor", commit)
    copy = commit_of(directory, f"{LANDED}{branch}/{commit}")
    if copy is not None and is_ancestor(directory, copy, tip):
        return Standing(True, "rebased", copy)
    return Standing(direct)


def reverted_by(directory: Path, branch: str, commits: Collection[str]) -> str | None:
    """The newest commit on `branch` that reverts one of `commits` and was not itself reverted again, or None."""
    searched = ("log", "--format=%H%n%B%x00", "--fixed-strings", "--grep=This reverts commit")
    entries = git(directory, *searched, HEADS + branch, "--not", *sorted(commits)).out.split("\0")
    undone: set[str] = set()
    for entry in entries:  # newest first: a revert's own revert is seen before it
        commit, _, body = entry.strip().partition("\n")
        targets = set(_REVERTS.findall(body))
        if not commit or commit in undone:
            continue
        if not targets.isdisjoint(commits):
            return commit
        undone |= targets
    return None


def remember(run: Git, directory: Path, branch: str, commit: str, copy: str) -> None:
    """Keep what a landing made of `commit`, for whoever asks after a crash."""
    run(directory, "update-ref", f"{LANDED}{branch}/{commit}", copy)


def forget(run: Git, directory: Path, branch: str, commit: str, copy: str) -> None:
    """Take back what `remember` kept, for a landing that did not happen."""
    run(directory, "update-ref", "-d", f"{LANDED}{branch}/{commit}", copy)
