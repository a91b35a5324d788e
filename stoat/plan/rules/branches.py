"""Which names a branch may have, and which ones a plan may land work on.

A plan's branch is Stoat's to move. So it is never a branch that people land on, under any spelling that git or a file
system takes for it, and never one in the way of the nodes' own `stoat/<plan>/<node>`.
"""

from __future__ import annotations

import re
from collections.abc import Collection

NEVER = ("main", "master", "trunk", "develop")
"""Refused as a plan's branch, in any case, beside the repository's real default branch."""

_PREFIX = re.compile(r"(refs/heads/|refs/remotes/|heads/|remotes/|refs/|origin/|upstream/)+", re.IGNORECASE)
_OBJECT_ID = re.compile(r"[0-9a-f]{40}|[0-9a-f]{64}", re.IGNORECASE)
_FORBIDDEN = re.compile(r"[\x00-\x20\x7f~^:?*\[\\]")


def branch_problem(name: str) -> str | None:
    """Why git would not take `name` for a branch, or why it names none; None when it is fine."""
    found = _FORBIDDEN.search(name)
    if found:
        return f"{name!r} cannot be a branch: git takes no {found[0]!r} in one"
    if not name or name == "@" or "@{" in name or ".." in name or name.startswith("-") or name.endswith("."):
        return f"{name!r} cannot be a branch: no '..', no '@{{', no '-' first, no '.' last"
    for part in name.split("/"):
        if not part or part.startswith(".") or part.lower().endswith(".lock"):
            return f"{name!r} cannot be a branch: no part is empty, begins with '.' or ends with '.lock'"
    if name.upper() == "HEAD" or name.lower().startswith("refs/"):
        return f"{name!r} does not name a branch"
    return None


def plan_branch_problem(name: str, default: str | None = None, remotes: Collection[str] = ()) -> str | None:
    """Why a plan may not land its work on `name`; None when it may.

    `default` is the repository's default branch, `remotes` are its remotes; all by form, no repository is asked.
    """
    bare = _PREFIX.sub("", name, count=1) if _PREFIX.match(name) else name
    for remote in remotes:
        if bare.casefold().startswith(f"{remote.casefold()}/"):
            bare = bare[len(remote) + 1 :]
    folded = bare.casefold()
    if folded in NEVER or (default is not None and folded == default.casefold()):
        return f"{name!r} is refused as a plan's branch: people merge there, not Stoat"
    if folded.split("/")[0] == "stoat":
        return f"{name!r} is refused as a plan's branch: stoat/… is where the nodes' own branches are"
    if folded == "head" or folded.endswith("_head") or _OBJECT_ID.fullmatch(bare):
        return f"{name!r} is refused as a plan's branch: git reads something else in it"
    if bare != name:
        return f"{name!r} is not a branch's own name: write {bare!r}"
    return branch_problem(name)
