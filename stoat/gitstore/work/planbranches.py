"""Which names a plan's integration branch may not have in this repository, and why."""

from __future__ import annotations

import re
from pathlib import Path

from stoat.gitstore.porcelain import git
from stoat.gitstore.work.branches import HEADS
from stoat.gitstore.work.remotes import FetchFailed, default_branch, fetch, remote_of

_DEFAULTS = {"main", "master", "trunk", "develop"}
_OBJECT_ID = re.compile(r"[0-9a-f]{40}|[0-9a-f]{64}", re.IGNORECASE)


def why_not_a_plan_branch(project: Path, name: str) -> str | None:
    """Why `name` cannot be a plan's integration branch here, as a sentence; None when it can.

    Asks the remote which branch is the default one; unreachable, it goes by what this clone remembers.
    """
    return _why_not_by_form(project, name) or _why_not_default(project, name) or _why_not_beside(project, name)


def _why_not_by_form(project: Path, name: str) -> str | None:
    folded = name.casefold()
    if folded == "head" or folded.endswith("_head"):
        return f"{name} is git's own name, not a branch's"
    if folded == "@" or name.startswith("-") or _OBJECT_ID.fullmatch(name):
        return f"git would read {name} as something else than a branch"
    if folded == "stoat" or folded.startswith("stoat/"):
        return f"{name} is in the way of the nodes' branches, which are stoat/<plan>/<node>"
    if git(project, "check-ref-format", HEADS + name, check=False).code != 0:
        return f"git does not allow {name!r} as the name of a branch"
    for prefix in ("refs/", "heads/", "remotes/", *(f"{remote}/" for remote in _remotes(project))):
        if folded.startswith(prefix.casefold()):
            return f"a plan's branch is written by its own name, without {name[: len(prefix)]}"
    return None


def _remotes(project: Path) -> list[str]:
    return sorted({"origin", *git(project, "remote").out.splitlines()})


def _why_not_default(project: Path, name: str) -> str | None:
    folded = name.casefold()
    if folded in _DEFAULTS:
        return f"{name} is a default branch's name, and finished work never lands there by itself"
    fetched = fetch(project) if remote_of(project) else FetchFailed("here", "there is no remote")
    default = default_branch(project, fetched)
    named = fetched.default if not isinstance(fetched, FetchFailed) else None
    if folded in {found.casefold() for found in (default.name if default else None, named) if found}:
        return f"{name} is this repository's default branch, and finished work never lands there by itself"
    return None


def _why_not_beside(project: Path, name: str) -> str | None:
    """What exists already and leaves no room: `a` for `a/b`, `a/b` for `a`, and on some disks `A` for `a`."""
    branches = git(project, "for-each-ref", "--format=%(refname)", HEADS).out.splitlines()
    ignores_case = git(project, "config", "--type=bool", "core.ignoreCase", check=False).out.strip() == "true"
    for ref in branches:
        branch = ref.removeprefix(HEADS)
        if branch.startswith(f"{name}/") or name.startswith(f"{branch}/"):
            return f"the branch {branch} exists, and git cannot keep {name} beside it"
        if ignores_case and branch != name and branch.casefold() == name.casefold():
            return f"the branch {branch} exists, and this disk cannot tell {name} from it"
    return None
