"""What may be deleted at any time: each stream's folded part, and whole answers, on disk beside the repository.

A part is valid for exactly the bytes it was folded from: it names its last segment, how many bytes of that it has
seen, the blob id of those bytes, and a digest of the closed segments before it. No ancestry has to be walked.
"""

from __future__ import annotations

import hashlib
import os
import shutil
import time
import zlib
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

import msgspec

from stoat.clock import Time, now
from stoat.errors import UNDECODABLE
from stoat.plan.fold import FOLD_VERSION, decode_part, encode_part
from stoat.plan.state import Part

LAYOUT = 2
KEPT_ANSWERS = 64
_STALE = 3600.0  # seconds after which an unfinished file is nobody's any more


class Position(msgspec.Struct, frozen=True, array_like=True):
    """How far a stream was folded: last segment's number, bytes of it, their blob id, and the closed ones' digest."""

    segment: int = 0
    size: int = 0
    blob: str = ""
    closed: str = ""


class Folded(NamedTuple):
    """A stream folded up to a position; `tree` is the id of the stream's tree that ends there.

    `lines` counts what was folded since the part was last written to disk, where it took `stored` bytes.
    """

    part: Part
    tree: str
    position: Position
    notes: tuple[str, ...] = ()
    lines: int = 0
    stored: int = 0


class _PartFile(msgspec.Struct, array_like=True):
    stream: str
    tree: str
    position: Position
    notes: tuple[str, ...]
    part: bytes


class _AnswerFile(msgspec.Struct, array_like=True):
    key: str
    commit: str
    until: str | None
    data: bytes


class Cache:
    """The files under `directory` (`<common git directory>/stoat/cache`). `notes` says what could not be used."""

    def __init__(self, directory: Path) -> None:
        self._root = directory
        self._place = directory / f"{LAYOUT}-{FOLD_VERSION}"
        self.notes: list[str] = []

    def load(self, stream: str) -> Folded | None:
        """The stream's part as it was last kept; None when there is none that can be used."""
        path = self._part_path(stream)
        data = self._read(path)
        if data is None:
            return None
        try:
            file = msgspec.msgpack.decode(_opened(data), type=_PartFile)
            if file.stream != stream:
                raise ValueError("it is another's")
            part = decode_part(stream, file.part)
        except UNDECODABLE as problem:
            self._say(f"the cached state of {stream} was rebuilt: {problem}")
            return None
        return Folded(part, file.tree, file.position, file.notes, 0, len(file.part))

    def keep(self, stream: str, folded: Folded) -> Folded:
        """Write the stream's part; gives it with its counters reset."""
        part = encode_part(folded.part)
        file = _PartFile(stream, folded.tree, folded.position, folded.notes, part)
        self._write(self._part_path(stream), _sealed(msgspec.msgpack.encode(file)))
        return folded._replace(lines=0, stored=len(part))

    def answer(self, key: str, commit: str) -> bytes | None:
        """The answer kept under `key`, if it was for that commit and its time has not come."""
        data = self._read(self._answer_path(key))
        if data is None:
            return None
        with suppress(*UNDECODABLE):
            file = msgspec.msgpack.decode(_opened(data), type=_AnswerFile)
            fits = file.key == key and file.commit == commit
            if fits and (file.until is None or now() < file.until):
                return file.data
        return None

    def keep_answer(self, key: str, commit: str, data: bytes, until: Time | None) -> None:
        """Keep a whole answer for `commit`, good until `until` (None: for as long as the commit is the tip)."""
        file = _AnswerFile(key, commit, until, data)
        path = self._answer_path(key)
        new = not path.exists()
        self._write(path, _sealed(msgspec.msgpack.encode(file)))
        if new:
            self._drop_old_answers()

    def prune(self, streams: set[str]) -> None:
        """Remove what nobody reads any more: other versions' files, streams that are gone, unfinished files."""
        wanted = {self._part_path(stream).name for stream in streams}
        with suppress(OSError):
            for place in self._root.iterdir():
                if place != self._place and place.is_dir():
                    shutil.rmtree(place, ignore_errors=True)
        with suppress(OSError):
            for path in self._place.iterdir():
                leftover = path.suffix == ".part" and path.name not in wanted
                if leftover or (path.suffix == ".new" and time.time() - path.stat().st_mtime > _STALE):
                    path.unlink(missing_ok=True)

    def _drop_old_answers(self) -> None:
        with suppress(OSError):
            answers = [path for path in self._place.iterdir() if path.suffix == ".answer"]
            answers.sort(key=lambda path: path.stat().st_mtime, reverse=True)
            for path in answers[KEPT_ANSWERS:]:
                path.unlink(missing_ok=True)

    def _part_path(self, stream: str) -> Path:
        return self._place / f"{_digest(stream)}.part"

    def _answer_path(self, key: str) -> Path:
        return self._place / f"{_digest(key)}.answer"

    def _read(self, path: Path) -> bytes | None:
        try:
            return path.read_bytes()
        except FileNotFoundError:
            return None
        except OSError as error:
            self._say(f"the cache cannot be read: {error}")
            return None

    def _write(self, path: Path, data: bytes) -> None:
        draft = path.with_name(f"{path.stem}.{os.getpid()}.{os.urandom(4).hex()}.new")
        try:
            if not path.parent.is_dir():
                path.parent.mkdir(parents=True, exist_ok=True)
            draft.write_bytes(data)
            draft.replace(path)
        except OSError as error:
            self._say(f"the cache cannot be written: {error.strerror} ({path.parent})")
            with suppress(OSError):
                draft.unlink(missing_ok=True)

    def _say(self, what: str) -> None:
        if what not in self.notes:
            self.notes.append(what)


def _sealed(data: bytes) -> bytes:
    return zlib.crc32(data).to_bytes(4, "big") + data


def _opened(data: bytes) -> bytes:
    """What was sealed. All of it is under the seal: a position that is wrong by a bit would fold lines twice."""
    if zlib.crc32(data[4:]).to_bytes(4, "big") != data[:4]:
        raise ValueError("it is torn")
    return data[4:]


def _digest(name: str) -> str:
    return hashlib.sha1(name.encode("utf-8", "surrogateescape")).hexdigest()[:20]
