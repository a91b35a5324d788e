"""How the plan's branch stands to the base that it will go into one day: how far behind, and whether they would merge.

    look(directory, branch, base) -> Drift | Unseen

The base is fetched, and merged in a store of objects that is thrown away: no branch, worktree or index is touched.
"""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import NamedTuple

from stoat.gitstore.porcelain import GitFailed, git, legible, zsplit
from stoat.gitstore.work import bases, remotes
from stoat.gitstore.work.branches import branch_tip, commits_beyond

MOST_FILES = 100
"""Files in conflict that are named, and looked up in the base's history."""
MOST_COMMITS = 10
_LONGEST_SUBJECT = 120
_MERGE_SECONDS = 120.0
_TOO_OLD = 129
"""What git exits with where it does not know an option."""


class Drift(NamedTuple):
    """Where the branch stands: `base` as people write it, how many commits of it the branch lacks, the files that a
    merge would leave in conflict (at most MOST_FILES), and those of the base's commits that touch them, newest first:
    short id and subject.
    """

    base: str
    behind: int
    conflicts: tuple[str, ...]
    commits: tuple[str, ...]


class Unseen(NamedTuple):
    """It cannot be told. `why` is a fragment of a sentence."""

    why: str


def look(directory: Path, branch: str, base: str | None) -> Drift | Unseen:
    """How the local branch `branch` stands to `base` (None: the remote's default branch), fetched just now.

    A repository without a remote, a remote that does not answer, a base that it gave up, histories cut short or without
    a common beginning, a git that cannot merge on its own: Unseen, never a conflict.
    """
    try:
        return _look(directory, branch, base)
    except GitFailed as failed:
        return Unseen(failed.why)
    except OSError as problem:
        return Unseen(str(problem))


def _look(directory: Path, branch: str, base: str | None) -> Drift | Unseen:
    fetched = remotes.fetch(directory, *([base] if base is not None else []))
    if isinstance(fetched, remotes.FetchFailed):
        return Unseen(fetched.why)
    if fetched.remote is None:
        return Unseen("there is no remote to compare with")
    found = bases.explicit_base(directory, fetched, base) if base else bases.default_base(directory, fetched)
    if isinstance(found, bases.Hold):
        return Unseen(found.why)
    tip = branch_tip(directory, branch)
    if tip is None:
        return Unseen(f"there is no branch {branch} here")
    lacking = commits_beyond(directory, found.commit, tip)
    if lacking is None:
        return Unseen(f"git cannot tell how {branch} stands to {found.label} (a shallow clone?)")
    if not lacking:
        return Drift(found.label, 0, (), ())
    merged = _merge(directory, tip, found.commit)
    if isinstance(merged, Unseen):
        return merged
    commits = _commits(directory, tip, found.commit, merged.touched) if merged.files else ()
    named = tuple(legible(name) for name in merged.files[:MOST_FILES])
    return Drift(found.label, len(lacking), named, commits)


class _Merged(NamedTuple):
    """The files in conflict, and all that the conflicts are about (a renamed file's old name too)."""

    files: tuple[str, ...]
    touched: tuple[str, ...]


def _merge(directory: Path, ours: str, theirs: str) -> _Merged | Unseen:
    asked = git(directory, "rev-parse", "--path-format=absolute", "--git-path", "objects")
    # What a merge makes is of no use to anybody: it goes into a store of its own, which borrows the repository's.
    with tempfile.TemporaryDirectory(prefix="stoat-drift-") as scratch:
        info = Path(scratch) / "info"
        info.mkdir()
        (info / "alternates").write_bytes(asked.out.removesuffix("\n").encode(errors="surrogateescape") + b"\n")
        ran = git(
            directory, "merge-tree", "--write-tree", "--name-only", "--messages", "-z", ours, theirs,
            check=False, timeout=_MERGE_SECONDS, env={"GIT_OBJECT_DIRECTORY": scratch},
        )  # fmt: skip
    if ran.code == 0:
        return _Merged((), ())
    if ran.code == 1:
        return parse_merge(ran.out)
    if ran.code == _TOO_OLD:
        return Unseen("this git cannot try a merge without a worktree: install git 2.39 or newer")
    said = [line.strip() for line in ran.err.splitlines() if line.strip()]
    return Unseen(legible(said[0]) if said else f"git merge-tree gave {ran.code}")


def parse_merge(text: str) -> _Merged:
    """What `git merge-tree --write-tree --name-only --messages -z` says of a merge that conflicts.

    A tree, the files in conflict, an empty record; then a message each: how many paths, the paths, a kind, the words.
    """
    records = zsplit(text)[1:]
    end = records.index("") if "" in records else len(records)
    files = list(dict.fromkeys(records[:end]))
    about: list[str] = []
    at = end + 1
    while at < len(records) and records[at].isdecimal():
        count = int(records[at])
        paths, kind = records[at + 1 : at + 1 + count], records[at + 1 + count : at + 2 + count]
        if kind and kind[0].startswith("CONFLICT"):
            about += paths
        at += count + 3
    # A conflict about whole directories has no file of its own.
    files = files or list(dict.fromkeys(about)) or ["?"]
    return _Merged(tuple(files), tuple(dict.fromkeys([*files, *about])))


def _commits(directory: Path, tip: str, base: str, paths: tuple[str, ...]) -> tuple[str, ...]:
    """Those of the base's commits that the branch lacks and that touch one of the paths."""
    listed = git(
        directory, "--literal-pathspecs", "log", "-z", f"--max-count={MOST_COMMITS}", "--format=%H %s", base, "--not",
        tip, "--", *paths[:MOST_FILES],
    ).out  # fmt: skip
    lines = [record.partition(" ") for record in zsplit(listed)]
    return tuple(f"{commit[:7]} {legible(subject)[:_LONGEST_SUBJECT]}".rstrip() for commit, _, subject in lines)
