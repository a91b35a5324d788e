"""`stoat doctor`: looks at everything Stoat stands on and says what to do. It changes nothing."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from pathlib import Path

from stoat.derive import watching
from stoat.errors import NotFound, StoatError
from stoat.gitstore import opening
from stoat.gitstore.log import Store
from stoat.gitstore.names import IDENTIFY
from stoat.gitstore.porcelain import GitFailed, git, legible
from stoat.gitstore.refs import REF
from stoat.plan.variables import AGENT
from stoat.service import spool
from stoat.service.agent_tools import look_at_tools
from stoat.service.github_access import look_at_github
from stoat.service.health import Check
from stoat.service.session import actor_of

OLDEST_GIT = (2, 39)
_FSCK_SECONDS = 600.0


def examine(directory: Path, store: Path | None, by: str | None, environ: Mapping[str, str]) -> list[Check]:
    """Every check, in an order in which the first problem is the one to mend first."""
    return [*_git(directory), look_at_tools(environ), *_store(directory, store, by, environ)]


def _git(directory: Path) -> Iterator[Check]:
    try:
        said = git(directory, "version").out.strip()
    except GitFailed as failed:
        yield Check("git", "problem", failed.message, failed.hint or "install git")
        return
    found = re.search(r"(\d+)\.(\d+)", said)
    wanted = ".".join(map(str, OLDEST_GIT))
    if found and (int(found[1]), int(found[2])) < OLDEST_GIT:
        yield Check("git", "warning", f"{said} is older than {wanted}", f"install git {wanted} or newer")
    else:
        yield Check("git", "ok", said)


def _store(directory: Path, store: Path | None, by: str | None, environ: Mapping[str, str]) -> Iterator[Check]:
    try:
        place = opening.locate(directory, store, environ)
        settings = opening.examine(place).settings
    except StoatError as problem:
        yield Check("repository", "problem", problem.message, problem.hint or "")
        return
    yield from _identity(place, settings, by, environ)
    yield from _opened(place, environ)


def _opened(place: Path, environ: Mapping[str, str]) -> Iterator[Check]:
    try:
        opened = Store.open(place)
    except NotFound as problem:
        yield Check("store", "problem", problem.message, "stoat init")
        return
    except StoatError as problem:
        yield Check("store", "problem", problem.message, problem.hint or "`git fsck` says what is damaged")
        yield _fsck(place)
        return
    wanted = False
    try:
        state = opened.state()
        wanted = bool(watching.wanted(state))
        nodes = sum(len(plan.nodes) for plan in state.plans.values())
        counted = f"plans: {len(state.plans)}, nodes: {nodes}"
        yield Check("store", "ok", f"{opened.common} at {state.commit[:10]}; {counted}")
    except StoatError as problem:
        yield Check("store", "problem", problem.message, problem.hint or "")
    for note in opened.notes:
        yield Check("events", "warning", note, "what this version cannot read is kept; a newer one may read it")
    if stale := opened.stale_lock():
        yield Check("lock", "problem", stale.message, stale.hint or "")
    if waiting := spool.waiting(opened.common):
        yield Check("spool", "warning", f"{len(waiting)} results of gates wait to be recorded in {waiting[0].parent}",
                    "any stoat command but this one records them")  # fmt: skip
    yield _fsck(place)
    if wanted:
        yield look_at_github(environ)


def _identity(place: Path, settings: Mapping[str, str], by: str | None, environ: Mapping[str, str]) -> Iterator[Check]:
    actor = actor_of(settings, by, environ)
    committer = git(place, "var", "GIT_COMMITTER_IDENT", check=False)
    if not actor.name:
        yield Check("identity", "problem", "git does not know who you are", IDENTIFY)
    elif committer.code:
        said = legible(committer.err).strip().splitlines()
        why = said[-1] if said else "it says no more"
        yield Check("identity", "problem", f"agents' work could not be committed here: git says {why}", IDENTIFY)
    elif actor.as_ == "agent":
        yield Check("identity", "ok", f"an agent, {actor.name} ({AGENT} is set): a person's decisions are refused here")
    else:
        yield Check("identity", "ok", f"a person, {actor.name}")


def _fsck(place: Path) -> Check:
    """Ask git whether every object of the store's history is there, and whether those of its tip are whole."""
    try:
        walked = git(place, "rev-list", "--objects", "--quiet", REF, check=False, timeout=_FSCK_SECONDS)
        said = walked.err
        if walked.code == 0:
            tip = git(place, "ls-tree", "-r", "-z", "--format=%(objectname)", REF, timeout=_FSCK_SECONDS).out
            objects = tip.replace("\0", "\n").encode()
            read = git(place, "cat-file", "--batch", "--buffer", input=objects, check=False, timeout=_FSCK_SECONDS)
            said = read.err
            if read.code == 0:
                return Check("objects", "ok", "git finds every object of the store, and reads those of its tip")
    except GitFailed as failed:
        said = failed.why
    lines = legible(said).strip().splitlines()
    return Check("objects", "problem", lines[0] if lines else "git cannot read the store's objects",
                 "get them back from another clone or a backup; `git fsck` lists what is damaged")  # fmt: skip
