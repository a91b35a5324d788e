"""Worktrees that could go: what speaks against one, and removing one after that was looked at again.

    candidates(project)                          what git's registry lists, in its order, without the main work tree
    Around(project)                              what they share, as it is now: the registry, refs, who stands where
    look_at(project, entry, now, pull, around)   everything that is known of one, and the bytes it takes
    remove(project, fact, again, branch)         that one worktree; gives what it found instead when it differs
    look_at_branch(project, left, now, around)   the same of a branch that an earlier removal left behind,
    remove_branch(project, fact, again)          and removing that

Nothing is decided here: `derive/prune.py` judges the facts, and `remove` acts only while they are still the same.
"""

from __future__ import annotations

from collections.abc import Callable, Collection
from functools import cached_property
from pathlib import Path
from typing import Literal, NamedTuple

from msgspec.structs import replace

from stoat.gitstore.porcelain import GitFailed, git, legible
from stoat.gitstore.work.branches import HEADS, branch_tip, commit_of
from stoat.gitstore.work.contents import SUBMODULE, Tree, indexed, submodules, unsaved, walk
from stoat.gitstore.work.copies import is_kept_elsewhere
from stoat.gitstore.work.landed import LANDED
from stoat.gitstore.work.occupancy import Git, Occupied, occupied
from stoat.gitstore.work.proofs import RemoteNow, lacking
from stoat.gitstore.work.pruned_branches import LeftBehind, left_behind, promised
from stoat.gitstore.work.traces import STASH, landing_of, local_refs, named, stashes, submodule_trouble, survivors
from stoat.gitstore.work.worktrees import (
    Project,
    Registered,
    checked_out_at,
    operation_in,
    owner_mark,
    registry,
    why_not_intact,
)
from stoat.plan.worktree import WorktreeFact
from stoat.processes.whereabouts import Whereabouts

_NOTE = "stoat-removing"
_AGENTS = Path(".claude") / "worktrees"
_PATIENCE = 1.0
_REMOVE_SECONDS = 3600.0
_LOCKS = ("*.lock", "refs/**/*.lock")


class Looked(NamedTuple):
    """A worktree's facts, and the bytes that it takes on disk."""

    fact: WorktreeFact
    bytes: int


class Removed(NamedTuple):
    """It is gone; and its branch with it, when `branch` names one."""

    branch: str | None


class NotRemoved(NamedTuple):
    """It is still there: `why`, or the facts as they are by now where those differ from what was judged."""

    why: str | None = None
    now: Looked | None = None


class Around:
    """What all worktrees share, each looked at once and when it is first asked for. What is removed is looked at with
    one of that moment.
    """

    def __init__(self, project: Project) -> None:
        self._project = project

    @cached_property
    def entries(self) -> list[Registered]:
        """Git's registry of worktrees."""
        return registry(self._project)

    @cached_property
    def refs(self) -> dict[str, str]:
        """The commits of local branches, tags and the stash."""
        return local_refs(self._project.common)

    @cached_property
    def people(self) -> Whereabouts:
        """Where this user's processes stand."""
        return Whereabouts()

    def entry_at(self, path: Path) -> Registered | None:
        """What the registry has for the worktree at `path`, a real path."""
        return next((entry for entry in self.entries if entry.path.resolve() == path), None)


def candidates(around: Around) -> list[Registered]:
    """The linked worktrees, as git's registry lists them; copies that git does not know are none."""
    return [entry for entry in around.entries if entry.own is not None]


