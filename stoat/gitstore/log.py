"""The append-only log: what was said and seen, one commit a change, moved by compare-and-swap."""

from __future__ import annotations

import os
import random
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple, TypeVar

from stoat import clock
from stoat.clock import Time
from stoat.errors import NotFound, RefMoved, Refused, Unreachable
from stoat.gitstore import maintenance, refs, segments
from stoat.gitstore.appending import Appender
from stoat.gitstore.cache import Cache
from stoat.gitstore.locks import Turnstile
from stoat.gitstore.moving import Moving
from stoat.gitstore.names import actor as actor_of
from stoat.gitstore.names import named
from stoat.gitstore.objects import Objects
from stoat.gitstore.opening import Place, examine
from stoat.gitstore.reading import FORMAT, Reader
from stoat.gitstore.recent import Recent
from stoat.plan.events.base import Actor, Event, Unknown
from stoat.plan.fold import decode_line
from stoat.plan.state import State

BOUND = 20.0
"""Seconds after which a writer that always loses, or that a lock file keeps out, gives up."""

LOCKED = 3.0  # seconds to wait for a lock file to go: no writer holds one for longer than a moment


class Change(NamedTuple):
    """What a decision wants to append: (stream, event) in order, and the commit's subject."""

    entries: Sequence[tuple[str, Event]]
    subject: str


class Appended(NamedTuple):
    """What became of it: the commit (the tip, if there was nothing to append), the stamped events, the new state."""

    commit: str
    events: tuple[Event, ...]
    state: State


class Recorded(NamedTuple):
    """An event as it stands in the log; `commit` is None where finding it would mean walking the history."""

    event: Event | Unknown
    commit: str | None


_Done = TypeVar("_Done")

Decide = Callable[[State, Time], Change | None]
"""Looks at the state that the commit will land on; raises Refused, or gives what to append (None: nothing)."""


