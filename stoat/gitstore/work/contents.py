"""What only one worktree has: files that no commit holds, what is hidden or nested in it, and how much disk it takes.

indexed(tree)                  what git knows of, for the two below
unsaved(tree, index)           changes, hidden changes and ignored files, as git sees them
submodules(tree, index)        the submodules that are checked out in it
walk(path, own)                repositories and mounts inside, and bytes on disk
"""

from __future__ import annotations

import os
import re
from collections.abc import Collection
from pathlib import Path
from typing import NamedTuple

from stoat.gitstore.porcelain import Ran, git, zsplit
from stoat.gitstore.work.worktrees import parse_status

_SIGNATURE = b"Signature: 8a477f597d28d172789f06886806bc55"  # of a CACHEDIR.TAG: what is beside it can be made again
SUBMODULE = "160000"
"""The mode of a submodule in the index."""
_MOUNTS = Path("/proc/self/mountinfo")
_OCTAL = re.compile(r"\\([0-7]{3})")  # how the kernel writes a blank in a name


class Tree(NamedTuple):
    """A work tree and its git directory: git is told both, as the `.git` file may be gone by a removal cut short."""

    path: Path
    own: Path

    def git(self, *args: str, check: bool = True) -> Ran:
        """Run git there, believing neither a cache of untracked files nor coarse time stamps."""
        exact = ("-c", "core.untrackedCache=false", "-c", "core.trustctime=true", "-c", "core.checkStat=default")
        return git(self.path, f"--git-dir={self.own}", f"--work-tree={self.path}", *exact, *args, check=check)


class Indexed(NamedTuple):
    """An entry of the index: git's letter for its state (lower case: taken as unchanged), its mode, its path."""

    letter: str
    mode: str
    path: str


class Unsaved(NamedTuple):
    """Paths, as they are: with changes that no commit has, with changes that git does not look for, ignored ones."""

    changed: tuple[str, ...]
    hidden: tuple[str, ...]
    ignored: tuple[str, ...]


class Walked(NamedTuple):
    """Below a directory: what has a `.git` of its own or is mounted there, what cannot be read, and the bytes."""

    repositories: tuple[Path, ...]
    mounts: tuple[Path, ...]
    unreadable: tuple[Path, ...]
    bytes: int


def indexed(tree: Tree) -> tuple[Indexed, ...]:
    """Everything in the index, submodules included."""
    found = []
    for entry in zsplit(tree.git("ls-files", "-v", "--stage", "-z").out):
        about, _, path = entry.partition("\t")
        letter, mode, *_ = about.split(" ")
        found.append(Indexed(letter, mode, path))
    return tuple(found)


def unsaved(tree: Tree, index: Collection[Indexed], *, interrupted: bool = False) -> Unsaved:
    """What of the tree no commit has. After an interrupted removal a file that is merely missing is no change."""
    shape = ("--porcelain=v2", "-z", "--branch", "--untracked-files=all", "--no-renames", "--ignore-submodules=none")
    said = tree.git("status", *shape).out
    changed = parse_status(said)[2]
    if interrupted:
        missing = {each.split(" ", 8)[-1] for each in zsplit(said) if each.startswith("1 .D ")}
        changed = tuple(path for path in changed if path not in missing)
    return Unsaved(changed, _hidden(tree, index), _ignored(tree))


def _hidden(tree: Tree, index: Collection[Indexed]) -> tuple[str, ...]:
    """Files there that are marked skip-worktree or assume-unchanged: `git status` says nothing of their changes."""
    marked = [entry.path for entry in index if entry.letter == "S" or entry.letter.islower()]
    return tuple(path for path in marked if os.path.lexists(tree.path / path))


def _ignored(tree: Tree) -> tuple[str, ...]:
    """Ignored files, whole directories as one, without those that declare themselves rebuildable."""
    options = ("--others", "--ignored", "--exclude-standard", "--directory", "--no-empty-directory", "-z")
    return tuple(path for path in zsplit(tree.git("ls-files", *options).out) if not _is_cache(tree.path / path))


def _is_cache(place: Path) -> bool:
    """Whether a directory can be made again: its CACHEDIR.TAG says so, it holds Python's compiled files only, or such
    directories only.
    """
    if place.is_symlink() or not place.is_dir():
        return False
    try:
        if place.name == "__pycache__":
            return all(each.suffix == ".pyc" and each.is_file() and not each.is_symlink() for each in place.iterdir())
        with (place / "CACHEDIR.TAG").open("rb") as tag:
            return tag.read(len(_SIGNATURE)) == _SIGNATURE
    except FileNotFoundError:
        return all(map(_is_cache, place.iterdir()))
    except OSError:
        return False


def submodules(tree: Tree, index: Collection[Indexed]) -> dict[Path, Tree]:
    """The submodules that are checked out in a tree, and those in them, by their place."""
    found: dict[Path, Tree] = {}
    for entry in index:
        if entry.mode != SUBMODULE:
            continue
        place = tree.path / entry.path
        if place.is_symlink() or not os.path.lexists(place / ".git"):
            continue
        own = Path(git(place, "rev-parse", "--absolute-git-dir").out.removesuffix("\n"))
        found[place] = Tree(place, own)
        found.update(submodules(found[place], indexed(found[place])))
    return found


def walk(path: Path) -> Walked:
    """Everything below `path`; links are not followed, and what is mounted there is not gone into."""
    repositories: list[Path] = []
    unreadable: list[Path] = []
    mounted = set(_mounted())
    mounts = []
    counted: set[tuple[int, int]] = set()
    total = 0
    device = path.lstat().st_dev
    places = [path]
    while places:
        place = places.pop()
        try:
            entries = list(os.scandir(place))
        except OSError:
            unreadable.append(place)
            continue
        for entry in entries:
            try:
                told = entry.stat(follow_symlinks=False)
            except OSError:
                unreadable.append(Path(entry.path))
                continue
            if entry.name == ".git" and place != path:
                repositories.append(place)
            if told.st_dev != device or entry.path in mounted:
                mounts.append(Path(entry.path))
                continue
            if told.st_nlink == 1 or (told.st_dev, told.st_ino) not in counted:
                counted.add((told.st_dev, told.st_ino))
                total += told.st_blocks * 512
            if entry.is_dir(follow_symlinks=False):
                places.append(Path(entry.path))
    return Walked(tuple(sorted(repositories)), tuple(sorted(mounts)), tuple(sorted(unreadable)), total)


def _mounted() -> Collection[str]:
    """Where something is mounted, as far as the kernel says: one of the same disk shows nowhere else."""
    try:
        lines = _MOUNTS.read_text(encoding="utf-8", errors="surrogateescape").splitlines()
    except OSError:
        return ()
    return {_OCTAL.sub(lambda found: chr(int(found[1], 8)), line.split(" ")[4]) for line in lines}
