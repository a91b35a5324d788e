"""New trees out of old ones: only what lies on the path of a change is written, the rest is taken over by its bytes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Union

from stoat.gitstore.objects import Entry, Objects, parse_tree, tree_data
from stoat.gitstore.writing import Loose, loose

Edits = Mapping[bytes, Union["Edits", str, None]]
"""What changes in a tree, by name: edits of a subtree, a blob's id (hex), or None for what goes away."""

_TREE, _BLOB = b"40000", b"100644"
_KEPT = 512


class Trees:
    """Trees by id, as raw bytes; the ones last read or written are remembered."""

    def __init__(self, objects: Objects) -> None:
        self._objects = objects
        self._known: dict[str, bytes] = {}

    def data(self, oid: str, what: str) -> bytes:
        """The content of a tree; StoreUnreadable when it cannot be had."""
        known = self._known.get(oid)
        if known is None:
            known = self._objects.raw(oid, "tree", what)
            self._known[oid] = known
        return known

    def trim(self) -> None:
        """Forget what was read, if it has become much. Never in the middle of an edit, whose trees are not on disk."""
        if len(self._known) > _KEPT:
            self._known.clear()

    def entries(self, oid: str, what: str) -> list[Entry]:
        """The entries of a tree."""
        return parse_tree(self.data(oid, what))

    def find(self, oid: str, path: Sequence[bytes]) -> str:
        """The id of the subtree at `path` in the tree `oid`; KeyError when there is none."""
        for name in path:
            child = _child(self.data(oid, "a tree"), _TREE, name)
            if child is None:
                raise KeyError(name)
            oid = child
        return oid

    def edit(self, oid: str | None, edits: Edits, what: str, written: list[Loose]) -> str | None:
        """The id of the tree `oid` (None: an empty one) with `edits`; the new objects are added to `written`.

        None when nothing is left in it.
        """
        data = self.data(oid, what) if oid else b""
        for name, edit in edits.items():
            shown = f"{what}{name.decode('utf-8', 'replace')}"
            if isinstance(edit, Mapping):
                child = self.edit(_child(data, _TREE, name), edit, shown + "/", written)
                data = _with(data, _TREE, name, child)
            elif edit is None:
                data = _with(_with(data, _TREE, name, None), _BLOB, name, None)
            else:
                data = _with(data, _BLOB, name, edit)
        if not data:
            return None
        new = loose(b"tree", data)
        if new.oid != oid:
            written.append(new)
            self._known[new.oid] = data
        return new.oid


def _child(data: bytes, mode: bytes, name: bytes) -> str | None:
    place = _place(data, mode, name)
    return None if place is None else data[place : place + 20].hex()


def _place(data: bytes, mode: bytes, name: bytes) -> int | None:
    """Where the id of that entry begins. Found by its text: an id that contains all of it will not occur."""
    head = mode + b" " + name + b"\0"
    found = data.find(head)
    return None if found < 0 else found + len(head)


def _with(data: bytes, mode: bytes, name: bytes, oid: str | None) -> bytes:
    place = _place(data, mode, name)
    if place is not None and oid is not None:
        return data[:place] + bytes.fromhex(oid) + data[place + 20 :]
    if place is not None:
        return data[: place - len(mode + name) - 2] + data[place + 20 :]
    if oid is None:
        return data
    return tree_data([*parse_tree(data), Entry(mode, name, oid)])
