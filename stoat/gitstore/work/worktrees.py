"""The worktrees of a repository as git's own registry lists them, and what state one of them is in.

Nothing is known by a directory's name: a copy of a worktree, or a directory that happens to be called like one, is not
in the registry and so is none.
"""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

from stoat.gitstore.porcelain import GitFailed, git, legible, zsplit
from stoat.gitstore.work.branches import HEADS
from stoat.gitstore.work.torn import clear_torn

_OPERATIONS = (
    ("rebase-merge", "rebase"),
    ("rebase-apply", "rebase"),
    ("MERGE_HEAD", "merge"),
    ("CHERRY_PICK_HEAD", "cherry-pick"),
    ("REVERT_HEAD", "revert"),
    ("sequencer", "sequence of picks"),
    ("BISECT_START", "bisect"),
)


_OWNER = "stoat-branch"  # a file beside git's own in a registry entry: git lets it be, and removes it with the entry


class Project(NamedTuple):
    """A repository with its work tree, the same whatever path led to it.

    directory: the top of the work tree that was named (git runs here; a bare repository's own directory).
    root: the main work tree, real path: its parent holds the worktrees, its name begins theirs.
    common: the git directory that all worktrees share.
    """

    directory: Path
    root: Path
    common: Path


class Registered(NamedTuple):
    """One entry of git's registry.

    branch: what is checked out, without refs/heads/; None when detached. locked, prunable: git's reasons.
    own: its directory `<common>/worktrees/<id>`, None for the main work tree.
    owner: the branch that Stoat made it for, whatever is checked out now; of others' worktrees what is checked out.
    """

    path: Path
    head: str | None
    branch: str | None
    bare: bool
    locked: str | None
    prunable: str | None
    own: Path | None = None
    owner: str | None = None


class WorktreeLook(NamedTuple):
    """A worktree as it is now.

    exists: it is there and its git can be read; `problem` says what is wrong when it is not.
    branch: what is checked out, None when detached. head: the commit, None on an unborn branch.
    dirty: paths with changes that no commit has, untracked ones included, each once and legible.
    operation: rebase, merge, cherry-pick, revert, bisect … when one was left in progress.
    locked: the reason of its lock ("" for a lock without one).
    """

    exists: bool
    branch: str | None = None
    head: str | None = None
    dirty: tuple[str, ...] = ()
    operation: str | None = None
    detached: bool = False
    locked: str | None = None
    problem: str | None = None


def project_at(directory: Path) -> Project:
    """The project that `directory` is in: through symlinks, from a subdirectory or from a linked worktree.

    Raises GitFailed where there is no repository, or one that git does not trust (with the setting that would).
    """
    questions = ("--is-bare-repository", "--git-dir", "--git-common-dir")
    said = git(directory, "rev-parse", "--path-format=absolute", *questions)
    bare, git_dir, common_dir = said.out.removesuffix("\n").split("\n")
    own, common = Path(git_dir).resolve(), Path(common_dir).resolve()
    if bare == "true":
        return Project(common, _root_of_bare(common), common)
    top = Path(git(directory, "rev-parse", "--show-toplevel").out.removesuffix("\n")).resolve()
    if own == common:
        return Project(top, top, common)
    main = _listed(top, common)[0]
    return Project(top, _root_of_bare(common) if main.bare else main.path.resolve(), common)


def _root_of_bare(common: Path) -> Path:
    """What worktrees of a bare repository are named after: app for app.git, app/.git and app/.bare."""
    if common.name.startswith("."):
        return common.parent
    return common.with_name(common.name.removesuffix(".git"))


def registry(project: Project) -> list[Registered]:
    """Every worktree that git knows of, the main one first, whether or not its directory is still there.

    An entry of ours that a killed git left so that nobody can read the registry is taken out first.
    """
    own = {registered_for(entry): entry for entry in (project.common / "worktrees").glob("*")}
    entries = []
    for entry in _listed(project.directory, project.common):
        directory = own.get(entry.path.resolve())
        entries.append(entry._replace(own=directory, owner=owner_mark(directory) or entry.branch))
    return entries


def _listed(directory: Path, common: Path) -> list[Registered]:
    listing = ("worktree", "list", "--porcelain", "-z")
    listed = git(directory, *listing, check=False)
    if listed.code != 0:
        clear_torn(common)
        listed = git(directory, *listing)
    return parse_registry(listed.out)


def entry_at(project: Project, path: Path) -> Registered | None:
    """What the registry has for the worktree at `path`."""
    path = path.resolve()
    return next((entry for entry in registry(project) if entry.path.resolve() == path), None)


def set_owner(entry: Path, branch: str) -> None:
    """Note in a registry entry which branch its worktree is for: agents check other things out in theirs."""
    (entry / _OWNER).write_text(f"{branch}\n", encoding="utf-8")


def owner_mark(entry: Path | None) -> str | None:
    """The branch that Stoat made the worktree of a registry entry for; None for one that it did not make."""
    try:
        return (entry / _OWNER).read_text(encoding="utf-8").strip() or None if entry else None
    except OSError:
        return None


def parse_registry(text: str) -> list[Registered]:
    """The output of `git worktree list --porcelain -z`."""
    entries = []
    for record in text.split("\0\0"):
        fields: dict[str, str] = {}
        for line in record.split("\0"):
            name, _, value = line.partition(" ")
            fields[name] = value
        if "worktree" in fields:
            branch = fields.get("branch")
            entries.append(
                Registered(
                    Path(fields["worktree"]),
                    fields.get("HEAD"),
                    branch.removeprefix(HEADS) if branch is not None else None,
                    "bare" in fields,
                    fields.get("locked"),
                    fields.get("prunable"),
                )
            )
    return entries


