"""The objects of the newest appends, kept once more beside git, because git may throw them away.

`git gc --prune=now` deletes every loose object that no ref held when it began to look: also one that an append wrote
in that moment, and also after the ref has moved to it. Looking again after the move is not enough, as the deletion may
still come; and the writer may be gone by then. So each append leaves its objects here, and whoever comes next puts
back what was taken.

Whether a collection has been at work is told by a bait: an object that no ref holds, under the last name that git
looks at (ff…). While it is there, nothing was collected, which costs one stat to know.
"""

from __future__ import annotations

import hashlib
import os
import re
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

from stoat.gitstore.writing import Loose, absent, loose, put

SLOTS = 256
"""How many appends are kept: at a thousand a second, a quarter of a second, which a later reader's rescue extends."""

_MAGIC = b"stoat-recent-1"
_CELL = 1 << 14  # bytes of the ring for one append; most fit, and then no file has to be made for them
_SPARE = 1 << 18
_LONGEST_HEAD = 256
_HEAD = re.compile(rb"%b (\d{1,18}) ([0-9a-f]{40}) (\d{1,9}) (\d{1,9}) ([0-9a-f]{40})\n" % _MAGIC)
_INDEX = re.compile(rb"([0-9a-f]{40}) (\d{1,9})\n")
_OID = re.compile(r"[0-9a-f]{40}")


class Kept(NamedTuple):
    """What a slot holds: the append's number in order, its commit and its objects."""

    turn: int
    commit: str
    objects: list[Loose]


