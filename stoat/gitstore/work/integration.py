"""A plan's integration branch and its worktree, ready to be landed on.

    ensure_integration(project, place, base) -> Integration | Parked | Hold
    identity_problem(directory)              -> why git could not commit here, before anybody spends money

Landing itself is landing.py; whether something has landed is landed.py.
"""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

from stoat.gitstore.porcelain import GitFailed, GitTimedOut, git, legible
from stoat.gitstore.work.bases import Base, Hold
from stoat.gitstore.work.branches import branch_tip
from stoat.gitstore.work.landing import checked_out_elsewhere, clear_note
from stoat.gitstore.work.nodetrees import PATIENCE, Parked, standing
from stoat.gitstore.work.occupancy import Occupied, occupied
from stoat.gitstore.work.places import Place
from stoat.gitstore.work.worktrees import Project, look

_SIGN_SECONDS = 30.0


class Integration(NamedTuple):
    """The branch and its worktree, ready to land on: its tip, and what it was cut from when this call cut it."""

    place: Place
    tip: str
    cut_from: Base | None


def ensure_integration(project: Project, place: Place, base: Base | Hold) -> Integration | Parked | Hold:
    """`place.branch` with its worktree; a branch that exists is used as it is, a new one is cut from `base`.

    Parked when the branch is checked out anywhere else or the worktree is in a state that only a person can settle.
    What a landing left whose process died is cleared up here. Dirt is the landing's to refuse.
    """
    try:
        with occupied(project.common, place.name, patience=PATIENCE) as run:
            tip = branch_tip(project.directory, place.branch)
            if tip is None and isinstance(base, Hold):
                return base
            elsewhere = checked_out_elsewhere(project, place)
            if elsewhere is not None:
                return elsewhere
            start = tip or (base.commit if isinstance(base, Base) else "")
            stood = standing(run, project, place, start)
            if isinstance(stood, Parked):
                return stood
            clear_note(run, project, place)
            seen = look(project, place.path)
            if seen.operation is not None:
                return Parked(f"a {seen.operation} was left in progress in {place.path}", seen.operation)
            if seen.branch != place.branch:
                return Parked(f"{place.path} does not have {place.branch} checked out", "other branch")
            cut_from = base if tip is None and isinstance(base, Base) else None
            return Integration(place, seen.head or start, cut_from)
    except Occupied as error:
        return Hold(str(error))
    except GitFailed as error:
        return Hold(f"git could not prepare {place.path}: {legible(error.why)}")


def identity_problem(directory: Path) -> str | None:
    """Why a commit by git would fail here (no name, no address, no key to sign with), in git's words; None if it works.

    With commit.gpgSign on, something is really signed, into an object that no ref names.
    """
    for who in ("GIT_AUTHOR_IDENT", "GIT_COMMITTER_IDENT"):
        asked = git(directory, "var", who, check=False)
        if asked.code != 0:
            return f"git does not know who commits: {_last(asked.err)}"
    signs = git(directory, "config", "--type=bool", "--get", "commit.gpgSign", check=False)
    if signs.out.strip() != "true":
        return None
    tree = git(directory, "hash-object", "-t", "tree", "--stdin", "-w", input=b"").out.strip()
    try:
        signing = ("commit-tree", "-S", "-m", "Check that commits can be signed", tree)
        signed = git(directory, *signing, check=False, timeout=_SIGN_SECONDS)
    except GitTimedOut:
        return f"commit.gpgSign is on, and signing waited for somebody for {_SIGN_SECONDS:g} seconds"
    return None if signed.code == 0 else f"commit.gpgSign is on, and signing fails: {_last(signed.err)}"


def _last(said: str) -> str:
    lines = [line for line in said.splitlines() if line.strip()]
    fatal = [line for line in lines if line.startswith(("fatal:", "error:"))]
    return legible((fatal or lines or ["no reason given"])[0])
