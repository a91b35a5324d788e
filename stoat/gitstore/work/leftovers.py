"""What a killed git command left in a worktree of ours, cleared up only when nothing in it could be lost.

A checkout, rebase or merge that dies halfway leaves files that git itself wrote: their content is in the repository.
So a dirty file whose content is not, or that the operation had no reason to touch, is somebody's work: then nothing
is cleared at all, and the files are named.
"""

from __future__ import annotations

import os
import shutil
import time
from collections.abc import Collection, Sequence
from pathlib import Path

from stoat.gitstore.porcelain import git, legible, zsplit
from stoat.gitstore.work.branches import HEADS
from stoat.gitstore.work.landed import LANDED
from stoat.gitstore.work.occupancy import Git, Occupied
from stoat.gitstore.work.torn import git_at_work_in
from stoat.gitstore.work.worktrees import Project, git_directory, registry, status

_STATE = ("rebase-merge", "rebase-apply", "sequencer")
_STATE_REFS = ("MERGE_HEAD", "CHERRY_PICK_HEAD", "REVERT_HEAD", "REBASE_HEAD", "AUTO_MERGE")
_LOCK_PATIENCE = 3.0
_BATCH = 200


def clear_up(run: Git, path: Path, branch: str, touched: Collection[str] | None) -> tuple[str, ...]:
    """Bring a worktree back to its branch, whatever that is by now: no operation, HEAD attached, a clean tree.

    Only for a tree that is held (see occupancy) and in which the operation was ours. `touched` are the paths that it
    may have changed, None for any. Gives () when done; else the files that stand against it, and nothing is changed.
    """
    own = git_directory(path)
    _drop_locks(list(own.glob("*.lock")), [path])
    dirty = status(path)[2]
    foreign = [name for name in dirty if touched is not None and name not in touched]
    theirs = {*foreign, *unsaved(path, dirty)}
    if theirs:
        return tuple(legible(name) for name in dirty if name in theirs)
    back_to_branch(run, path, branch)
    for name in status(path)[2]:
        if name in dirty:  # written by the checkout that died before it could note the file in the index
            (path / name).unlink(missing_ok=True)
    return ()


def back_to_branch(run: Git, path: Path, branch: str) -> None:
    """End whatever operation of ours is in progress at `path`, put HEAD on its branch, and the files to its commit."""
    own = git_directory(path)
    for name in _STATE:
        shutil.rmtree(own / name, ignore_errors=True)
    # First HEAD, then the files: a hard reset moves the branch that HEAD is on, and here it must move nothing.
    run(path, "symbolic-ref", "HEAD", HEADS + branch)
    run(path, "reset", "--hard", "--quiet")
    for name in _STATE_REFS:
        (own / name).unlink(missing_ok=True)


def unsaved(path: Path, names: Sequence[str]) -> tuple[str, ...]:
    """Those of the files whose content is in no object of the repository; a missing or empty file has none to lose."""
    contents: dict[str, str] = {}
    files: list[str] = []
    directories: list[str] = []
    for name in names:
        place = path / name
        if place.is_symlink():
            contents[name] = _hash(path, "--stdin", input=os.fsencode(place.readlink()))[0]
        elif place.is_dir():
            directories.append(name)
        elif place.is_file() and place.stat().st_size:
            files.append(name)
    for start in range(0, len(files), _BATCH):
        batch = files[start : start + _BATCH]
        contents.update(zip(batch, _hash(path, "--", *batch), strict=True))
    question = "".join(f"{oid}\n" for oid in contents.values()).encode()
    answers = git(path, "cat-file", "--batch-check", input=question).out.splitlines()
    missing = {answer.split()[0] for answer in answers if answer.endswith(" missing")}
    return (*directories, *(name for name, oid in contents.items() if oid in missing))


def touched_between(path: Path, ours: str, theirs: str) -> set[str]:
    """Every path that a commit on one side and not on the other changes."""
    options = ("--format=", "--name-only", "--no-renames", "-m", "-z")
    listed = zsplit(git(path, "log", *options, f"{ours}...{theirs}", "--").out)
    return {name.removeprefix("\n") for name in listed if name.strip("\n")}


def _hash(path: Path, *args: str, input: bytes | None = None) -> list[str]:
    return git(path, "hash-object", *args, input=input).out.split()


def drop_branch_locks(project: Project, branch: str) -> None:
    """Remove what a git that died while it moved `branch`, or noted what landed there, left locked.

    Only for a branch whose place is held (see occupancy). Raises Occupied while a git is at work in any worktree.
    """
    locks = [project.common / f"{HEADS}{branch}.lock", *(project.common / LANDED / branch).glob("*.lock")]
    if any(lock.exists() for lock in locks):
        _drop_locks(locks, [project.common, *(entry.path for entry in registry(project))])


def _drop_locks(locks: Sequence[Path], places: Sequence[Path]) -> None:
    """Remove lock files of a dead git: they stayed, nobody has held the place since, and no git is in `places`."""
    deadline = time.monotonic() + _LOCK_PATIENCE
    while present := [lock for lock in locks if lock.exists()]:
        if time.monotonic() < deadline:
            time.sleep(0.05)
            continue
        place = git_at_work_in(places)
        if place is not None:
            raise Occupied(f"a program is at work in {place} and holds {present[0].name}")
        for lock in present:
            lock.unlink(missing_ok=True)
