"""From a commit to the state: finds the streams in its tree and folds of each only the lines that are new."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from typing import NamedTuple

import msgspec

from stoat.errors import UNDECODABLE, StoreUnreadable
from stoat.gitstore import segments
from stoat.gitstore.cache import Cache, Folded, Position
from stoat.gitstore.objects import RESCUE, Objects, commit_links, object_id
from stoat.gitstore.trees import Trees
from stoat.plan.fold import fold_part
from stoat.plan.state import Part, State

FORMAT = 1

DEPTH = {"agents": 1, "feeds": 2, "github": 3, "machines": 2, "plans": 2, "repositories": 3, "runs": 1}
"""The families of streams: how many names a stream's path has, the family's own included."""

_MOST_NOTES = 20
_FEW_LINES = 64
_BATCH = 1 << 20


class Segment(NamedTuple):
    """A segment as its tree lists it; `start` is where its entry begins in the tree's bytes."""

    number: int
    oid: str
    start: int


class Snapshot(NamedTuple):
    """What a commit holds: the root tree, the store's format, and the streams with the ids of their trees."""

    commit: str
    root: str
    format: int
    streams: dict[str, str]


class Reader:
    """Reads states out of the repository, remembering the newest one. Not for several threads at once."""

    def __init__(self, objects: Objects, cache: Cache) -> None:
        self._objects = objects
        self._cache = cache
        self.trees = Trees(objects)
        self._folded: dict[str, Folded] = {}
        self._state: State | None = None
        self._snapshot: Snapshot | None = None
        self._families: dict[str, tuple[str, dict[str, str]]] = {}
        self._pruned = False

    def snapshot(self, commit: str) -> Snapshot:
        """What the commit holds; StoreUnreadable when it is no commit of a store."""
        if self._snapshot is not None and self._snapshot.commit == commit:
            return self._snapshot
        self.trees.trim()
        root, _ = commit_links(self._objects.raw(commit, "commit", "the commit that refs/stoat/state points to"))
        streams: dict[str, str] = {}
        version = None
        for entry in self.trees.entries(root, f"the tree of commit {commit}"):
            name = entry.name.decode("utf-8", "surrogateescape")
            if name == "stoat.json":
                version = self._format(entry.oid)
            elif name in DEPTH and entry.mode == b"40000":
                known = self._families.get(name)
                if known is None or known[0] != entry.oid:
                    known = (entry.oid, dict(self._walk(name, entry.oid, DEPTH[name] - 1)))
                    self._families[name] = known
                streams.update(known[1])
        if version is None:
            raise StoreUnreadable(
                f"commit {commit} on refs/stoat/state has no stoat.json: not a store of Stoat's", RESCUE
            )
        self._snapshot = Snapshot(commit, root, version, streams)
        return self._snapshot

    def state(self, commit: str) -> State:
        """All streams folded at the commit."""
        if self._state is not None and self._state.commit == commit:
            return self._state
        snapshot = self.snapshot(commit)
        parts: dict[str, Part] = {}
        for stream, tree in snapshot.streams.items():
            known = self._folded.get(stream) or self._cache.load(stream)
            if known is None or known.tree != tree:
                known = self._forward(stream, tree, known, commit)
            known = self._keep_if_long(stream, known)
            self._folded[stream] = known
            parts[stream] = known.part
        for stream in self._folded.keys() - parts.keys():
            del self._folded[stream]
        self._state = State(commit, parts)
        return self._state

    def advance(self, commit: str, root: str, streams: dict[str, str], folded: dict[str, Folded]) -> State:
        """Take over what this process itself has just appended, without reading it back."""
        assert self._state is not None and self._snapshot is not None
        parts = dict(self._state.parts)
        for stream, each in folded.items():
            self._folded[stream] = self._keep_if_long(stream, each)
            parts[stream] = each.part
        for stream in parts.keys() - streams.keys():
            del parts[stream]
            self._folded.pop(stream, None)
        self._snapshot = Snapshot(commit, root, self._snapshot.format, streams)
        self._state = State(commit, parts)
        return self._state

    @property
    def newest(self) -> Snapshot | None:
        """The snapshot last read or written."""
        return self._snapshot

    def folded(self, stream: str) -> Folded | None:
        """The stream as it stands in the newest state; None when it has no events yet."""
        return self._folded.get(stream)

    def segments(self, stream: str, tree: str) -> tuple[bytes, list[Segment]]:
        """The bytes of a stream's `events` tree, and the segments in it, oldest first."""
        for entry in self.trees.entries(tree, f"the tree of {stream}"):
            if entry.name == b"events":
                data = self.trees.data(entry.oid, f"the tree {stream}/events")
                return data, _listed(data)
        return b"", []

    def content(self, stream: str, segment: Segment) -> bytes:
        """The bytes of a segment."""
        return self._objects.raw(segment.oid, "blob", _shown(stream, segment.number))

    def notes(self) -> list[str]:
        """What was odd in the streams of the newest state."""
        return [note for stream in sorted(self._folded) for note in self._folded[stream].notes]

    def _walk(self, path: str, oid: str, depth: int) -> Iterator[tuple[str, str]]:
        if depth == 0:
            yield path, oid
            return
        for entry in self.trees.entries(oid, f"the tree {path}"):
            if entry.mode == b"40000":
                yield from self._walk(f"{path}/{entry.name.decode('utf-8', 'surrogateescape')}", entry.oid, depth - 1)

    def _format(self, oid: str) -> int:
        content = self._objects.raw(oid, "blob", "stoat.json")
        try:
            version = msgspec.json.decode(content)["format"]
        except (*UNDECODABLE, KeyError, TypeError) as problem:
            raise StoreUnreadable(f"stoat.json on refs/stoat/state does not say its format: {problem}") from problem
        if not isinstance(version, int) or version < 1:
            raise StoreUnreadable(f"stoat.json on refs/stoat/state gives {version!r} as its format")
        return version

    def _forward(self, stream: str, tree: str, known: Folded | None, commit: str) -> Folded:
        """Fold what comes after the known position; from the beginning when what was folded is not what is there."""
        listing, listed = self.segments(stream, tree)
        part, seen, notes, lines, stored = None, b"", [], 0, 0
        following = listed
        if known is not None:
            stored = known.stored
            found = self._resume(stream, listing, listed, known.position)
            if found is not None:
                following, seen = found
                part, notes, lines = known.part, list(known.notes), known.lines
        batch = _Batch(stream, part, commit, notes)
        last, content = None, b""
        for segment in following:
            content = self.content(stream, segment)
            batch.add(segment.number, content, len(seen) if last is None else 0)
            last = segment
        batch.flush()
        if last is None:
            position = known.position if known is not None and found is not None else Position()
        else:
            digest = hashlib.sha1(listing[: last.start]).hexdigest()
            position = Position(last.number, len(content), last.oid, digest)
        folded = batch.part if batch.part is not None else fold_part(stream, None, [])[0]
        return Folded(folded, tree, position, tuple(batch.notes), lines + batch.count, stored)

    def _resume(
        self, stream: str, listing: bytes, listed: list[Segment], position: Position
    ) -> tuple[list[Segment], bytes] | None:
        """The segments from the position on and the bytes of the first that were folded; None if they changed."""
        for index, segment in enumerate(listed):
            if segment.number == position.segment:
                if hashlib.sha1(listing[: segment.start]).hexdigest() != position.closed:
                    return None
                seen = self.content(stream, segment)[: position.size]
                if segment.oid != position.blob and (
                    len(seen) != position.size or object_id(b"blob", seen) != position.blob
                ):
                    return None
                return listed[index:], seen
        return None

    def _keep_if_long(self, stream: str, folded: Folded) -> Folded:
        """Write the part to the disk once reading its new lines again would cost as much as loading it."""
        if folded.lines < max(_FEW_LINES, folded.stored // 512):
            return folded
        kept = self._cache.keep(stream, folded)
        if not self._pruned and self._snapshot is not None:
            self._pruned = True
            self._cache.prune(set(self._snapshot.streams))
        return kept


class _Batch:
    """Lines gathered from segments and folded a megabyte at a time."""

    def __init__(self, stream: str, part: Part | None, commit: str, notes: list[str]) -> None:
        self.part = part
        self.notes = notes
        self.count = 0
        self._stream = stream
        self._commit = commit
        self._lines: list[bytes] = []
        self._origins: list[tuple[int, int, int]] = []
        self._bytes = 0

    def add(self, number: int, content: bytes, seen: int) -> None:
        """Take a segment's bytes from `seen` on."""
        before = content[:seen].count(b"\n") + (1 if seen and content[seen - 1 : seen] != b"\n" else 0)
        lines, oddities = segments.split(content[seen:])
        self._origins.append((len(self._lines), number, before))
        for index, what in oddities:
            self._note(number, before + index, what)
        self._lines += lines
        self._bytes += len(content) - seen
        if self._bytes > _BATCH:
            self.flush()

    def flush(self) -> None:
        """Fold what was gathered."""
        if not self._lines:
            return
        self.part, troubles = fold_part(self._stream, self.part, self._lines)
        for trouble in troubles[: _MOST_NOTES + 1]:
            start, number, before = next(o for o in reversed(self._origins) if o[0] <= trouble.line)
            self._note(number, before + trouble.line - start, trouble.what)
        self.count += len(self._lines)
        self._lines, self._origins, self._bytes = [], [], 0

    def _note(self, number: int, line: int, what: str) -> None:
        if len(self.notes) < _MOST_NOTES:
            self.notes.append(f"{_shown(self._stream, number)} line {line + 1} (commit {self._commit[:12]}): {what}")
        elif len(self.notes) == _MOST_NOTES:
            self.notes.append(f"{self._stream}: and more of the kind")


def _listed(data: bytes) -> list[Segment]:
    found = []
    position = 0
    while position < len(data):
        space = data.index(b" ", position)
        end = data.index(b"\0", space)
        number = segments.number(data[space + 1 : end])
        if number is not None:
            found.append(Segment(number, data[end + 1 : end + 21].hex(), position))
        position = end + 21
    return found


def _shown(stream: str, number: int) -> str:
    return f"{stream}/events/{segments.name(number).decode()}"
