"""Git objects, read so that nothing hangs and nothing is missed: loose ones by zlib, packed ones by libgit2.

libgit2 never returns from a truncated loose object (1.9.7), so it is only asked for what is not there as a loose file.
"""

from __future__ import annotations

import contextlib
import hashlib
import time
import zlib
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from stoat.errors import StoreUnreadable
from stoat.gitstore.opening import open_repository

if TYPE_CHECKING:
    import pygit2

RESCUE = "get it back from another clone or a backup; `git fsck` lists what else is damaged"
_PAUSES = (0.0, 0.01, 0.04, 0.15)
"""Seconds before each further look for an object: a repack or another writer may just be moving it."""


class Entry(NamedTuple):
    """An entry of a tree: git's mode, the name's bytes, the object's id in hex."""

    mode: bytes
    name: bytes
    oid: str


class Torn(Exception):
    """A loose object whose file is cut off or is not what its name says."""


class Objects:
    """The objects of the repository with the git directory `common`.

    `rescue` is asked for an object that is gone or torn; it gives its loose bytes back where Stoat kept them.
    """

    def __init__(self, common: Path, rescue: Callable[[str], bytes | None] = lambda oid: None) -> None:
        self.common = common
        self.directory = common / "objects"
        self._stores = [str(place) for place in _object_stores(self.directory)]
        self._rescue = rescue
        self._repository: pygit2.Repository | None = None

    @property
    def repository(self) -> pygit2.Repository:
        """libgit2's handle, opened when it is first needed."""
        if self._repository is None:
            self._repository = open_repository(self.common)
        return self._repository

    def forget_packs(self) -> None:
        """Look at the packs anew the next time: the ones known may be gone."""
        self._repository = None

    def raw(self, oid: str, kind: str, what: str) -> bytes:
        """The bytes of the object `oid` (hex) of that kind; `what` names it for people.

        StoreUnreadable when it is missing, damaged, or of another kind.
        """
        found = self._look(oid, what)
        if found is None:
            raise StoreUnreadable(f"{what} ({kind} {oid}) is missing from the repository", RESCUE)
        if found[0] != kind:
            raise StoreUnreadable(f"{what} ({oid}) should be a {kind} and is a {found[0]}", RESCUE)
        return found[1]

    def tree(self, oid: str, what: str) -> list[Entry]:
        """The entries of a tree, in git's order."""
        return parse_tree(self.raw(oid, "tree", what))

    def loose_path(self, oid: str) -> str:
        """Where this repository's own loose file for `oid` is or would be."""
        return f"{self._stores[0]}/{oid[:2]}/{oid[2:]}"

    def packed(self, oid: str) -> bool:
        """Whether a pack of the repository has the object."""
        with contextlib.suppress(OSError, ValueError):
            return oid in self.repository
        return False

    def _look(self, oid: str, what: str) -> tuple[str, bytes] | None:
        torn: Torn | None = None
        for pause in _PAUSES:
            if pause:
                time.sleep(pause)
                self.forget_packs()
            try:
                found = self._loose(oid) or self._from_pack(oid, what)
            except Torn as problem:
                torn, found = problem, None
            if found is None and (kept := self._rescue(oid)) is not None:
                found = inflate(kept, oid)
            if found is not None:
                return found
            if torn is not None:
                raise StoreUnreadable(f"{what} ({oid}) is damaged: {torn}", RESCUE)
        return None

    def _loose(self, oid: str) -> tuple[str, bytes] | None:
        for store in self._stores:
            path = f"{store}/{oid[:2]}/{oid[2:]}"
            try:
                with Path(path).open("rb") as file:
                    return inflate(file.read(), oid)
            except FileNotFoundError:
                continue
            except OSError as error:
                raise StoreUnreadable(f"{path} cannot be read: {error.strerror}") from error
        return None

    def _from_pack(self, oid: str, what: str) -> tuple[str, bytes] | None:
        import pygit2

        kinds = {1: "commit", 2: "tree", 3: "blob", 4: "tag"}
        for pause in _PAUSES:
            if pause:
                time.sleep(pause)
            try:
                kind, data = self.repository.odb.read(oid)
                return kinds[int(kind)], data
            except KeyError:
                return None
            except (pygit2.GitError, OSError, ValueError) as error:
                # A pack that a repack has just taken away reads like one that is damaged: look again, then believe it.
                self.forget_packs()
                problem = error
        raise StoreUnreadable(f"{what} ({oid}) cannot be read from its pack: {problem}", RESCUE) from problem


def inflate(data: bytes, oid: str) -> tuple[str, bytes]:
    """Kind and content of a loose object's bytes; Torn unless they are exactly what `oid` names."""
    if not data:
        raise Torn("its file is empty")
    unpacker = zlib.decompressobj()
    try:
        content = unpacker.decompress(data)
    except zlib.error as error:
        raise Torn("its file is not a git object") from error
    if not unpacker.eof:
        raise Torn("its file is cut off")
    if hashlib.sha1(content).hexdigest() != oid:
        raise Torn("its content is not what its name says")
    head, _, body = content.partition(b"\0")
    return head.split(b" ")[0].decode("ascii", "replace"), body


def object_id(kind: bytes, data: bytes) -> str:
    """The id (hex) that git gives to content of that kind."""
    return hashlib.sha1(b"%b %d\0%b" % (kind, len(data), data)).hexdigest()


def parse_tree(data: bytes) -> list[Entry]:
    """A tree object's content as entries."""
    entries = []
    position = 0
    while position < len(data):
        space = data.index(b" ", position)
        end = data.index(b"\0", space)
        after = end + 21
        entries.append(Entry(data[position:space], data[space + 1 : end], data[end + 1 : after].hex()))
        position = after
    return entries


def tree_data(entries: list[Entry]) -> bytes:
    """Entries as a tree object's content, in the order that git demands (a directory sorts as if it ended in /)."""
    ordered = sorted(entries, key=lambda entry: entry.name + b"/" if entry.mode == b"40000" else entry.name)
    return b"".join(b"%b %b\0%b" % (entry.mode, entry.name, bytes.fromhex(entry.oid)) for entry in ordered)


def commit_links(data: bytes) -> tuple[str, list[str]]:
    """A commit's tree and parents (hex)."""
    tree, parents = "", []
    for line in data.split(b"\n\n", 1)[0].split(b"\n"):
        key, _, value = line.partition(b" ")
        if key == b"tree" and not tree:
            tree = value.decode("ascii", "replace")
        elif key == b"parent":
            parents.append(value.decode("ascii", "replace"))
        elif key == b"author":
            break
    return tree, parents


def _object_stores(directory: Path, depth: int = 5) -> list[Path]:
    """The directory itself and its alternates, as git follows them."""
    stores = [directory]
    try:
        listed = (directory / "info" / "alternates").read_text(encoding="utf-8", errors="surrogateescape")
    except OSError:
        return stores
    for line in listed.splitlines():
        if line and not line.startswith("#") and depth:
            stores += _object_stores(directory / line, depth - 1)
    return stores
