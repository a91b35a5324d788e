"""Repositories' icons: looked for once a day, kept on this machine, never in the store. Nothing derives from them."""

from __future__ import annotations

import contextlib
import hashlib
import os
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import msgspec
from msgspec import Struct

from stoat import clock
from stoat.clock import Time
from stoat.errors import UNDECODABLE, Unreachable
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


def refresh(session: Session, client: Client) -> int:
    """Look for the icons of the repositories on record that were not looked at today; how many requests that took.

    It stops at the first sign of trouble, a limit for one: an icon is worth no waiting.
    """
    from stoat.observe.github import icons

    before, now = client.requests, clock.now()
    with contextlib.suppress(Unreachable):
        for name, record in session.state().repositories().items():
            repository = record.repository
            if repository is None or repository.default_branch is None or record.unseen is not None:
                continue
            place = _place(session, name)
            known = _known(place)
            if known is not None and 0 <= clock.seconds_between(known.at, now) < FRESH:
                continue
            entry = icons.look(client, repository.name, repository.default_branch)
            blob = entry.blob if entry else None
            if entry is not None and (known is None or known.blob != blob or not _image(place).exists()):
                image = icons.fetch(client, repository.name, entry)
                if image is None:
                    blob = None
                else:
                    _write(_image(place), image)
            if blob is None:
                _image(place).unlink(missing_ok=True)
            _write(place, msgspec.json.encode(_Known(now, blob)))
    return client.requests - before


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
        place.parent.mkdir(parents=True, exist_ok=True)
        draft = place.with_suffix(f"{place.suffix}.{os.getpid()}")
        draft.write_bytes(data)
        draft.replace(place)
