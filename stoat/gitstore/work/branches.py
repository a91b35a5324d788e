"""Commits and how they stand to each other, asked of git: three answers, yes, no and "cannot tell from here".

Every ref is a full name (`refs/heads/main`) or a commit id: a short name is a tag's before it is a branch's.
In a shallow clone a missing ancestor proves nothing, so whatever the cut could have hidden is None.
"""

from __future__ import annotations

from pathlib import Path

from stoat.gitstore.porcelain import GitFailed, failure, git

HEADS = "refs/heads/"


def commit_of(directory: Path, ref: str) -> str | None:
    """The commit id that a full ref name or an id names; None when there is no such thing.

    Raises GitFailed when the ref is there and its commit is not: damage, which is never the same as absent.
    """
    found = git(directory, "rev-parse", "--verify", "--quiet", "--end-of-options", f"{ref}^{{commit}}", check=False)
    if found.code == 0:
        return found.out.split()[-1]
    named = git(directory, "rev-parse", "--verify", "--quiet", "--end-of-options", ref, check=False)
    if named.code not in (0, 1, 128) or "dubious ownership" in named.err:
        raise failure(directory, ("rev-parse", ref), named)
    said = named.out.split()
    if named.code == 0 and said and said[-1] != ref:  # of an id that is not here git only repeats the id
        why = f"{ref} names {said[-1][:12]}, which cannot be read as a commit"
        raise GitFailed(directory, ("rev-parse", ref), named, why, "look at the repository with: git fsck")
    return None


def branch_tip(directory: Path, branch: str) -> str | None:
    """The commit of the local branch `branch` (short name, never a tag's), or None; GitFailed as in commit_of."""
    return commit_of(directory, HEADS + branch)


def tree_of(directory: Path, commit: str) -> str:
    """The id of a commit's tree."""
    return git(directory, "rev-parse", "--verify", "--end-of-options", f"{commit}^{{tree}}").out.split()[-1]


def is_ancestor(directory: Path, older: str, newer: str) -> bool | None:
    """Whether `older` is reachable from `newer` (a commit is its own ancestor); None when git cannot tell."""
    code = git(directory, "merge-base", "--is-ancestor", older, newer, check=False).code
    if code == 0:
        return True
    if code == 1 and not _cut_off(directory, newer, "--not", older):
        return False
    return None


def commits_beyond(directory: Path, tip: str, *bases: str) -> tuple[str, ...] | None:
    """The commits of `tip` that none of `bases` has, newest first; None when git cannot tell."""
    listed = git(directory, "rev-list", "--topo-order", tip, "--not", *bases, check=False)
    if listed.code != 0 or _cut_off(directory, tip, "--not", *bases):
        return None
    return tuple(listed.out.split())


def in_the_way(directory: Path, name: str) -> str | None:
    """The local branch that leaves no room for one called `name`; None when there is none, or `name` itself is there.

    A ref is a file: `a` leaves no room for `a/b`, nor `a/b` for `a`, nor `A` for `a` on a disk that ignores case.
    """
    refs = git(directory, "for-each-ref", "--format=%(refname)", HEADS).lines
    branches = [ref.removeprefix(HEADS) for ref in refs]
    if name in branches:
        return None
    ignores_case = git(directory, "config", "--type=bool", "core.ignoreCase", check=False).out.strip() == "true"
    fold = str.casefold if ignores_case else str
    wanted = fold(name)
    for branch in branches:
        there = fold(branch)
        if there == wanted or there.startswith(f"{wanted}/") or wanted.startswith(f"{there}/"):
            return branch
    return None


def _cut_off(directory: Path, *revisions: str) -> bool:
    """Whether a commit among `revisions` has parents that a shallow clone left behind.

    If `older` truly is an ancestor of `newer` and the path is cut, the commit at the cut is a descendant of
    `older`, so it is in `newer --not older`: nothing cut in there makes a "no" certain.
    """
    place = git(directory, "rev-parse", "--path-format=absolute", "--git-path", "shallow").out.removesuffix("\n")
    shallow = Path(place)
    if not shallow.exists():
        return False
    cuts = set(shallow.read_text(encoding="ascii").split())
    return not cuts.isdisjoint(git(directory, "rev-list", *revisions, check=False).out.split())
