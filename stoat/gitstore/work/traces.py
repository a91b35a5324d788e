"""Which commits a worktree and its branch name besides their tips: all that would be forgotten with them.

named(project, entry, branch)        of its own refs and of the reflogs of its HEAD and its branch
stashes(project, branches, known)    entries of the stash that were made on it
local_refs(common)                   what local branches and tags lead to
submodule_trouble(tree, found)       what of its submodules is nowhere else
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping
from pathlib import Path

from stoat.errors import Unreachable
from stoat.gitstore.porcelain import GitFailed, git, legible
from stoat.gitstore.work.branches import HEADS
from stoat.gitstore.work.contents import Tree, indexed, unsaved
from stoat.gitstore.work.proofs import RemoteNow, ask_of, bring, commits_among, lacking
from stoat.gitstore.work.remotes import remote_of

_ID = re.compile(r"[0-9a-f]{40,64}")
_SET_ASIDE = "MERGE_AUTOSTASH"
_FROM_ELSEWHERE = "FETCH_HEAD"
STASH = "refs/stash"
_STASHED = re.compile(r"(?:WIP on|On) (?P<branch>.*?): ")
_NO_BRANCH = "(no branch)"


def named(own: Path | None, common: Path, branch: str | None) -> frozenset[str]:
    """The commits that refs and reflogs under `own` (a worktree's git directory, if any) name, and the reflog of
    `branch`."""
    mine = {*_in_refs(own), *_in_logs(own / "logs")} if own is not None else set()
    return commits_among(common, {*mine, *_in_log_of(common, branch)})


def _in_refs(own: Path) -> Iterator[str]:
    """Of HEAD, ORIG_HEAD, MERGE_HEAD and the like, and of refs that this worktree does not share."""
    names = [each.name for each in own.iterdir() if each.name.endswith("HEAD") or each.name == _SET_ASIDE]
    heads = [own / name for name in names if name != _FROM_ELSEWHERE]
    for file in (each for each in (*heads, *(own / "refs").rglob("*")) if each.is_file()):
        yield from _ID.findall(file.read_text(encoding="utf-8", errors="replace"))


def _in_logs(logs: Path) -> Iterator[str]:
    for file in logs.rglob("*"):
        if file.is_file():
            yield from _in_log(file)


def _in_log_of(common: Path, branch: str | None) -> Iterator[str]:
    if branch is not None:
        yield from _in_log(common / "logs" / f"{HEADS}{branch}")


def _in_log(file: Path) -> Iterator[str]:
    try:
        lines = file.read_text(encoding="utf-8", errors="replace").splitlines()
    except FileNotFoundError:
        return
    for line in lines:
        yield from (each for each in line.split(" ", 2)[:2] if _ID.fullmatch(each) and each.strip("0"))


def local_refs(common: Path) -> dict[str, str]:
    """The commits of local branches and tags, and the newest entry of the stash, by the refs' full names."""
    shape = "--format=%(refname) %(objectname) %(objecttype)"
    listed = git(common, "for-each-ref", shape, HEADS, "refs/tags/", STASH).lines
    parts = [line.rsplit(" ", 2) for line in listed]
    return {ref: commit for ref, commit, kind in parts if kind == "commit"}


def survivors(refs: Mapping[str, str], branch: str | None) -> list[str]:
    """The commits of local branches and tags, those that stay when a worktree goes with its `branch`."""
    return sorted({commit for ref, commit in refs.items() if ref not in (STASH, f"{HEADS}{branch}")})


def stashes(directory: Path, branches: Collection[str], known: Collection[str]) -> tuple[str, ...]:
    """The names of the stash entries made on one of `branches`, or on no branch (or an unknown one) at a commit of
    `known`."""
    listed = git(directory, "log", "--walk-reflogs", "--format=%gd%x00%P%x00%gs", STASH, "--", check=False)
    if listed.code != 0:
        return ()
    found = []
    for line in listed.lines:
        name, parents, subject = line.split("\0")
        said = _STASHED.match(subject)
        branch = said["branch"] if said else _NO_BRANCH
        if branch in branches or (branch == _NO_BRANCH and parents.split(" ")[0] in known):
            found.append(name)
    return tuple(found)


def submodule_trouble(tree: Tree, found: Mapping[Path, Tree]) -> tuple[str, ...]:
    """What speaks against losing the tree's submodules, a fragment each: nothing when their remotes have it all.

    `found` are those that are checked out.

    Repositories of submodules that are not checked out now count too: they go with the worktree's git directory.
    """
    troubles = []
    for place, inner in found.items():
        left = unsaved(inner, indexed(inner))
        files = [legible(name) for name in (*left.changed, *left.hidden, *left.ignored)]
        if files:
            troubles.append(f"{place.relative_to(tree.path)} has {', '.join(files[:3])}")
    owns = {inner.own.resolve(): str(place.relative_to(tree.path)) for place, inner in found.items()}
    for own in _kept_repositories(tree.own / "modules"):
        owns.setdefault(own.resolve(), str(own.relative_to(tree.own / "modules")))
    for own, name in owns.items():
        why = _unpushed(own)
        if why is not None:
            troubles.append(f"{name}: {why}")
    return tuple(map(legible, troubles))


def _kept_repositories(modules: Path) -> Iterator[Path]:
    for head in modules.rglob("HEAD"):
        if (head.parent / "objects").is_dir():
            yield head.parent


def _unpushed(own: Path) -> str | None:
    """Why the repository at `own` may not go: a commit of any ref or reflog that its remote does not have."""
    try:
        refs = git(own, f"--git-dir={own}", "for-each-ref", "--format=%(objectname)").out.split()
        asked = named(own, own, None) | commits_among(own, refs)
        remote = remote_of(own)
        if remote is None:
            return "it has no remote"
        now = ask_of(own, remote, own)
        if now.problem is not None:
            return now.problem
        lost = lacking(own, now, asked)
        if lost and now.missing:
            now = bring(own, now)
            lost = lacking(own, now, asked)
    except (GitFailed, Unreachable) as failed:
        return failed.message
    if lost is None:
        return "git cannot tell what of it is on its remote"
    return f"{lost[0][:7]} is not on its remote" if lost else None


def landing_of(directory: Path, now: RemoteNow, commit: str, landed: str) -> str | None:
    """What a landing made of `commit`, by the records below the refs `landed`, where the remote has that; else None."""
    listed = git(directory, "for-each-ref", "--format=%(refname) %(objectname)", landed).lines
    copies = [copy for ref, _, copy in (line.partition(" ") for line in listed) if ref.endswith(f"/{commit}")]
    return next((copy for copy in copies if lacking(directory, now, [copy]) == ()), None)
