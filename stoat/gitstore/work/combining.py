"""Putting a commit's work on top of another in a worktree that is held: by a rebase of a copy, or by a merge commit.

What comes out is a value: the combined commit, the files in conflict, a hook's refusal, or what broke. HEAD is left
detached and the tree as git left it; whoever called puts it back (leftovers.back_to_branch).
"""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

from stoat.gitstore.porcelain import Ran, legible, zsplit
from stoat.gitstore.work.branches import tree_of
from stoat.gitstore.work.occupancy import Git
from stoat.gitstore.work.worktrees import git_directory, operation_in

LONGEST = 1800.0  # seconds that a rebase or merge, with its hooks, may take

# Our own moves between commits are no checkout of a person's: their hooks have nothing to say there.
_NO_HOOKS = ("-c", "core.hooksPath=/dev/null")


class Combined(NamedTuple):
    """It worked; HEAD is detached at `commit`."""

    commit: str


class Conflicted(NamedTuple):
    """Both sides changed the same things: every path that git could not settle, once, legible."""

    files: tuple[str, ...]


class Rejected(NamedTuple):
    """A hook of the repository said no, in these words."""

    output: str


class Broken(NamedTuple):
    """git could not do its work (no identity, no key to sign with, no space …), in these words; not a conflict."""

    output: str


def detach(run: Git, path: Path, commit: str) -> None:
    """Check a commit out without its branch; refuses (GitFailed) to write over any file that git does not track."""
    run(path, *_NO_HOOKS, "checkout", "--quiet", "--detach", "--no-overwrite-ignore", commit, timeout=LONGEST)


def rebased(run: Git, path: Path, commit: str, onto: str) -> Combined | Conflicted | Rejected | Broken:
    """A copy of `commit`'s own commits on top of `onto`, authors kept, without those that are there or change nothing.

    The branch that `commit` came from stays where it is. When the range has merge commits, which a rebase leaves out,
    the result must be what a merge would give; else it is Conflicted, with no files.
    """
    options = ("--merge", "--quiet", "--no-keep-empty", "--empty=drop", "--no-fork-point", "--no-stat")
    ran = run(path, "rebase", *options, "--no-autosquash", onto, commit, check=False, timeout=LONGEST)
    if ran.code == 0:
        result = head(run, path)
        return Combined(result) if _keeps_merges(run, path, commit, onto, result) else Conflicted(())
    files = _unmerged(run, path)
    if files:
        return Conflicted(files)
    said = _said(ran)
    return Rejected(said) if "hook refused" in ran.err else Broken(said)


def merged(run: Git, path: Path, commit: str, into: str, message: str) -> Combined | Conflicted | Rejected | Broken:
    """A merge commit of `commit` into `into` with this message, made by the user's own identity, key and hooks."""
    detach(run, path, into)
    options = ("--no-ff", "--no-edit", "--no-stat", "--no-log", "--no-squash", "--commit", "--strategy=ort", "--quiet")
    ran = run(path, "merge", *options, "--no-overwrite-ignore", "-m", message, commit, check=False, timeout=LONGEST)
    if ran.code == 0:
        return Combined(head(run, path))
    files = _unmerged(run, path)
    if files:
        return Conflicted(files)
    # Everything merged and staged, and still no commit: with code 1 it was a hook, with 128 git itself.
    stopped = operation_in(git_directory(path)) == "merge"
    return Rejected(_said(ran)) if stopped and ran.code == 1 else Broken(_said(ran))


def head(run: Git, path: Path) -> str:
    """The commit that is checked out."""
    return run(path, "rev-parse", "--verify", "HEAD^{commit}").out.strip()


def _keeps_merges(run: Git, path: Path, commit: str, onto: str, result: str) -> bool:
    if not run(path, "rev-list", "--merges", "--max-count=1", commit, "--not", onto).out:
        return True
    merge = run(path, "merge-tree", "--write-tree", onto, commit, check=False)
    return merge.code == 0 and merge.out.split()[0] == tree_of(path, result)


def _unmerged(run: Git, path: Path) -> tuple[str, ...]:
    listed = zsplit(run(path, "ls-files", "--unmerged", "-z", "--full-name", "--", ":/").out)
    return tuple(sorted({legible(record.split("\t", 1)[1]) for record in listed}))


def _said(ran: Ran) -> str:
    return legible("\n".join(part.strip() for part in (ran.out, ran.err) if part.strip())) or f"exit code {ran.code}"
