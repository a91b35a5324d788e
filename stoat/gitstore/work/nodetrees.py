"""A worktree for a node: made on its branch from a fresh base, found again on a retry, never taken from anyone.

    ensure(project, place, base) -> Made | Reused | Parked | Hold
    standing(…)                  the tree itself, made, repaired or found; what the integration worktree needs too

Nothing of anybody's is removed: the one thing that goes is the registry entry of a worktree whose directory is gone.
"""

from __future__ import annotations

import shlex
import shutil
from pathlib import Path
from typing import NamedTuple

from stoat.gitstore.porcelain import GitFailed, git, legible
from stoat.gitstore.work.bases import Base, Hold
from stoat.gitstore.work.branches import branch_tip, commits_beyond, in_the_way, is_ancestor
from stoat.gitstore.work.leftovers import clear_up, drop_branch_locks
from stoat.gitstore.work.occupancy import Git, Occupied, occupied
from stoat.gitstore.work.places import Place, chosen_again, moved_here
from stoat.gitstore.work.torn import MAKING
from stoat.gitstore.work.worktrees import (
    Project,
    Registered,
    WorktreeLook,
    checked_out_at,
    entry_at,
    look,
    pointed_at,
    registry,
    set_owner,
    why_not_intact,
)

PATIENCE = 120.0  # seconds to wait for another runner that is at work in the same place
_CHECKOUT_SECONDS = 3600.0


class Made(NamedTuple):
    """A new worktree on the node's branch at `head`, cut from `base`; `notes` is what a failing hook said."""

    path: Path
    head: str
    base: Base
    notes: str = ""


class Reused(NamedTuple):
    """The worktree of an earlier attempt, or of a branch that was there.

    moved_from: the commit it was at before it was fast-forwarded to `base`; None when it did not move.
    left: why it was left as it is (commits or changes of its own); None when it moved or was at its base already.
    """

    path: Path
    head: str
    base: Base
    moved_from: str | None = None
    left: str | None = None


class Parked(NamedTuple):
    """A person has to look: nothing was changed. `state` is one word for it, `commands` what would settle it."""

    why: str
    state: str
    commands: tuple[str, ...] = ()


def ensure(project: Project, place: Place, base: Base) -> Made | Reused | Parked | Hold:
    """The node's worktree at `place`, ready for an agent.

    A new one starts at `base`. One with nothing of its own is moved up to `base`; one with commits or changes is left
    as it is. Detached, on another branch, amid an operation, locked away or cut off from its repository: Parked.
    Hold when another process is at work there or git could not do it now.
    """
    try:
        with occupied(project.common, *place.names, patience=PATIENCE) as run:
            place = chosen_again(project, place)
            existed = branch_tip(project.directory, place.branch) is not None
            stood = standing(run, project, place, base.commit)
            if isinstance(stood, Parked):
                return stood
            seen, made, notes = stood
            if made and not existed:
                return Made(place.path, seen.head or base.commit, base, notes)
            return _reuse(run, project, place, base, seen)
    except Occupied as error:
        return Hold(str(error))
    except GitFailed as error:
        return Hold(f"git could not prepare {place.path}: {legible(error.why)}")


class Stood(NamedTuple):
    """A worktree that git and its directory agree on: how it looks, and whether it was made just now."""

    seen: WorktreeLook
    made: bool
    notes: str = ""


def standing(run: Git, project: Project, place: Place, start: str) -> Stood | Parked:
    """The worktree at `place`, made from its branch (a new branch starts at `start`) unless it is there already.

    What was half made by a process that died is finished; a moved one is tied to its repository again.
    """
    if place.taken is not None:
        return Parked(place.taken, "taken")
    if moved_here(project, registry(project), place) is not None:
        run(project.directory, "worktree", "repair", str(place.path))
    entry = entry_at(project, place.path)
    if entry is not None and not place.path.exists():
        refused = _forget(run, project, entry)
        if refused is not None:
            return refused
        entry = None
    if entry is None:
        return _make(run, project, place, start)
    return _stand_up(run, project, place, entry, start)


def _stand_up(run: Git, project: Project, place: Place, entry: Registered, start: str) -> Stood | Parked:
    path = place.path
    half_made = entry.locked == MAKING
    if half_made and entry.own is not None and path.is_dir() and {each.name for each in path.iterdir()} <= {".git"}:
        (path / ".git").unlink(missing_ok=True)
        path.rmdir()
        shutil.rmtree(entry.own)  # git does not take an entry back that it had not written to the end
        return _make(run, project, place, start)
    problem = why_not_intact(project, path)
    if problem is not None and _names_lost(path, entry):
        run(project.directory, "worktree", "repair", str(path))
        problem = why_not_intact(project, path)
    if problem is not None:
        return Parked(f"{path}: {problem}", "cut off", _tie_again(path, entry))
    if half_made:
        theirs = clear_up(run, path, place.branch, None)
        if theirs:
            return Parked(f"{path} was only half made and has files of somebody's: {', '.join(theirs)}", "half made")
        _finish(run, project, place)
    seen = look(project, path)
    if not seen.exists:
        return Parked(f"{path}: {seen.problem}", "unreadable", (_command(project, "fsck"),))
    return Stood(seen, half_made)


def _tie_again(path: Path, entry: Registered) -> tuple[str, ...]:
    """The command that gives `path` its `.git` file back; none when the file there is good for something else.

    Not `git worktree repair`: without a path it goes through every worktree, with one it needs the file.
    """
    target = pointed_at(path)
    if entry.own is None or (target is not None and target.exists()):
        return ()
    return (f"echo {shlex.quote(f'gitdir: {entry.own}')} > {shlex.quote(str(path / '.git'))}",)


