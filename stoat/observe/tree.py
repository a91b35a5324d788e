"""What a directory's checkout looks like: its commit, its branch, whether it is clean, where in it one stands, whose
repository it is."""

from __future__ import annotations

import os
import re
from contextlib import suppress
from pathlib import Path

from stoat.gitstore.porcelain import GitFailed, git, zsplit
from stoat.plan.events.evidence import Tree
from stoat.plan.ids import is_repository

PATIENCE = 10.0
"""Seconds that git may take to look at a checkout, before what it would say counts as not known."""

NOT_SEEN = Tree()

_URL = re.compile(r"(?:[a-z+]+://(?:[^/@]*@)?[^/]+/|(?:[^/@]+@)?[^/:]+:/?)(?P<path>.+?)(?:\.git)?/?")


def tree_of(directory: Path) -> Tree:
    """Commit, branch and cleanliness of the checkout around `directory`, and how far it is behind the branch that it
    follows; None for each that cannot be told.

    Files that git does not know and does not ignore make it dirty too: a result may depend on them.
    """
    try:
        ran = git(directory, "status", "--porcelain=v2", "--branch", "-z", check=False, timeout=PATIENCE)
    except GitFailed:
        return NOT_SEEN
    return parse_status(ran.out) if ran.code == 0 else NOT_SEEN


def parse_status(text: str) -> Tree:
    """The Tree in what `git status --porcelain=v2 --branch -z` says."""
    head: dict[str, str] = {}
    dirty = False
    for record in zsplit(text):
        if record.startswith("# "):
            name, _, value = record[2:].partition(" ")
            head[name] = value
        elif record:
            dirty = True
    commit, branch = head.get("branch.oid"), head.get("branch.head")
    _, _, behind = head.get("branch.ab", "").partition(" -")
    return Tree(
        commit=None if commit == "(initial)" else commit,
        branch=None if branch == "(detached)" else branch,
        dirty=dirty,
        behind=int(behind) if behind.isdigit() else None,
    )


def top_of(directory: Path) -> Path:
    """The top of the checkout around `directory`; `directory` itself where there is none."""
    return checkout_at(directory) or directory


def checkout_at(directory: Path) -> Path | None:
    """The top of the checkout around `directory`; None where there is none, or git does not say."""
    try:
        ran = git(directory, "rev-parse", "--show-toplevel", check=False, timeout=PATIENCE)
    except GitFailed:
        return None
    top = ran.out.removesuffix("\n")
    return Path(top) if ran.code == 0 and top else None


def below(top: Path, place: Path) -> str | None:
    """Where `place` is below the checkout's `top` (`.`: there), None outside it.

    Symbolic links within the checkout stay as they are written, those that lead to it do not matter.
    """
    real = place.resolve()
    if not real.is_relative_to(top.resolve()):
        return None
    if ".." not in place.parts:
        for above in (place, *place.parents):
            with suppress(OSError):
                if above.samefile(top):
                    return place.relative_to(above).as_posix()
    return real.relative_to(top.resolve()).as_posix()


def as_entered(directory: Path) -> Path:
    """The directory as the shell that one types in has it, symbolic links and all, where that is the same one."""
    entered = Path(os.environ.get("PWD", ""))
    with suppress(OSError):
        if entered.is_absolute() and entered.samefile(directory):
            return entered
    return directory


def repository_at(directory: Path) -> str | None:
    """The OWNER/NAME of the checkout around `directory`, None when nothing tells.

    `git config stoat.repo` says it, else the configured URL of origin (or of the only remote), as written: before
    any `insteadOf`.
    """
    try:
        ran = git(
            directory, "config", "-z", "--get-regexp", r"^(stoat\.repo|remote\..*\.url)$", check=False, timeout=PATIENCE
        )
    except GitFailed:
        return None
    settings: dict[str, str] = {}
    for entry in zsplit(ran.out):
        name, _, value = entry.partition("\n")
        settings[name] = value
    said = settings.pop("stoat.repo", None)
    if said:
        return said if is_repository(said) else None
    url = settings.get("remote.origin.url") or (next(iter(settings.values())) if len(settings) == 1 else None)
    return repository_in(url) if url else None


def repository_in(url: str) -> str | None:
    """OWNER/NAME in a remote's URL (https, ssh, git or the scp form); None for a path and for anything else."""
    found = _URL.fullmatch(url)
    if found is None or url.startswith("file:"):
        return None
    name = "/".join(found["path"].split("/")[-2:])
    return name if is_repository(name) else None
