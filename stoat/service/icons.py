"""Repositories' icons: looked for once a day, kept on this machine, never in the store. Nothing derives from them."""

from __future__ import annotations

import contextlib
import hashlib
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import msgspec
from msgspec import Struct

from stoat import clock
from stoat.clock import Time
from stoat.errors import UNDECODABLE
from stoat.observe.replacing import replaced
from stoat.service.session import Session

if TYPE_CHECKING:
    from stoat.observe.github.client import Client

FRESH = 24 * 3600.0
"""Seconds after which a repository's tree is read again."""


class Icon(NamedTuple):
    """An icon and its media type; `mark` changes when the image does."""

    image: bytes
    kind: str
    mark: str


class _Known(Struct, frozen=True):
    """When a repository was looked at, and the blob of its icon; None where it has none."""

    at: Time
    blob: str | None = None


def refresh(session: Session, environ: Mapping[str, str]) -> int:
    """Look for the icons of the repositories on record that were not looked at today; how many requests that took.

    It ends at the first sign of trouble with the token or a limit: an icon is worth no waiting.
    """
    from stoat.observe.github.client import connect
    from stoat.observe.github.now import folder
    from stoat.observe.github.trouble import GitHubTrouble

    due = list(_due(session, clock.now()))
    if not due:
        return 0
    try:
        client = connect(environ, folder(session.store.common) / "answers", wait=lambda seconds, why: False)
    except GitHubTrouble:
        return 0
    with contextlib.suppress(GitHubTrouble):
        for name, branch, place in due:
            _look(client, name, branch, place)
    return client.requests


def _due(session: Session, now: Time) -> Iterator[tuple[str, str, Path]]:
    """The repositories whose turn it is, with their default branches and where their icons are kept."""
    for key, record in session.state().repositories().items():
        repository = record.repository
        if repository is None or repository.default_branch is None or record.unseen is not None:
            continue
        place = _place(session, key)
        known = _known(place)
        if known is None or not 0 <= clock.seconds_between(known.at, now) < FRESH:
            yield repository.name, repository.default_branch, place


def _look(client: Client, name: str, branch: str, place: Path) -> None:
    """Look at one repository and keep what it has; one whose tree cannot be read keeps the icon that it had."""
    from stoat.observe.github import icons
    from stoat.observe.github.trouble import Outage

    known = _known(place)
    blob = known.blob if known else None
    with contextlib.suppress(Outage):
        entry = icons.look(client, name, branch)
        if entry is None:
            blob = None
        elif entry.blob != blob or not _image(place).exists():
            image = icons.fetch(client, name, entry)
            blob = None if image is None else entry.blob
            if image is not None:
                _write(_image(place), image)
    if blob is None:
        _image(place).unlink(missing_ok=True)
    _write(place, msgspec.json.encode(_Known(clock.now(), blob)))


def find(session: Session, repo: str) -> Icon | None:
    """The icon kept of OWNER/NAME; None where it has none, or nobody looked yet."""
    from stoat.observe.github.icons import kind_of

    place = _place(session, repo)
    known = _known(place)
    if known is None or known.blob is None:
        return None
    try:
        image = _image(place).read_bytes()
    except OSError:
        return None
    kind = kind_of(image)
    return Icon(image, kind, known.blob[:12]) if kind else None


def marks(session: Session) -> dict[str, str]:
    """The repositories that have an icon here, by OWNER/NAME in lower case, each with its image's mark."""
    found = {}
    for name in session.state().repositories():
        known = _known(_place(session, name))
        if known is not None and known.blob is not None:
            found[name] = known.blob[:12]
    return found


def _place(session: Session, repo: str) -> Path:
    name = hashlib.sha256(repo.lower().encode()).hexdigest()[:20]
    return session.store.common / "stoat" / "icons" / f"{name}.json"


def _image(place: Path) -> Path:
    return place.with_suffix(".image")


def _known(place: Path) -> _Known | None:
    try:
        return msgspec.json.decode(place.read_bytes(), type=_Known)
    except (OSError, *UNDECODABLE):
        return None


def _write(place: Path, data: bytes) -> None:
    """In one step; a disk that takes nothing costs an icon and no more."""
    with contextlib.suppress(OSError):
        replaced(place, data)