def look_at(
    project: Project, entry: Registered, now: RemoteNow, pull: Collection[str] = (), around: Around | None = None
) -> Looked:
    """Everything that `derive.prune` asks about one worktree. `pull` are the commits of the pull request meant.

    Of a worktree that is not Stoat's nor an agent's only its size is looked at.
    """
    around = around or Around(project)
    path, own = entry.path.resolve(), entry.own
    assert own is not None
    mark = owner_mark(own)
    others = {each.path.resolve(): each.bare for each in around.entries}
    others.pop(path, None)
    kind = _kind(project, path, mark, [place for place, bare in others.items() if not bare])
    fact = WorktreeFact(
        path=str(path), kind=kind, made_for=mark, branch=entry.branch, head=entry.head, locked=entry.locked,
        gone=not path.is_dir(), interrupted=(own / _NOTE).exists(),
    )  # fmt: skip
    if fact.gone and not fact.interrupted:
        return Looked(fact, 0)
    walked = None if fact.gone else walk(path)
    if kind == "other" or entry.locked is not None:
        return Looked(fact, walked.bytes if walked else 0)
    try:
        if walked is not None:
            problem = why_not_intact(project, path)
            if problem is not None and not (fact.interrupted and not (path / ".git").exists()):
                return Looked(replace(fact, problem=problem), walked.bytes)
            if walked.unreadable:
                problem = f"{_below(path, walked.unreadable[0])} cannot be read"
                return Looked(replace(fact, problem=problem), walked.bytes)
            tree, places = Tree(path, own), (*walked.mounts, *others)
            fact = _with_contents(project, fact, tree, {*walked.repositories}, places, around)
        fact = _with_commits(project, fact, own, now, pull, around)
    except (GitFailed, OSError) as failed:
        why = failed.why if isinstance(failed, GitFailed) else str(failed)
        fact = replace(fact, problem=f"git cannot read it: {legible(why)}")
    return Looked(fact, walked.bytes if walked else 0)


def _kind(
    project: Project, path: Path, mark: str | None, others: Collection[Path]
) -> Literal["stoat", "agent", "other"]:
    """Whose it is. Inside another work tree only the agents' own directory holds any that are looked at."""
    if path.name.startswith("agent-") and any(path.parent == other / _AGENTS for other in others):
        return "agent"
    nested = any(path.is_relative_to(other) for other in (*others, project.common))
    return "stoat" if mark is not None and not nested else "other"


def _with_contents(
    project: Project, fact: WorktreeFact, tree: Tree, repositories: set[Path], places: Collection[Path],
    around: Around,
) -> WorktreeFact:  # fmt: skip
    """`places` are mounts and other worktrees; what of them is inside the tree counts."""
    index = indexed(tree)
    left = unsaved(tree, index, interrupted=fact.interrupted)
    inner = submodules(tree, index)
    ignored = [one for one in left.ignored if not is_kept_elsewhere(project.root, tree.path, one)]
    inside = {*(repositories - set(inner)), *(at for at in places if at.is_relative_to(tree.path))}
    return replace(
        fact,
        operation=operation_in(tree.own) or ("landing" if (tree.own / "stoat-landing").exists() else None),
        changed=tuple(map(legible, left.changed)),
        hidden=tuple(map(legible, left.hidden)),
        ignored=tuple(map(legible, ignored)),
        inside=tuple(_below(tree.path, place) for place in sorted(inside)),
        busy=tuple(sorted(lock.name for pattern in _LOCKS for lock in tree.own.glob(pattern))),
        processes=around.people.within(tree.path),
        submodules=submodule_trouble(tree, inner),
    )


def _with_commits(
    project: Project, fact: WorktreeFact, own: Path | None, now: RemoteNow, pull: Collection[str], around: Around
) -> WorktreeFact:
    """`own` is the worktree's git directory, None for a branch that has no worktree any more."""
    common = project.common
    head = commit_of(common, fact.head) if fact.head and fact.head.strip("0") else None
    branch = fact.made_for
    # What the refs show as a commit is there; for what they do not, git is asked why.
    tip = (around.refs.get(HEADS + branch) or branch_tip(common, branch)) if branch is not None else None
    known = named(own, common, branch)
    copy = None
    lost = lacking(common, now, [each for each in (head, tip) if each])
    if lost and tip is not None and lacking(common, now, [head or tip], also=[tip]) == ():
        copy = landing_of(common, now, tip, LANDED)
        lost = () if copy is not None else lost
    # What the tip leads to stays on its branch, which is not deleted unless the remote has all of it.
    forgotten = lacking(
        common, now, known, also=[*(each for each in (head, tip) if each), *survivors(around.refs, branch)]
    )
    if lost is None or forgotten is None:
        return replace(fact, problem="git cannot tell which of its commits are on the remote")
    branches = {each for each in (branch, fact.branch) if each is not None}
    return replace(
        fact, head=head, tip=tip, unproven=lost, forgotten=forgotten, landed_as=copy,
        stashes=stashes(common, branches, known) if STASH in around.refs else (), in_pull=head in pull,
    )  # fmt: skip


def _below(top: Path, place: Path) -> str:
    return legible(str(place.relative_to(top)))


