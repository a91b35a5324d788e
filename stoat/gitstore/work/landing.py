"""Landing finished work on a plan's branch: prepared in the integration worktree, then the branch moves once, forward.

    land(project, place, commit, message)       rebase of a copy, else a merge commit, else nothing
    bring_in(project, place, commit, message)   fast-forward, else a merge commit; never a rebase

The branch moves by compare-and-swap from the tip that the result was prepared on, while no work tree has it checked
out; until then nothing but the integration worktree has changed, and a note in its registry entry says so.
A process that dies at any point leaves that note, and the next landing first puts the tree back to its branch.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from pathlib import Path
from typing import Literal, NamedTuple

from stoat.gitstore.porcelain import GitFailed, legible, zsplit
from stoat.gitstore.work.bases import Hold
from stoat.gitstore.work.branches import HEADS, branch_tip, commit_of, commits_beyond, is_ancestor, tree_of
from stoat.gitstore.work.combining import Broken, Combined, Conflicted, Rejected, detach, merged, rebased
from stoat.gitstore.work.landed import forget, remember, standing_of
from stoat.gitstore.work.leftovers import back_to_branch, clear_up, drop_branch_locks, touched_between
from stoat.gitstore.work.nodetrees import PATIENCE, Parked
from stoat.gitstore.work.occupancy import Git, Occupied, occupied
from stoat.gitstore.work.places import Place
from stoat.gitstore.work.worktrees import Project, checked_out_at, git_directory, look, why_not_intact

_TRIES = 5  # times a landing is prepared anew because somebody moved the branch meanwhile
_REF_PATIENCE = 5.0  # seconds to wait for a ref's lock file
_NOTE = "stoat-landing"
_BY_HOOK = "ref updates aborted by hook"


class Landed(NamedTuple):
    """The branch moved from `before` to `tip`; `commits` are new on it, newest first, a merge commit included."""

    how: Literal["fast-forward", "rebase", "merge"]
    before: str
    tip: str
    commits: tuple[str, ...]


class AlreadyLanded(NamedTuple):
    """The commit, or (by `tip`) what an earlier landing made of it, is on the branch. Nothing moved."""

    tip: str
    how: Literal["ancestor", "rebased"]


class NothingToLand(NamedTuple):
    """The commit brings nothing that the branch, at `tip`, does not have: empty commits, or the same patches."""

    tip: str


class Conflict(NamedTuple):
    """Neither a rebase nor a merge goes through; both are undone. The paths in conflict, each once."""

    files: tuple[str, ...]


class HookRejected(NamedTuple):
    """A hook of the repository refused the landing, which is undone; its words."""

    output: str


class TargetMoved(NamedTuple):
    """Somebody kept moving the branch faster than a landing could be prepared; it is at `tip` now."""

    tip: str


class DirtyLanding(NamedTuple):
    """The integration worktree has changes of somebody's (or untracked files in the way); nothing was touched."""

    files: tuple[str, ...]


class ToolFailed(NamedTuple):
    """git could not do it, for a reason that is no conflict (identity, signing key, disk, damage); its words."""

    output: str


Refusal = Conflict | HookRejected | TargetMoved | DirtyLanding | ToolFailed | Parked | Hold
Outcome = Landed | AlreadyLanded | NothingToLand | Refusal
_Prepared = Combined | Conflicted | Rejected | Broken
_Prepare = Callable[[Git, Path, str, str], _Prepared]


def land(project: Project, place: Place, commit: str, message: str) -> Outcome:
    """Land `commit` (a node's branch tip) on `place.branch`, linear if it goes: see the module.

    `message` is the merge commit's, if there has to be one. The branch and tree that `commit` came from never change.
    """

    def prepare(run: Git, path: Path, commit: str, tip: str) -> _Prepared:
        copied = rebased(run, path, commit, tip)
        if not isinstance(copied, Conflicted):
            return copied
        back_to_branch(run, path, place.branch)
        return merged(run, path, commit, tip, message)

    return _landing(project, place, commit, prepare, even_if_empty=False)


def bring_in(project: Project, place: Place, commit: str, message: str) -> Outcome:
    """Bring `place.branch` up to a commit that landed elsewhere (an upstream's merge), keeping that commit as it is.

    For issues, whose work is merged on GitHub before it reaches the plan's branch.
    """

    def prepare(run: Git, path: Path, commit: str, tip: str) -> _Prepared:
        return merged(run, path, commit, tip, message)

    return _landing(project, place, commit, prepare, even_if_empty=True)


def clear_note(run: Git, project: Project, place: Place) -> DirtyLanding | None:
    """Put the tree back to its branch after a landing whose process died; None when there is nothing left of one."""
    if not place.path.is_dir() or why_not_intact(project, place.path) is not None:
        return None
    note = git_directory(place.path) / _NOTE
    if not note.exists():
        return None
    branch, before, commit = note.read_text(encoding="utf-8").split("\0")
    drop_branch_locks(project, branch)
    theirs = clear_up(run, place.path, branch, touched_between(place.path, before, commit))
    if theirs:
        return DirtyLanding(theirs)
    note.unlink()
    return None


def _landing(project: Project, place: Place, commit: str, prepare: _Prepare, *, even_if_empty: bool) -> Outcome:
    try:
        with occupied(project.common, place.name, patience=PATIENCE) as run:
            outcome: Outcome | None = clear_note(run, project, place)
            if outcome is not None:
                return outcome
            for _ in range(_TRIES):
                outcome = _once(run, project, place, commit, prepare, even_if_empty)
                if not isinstance(outcome, TargetMoved):
                    break
            assert outcome is not None
            return outcome
    except Occupied as error:
        return Hold(str(error))
    except GitFailed as error:
        if _BY_HOOK in error.err:
            return HookRejected(legible(error.err.strip()))
        return ToolFailed(legible(error.err.strip() or error.why))


