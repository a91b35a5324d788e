"""The bare repository behind a repository of the fake: branches, commits, comparisons, and the three ways to merge."""

from __future__ import annotations

import subprocess
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, NamedTuple

import pygit2
from pygit2.enums import DiffOption, SortMode

Files = Mapping[str, str | bytes | None]
"""Path → content; None is a file that is to go."""

COMMITTER = ("GitHub", "noreply@github.com")


class Conflict(Exception):
    """Two commits cannot be brought together by a machine."""


class Comparison(NamedTuple):
    """How `head` stands to `base`: counted in commits, with those that the base lacks (oldest first)."""

    ahead: int
    behind: int
    merge_base: str
    commits: tuple[str, ...]

    @property
    def status(self) -> str:
        """identical, ahead, behind or diverged."""
        if self.ahead:
            return "diverged" if self.behind else "ahead"
        return "behind" if self.behind else "identical"


class GitSide:
    """One bare repository at `path`. People may push to it with git at any time, so every question is asked anew."""

    def __init__(self, path: Path, default: str = "main") -> None:
        self.path = path
        path.parent.mkdir(parents=True, exist_ok=True)
        self.repo = pygit2.init_repository(str(path), bare=True, initial_head=default)
        self.repo.config["core.fsync"] = "none"
        self._clean: dict[tuple[str, str], bool] = {}

    def tip(self, branch: str) -> str | None:
        """The commit that a branch (or a whole ref name) is at; None when there is none."""
        name = branch if branch.startswith("refs/") else f"refs/heads/{branch}"
        try:
            reference = self.repo.references.get(name)
        except (pygit2.GitError, ValueError):
            return None
        if reference is None:
            return None
        return str(reference.resolve().peel(pygit2.Commit).id)

    def branches(self) -> list[str]:
        """The names of all branches, sorted."""
        return sorted(name.removeprefix("refs/heads/") for name in self.refs("refs/heads/"))

    def refs(self, prefix: str = "refs/") -> dict[str, str]:
        """Every ref under `prefix` and what it points at."""
        names = sorted(name for name in self.repo.references if name.startswith(prefix))
        return {name: str(self.repo.references[name].resolve().target) for name in names}

    def move(self, branch: str, commit: str) -> None:
        """Put a branch (or a whole ref name) at `commit`, whatever it was at."""
        name = branch if branch.startswith("refs/") else f"refs/heads/{branch}"
        self.repo.references.create(name, pygit2.Oid(hex=commit), force=True)

    def delete(self, branch: str) -> None:
        """Remove a branch (or a whole ref name) if it is there."""
        name = branch if branch.startswith("refs/") else f"refs/heads/{branch}"
        if name in self.repo.references:
            self.repo.references.delete(name)

    def find(self, expression: str) -> Any:
        """The object of a revision expression (`main:path`, an id, a branch's name); None when there is none."""
        revision, colon, path = expression.partition(":")
        try:
            tip = self.tip(revision)
            thing = self.repo[tip] if tip is not None else self.repo.revparse_single(revision)
            if not colon:
                return thing
            tree = thing.peel(pygit2.Tree)
            return tree[path.strip("/")] if path.strip("/") else tree
        except (KeyError, ValueError, pygit2.GitError):
            return None

    def commit_of(self, revision: str) -> pygit2.Commit | None:
        """The commit that a branch, tag or id names; None when there is none."""
        thing = self.find(revision)
        if thing is None:
            return None
        try:
            return thing.peel(pygit2.Commit)  # type: ignore[no-any-return]
        except (pygit2.GitError, ValueError):
            return None

    def real(self, commit: str) -> pygit2.Commit:
        """The commit of that id; raises KeyError."""
        return self.repo[commit].peel(pygit2.Commit)

    def commit(
        self,
        branch: str,
        message: str,
        files: Files,
        author: tuple[str, str],
        at: int,
        start: str | None = None,
    ) -> str:
        """Commit `files` on top of a branch (made at `start` when it is not there yet); the commit's id."""
        parent = self.tip(branch) or start
        index = pygit2.Index()
        if parent is not None:
            index.read_tree(self.repo[parent].peel(pygit2.Tree))
        for name, content in files.items():
            if content is None:
                index.remove(name)
                continue
            blob = self.repo.create_blob(content.encode() if isinstance(content, str) else content)
            index.add(pygit2.IndexEntry(name, blob, pygit2.enums.FileMode.BLOB))
        made = self._create(index.write_tree(self.repo), message, [parent] if parent else [], author, at)
        self.move(branch, made)
        return made

    def compare(self, base: str, head: str) -> Comparison | None:
        """Compare two commits; None when they have no commit in common."""
        mine, other = pygit2.Oid(hex=base), pygit2.Oid(hex=head)
        common = self.repo.merge_base(mine, other)
        if common is None:
            return None
        ahead, behind = self.repo.ahead_behind(other, mine)
        walker = self.repo.walk(other, SortMode.TOPOLOGICAL | SortMode.REVERSE)
        walker.hide(mine)
        return Comparison(ahead, behind, str(common), tuple(str(commit.id) for commit in walker))

    def contains(self, holder: str, commit: str) -> bool:
        """Whether `commit` is `holder` or one of its ancestors."""
        return holder == commit or self.repo.descendant_of(pygit2.Oid(hex=holder), pygit2.Oid(hex=commit))

    def merges(self, base: str, head: str) -> bool:
        """Whether the two commits merge without a conflict."""
        pair = (base, head)
        if pair not in self._clean:
            index = self.repo.merge_commits(pygit2.Oid(hex=base), pygit2.Oid(hex=head))
            self._clean[pair] = index.conflicts is None
        return self._clean[pair]

    def history(self, start: str, limit: int = 500) -> list[str]:
        """Commits from `start` backwards, newest first."""
        walker = self.repo.walk(pygit2.Oid(hex=start), SortMode.TOPOLOGICAL)
        return [str(commit.id) for commit, _ in zip(walker, range(limit), strict=False)]

    def changed(self, base: str, head: str) -> list[tuple[str, str, int, int]]:
        """What `head` changed since its merge base with `base`: (status letter, path, lines added, lines removed)."""
        comparison = self.compare(base, head)
        if comparison is None:
            return []
        diff = self.repo.diff(comparison.merge_base, head, flags=DiffOption.NORMAL)
        return [
            (patch.delta.status_char(), patch.delta.new_file.path, patch.line_stats[1], patch.line_stats[2])
            for patch in diff
            if patch is not None
        ]

    def merge_commit(self, base: str, head: str, message: str, author: tuple[str, str], at: int) -> str:
        """A merge commit of the two; raises Conflict."""
        tree = self._merged_tree(base, head)
        return self._create(tree, message, [base, head], author, at)

    def squash(self, base: str, head: str, message: str, author: tuple[str, str], at: int) -> str:
        """One new commit on `base` with all that `head` brings; raises Conflict."""
        return self._create(self._merged_tree(base, head), message, [base], author, at)

    def rebase(self, base: str, head: str, at: int) -> str:
        """New commits on `base`, one for each of `head`'s own that is no merge; raises Conflict."""
        comparison = self.compare(base, head)
        tip = base
        for commit_id in comparison.commits if comparison else ():
            commit = self.real(commit_id)
            if len(commit.parents) != 1:
                continue
            index = self.repo.merge_trees(commit.parents[0].tree, self.real(tip).tree, commit.tree)
            if index.conflicts is not None:
                raise Conflict
            author = (commit.author.name, commit.author.email)
            tip = self._create(index.write_tree(self.repo), commit.message, [tip], author, at)
        return tip

    def fetch(self, other: Path, commit: str, ref: str) -> None:
        """Bring a commit of another repository here and keep it under `ref`."""
        subprocess.run(
            ["git", "-c", "protocol.file.allow=always", "fetch", "--quiet", str(other), f"+{commit}:{ref}"],
            cwd=self.path,
            check=True,
            capture_output=True,
        )

    def _merged_tree(self, base: str, head: str) -> pygit2.Oid:
        index = self.repo.merge_commits(pygit2.Oid(hex=base), pygit2.Oid(hex=head))
        if index.conflicts is not None:
            raise Conflict
        return index.write_tree(self.repo)

    def _create(self, tree: pygit2.Oid, message: str, parents: Iterable[str], author: tuple[str, str], at: int) -> str:
        return str(
            self.repo.create_commit(
                None,
                pygit2.Signature(*author, time=at),
                pygit2.Signature(*COMMITTER, time=at),
                message,
                tree,
                [pygit2.Oid(hex=parent) for parent in parents],
            )
        )