class Store:
    """The store of one repository. Threads may share it: they take turns."""

    def __init__(self, place: Place, fsync: bool | None = None) -> None:
        self.common = place.common
        self.settings = place.settings
        sync = place.switch("stoat.fsync", True) if fsync is None else fsync
        directory = place.common / "stoat"
        self._tidy = place.switch("stoat.maintenance", True)
        self._recent = Recent(directory / "recent", place.common / "objects")
        self._objects = Objects(place.common, self._recent.find)
        self._cache = Cache(directory / "cache")
        self._reader = Reader(self._objects, self._cache)
        self._turnstile = Turnstile(directory / "locks")
        self._moving = Moving(place.common, directory / "locks")
        self._appender = Appender(self._objects, self._reader, self._recent, self._moving, sync)
        self._cleared: list[str] = []
        self._mutex = threading.RLock()

    @classmethod
    def open(cls, directory: Path, *, fsync: bool | None = None) -> Store:
        """The store of the repository around `directory`.

        NotFound when there is no repository or no store in it, StoreUnreadable when there is one that cannot be read.
        `fsync` overrides `git config stoat.fsync`.
        """
        store = cls(examine(directory), fsync)
        store._reader.snapshot(store.tip())
        return store

    @classmethod
    def create(cls, directory: Path) -> tuple[Store, bool]:
        """The store of the repository, made if there is none; and whether it was made. One that is there stays."""
        store = cls(examine(directory))
        made = refs.read_tip(store.common) is None and store._in_turn(store._begin)
        if made:
            store._appender.settle()
        else:
            store._reader.snapshot(store.tip())
        return store, made

    @property
    def notes(self) -> list[str]:
        """What a person should hear of: lines that were stepped over, caches rebuilt, a dead process's lock removed."""
        newer = []
        snapshot = self._reader.newest
        if snapshot is not None and snapshot.format > FORMAT:
            newer.append(
                f"the store has format {snapshot.format}, newer than this Stoat's {FORMAT}: shown as far as known"
            )
        return [*newer, *self._reader.notes(), *self._cache.notes, *self._cleared]

    def stale_lock(self) -> refs.Blocked | None:
        """What to say of a lock file that has kept the ref where it is for longer than any writer does."""
        lock = refs.locked(self.common)
        if lock is None or lock.age <= LOCKED:
            return None
        if self._moving.leftover():
            mended = "a process of Stoat's that was killed left it behind; whatever is recorded next removes it"
            return refs.Blocked(lock.message, mended, lock.age)
        return lock

    def tip(self) -> str:
        """The commit id that the ref holds now; NotFound when there is no store."""
        tip = refs.read_tip(self.common)
        if tip is None:
            raise NotFound(f"the repository at {self.common} has no store", "stoat init")
        return tip

    def state(self) -> State:
        """Everything folded at the tip."""
        with self._mutex:
            self._recent.restore(self._objects.packed)
            return self._reader.state(self.tip())

    def streams(self) -> list[str]:
        """The names of the streams that have events, sorted."""
        with self._mutex:
            return sorted(self._reader.snapshot(self.tip()).streams)

    def history(self, stream: str, *, newest_first: bool = False, limit: int | None = None) -> Iterator[Recorded]:
        """The stream's events, oldest or newest first, at most `limit`; segments are read as they are reached."""
        with self._mutex:
            tree = self._reader.snapshot(self.tip()).streams.get(stream)
            listed = self._reader.segments(stream, tree)[1] if tree else []
        left = limit if limit is not None else -1
        for segment in reversed(listed) if newest_first else listed:
            if left == 0:
                return
            with self._mutex:
                lines = segments.split(self._reader.content(stream, segment)).lines
            for line in reversed(lines) if newest_first else lines:
                if left == 0:
                    return
                left -= 1
                yield Recorded(decode_line(line), None)

    def answer(self, key: str, commit: str) -> bytes | None:
        """A whole answer kept for that commit, None when there is none that still holds."""
        return self._cache.answer(key, commit)

    def keep_answer(self, key: str, commit: str, data: bytes, until: Time | None = None) -> None:
        """Keep a whole answer for that commit, which holds until `until`."""
        self._cache.keep_answer(key, commit, data, until)

    def append(self, decide: Decide, actor: Actor) -> Appended:
        """Decide on the state at the tip and append what was decided, as one commit on exactly that tip.

        Raises what `decide` raises; Refused when the store has a newer format; Unreachable when the ref cannot be
        moved, naming what is in the way.
        """
        return self._appended(lambda: self._attempt(decide, actor, None))

    def purge(self, stream: str, actor: Actor, subject: str, decide: Decide | None = None) -> Appended:
        """Take a stream out of the tree in a new commit; the history keeps it.

        `decide` may refuse, or give events for other streams, which go into the same commit. NotFound when there is
        no such stream.
        """

        def chosen(state: State, at: Time) -> Change:
            change = decide(state, at) if decide else None
            return Change(change.entries if change else (), subject)

        return self._appended(lambda: self._attempt(chosen, actor, stream), moves=True)

    def _begin(self) -> bool:
        """Write the first commit; False when somebody else has created the store in this moment."""
        if refs.read_tip(self.common) is not None:
            return False
        self._appender.begin(b'{"format": %d}\n' % FORMAT, _founder(self.settings), clock.now())
        return True

    def _attempt(self, decide: Decide, actor: Actor, removed: str | None) -> Appended:
        tip = self.tip()
        self._recent.restore(self._objects.packed)
        state = self._reader.state(tip)
        snapshot = self._reader.snapshot(tip)
        at = clock.now()
        change = decide(state, at)
        if change is None or (not change.entries and removed is None):
            return Appended(tip, (), state)
        if snapshot.format > FORMAT:
            raise Refused(
                f"the store has format {snapshot.format}, and this Stoat only writes format {FORMAT}",
                "upgrade Stoat on this machine",
            )
        events, state = self._appender.append(snapshot, change.entries, change.subject, actor, at, removed)
        return Appended(state.commit, events, state)

    def _appended(self, attempt: Callable[[], Appended], *, moves: bool = False) -> Appended:
        done = self._in_turn(attempt)
        if done.events or moves:
            self._appender.settle()
        if done.events and self._tidy:
            maintenance.start_if_due(self.common, self._appender.turn)
        return done

    def _in_turn(self, attempt: Callable[[], _Done]) -> _Done:
        with self._mutex, self._turnstile.turn() as ours:
            self._moving.in_turn = ours
            try:
                return self._until_done(attempt)
            finally:
                self._moving.in_turn = False

    def _until_done(self, attempt: Callable[[], _Done]) -> _Done:
        began = time.monotonic()
        tries = 0
        while True:
            waited = time.monotonic() - began
            try:
                return attempt()
            except refs.Blocked as blocked:
                if cleared := self._moving.clear():
                    self._cleared.append(cleared)
                    continue
                # A lock that others take and give back is as young as they are quick; one that only ages is stale.
                if waited > (LOCKED if blocked.age > LOCKED else BOUND):
                    raise
            except RefMoved as moved:
                if waited > BOUND:
                    raise Unreachable(
                        f"other writers moved {refs.REF} first, {tries + 1} times in {BOUND:.0f} s",
                        "try again; if it stays so, something writes to it without pause",
                    ) from moved
            tries += 1
            time.sleep(random.uniform(0, min(0.2, 0.002 * 2**tries)))


def _founder(settings: Mapping[str, str]) -> Actor:
    """Who creates the store: the process's actor, or Stoat itself where git knows no name (a bare host)."""
    actor = actor_of(settings, os.environ)
    return actor if actor.name else named("Stoat", "observer")
