"""Where the store is, and whether its repository is one that Stoat can open.

git itself finds the repository and reads its settings, so that linked worktrees, bare repositories, symbolic links,
ceilings and `safe.directory` mean here what they mean to git. Variables like GIT_DIR are not listened to.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from stoat.errors import NotFound, StoreUnreadable
from stoat.gitstore.porcelain import GitFailed, Ran, git, zsplit
from stoat.plan.variables import STORE

if TYPE_CHECKING:
    import pygit2

SETTINGS = r"^(stoat|user|extensions)\."
_FALSE = {"false", "no", "off", "0", ""}


class Place(NamedTuple):
    """A repository: its common git directory (one for all worktrees) and the settings that concern Stoat."""

    common: Path
    settings: dict[str, str]

    def switch(self, name: str, default: bool) -> bool:
        """A yes-or-no setting, `default` when it is not set."""
        value = self.settings.get(name)
        return default if value is None else value.strip().lower() not in _FALSE


def locate(cwd: Path, store: Path | None, environ: Mapping[str, str]) -> Path:
    """The directory whose repository holds the store.

    In this order: `store` (the flag), STOAT_STORE, `git config stoat.store` (relative to the repository it was read
    in), the repository around `cwd`. NotFound when there is none.
    """
    named = store or (Path(environ[STORE]) if environ.get(STORE) else None)
    if named is not None:
        return cwd / named.expanduser()
    configured = git(cwd, "config", "--type=path", "--get", "stoat.store", check=False)
    if configured.code == 0 and configured.out.strip():
        target = Path(configured.out.removesuffix("\n"))
        return target if target.is_absolute() else _root(common_directory(cwd)) / target
    common_directory(cwd)
    return cwd


def examine(directory: Path) -> Place:
    """The repository around `directory`; NotFound when there is none, StoreUnreadable when Stoat cannot open it."""
    common = common_directory(directory)
    listed = git(directory, "config", "-z", "--get-regexp", SETTINGS, check=False)
    settings = dict(entry.partition("\n")[::2] for entry in zsplit(listed.out))
    if settings.get("extensions.objectformat", "sha1").lower() != "sha1":
        raise _unsupported(common, "it uses sha256 object ids")
    if settings.get("extensions.refstorage", "files").lower() != "files":
        raise _unsupported(common, "its refs are stored as a reftable")
    if "extensions.partialclone" in settings:
        raise _unsupported(common, "it is a partial clone (extensions.partialClone)")
    return Place(common, settings)


def common_directory(directory: Path) -> Path:
    """The git directory that all worktrees of the repository around `directory` share, without symbolic links."""
    if not directory.is_dir():
        raise NotFound(f"there is no directory {directory}")
    try:
        ran = git(directory, "rev-parse", "--path-format=absolute", "--git-common-dir", check=False)
    except GitFailed as failed:
        raise StoreUnreadable(failed.message, failed.hint) from failed
    if ran.code != 0:
        raise _not_opened(directory, ran)
    return Path(ran.out.removesuffix("\n")).resolve()


def open_repository(path: Path) -> pygit2.Repository:
    """libgit2's view of the repository whose git directory is `path`.

    StoreUnreadable, in one sentence that says what to do, for what libgit2 does not open.
    """
    # Here and not above: it takes 50 ms to load, and most reads never come here.
    import pygit2
    from pygit2.enums import RepositoryOpenFlag

    try:
        # At `path` and nowhere else: codex's sandbox puts an empty `.git` into each directory that agents may write.
        return pygit2.Repository(str(path), RepositoryOpenFlag.NO_DOTGIT | RepositoryOpenFlag.NO_SEARCH)
    except pygit2.GitError as error:
        said = str(error)
    if "not owned by current user" in said:
        raise _foreign(path)
    if "unsupported extension" in said or "unknown object format" in said:
        raise _unsupported(path, said)
    raise StoreUnreadable(f"the repository at {path} cannot be opened: {said}", "`git fsck` may say more")


def _root(common: Path) -> Path:
    return common.parent if common.name == ".git" else common


def _not_opened(directory: Path, ran: Ran) -> NotFound | StoreUnreadable:
    said = ran.err.strip()
    if "dubious ownership" in said:
        return _foreign(directory)
    if "unknown repository extension" in said or "reftable" in said or "Expected git repo version" in said:
        return _unsupported(directory, said.splitlines()[-1].strip())
    if "not a git repository" in said:
        return NotFound(
            f"{directory} is in no git repository",
            "go to one, or name it with --store, STOAT_STORE or `git config stoat.store`",
        )
    return StoreUnreadable(f"git cannot open the repository at {directory}: {said.removeprefix('fatal: ')}")


def _foreign(directory: Path) -> StoreUnreadable:
    return StoreUnreadable(
        f"the repository at {directory} belongs to another user, so git and Stoat do not open it",
        f"if you trust it: git config --global --add safe.directory {_root(directory)}",
    )


def _unsupported(directory: Path, why: str) -> StoreUnreadable:
    return StoreUnreadable(
        f"Stoat cannot keep its store in the repository at {directory}: {why}",
        "keep the store in another repository (sha1, files, a full clone): `git config stoat.store PATH`",
    )
