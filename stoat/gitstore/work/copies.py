"""Files that git does not have and a worktree needs (`.env`, certificates), copied from the project's checkout.

    files_of(project, names)          what `--copy NAME…` means: every file below, or Refused with all that is wrong
    bring(project, worktree, names)   copy them into a worktree, once; Refused where git would take one for work
    is_kept_elsewhere(root, tree, …)  whether what a worktree has of that is in the main work tree as it is

A link is never followed out of the project, nothing that is there is written over, and what git tracks or would add
is refused: it would be committed with an agent's work. A file comes into its place whole: only its draft, beside it
under a name that nobody else has, is ever cleared away.
"""

from __future__ import annotations

import os
import re
import secrets
import shlex
import shutil
import stat
from collections.abc import Sequence
from pathlib import Path, PurePosixPath
from typing import NamedTuple

from stoat.errors import Refused
from stoat.gitstore.porcelain import git, zsplit
from stoat.gitstore.work.worktrees import git_directory

_DONE, _BEGUN = "stoat-copied", "stoat-copying"
_DRAFT = re.compile(r"\.stoat-[0-9a-f]{32}\.copying")
_MOST_NAMED = 5
_PORTION = 1 << 16


class Wanted(NamedTuple):
    """One file or link below the project, by its path from there."""

    path: str
    link: bool


def files_of(project: Path, names: Sequence[str]) -> tuple[Wanted, ...]:
    """The files and links that these paths of the project hold; Refused with everything that is wrong with them."""
    found: dict[str, Wanted] = {}
    wrong: list[str] = []
    for name in names:
        problem = _why_not_a_name(project, name)
        if problem is not None:
            wrong.append(f"{name!r} {problem}")
            continue
        _walk(project, PurePosixPath(name), found, wrong, top=True)
    if wrong:
        raise Refused(
            f"--copy: {'; '.join(wrong[:_MOST_NAMED])}",
            hint="name files or directories of the project's checkout, from its top",
        )
    _check_git(project, sorted(found), where="the project's checkout")
    return tuple(found.values())


def bring(project: Path, worktree: Path, names: Sequence[str]) -> int:
    """Copy what is asked for into a worktree, unless that was done before; gives how many were copied. What is there
    stays as it is. Refused as in `files_of`; OSError as the disk has it."""
    own = git_directory(worktree)
    done, begun = own / _DONE, own / _BEGUN
    if not names or _noted(done) == list(names):
        return 0
    for path in _noted(begun):  # drafts of a process that was killed over them
        if _DRAFT.fullmatch(Path(path).name) and not _is_led_away(worktree, worktree / path):
            (worktree / path).unlink(missing_ok=True)
    wanted = files_of(project, names)
    _check_git(worktree, [one.path for one in wanted], where="the worktree")
    missing = [one for one in wanted if _is_room(worktree, worktree / one.path)]
    drafts = {one: Path(one.path).with_name(f".stoat-{secrets.token_hex(16)}.copying") for one in missing}
    _note(begun, [str(draft) for draft in drafts.values()])
    copied = sum(_copy(project / one.path, worktree / one.path, worktree / drafts[one], one) for one in missing)
    _note(done, names)
    begun.unlink()
    return copied


def is_kept_elsewhere(root: Path, tree: Path, path: str) -> bool:
    """Whether the main work tree at `root` has the same as what is at `path` in `tree`, byte for byte: each file of it
    in a file of its own, through no link. A directory without a file has nothing to lose, and counts."""
    if root == tree or root.is_relative_to(tree):
        return False
    here, there = tree / path, root / path
    try:
        mode = here.lstat().st_mode
        if stat.S_ISDIR(mode):
            return all(is_kept_elsewhere(root, tree, str(Path(path, one.name))) for one in here.iterdir())
        if there.resolve() != there or stat.S_IFMT(there.lstat().st_mode) != stat.S_IFMT(mode):
            return False
        return stat.S_ISREG(mode) and _is_same(here, there)
    except OSError:
        return False


def _is_same(one: Path, other: Path) -> bool:
    """Whether two files hold the same bytes now; what was read of them before counts for nothing."""
    with one.open("rb") as here, other.open("rb") as there:
        while True:
            mine, theirs = here.read(_PORTION), there.read(_PORTION)
            if mine != theirs:
                return False
            if not mine:
                return True


def _noted(note: Path) -> list[str]:
    if not note.exists():
        return []
    return os.fsdecode(note.read_bytes()).split("\0")


