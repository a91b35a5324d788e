"""One try at an append: stamp the events, write the objects, move the ref, make sure that git still has them."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Sequence
from contextlib import suppress
from typing import Any, NamedTuple

from msgspec.structs import replace

from stoat.clock import Time
from stoat.errors import NotFound, RefMoved, Unreachable
from stoat.gitstore import maintenance, refs, segments
from stoat.gitstore.cache import Folded, Position
from stoat.gitstore.commits import commit_text
from stoat.gitstore.moving import Moving
from stoat.gitstore.objects import Objects, commit_links
from stoat.gitstore.reading import DEPTH, Reader, Snapshot
from stoat.gitstore.recent import Recent
from stoat.gitstore.writing import Loose, absent, loose, one_journal, put, putting
from stoat.plan.events.base import Actor, Event
from stoat.plan.fold import encode_event, fold_part
from stoat.plan.ids import event_id
from stoat.plan.state import State

_FARTHEST = 1000  # commits to look back for our own, when a move failed and the ref stands elsewhere


class _Tail(NamedTuple):
    """A stream's end: the tree it belongs to, the last segment's number, id and bytes, and the listing's bytes."""

    tree: str
    number: int
    oid: str
    content: bytes


class Appender:
    """Writes commits onto the ref. Not for several threads at once."""

    def __init__(self, objects: Objects, reader: Reader, recent: Recent, moving: Moving, sync: bool) -> None:
        self._objects = objects
        self._reader = reader
        self._recent = recent
        self._moving = moving
        self._sync = sync
        self._settles = sync and one_journal(objects.directory)
        self._tails: dict[str, _Tail] = {}
        self.turn = 0
        self._counted = True
        self._prepared = False

    def begin(self, content: bytes, actor: Actor, at: Time) -> str:
        """The first commit, with `content` as stoat.json; RefMoved when the ref exists by now."""
        blob = loose(b"blob", content)
        written = [blob]
        root = self._reader.trees.edit(None, {b"stoat.json": blob.oid}, "", written)
        assert root is not None
        written.append(loose(b"commit", commit_text(root, (), actor, at, "stoat: store created")))
        self._publish(None, written)
        return written[-1].oid

    def append(
        self,
        snapshot: Snapshot,
        entries: Sequence[tuple[str, Event]],
        subject: str,
        actor: Actor,
        at: Time,
        removed: str | None = None,
    ) -> tuple[tuple[Event, ...], State]:
        """Put the entries (and the removal of a stream) on top of the snapshot as one commit.

        Gives the stamped events and the new state. RefMoved when the ref is elsewhere by now, refs.Blocked when it
        could not be moved, Unreachable when nothing can be written.
        """
        events = stamp([event for _, event in entries], actor, at)
        lines: dict[str, list[bytes]] = {}
        for (stream, _), event in zip(entries, events, strict=True):
            lines.setdefault(stream, []).append(encode_event(event))
        written: list[Loose] = []
        edits: dict[bytes, Any] = {}
        ends: dict[str, tuple[int, str, bytes]] = {}
        for stream, new in lines.items():
            path = _path(stream)
            number, content = self._tail(stream, snapshot)
            files: dict[bytes, str] = {}
            for number, content in segments.extend(number, content, new):  # noqa: B020
                blob = loose(b"blob", content)
                written.append(blob)
                files[segments.name(number)] = blob.oid
                ends[stream] = (number, blob.oid, content)
            _plant(edits, [*path, b"events"], files)
        if removed is not None:
            if removed not in snapshot.streams:
                raise NotFound(f"there is no stream {removed}")
            _plant(edits, _path(removed), None)
        root = self._reader.trees.edit(snapshot.root, edits, "", written)
        assert root is not None
        written.append(loose(b"commit", commit_text(root, (snapshot.commit,), actor, at, subject)))
        commit = written[-1].oid
        streams, folded = self._outcome(snapshot, root, lines, ends, removed, commit)
        self._publish(snapshot.commit, written)
        for stream, (number, oid, content) in ends.items():
            self._tails[stream] = _Tail(streams[stream], number, oid, content)
        return events, self._reader.advance(commit, root, streams, folded)

    def _tail(self, stream: str, snapshot: Snapshot) -> tuple[int, bytes]:
        """Number and bytes of the stream's last segment; 0 and nothing when it has none."""
        tree = snapshot.streams.get(stream)
        if tree is None:
            return 0, b""
        known = self._tails.get(stream)
        if known is not None and known.tree == tree:
            return known.number, known.content
        listed = self._reader.segments(stream, tree)[1]
        if not listed:
            return 0, b""
        return listed[-1].number, self._reader.content(stream, listed[-1])

    def _outcome(
        self,
        snapshot: Snapshot,
        root: str,
        lines: dict[str, list[bytes]],
        ends: dict[str, tuple[int, str, bytes]],
        removed: str | None,
        commit: str,
    ) -> tuple[dict[str, str], dict[str, Folded]]:
        """The streams and the folded parts as they are once the commit stands."""
        trees = self._reader.trees
        streams = {stream: tree for stream, tree in snapshot.streams.items() if stream != removed}
        folded = {}
        for stream, (number, oid, content) in ends.items():
            if stream == removed:
                continue
            streams[stream] = trees.find(root, _path(stream))
            listing = trees.data(trees.find(streams[stream], [b"events"]), stream)
            closed = listing[: listing.index(b"100644 %b\0" % segments.name(number))]
            position = Position(number, len(content), oid, hashlib.sha1(closed).hexdigest())
            before = self._reader.folded(stream)
            part, troubles = fold_part(stream, before.part if before else None, lines[stream])
            notes = [
                *(before.notes if before else ()),
                *(f"{stream} (commit {commit[:12]}): {t.what}" for t in troubles),
            ]
            count = (before.lines if before else 0) + len(lines[stream])
            folded[stream] = Folded(
                part, streams[stream], position, tuple(notes), count, before.stored if before else 0
            )
        return streams, folded

    def _publish(self, old: str | None, written: list[Loose]) -> None:
        """Objects to the disk, a second copy in case git collects them, the ref, and a look whether it did."""
        commit = written[-1].oid
        if not self._prepared:
            refs.prepare(self._sync and not self._settles)
            self._prepared = True
        try:
            with putting(self._objects.directory, written, self._sync):
                if self._counted:  # a try that lost its race is followed by one in the same place
                    self.turn, self._counted = maintenance.count(self._objects.common), False
                self._recent.keep(self.turn, commit, written)
        except OSError as error:
            raise Unreachable(f"nothing can be written to {self._objects.directory}: {error.strerror}") from error
        try:
            with self._moving.announced(old, commit):
                refs.move(self._objects.repository, self._objects.common, old, commit)
        except RefMoved:
            if not self._is_ours(old, commit):
                raise
        self._counted = True
        with suppress(OSError):
            put(self._objects.directory, absent(self._objects.directory, written), self._sync)

    def settle(self) -> None:
        """Wait until what was appended is on the disk. Outside one's turn: others append on it meanwhile."""
        if self._settles:
            refs.settle(self._objects.common)

    def _is_ours(self, old: str | None, commit: str) -> bool:
        """Whether the ref did move to our commit although the move was reported as failed, and went on from there."""
        at = refs.read_tip(self._objects.common)
        for _ in range(_FARTHEST):
            if at is None or at == old:
                return False
            if at == commit:
                return True
            parents = commit_links(self._objects.raw(at, "commit", "a commit on refs/stoat/state"))[1]
            at = parents[0] if parents else None
        return False


def stamp(events: Sequence[Event], actor: Actor, at: Time) -> tuple[Event, ...]:
    """The events with their ids, in order, and with who and when. An address is the commit's, not the events'."""
    by = replace(actor, email=None)
    noise = int.from_bytes(os.urandom(10), "big") >> 1
    return tuple(
        replace(event, id=event_id(at, (noise + index).to_bytes(10, "big")), at=at, by=by)
        for index, event in enumerate(events)
    )


def _path(stream: str) -> list[bytes]:
    """A stream's names in the tree; ValueError for what cannot be one."""
    names = stream.split("/")
    if DEPTH.get(names[0]) != len(names) or any(
        name in {"", ".", ".."} or name.lower() == ".git" or "\0" in name for name in names
    ):
        raise ValueError(f"{stream!r} cannot name a stream")
    return [name.encode("utf-8", "surrogateescape") for name in names]


def _plant(edits: dict[bytes, Any], path: list[bytes], leaf: Any) -> None:
    for name in path[:-1]:
        edits = edits.setdefault(name, {})
    edits[path[-1]] = leaf
