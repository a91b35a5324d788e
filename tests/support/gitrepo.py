"""A real git repository as a test handles it: a verb for each thing that a person would do at the prompt."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Mapping
from pathlib import Path
from typing import Protocol

Files = Mapping[str, str | bytes | None]
"""Path → content; None is a file that is to go."""


class GitRepo:
    """A repository's work tree (or a bare repository) at `path`; every verb runs the real git there."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def __repr__(self) -> str:
        return f"GitRepo({str(self.path)!r})"

    def run_git(
        self,
        *arguments: str,
        check: bool = True,
        env: Mapping[str, str] | None = None,
        input: bytes | None = None,
    ) -> str:
        """Git's output without its last newline; AssertionError with git's words if it fails and `check`."""
        ran = subprocess.run(
            ["git", *arguments],
            cwd=self.path,
            env={**os.environ, "LC_ALL": "C", **(env or {})},
            input=input,
            stdin=subprocess.DEVNULL if input is None else None,
            capture_output=True,
            check=False,
        )
        if check and ran.returncode != 0:
            said = ran.stderr.decode(errors="replace").strip()
            raise AssertionError(f"git {' '.join(arguments)} in {self.path} gave {ran.returncode}: {said}")
        return ran.stdout.decode(errors="surrogateescape").removesuffix("\n")

    def init(self, *, bare: bool = False, branch: str = "main") -> GitRepo:
        """Make the directory and an empty repository in it; gives this repository, for chaining."""
        self.path.mkdir(parents=True, exist_ok=True)
        self.run_git("init", "--quiet", f"--initial-branch={branch}", *(["--bare"] if bare else []))
        return self

    def commit(
        self,
        files: Files | None = None,
        message: str = "Change",
        *,
        at: str | None = None,
    ) -> str:
        """Write `files` and commit exactly those (an empty commit when there are none); the commit's id.

        `at` fixes both of its dates (any form that git reads), so that ids repeat from run to run.
        """
        for name, content in (files or {}).items():
            self.write(name, content)
        if files:
            self.run_git("add", "--all", "--", *files)
        dates = {"GIT_AUTHOR_DATE": at, "GIT_COMMITTER_DATE": at} if at else None
        self.run_git("commit", "--quiet", "--allow-empty", "--message", message, env=dates)
        return self.head()

    def write(self, name: str, content: str | bytes | None) -> Path:
        """Put `content` into the work tree's file `name` without committing it; None removes the file."""
        place = self.path / name
        if content is None:
            place.unlink()
            return place
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_bytes(content.encode() if isinstance(content, str) else content)
        return place

    def branch(self, name: str, at: str = "HEAD") -> GitRepo:
        """A new branch at a commit, not checked out."""
        self.run_git("branch", name, at)
        return self

    def checkout(self, name: str, *, new: bool = False) -> GitRepo:
        """Check a branch or a commit out; with `new` the branch is made first."""
        self.run_git("checkout", "--quiet", *(["-b"] if new else []), name)
        return self

    def clone(self, to: Path, *arguments: str) -> GitRepo:
        """Clone this repository into `to` over the file protocol; `arguments` go to git (`--depth=1`)."""
        to.parent.mkdir(parents=True, exist_ok=True)
        self.run_git("clone", "--quiet", *arguments, self.path.absolute().as_uri(), str(to))
        return GitRepo(to)

    def add_bare_origin(self, path: Path | None = None) -> GitRepo:
        """A bare `origin` beside this repository (`<name>.git`): this branch is pushed and its default."""
        branch = self.run_git("symbolic-ref", "--short", "HEAD")
        bare = GitRepo(path or self.path.with_name(self.path.name + ".git")).init(bare=True, branch=branch)
        self.run_git("remote", "add", "origin", str(bare.path))
        self.run_git("push", "--quiet", "--set-upstream", "origin", branch)
        self.run_git("remote", "set-head", "origin", branch)
        return bare

    def push(self, *refs: str, force: bool = False) -> GitRepo:
        """Push these refs (default: the current branch) to origin."""
        self.run_git("push", "--quiet", *(["--force"] if force else []), "origin", *(refs or ("HEAD",)))
        return self

    def read(self, name: str, at: str | None = None) -> str:
        """A file's text, from the work tree or (with `at`) from a commit or branch."""
        if at is None:
            return (self.path / name).read_text(encoding="utf-8")
        return self.run_git("cat-file", "blob", f"{at}:{name}")

    def head(self, of: str = "HEAD") -> str:
        """The commit id that a branch or any other revision names (default: what is checked out)."""
        return self.run_git("rev-parse", "--verify", f"{of}^{{commit}}")


class MakeRepo(Protocol):
    """What the fixture `make_repo` gives."""

    def __call__(self, name: str = "project", *, files: Files | None = None, origin: bool = False) -> GitRepo: ...