def _note(note: Path, names: Sequence[str]) -> None:
    replaced_by = note.with_name(f"{note.name}.new")
    replaced_by.write_bytes(os.fsencode("\0".join(names)))
    replaced_by.replace(note)


def _why_not_a_name(project: Path, name: str) -> str | None:
    path = PurePosixPath(name)
    if not name or path.is_absolute() or ".." in path.parts or path == PurePosixPath("."):
        return "is no path below the project"
    if ".git" in path.parts:
        return "is git's own"
    if not os.path.lexists(project / name):
        return "is not there"
    return None


def _walk(project: Path, path: PurePosixPath, found: dict[str, Wanted], wrong: list[str], *, top: bool = False) -> None:
    """Note a file, or all that a directory holds; links only where they stay in the project."""
    place = project / path
    if ".git" in path.parts:
        wrong.append(f"{str(path)!r} is git's own")
        return
    if not place.parent.resolve().is_relative_to(project.resolve()):
        wrong.append(f"{str(path)!r} leads out of the project")
        return
    mode = place.lstat().st_mode
    if stat.S_ISLNK(mode):
        if not place.resolve().is_relative_to(project.resolve()):
            wrong.append(f"{str(path)!r} is a link out of the project")
        elif place.readlink().is_absolute():
            wrong.append(f"{str(path)!r} is a link by an absolute path, the project's own file in every worktree")
        elif top and place.is_file():
            found[str(path)] = Wanted(str(path), False)
        else:
            found[str(path)] = Wanted(str(path), True)
    elif stat.S_ISDIR(mode):
        for inside in sorted(place.iterdir()):
            _walk(project, path / inside.name, found, wrong)
    elif stat.S_ISREG(mode):
        found[str(path)] = Wanted(str(path), False)
    else:
        wrong.append(f"{str(path)!r} is no file")


def _check_git(checkout: Path, paths: Sequence[str], *, where: str) -> None:
    """Refused where git tracks one of the paths there, or would add it."""
    if not paths:
        return
    tracked = set(zsplit(git(checkout, "--literal-pathspecs", "ls-files", "-z", "--", *_tops(paths)).out)) & set(paths)
    if tracked:
        raise Refused(
            f"--copy: git tracks {_named(sorted(tracked))} in {where}: a worktree has its own",
            hint="leave it out of --copy",
        )
    asked = "\0".join(paths).encode(errors="surrogateescape")
    said = git(checkout, "check-ignore", "-z", "--stdin", input=asked, check=False)
    loose = sorted(set(paths) - set(zsplit(said.out)))
    if loose:
        raise Refused(
            f"--copy: git does not ignore {_named(loose)} in {where}, so that an agent could commit it",
            hint=f"add it to .gitignore on the base, or for this clone alone: echo {shlex.quote('/' + _top(loose[0]))}"
            " >> .git/info/exclude",
        )


def _tops(paths: Sequence[str]) -> list[str]:
    return sorted({_top(path) for path in paths})


def _top(path: str) -> str:
    return PurePosixPath(path).parts[0]


def _named(paths: Sequence[str]) -> str:
    more = f" and {len(paths) - _MOST_NAMED} more" if len(paths) > _MOST_NAMED else ""
    return ", ".join(paths[:_MOST_NAMED]) + more


def _is_room(worktree: Path, target: Path) -> bool:
    """Whether a file may be made there: what is in its place already stays."""
    return not os.path.lexists(target) and not _is_led_away(worktree, target)


def _copy(source: Path, target: Path, draft: Path, one: Wanted) -> bool:
    """Put a copy in its place, whole; False where somebody put something there meanwhile, which stays."""
    target.parent.mkdir(parents=True, exist_ok=True)
    try:
        if one.link:
            target.symlink_to(source.readlink())
            return True
        handle = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600)
        try:
            with os.fdopen(handle, "wb") as written, source.open("rb") as read:
                shutil.copyfileobj(read, written)
                os.fchmod(written.fileno(), stat.S_IMODE(os.fstat(read.fileno()).st_mode))
            os.link(draft, target)  # a rename would write over what is there
        finally:
            draft.unlink()
    except FileExistsError:
        return False
    return True


def _is_led_away(worktree: Path, target: Path) -> bool:
    """Whether a directory on the way to it is a link out of the worktree."""
    return not target.parent.resolve().is_relative_to(worktree.resolve())