def _once(run: Git, project: Project, place: Place, commit: str, prepare: _Prepare, even_if_empty: bool) -> Outcome:
    """One try at the branch as it is now."""
    path = place.path
    refused = _why_not_here(project, place)
    if refused is not None:
        return refused
    tip = branch_tip(project.directory, place.branch)
    if tip is None:
        return Parked(f"the branch {place.branch} is gone", "missing")
    if commit_of(project.directory, commit) is None:
        return ToolFailed(f"there is no commit {commit} here")
    there = standing_of(project.directory, place.branch, commit)
    if there.state is None:
        return ToolFailed(f"git cannot tell whether {commit[:7]} is on {place.branch} already (a shallow clone?)")
    if there.tip is not None and there.how is not None:
        return AlreadyLanded(there.tip, there.how)
    touched = touched_between(path, tip, commit)
    in_the_way = _in_the_way(run, path, touched)
    if in_the_way:
        return DirtyLanding(in_the_way)
    note = git_directory(path) / _NOTE
    _write(note, f"{place.branch}\0{tip}\0{commit}")
    prepared: _Prepared
    if is_ancestor(path, tip, commit):
        detach(run, path, commit)
        prepared = Combined(commit)
    else:
        prepared = prepare(run, path, commit, tip)
    outcome = _settle(run, project, place, commit, tip, prepared, even_if_empty)
    if isinstance(outcome, Landed):
        run(path, "symbolic-ref", "HEAD", HEADS + place.branch)  # the files are the branch's already
    else:
        theirs = clear_up(run, path, place.branch, touched)
        if theirs:
            return DirtyLanding(theirs)
    note.unlink()
    return outcome


def _why_not_here(project: Project, place: Place) -> Parked | DirtyLanding | None:
    """Why the integration worktree is not fit to land in right now."""
    seen = look(project, place.path)
    if not seen.exists:
        return Parked(f"{place.path}: {seen.problem}", "missing")
    if seen.operation is not None:
        return Parked(f"a {seen.operation} was left in progress in {place.path}", seen.operation)
    if seen.branch != place.branch:
        return Parked(f"{place.path} does not have {place.branch} checked out", "other branch")
    if seen.dirty:
        return DirtyLanding(seen.dirty)
    return checked_out_elsewhere(project, place)


def checked_out_elsewhere(project: Project, place: Place) -> Parked | None:
    """The refusal to work on a branch that another worktree has checked out; None when none has."""
    others = [other for other in checked_out_at(project, place.branch) if other.resolve() != place.path]
    if not others:
        return None
    why = f"{place.branch} is checked out at {others[0]}, whose tree must not change under anybody's feet"
    return Parked(why, "checked out elsewhere")


def _in_the_way(run: Git, path: Path, touched: set[str]) -> tuple[str, ...]:
    """Files that git does not track there (ignored ones) and that the landing would write over."""
    there = [name for name in touched if os.path.lexists(path / name) and not (path / name).is_dir()]
    tracked = set(zsplit(run(path, "ls-files", "-z", "--full-name").out)) if there else set()
    return tuple(sorted(legible(name) for name in there if name not in tracked))


def _settle(
    run: Git, project: Project, place: Place, commit: str, tip: str, prepared: _Prepared, even_if_empty: bool
) -> Outcome:
    """Move the branch to what was prepared, or say why not."""
    match prepared:
        case Conflicted(files):
            return Conflict(files)
        case Rejected(output):
            return HookRejected(output)
        case Broken(output):
            return ToolFailed(output)
        case Combined(new):
            pass
    path = place.path
    if not even_if_empty and tree_of(path, new) == tree_of(path, tip):
        return NothingToLand(tip)
    blocked = checked_out_elsewhere(project, place)
    if blocked is not None:
        return blocked
    copied = not is_ancestor(path, commit, new)
    if copied:
        remember(run, path, place.branch, commit, new)  # before the branch moves: a crash then loses nothing
    refused = _move(run, path, place.branch, new, tip)
    if refused is not None:
        if copied:
            forget(run, path, place.branch, commit, new)
        return refused
    how: Literal["fast-forward", "rebase", "merge"]
    how = "rebase" if copied else "fast-forward" if new == commit else "merge"
    return Landed(how, tip, new, commits_beyond(path, new, tip) or (new,))


def _move(run: Git, path: Path, branch: str, new: str, old: str) -> TargetMoved | HookRejected | ToolFailed | None:
    """Compare and swap; waits a little for a lock file, and names it when it stays."""
    ref = HEADS + branch
    deadline = time.monotonic() + _REF_PATIENCE
    while True:
        ran = run(path, "update-ref", "--no-deref", "-m", "stoat: land", ref, new, old, check=False)
        if ran.code == 0:
            return None
        now = commit_of(path, ref)
        if now != old:
            return TargetMoved(now or "")
        if _BY_HOOK in ran.err:
            return HookRejected(legible(ran.err.strip()))
        if "File exists" not in ran.err or time.monotonic() >= deadline:
            return ToolFailed(legible(ran.err.strip()))
        time.sleep(0.1)


def _write(note: Path, text: str) -> None:
    part = note.with_suffix(".part")
    part.write_text(text, encoding="utf-8")
    part.replace(note)