def remove(
    project: Project, fact: WorktreeFact, again: Callable[[Registered, Around], Looked], branch: str | None
) -> Removed | NotRemoved:
    """Remove the worktree that `fact` is of, if it is the same when looked at with `again` under the place's lock.

    `branch` is its local branch, to be deleted if nothing else has it checked out and it is where `fact` has it. A
    process that dies on the way leaves a note in the registry entry, and the next removal goes on from there.
    """
    path = Path(fact.path)
    try:
        with occupied(project.common, _lock_of(project, path), patience=_PATIENCE) as run:
            around = Around(project)
            entry = around.entry_at(path)
            if entry is None or entry.own is None:
                return NotRemoved("it is gone already")
            seen = again(entry, around)
            if seen.fact != fact:
                return NotRemoved(now=seen)
            with promised(project, branch, fact.tip, path):
                failed = _take_away(run, project, entry, entry.own)
                if failed is not None:
                    return NotRemoved(failed)
                return Removed(_drop(run, project, branch, fact.tip))
    except Occupied as error:
        return NotRemoved(str(error))
    except GitFailed as error:
        return NotRemoved(f"git could not remove it: {legible(error.why)}")


def look_at_branch(project: Project, left: LeftBehind, now: RemoteNow, around: Around) -> WorktreeFact:
    """What `look_at` says of a worktree, of a branch whose worktree a removal took away before it died."""
    fact = WorktreeFact(path=left.path, kind="stoat", made_for=left.branch, gone=True, interrupted=True)
    try:
        return _with_commits(project, fact, None, now, (), around)
    except (GitFailed, OSError) as failed:
        why = failed.why if isinstance(failed, GitFailed) else str(failed)
        return replace(fact, problem=f"git cannot read it: {legible(why)}")


def remove_branch(
    project: Project, left: LeftBehind, fact: WorktreeFact, again: Callable[[Around], WorktreeFact]
) -> str | None:
    """Delete the branch if it is as `fact` has it, under the lock of its worktree's place; gives it when it is gone."""
    try:
        with occupied(project.common, _lock_of(project, Path(left.path)), patience=_PATIENCE) as run:
            around = Around(project)
            if left not in left_behind(project, around.entries, around.refs) or again(around) != fact:
                return None
            with promised(project, left.branch, left.tip, Path(left.path)):
                return _drop(run, project, left.branch, left.tip)
    except (Occupied, GitFailed):
        return None


def _lock_of(project: Project, path: Path) -> str:
    return path.name.removeprefix(f"{project.root.name}-")


def _take_away(run: Git, project: Project, entry: Registered, own: Path) -> str | None:
    """Let git remove the worktree; why it did not, in its words."""
    path = entry.path
    note = own / _NOTE
    resumed = note.exists()
    note.touch()
    if resumed and path.is_dir() and not (path / ".git").exists():
        (path / ".git").write_text(f"gitdir: {own}\n", encoding="utf-8", errors="surrogateescape")
    # git refuses any worktree that has a submodule, and one of which a part is gone already; all of it was looked at.
    force = ["--force"] if resumed or (own / "modules").exists() or _has_submodules(path) else []
    whole = ("-c", "status.showUntrackedFiles=all")
    removing = ("worktree", "remove", *force, "--", str(path))
    ran = run(project.directory, *whole, *removing, check=False, timeout=_REMOVE_SECONDS)
    if ran.code == 0 and not own.exists():
        return None
    if not resumed and path.is_dir() and not git(path, "ls-files", "--deleted", check=False).out:
        note.unlink(missing_ok=True)  # it did not begin
    said = [line for line in ran.err.splitlines() if line.strip()]
    return f"git did not remove it: {legible(said[-1] if said else f'exit code {ran.code}')}"


def _has_submodules(path: Path) -> bool:
    if not path.is_dir():
        return False
    return any(line.startswith(f"{SUBMODULE} ") for line in git(path, "ls-files", "--stage").out.splitlines())


def _drop(run: Git, project: Project, branch: str | None, tip: str | None) -> str | None:
    """Delete a local branch that is at `tip` and checked out nowhere; gives it when it is gone."""
    if branch is None or tip is None or checked_out_at(project, branch):
        return None
    if run(project.directory, "update-ref", "-d", HEADS + branch, tip, check=False).code != 0:
        return None
    run(project.directory, "config", "--local", "--remove-section", f"branch.{branch}", check=False)
    return branch