def _names_lost(path: Path, entry: Registered) -> bool:
    """Whether `path` names this very entry at a place where it no longer is: the project was moved."""
    target = pointed_at(path)
    return target is not None and entry.own is not None and not target.exists() and target.name == entry.own.name


def _make(run: Git, project: Project, place: Place, start: str) -> Stood | Parked:
    elsewhere = checked_out_at(project, place.branch)
    if elsewhere:
        return Parked(f"{place.branch} is checked out at {elsewhere[0]}", "checked out elsewhere")
    other = in_the_way(project.directory, place.branch)
    if other is not None:
        return Parked(f"{place.branch} cannot be made while there is a branch {other}", "name taken")
    drop_branch_locks(project, place.branch)
    # The lock is there from git's first step to our last one, so a worktree that nobody finished shows it.
    adding = ["worktree", "add", "--quiet", "--no-guess-remote", "--lock", "--reason", MAKING]
    new = [] if branch_tip(project.directory, place.branch) else ["--no-track", "-b", place.branch]
    adding += [*new, str(place.path), start if new else place.branch]
    ran = run(project.directory, *adding, check=False, timeout=_CHECKOUT_SECONDS)
    entry = entry_at(project, place.path)
    if entry is None or entry.branch != place.branch:
        said = legible(ran.err.strip() or f"git worktree add gave {ran.code}")
        raise GitFailed(project.directory, tuple(adding), ran, said.splitlines()[-1])
    _finish(run, project, place)
    # git gives a failing post-checkout hook's code for a worktree that it did make.
    return Stood(look(project, place.path), True, legible(ran.err.strip()) if ran.code else "")


def _finish(run: Git, project: Project, place: Place) -> None:
    entry = entry_at(project, place.path)
    if entry is not None and entry.own is not None:
        set_owner(entry.own, place.branch)
    run(project.directory, "worktree", "unlock", str(place.path))


def _forget(run: Git, project: Project, entry: Registered) -> Parked | None:
    """Take exactly this entry, whose directory is gone, out of the registry; Parked when that could lose anything."""
    path = str(entry.path)
    unlock = _command(project, "worktree", "unlock", path)
    remove = _command(project, "worktree", "remove", path)
    if entry.locked is not None and entry.locked != MAKING:
        reason = f" ({entry.locked})" if entry.locked else ""
        return Parked(f"{path} is gone, but somebody locked it{reason}", "locked", (unlock, remove))
    if entry.branch is None and entry.head and entry.head.strip("0"):
        rescue = _rescue(project.directory, entry.head)
        if rescue:
            why = f"{path} is gone, and its commit {entry.head[:7]} is on no branch"
            return Parked(why, "detached", (*rescue, remove))
    if entry.locked is not None:
        run(project.directory, "worktree", "unlock", path)
    run(project.directory, "worktree", "remove", path)
    return None


def _reuse(run: Git, project: Project, place: Place, base: Base, seen: WorktreeLook) -> Reused | Parked:
    path = place.path
    if seen.operation is not None:
        why = f"a {seen.operation} was left in progress in {path}; the node waits until somebody finishes or ends it"
        return Parked(why, seen.operation, (shlex.join(("git", "-C", str(path), "status")),))
    if seen.detached or seen.branch != place.branch:
        now = f"the branch {seen.branch}" if seen.branch else f"no branch, at {(seen.head or '')[:7]}"
        commands = (*_rescue(path, seen.head), shlex.join(("git", "-C", str(path), "switch", place.branch)))
        return Parked(f"{path} has {now} checked out", "detached" if seen.detached else "other branch", commands)
    if seen.head is None:
        return Parked(f"{path} is on a branch without a commit", "unborn")
    if seen.dirty:
        return Reused(path, seen.head, base, left=f"uncommitted changes in {_few(seen.dirty)}")
    own = commits_beyond(path, seen.head, base.commit)
    if own is None or (not own and is_ancestor(path, seen.head, base.commit) is None):
        return Reused(path, seen.head, base, left=f"git cannot tell how it stands to {base.label}")
    if own:
        return Reused(path, seen.head, base, left=f"{len(own)} commit{'s'[: len(own) > 1]} of its own")
    if seen.head == base.commit:
        return Reused(path, seen.head, base)
    moved = run(path, "merge", "--ff-only", "--no-overwrite-ignore", "--quiet", base.commit, check=False)
    if branch_tip(path, place.branch) != base.commit:
        said = legible(moved.err.strip() or moved.out.strip() or "no reason given").splitlines()[-1]
        return Reused(path, seen.head, base, left=f"git would not move it: {said}")
    return Reused(path, base.commit, base, moved_from=seen.head)


def _rescue(directory: Path, head: str | None) -> tuple[str, ...]:
    """The command that names a commit which no ref holds, so that leaving it loses nothing; none for any other."""
    if head is None or git(directory, "for-each-ref", "--count=1", f"--contains={head}").out:
        return ()
    return (shlex.join(("git", "-C", str(directory), "branch", f"rescued-{head[:7]}", head)),)


def _few(names: tuple[str, ...]) -> str:
    rest = f" and {len(names) - 3} more" if len(names) > 3 else ""
    return ", ".join(names[:3]) + rest


def _command(project: Project, *args: str) -> str:
    return shlex.join(("git", "-C", str(project.directory), *args))
