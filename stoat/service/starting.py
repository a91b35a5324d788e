"""`stoat init`: a repository gets its store, or the one that its remote has."""

from __future__ import annotations

from pathlib import Path

from stoat.errors import NotFound
from stoat.gitstore import opening
from stoat.gitstore.log import Store
from stoat.gitstore.porcelain import GitFailed, git
from stoat.gitstore.refs import REF, read_tip
from stoat.gitstore.work.remotes import remote_of

_ASK_SECONDS = 30.0


def tracking(remote: str) -> str:
    """The ref that holds this clone's copy of a remote's store."""
    return f"refs/stoat/remotes/{remote}/state"


def init(place: Path, remote: str | None = None) -> list[str]:
    """Make the repository around `place` hold plans; gives what was done, a sentence each.

    A store that is there is never touched, nor is anything made over one that cannot be read. With a remote (the one
    named, else origin, else the only one) `git fetch` brings its store to a tracking ref from now on, and a clone
    without a store of its own takes the remote's. NotFound for a remote that does not exist; StoreUnreadable for a
    store that is there and cannot be read.
    """
    common = opening.examine(place).common
    ours = read_tip(common)  # before git is asked anything, as what it says of a damaged ref is no help
    said = []
    named = theirs = None
    try:
        named = _remote(place, remote)
    except GitFailed as failed:
        if ours is None:
            raise
        said.append(f"git could not say which remotes there are, so none was asked for plans: {failed.why}")
    if named is not None:
        theirs, why_not = _ask(place, named)
        if why_not is not None:
            said.append(f"{named} could not be asked for plans: {why_not}")
        if _track(place, named):
            said.append(f"`git fetch {named}` brings its plans to {tracking(named)} from now on")
    if theirs is not None and named is not None and _adopt(place, named, theirs):
        said.append(f"took the plans that {named} has: {REF} is at {theirs[:10]}")
    store, made = Store.create(place)
    if made:
        said.append(f"made {REF} in {common}")
    elif not any(REF in line for line in said):
        count = len(store.state().plans)
        said.append(f"{common} holds plans already ({count}); nothing was changed")
    return said


def _remote(place: Path, wanted: str | None) -> str | None:
    if wanted is None:
        return remote_of(place)
    if wanted not in git(place, "remote").lines:
        raise NotFound(f"there is no remote {wanted!r}", hint="see `git remote`, or leave --remote out")
    return wanted


def _ask(place: Path, remote: str) -> tuple[str | None, str | None]:
    """The commit of the remote's store (None without one), and why it could not be asked."""
    try:
        seen = git(place, "ls-remote", "--", remote, REF, timeout=_ASK_SECONDS).out
    except GitFailed as failed:
        return None, failed.why
    return (seen.split()[0] if seen.strip() else None), None


def _track(place: Path, remote: str) -> bool:
    """Add the refspec, without the `+` that would let a fetch throw commits away; whether it was missing."""
    # A pattern, because git fails a whole fetch over one named ref that the remote does not have (yet).
    spec = f"refs/stoat/*:refs/stoat/remotes/{remote}/*"
    key = f"remote.{remote}.fetch"
    if spec in git(place, "config", "--get-all", key, check=False).lines:
        return False
    git(place, "config", "--add", key, spec)
    return True


def _adopt(place: Path, remote: str, theirs: str) -> bool:
    """Bring the remote's store here; a clone without one gets it as its own. Whether it did."""
    git(place, "fetch", "--no-tags", "--", remote, f"{REF}:{tracking(remote)}")
    try:
        Store.open(place)
    except NotFound:
        # The all-zero old value: create it, and fail if somebody else did meanwhile.
        return git(place, "update-ref", REF, theirs, "0" * 40, check=False).code == 0
    return False
