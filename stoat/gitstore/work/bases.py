"""The commit that new work starts from: always of refs fetched a moment ago, never of what the checkout has out."""

from __future__ import annotations

import re
from pathlib import Path
from typing import NamedTuple

from stoat.gitstore.work.branches import HEADS, branch_tip, commit_of, is_ancestor
from stoat.gitstore.work.remotes import Fetched, FetchFailed, default_branch, tracking

_ID = re.compile(r"[0-9a-f]{7,64}")


class Base(NamedTuple):
    """Where work starts: `label` as people write it (origin/main), and the commit; `found` says why this one."""

    label: str
    commit: str
    found: str


class Hold(NamedTuple):
    """Nothing moved and nothing is to be started now; asked again later it may be different. `why` is a sentence."""

    why: str


def base_for_worktree(
    project: Path,
    fetched: Fetched | FetchFailed,
    *,
    issue: bool,
    integration: str | None = None,
    repo_branch: str | None = None,
    base: str | None = None,
) -> Base | Hold:
    """Where a node's worktree is cut from, of what `fetch(project, integration, repo_branch, base)` just brought.

    An issue starts from --base, else from the remote's default branch, since its PR lands there. Anything else from
    the plan's integration branch, else the repository's branch in `repos:`, else --base, else the default branch.
    """
    if isinstance(fetched, FetchFailed):
        return Hold(f"no fresh base to start from: {fetched.why}")
    if not issue and integration is not None:
        return named_branch(project, fetched, integration, found="the plan's branch", ours=True)
    if not issue and repo_branch is not None:
        return named_branch(project, fetched, repo_branch, found="the repository's branch")
    if base is not None:
        return explicit_base(project, fetched, base)
    return default_base(project, fetched)


def base_for_integration(
    project: Path, fetched: Fetched | FetchFailed, branch: str, base: str | None = None
) -> Base | Hold:
    """Where the integration branch starts on this machine, given what `fetch(project, branch, base)` just brought.

    From the remote's copy of it when somebody pushed one; else it is new and cut from --base, else from the default
    branch; never from the checkout's HEAD.
    """
    if isinstance(fetched, FetchFailed):
        return Hold(f"no fresh base to cut the branch from: {fetched.why}")
    if branch in fetched.tips:
        return Base(f"{fetched.remote}/{branch}", fetched.tips[branch], "somebody pushed it")
    return explicit_base(project, fetched, base) if base is not None else default_base(project, fetched)


def default_base(project: Path, fetched: Fetched) -> Base | Hold:
    """The remote's default branch as fetched; without a remote the local main or master."""
    default = default_branch(project, fetched)
    if default is not None:
        label = default.name if fetched.remote is None else f"{fetched.remote}/{default.name}"
        return Base(label, default.commit, default.found)
    if fetched.remote is None:
        return Hold("this repository has no remote and neither a main nor a master branch: name one with --base")
    return Hold(f"{fetched.remote} names no default branch and has neither main nor master: name one with --base")


def named_branch(
    project: Path, fetched: Fetched, name: str, *, found: str = "named", ours: bool = False
) -> Base | Hold:
    """A branch by its name: the remote's copy, unless the local one has commits that it lacks.

    A branch that the remote has given up is not taken from the leftovers here, unless it is `ours` (an integration
    branch, which lives on this machine) or the local one has commits that were never there.
    """
    local = branch_tip(project, name)
    remote = fetched.remote
    theirs = fetched.tips.get(name)
    if remote is not None and theirs is not None:
        if local is None:
            return Base(f"{remote}/{name}", theirs, found)
        contained = is_ancestor(project, local, theirs)
        if contained is None:
            return Hold(f"git cannot tell how {name} stands to {remote}/{name} (a shallow clone?)")
        return Base(f"{remote}/{name}", theirs, found) if contained else Base(name, local, found)
    if local is None:
        return Hold(f"there is no branch {name}, neither here nor on {remote or 'a remote'}")
    if remote is not None and not ours:
        last_seen = commit_of(project, tracking(remote, name))
        if last_seen is not None and is_ancestor(project, local, last_seen) is not False:
            return Hold(f"{remote} no longer has a branch {name}, and the local one is only an old copy of it")
    return Base(name, local, found)


def explicit_base(project: Path, fetched: Fetched, ref: str) -> Base | Hold:
    """What --base names: a branch, `origin/branch`, a tag, a full ref or a commit id, tried in that order."""
    found = "--base"
    name = ref.removeprefix(HEADS)
    if name in fetched.tips or branch_tip(project, name) is not None:
        return named_branch(project, fetched, name, found=found)
    prefix = f"{fetched.remote}/"
    if fetched.remote is not None and ref.startswith(prefix):
        name = ref.removeprefix(prefix)
        theirs = fetched.tips.get(name)
        return Base(ref, theirs, found) if theirs else Hold(f"{fetched.remote} has no branch {name}")
    for full in (f"refs/tags/{ref}", ref if ref.startswith("refs/") or _ID.fullmatch(ref) else None):
        commit = commit_of(project, full) if full else None
        if commit is not None:
            return Base(ref, commit, found)
    return Hold(f"--base {ref} names nothing that exists here or on the remote")