def checked_out_at(project: Project, branch: str) -> list[Path]:
    """Where a branch is checked out, or being rebased or bisected so that git would put it back there."""
    places = []
    for entry in registry(project):
        if entry.branch == branch or (entry.branch is None and branch in _set_aside(entry.path)):
            places.append(entry.path)
    return places


def _set_aside(path: Path) -> set[str]:
    """The branches that an operation in progress in this worktree will return to."""
    try:
        own = git_directory(path)
    except GitFailed:
        return set()
    names = set()
    for file in ("rebase-merge/head-name", "rebase-apply/head-name", "BISECT_START"):
        place = own / file
        if place.is_file():
            names.add(place.read_text(encoding="utf-8", errors="replace").strip().removeprefix(HEADS))
    return names


def git_directory(worktree: Path) -> Path:
    """A worktree's own git directory (its HEAD, index and operations in progress)."""
    return Path(git(worktree, "rev-parse", "--absolute-git-dir").out.removesuffix("\n"))


def look(project: Project, path: Path) -> WorktreeLook:
    """The state of the worktree at `path`; what git's registry does not list there does not exist."""
    path = path.resolve()
    entry = entry_at(project, path)
    if entry is None:
        return WorktreeLook(False, problem=f"git lists no worktree at {path}")
    if not path.is_dir():
        return WorktreeLook(False, entry.branch, entry.head, locked=entry.locked, problem="its directory is gone")
    problem = why_not_intact(project, path)
    if problem is not None:
        return WorktreeLook(False, entry.branch, entry.head, locked=entry.locked, problem=problem)
    try:
        branch, head, dirty = status(path)
        operation = operation_in(git_directory(path))
    except GitFailed as error:
        return WorktreeLook(
            False, entry.branch, entry.head, locked=entry.locked, problem=f"git cannot read it: {legible(error.why)}"
        )
    files = tuple(map(legible, dirty))
    return WorktreeLook(True, branch, head, files, operation, branch is None, entry.locked)


def why_not_intact(project: Project, path: Path) -> str | None:
    """What is wrong with a worktree's tie to its repository (no `.git`, somebody else's); None when it holds."""
    pointer = path / ".git"
    if path == project.root and pointer.is_dir():
        return None
    if not pointer.is_file():
        return "its .git file is gone"
    target = pointed_at(path)
    if target is None or not target.is_dir():
        return "its .git file points to where no repository is (was the project moved?)"
    if target == project.common:
        return None
    if target.parent.parent != project.common:
        return "its .git file points into another repository"
    if registered_for(target) != path:
        return "its .git file is that of another worktree (is it a copy?)"
    return None


def registered_for(entry: Path) -> Path | None:
    """The work tree that an entry of the registry (`<common>/worktrees/<id>`) says it belongs to, real path."""
    try:
        text = (entry / "gitdir").read_text(encoding="utf-8", errors="surrogateescape")
    except OSError:
        return None
    return (entry / text.removesuffix("\n")).parent.resolve()


def pointed_at(path: Path) -> Path | None:
    """The git directory that the `.git` file at `path` names, real path, whether or not it exists; None without one."""
    try:
        text = (path / ".git").read_text(encoding="utf-8", errors="surrogateescape")
    except OSError:
        return None
    if not text.startswith("gitdir:"):
        return None
    return (path / text.removeprefix("gitdir:").strip()).resolve()


def missing_hooks(path: Path) -> str | None:
    """The hooks directory that core.hooksPath names and that is not there for the worktree at `path`, else None.

    Commits made there run no hooks, where in the main checkout (with its generated directory) they may.
    """
    if git(path, "config", "--get", "core.hooksPath", check=False).code != 0:
        return None
    directory = path / git(path, "rev-parse", "--git-path", "hooks").out.removesuffix("\n")
    return None if directory.is_dir() else str(directory)


def operation_in(git_dir: Path) -> str | None:
    """The operation that was left in progress in the worktree with this git directory, or None."""
    return next((name for file, name in _OPERATIONS if (git_dir / file).exists()), None)


def status(path: Path) -> tuple[str | None, str | None, tuple[str, ...]]:
    """What is checked out at `path` (None: detached), its commit (None: unborn), and the dirty paths as they are."""
    shape = ("--porcelain=v2", "-z", "--branch")
    extent = ("--untracked-files=all", "--no-renames", "--ignore-submodules=none")
    return parse_status(git(path, "status", *shape, *extent).out)


def parse_status(text: str) -> tuple[str | None, str | None, tuple[str, ...]]:
    """`git status --porcelain=v2 -z --branch --no-renames` as branch (None: detached), commit and dirty paths."""
    branch: str | None = None
    head: str | None = None
    dirty: dict[str, None] = {}
    for record in zsplit(text):
        kind, _, rest = record.partition(" ")
        if kind == "#":
            name, _, value = rest.partition(" ")
            if name == "branch.head":
                branch = None if value == "(detached)" else value
            elif name == "branch.oid":
                head = None if value == "(initial)" else value
        elif kind in _PATH_AFTER:
            dirty[rest.split(" ", _PATH_AFTER[kind])[-1]] = None
    return branch, head, tuple(dirty)


# How many fields stand before the path in each kind of record.
_PATH_AFTER = {"1": 7, "u": 9, "?": 0}
