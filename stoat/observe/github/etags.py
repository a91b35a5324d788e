"""Answers kept on disk by their ETag, so that what did not change costs nothing of GitHub's limit.

A file an answer, named after a hash of the address, what was accepted and the token: another token's answers are never
used. The directory may be deleted at any time.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
from collections.abc import Mapping
from pathlib import Path

import msgspec
from msgspec import Struct

from stoat.errors import UNDECODABLE
from stoat.observe.replacing import DRAFT, replaced

_FILES = 500
_BYTES = 20 * 1024 * 1024
_KEPT_HEADERS = ("etag", "link", "content-type")


class Kept(Struct, frozen=True):
    """An answer as it was when it carried this ETag."""

    etag: str
    headers: dict[str, str]
    body: bytes


class Etags:
    """The answers kept in one directory (None: none are), the least recently used of them thrown away first."""

    def __init__(self, directory: Path | None, token: str) -> None:
        self._directory = directory
        self._token = token

    def find(self, url: str, accept: str) -> Kept | None:
        """What was kept for this question; None when there is nothing, or nothing that can be read."""
        place = self._place(url, accept)
        if place is None:
            return None
        try:
            kept = msgspec.msgpack.decode(place.read_bytes(), type=Kept)
        except (OSError, *UNDECODABLE):
            return None
        with contextlib.suppress(OSError):
            os.utime(place)
        return kept

    def keep(self, url: str, accept: str, headers: Mapping[str, str], body: bytes) -> None:
        """Keep an answer that carries an ETag. A disk that takes none is no trouble: it is asked for again then."""
        etag, place = headers.get("etag"), self._place(url, accept)
        if not etag or place is None or len(body) > _BYTES // 4:
            return
        few = {name: headers[name] for name in _KEPT_HEADERS if name in headers}
        with contextlib.suppress(OSError):
            place.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
            replaced(place, msgspec.msgpack.encode(Kept(etag, few, body)), 0o600)
            self._bound(place.parent)

    def _place(self, url: str, accept: str) -> Path | None:
        if self._directory is None:
            return None
        named = hashlib.sha256("\0".join((url, accept, self._token)).encode()).hexdigest()
        return self._directory / f"{named}.answer"

    def _bound(self, directory: Path) -> None:
        files = [entry for entry in os.scandir(directory) if entry.name.endswith((".answer", DRAFT))]
        by_use = sorted(((entry.stat().st_mtime, entry) for entry in files), key=lambda one: one[0], reverse=True)
        total = 0
        for count, (_, entry) in enumerate(by_use, start=1):
            total += entry.stat().st_size
            if count > _FILES or total > _BYTES:
                with contextlib.suppress(OSError):
                    Path(entry.path).unlink()