class Recent:
    """The slots in `directory`, for the object directory `objects`. Failing to keep or restore is never an error."""

    def __init__(self, directory: Path, objects: Path) -> None:
        self._directory = directory
        self._objects = objects
        self._bait: Path | None = None

    def keep(self, turn: int, commit: str, objects: Sequence[Loose]) -> None:
        """Keep the objects of append number `turn`; the one SLOTS before it makes room."""
        index = b"".join(b"%b %d\n" % (each.oid.encode(), len(each.data)) for each in objects)
        body = b"".join((index, *(each.data for each in objects)))
        check = hashlib.sha1(body).hexdigest().encode()
        head = b"%b %d %b %d %d %b\n" % (_MAGIC, turn, commit.encode(), len(index), len(body), check)
        record = head + body
        slot = turn % SLOTS
        with suppress(OSError):
            if len(record) <= _CELL:
                self._write("ring", slot * _CELL, record, _CELL * SLOTS)
            else:
                self._write(f"{slot:03d}", 0, record, len(record) + _SPARE)

    def _write(self, name: str, offset: int, record: bytes, longest: int) -> None:
        path = self._directory / name
        try:
            file = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_CLOEXEC, 0o666)
        except FileNotFoundError:
            self._directory.mkdir(parents=True, exist_ok=True)
            file = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_CLOEXEC, 0o666)
        try:
            # Over the old content and not cut to length: giving blocks back and forth is what costs.
            os.pwrite(file, record, offset)
            if os.fstat(file).st_size > longest:
                os.ftruncate(file, longest)
        finally:
            os.close(file)

    def find(self, oid: str) -> bytes | None:
        """The loose bytes of an object that was kept, written into the object directory again where that works."""
        for kept in self._slots():
            for each in kept.objects:
                if each.oid == oid:
                    with suppress(OSError):
                        put(self._objects, [each], sync=True)
                    return each.data
        return None

    def last(self) -> Kept | None:
        """The newest append that is kept."""
        return max(self._slots(), key=lambda kept: kept.turn, default=None)

    def restore(self, packed: Callable[[str], bool]) -> list[str]:
        """If garbage was collected since the last look, put back what it took too much; the ids of that.

        `packed(oid)` says whether a pack has an object, which then needs no loose file.
        """
        if self._bait_is_there():
            return []
        # The new bait lies before the search begins and is published after it: a collection that overlaps the search
        # takes it, and a search that is killed is repeated.
        bait = self._lay_bait()
        gone: list[Loose] = []
        for place in self._places():
            with suppress(OSError, ValueError):
                if any(not packed(oid) for oid in self._without_file(place)):
                    gone += absent(self._objects, place.read().objects)
        with suppress(OSError):
            put(self._objects, gone, sync=True)
        if bait is not None:
            self._publish(bait)
        return [each.oid for each in gone]

    def _without_file(self, place: _Slot) -> list[str]:
        """The ids in a slot that have no loose file, told from the slot's head alone."""
        with place.path.open("rb") as file:
            file.seek(place.offset)
            head = _HEAD.fullmatch(file.readline(_LONGEST_HEAD))
            if head is None:
                raise ValueError("torn")
            index = file.read(int(head[3]))
        oids = [found[1].decode("ascii") for found in _INDEX.finditer(index)]
        return [oid for oid in oids if not (self._objects / oid[:2] / oid[2:]).exists()]

    def _bait_is_there(self) -> bool:
        if self._bait is not None and self._bait.exists():
            return True
        try:
            with (self._directory / "bait").open(encoding="ascii") as file:
                oid = file.read(_LONGEST_HEAD).strip()
        except (OSError, UnicodeDecodeError):
            return False
        if not _OID.fullmatch(oid):
            return False
        self._bait = self._objects / oid[:2] / oid[2:]
        return self._bait.exists()

    def _lay_bait(self) -> Loose | None:
        seed = os.urandom(8).hex()
        for number in range(100_000):
            bait = loose(b"blob", f"Stoat: gone once garbage was collected ({seed} {number})\n".encode())
            if bait.oid.startswith("ff"):
                with suppress(OSError):
                    put(self._objects, [bait], sync=False)
                    return bait
                break
        return None

    def _publish(self, bait: Loose) -> None:
        with suppress(OSError):
            self._directory.mkdir(parents=True, exist_ok=True)
            draft = self._directory / f"bait.{os.getpid()}"
            draft.write_text(bait.oid, encoding="ascii")
            draft.replace(self._directory / "bait")
        self._bait = self._objects / bait.oid[:2] / bait.oid[2:]

    def _places(self) -> Iterator[_Slot]:
        ring = self._directory / "ring"
        with suppress(OSError):
            for offset in range(0, min(ring.stat().st_size, SLOTS * _CELL), _CELL):
                yield _Slot(ring, offset, _CELL)
        with suppress(OSError), os.scandir(self._directory) as found:
            for path in sorted(each.path for each in found if each.name.isdigit() and each.is_file()):
                yield _Slot(Path(path), 0, -1)

    def _slots(self) -> Iterator[Kept]:
        for place in self._places():
            with suppress(OSError, ValueError):
                yield place.read()


class _Slot(NamedTuple):
    """Where one append is kept: in the ring, or in a file of its own when it is long (length -1: to the end)."""

    path: Path
    offset: int
    length: int

    def read(self) -> Kept:
        """What is kept here; ValueError when it is not whole, OSError when it is gone."""
        with self.path.open("rb") as file:
            file.seek(self.offset)
            return _parse(file.read(self.length))


def _parse(data: bytes) -> Kept:
    """A slot's content; ValueError when it is not whole (its writer was interrupted, or two wrote at once)."""
    head = _HEAD.match(data)
    if head is None:
        raise ValueError("torn")
    turn, commit, index_length, length, check = head.groups()
    body = data[head.end() : head.end() + int(length)]
    if hashlib.sha1(body).hexdigest().encode() != check:
        raise ValueError("torn")
    objects = []
    position = int(index_length)
    for oid, size in _INDEX.findall(body[:position]):
        objects.append(Loose(oid.decode("ascii"), body[position : position + int(size)]))
        position += int(size)
    return Kept(int(turn), commit.decode("ascii"), objects)
