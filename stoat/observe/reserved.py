"""What is reserved on this machine: a small file a reservation, under the user's home, for every store and runner.

    ~/.stoat/machine/<machine>/  lock · <id>.json a reservation · limits-<store>.json what a store's person set

Whoever decides and writes holds the lock, so that two runners never count without each other. A reservation whose
processes are gone counts no more, and is removed by whoever looks next under the lock. `STOAT_MACHINE` names another
directory.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import tempfile
import time
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path

import msgspec

from stoat import clock
from stoat.errors import UNDECODABLE
from stoat.observe.replacing import DRAFT, replaced
from stoat.plan.reservations import Limits, Reservation
from stoat.plan.variables import CLAIM, MACHINE
from stoat.processes import Identity, find_marked, is_alive, is_known_dead, machine_name
from stoat.processes.locking import taken

LIMITS = "limits-"
_PATIENCE = 5.0
"""Seconds for which the lock is tried: it is held for as long as a few small files take."""
_DRAFT_KEPT = 60.0


class _OfAStore(msgspec.Struct, frozen=True):
    store: str
    limits: Limits


def folder() -> Path:
    """Where the reservations of this machine are."""
    given = os.environ.get(MACHINE)
    try:
        root = Path(given) if given else Path.home() / ".stoat" / "machine"
    except RuntimeError:  # a user without a home
        root = Path(tempfile.gettempdir()) / f"stoat-machine-{os.getuid()}"
    return root / machine_name()


def is_one(place: Path) -> bool:
    """Whether a path is a reservation, and not its draft or the lock."""
    return place.suffix == ".json" and place.parent == folder()


class Table:
    """The reservations while nobody else may change them; only `locked` gives one."""

    def __init__(self, place: Path) -> None:
        self._place = place
        self.live = _swept(place)

    def put(self, one: Reservation) -> None:
        """Make a reservation, or say one anew."""
        write(one)
        self.live = (*(other for other in self.live if other.id != one.id), one)

    def drop(self, one: Reservation) -> None:
        """Take a reservation away."""
        remove(one.id)
        self.live = tuple(other for other in self.live if other.id != one.id)


@contextmanager
def locked(patience: float = _PATIENCE) -> Iterator[Table | None]:
    """The reservations, to decide on and to change; None where somebody else keeps the lock. OSError as the disk has
    it."""
    place = folder()
    place.mkdir(parents=True, exist_ok=True, mode=0o700)
    handle = os.open(place / "lock", os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    try:
        yield Table(place) if taken(handle, time.monotonic() + patience) else None
    finally:
        os.close(handle)


def read() -> tuple[Reservation, ...]:
    """The reservations that are alive now, in the order in which they were made; changes nothing."""
    alive = [one for one in _all(folder()) if is_live(one)]
    return tuple(sorted(alive, key=lambda one: (one.since, one.id)))


def exclusive() -> tuple[Reservation, ...]:
    """Those of nodes that have the machine to themselves, or wait for their turn. Asked by every command, so no process
    is looked at but theirs."""
    return tuple(one for one in _all(folder()) if one.exclusive and is_live(one))


@contextmanager
def noted(one: Reservation) -> Iterator[None]:
    """Have others see it for as long as this lasts; what keeps that from being written keeps nothing else back."""
    with contextlib.suppress(OSError):
        write(one)
    try:
        yield
    finally:
        with contextlib.suppress(OSError):
            remove(one.id)


def write(one: Reservation) -> None:
    """Say a reservation, outside the lock: for what is not decided, but so."""
    replaced(folder() / f"{one.id}.json", msgspec.json.encode(one), 0o600)


def remove(reservation_id: str) -> None:
    """Take one away; nothing where there is none."""
    with contextlib.suppress(FileNotFoundError):
        (folder() / f"{reservation_id}.json").unlink()


def is_live(one: Reservation) -> bool:
    """Whether it counts: what runs is alive; before that is noted, its runner, or whatever was started with its claim.

    A turn counts until its time is over, too. A process of another machine or container cannot be seen from here, and
    counts there.
    """
    if one.until is not None and clock.now() > one.until:
        return False
    if one.process is not None:
        return _is_alive(one.process)
    return _is_alive(one.runner) or (one.claim != "" and bool(find_marked(CLAIM, one.claim)))


def limits() -> tuple[Limits, ...]:
    """What the people of all stores on this machine set for it; a store that is gone counts no more."""
    found = []
    for place in sorted(folder().glob(f"{LIMITS}*.json")):
        with contextlib.suppress(OSError, *UNDECODABLE):
            said = msgspec.json.decode(place.read_bytes(), type=_OfAStore)
            if Path(said.store).is_dir():
                found.append(said.limits)
    return tuple(found)


def keep_limits(store: Path, given: Limits | None) -> None:
    """Say to the runners of all stores what this one's person set (None: nothing); written only where it is news."""
    place = folder() / f"{LIMITS}{hashlib.sha256(os.fsencode(store)).hexdigest()[:16]}.json"
    data = msgspec.json.encode(_OfAStore(str(store), given)) if given is not None else None
    with contextlib.suppress(FileNotFoundError):
        if data is None:
            place.unlink()
            return
        if place.read_bytes() == data:
            return
    if data is not None:
        replaced(place, data, 0o600)


def _is_alive(key: str | None) -> bool:
    try:
        return key is not None and is_alive(Identity.parse(key))
    except ValueError:
        return False


def _all(place: Path) -> list[Reservation]:
    found = []
    for file in _files(place):
        if file.suffix == ".json" and not file.name.startswith(LIMITS):
            with contextlib.suppress(OSError, *UNDECODABLE):
                one = msgspec.json.decode(file.read_bytes(), type=Reservation)
                if one.id == file.stem:
                    found.append(one)
    return found


def _files(place: Path) -> Iterable[Path]:
    try:
        return list(place.iterdir())
    except OSError:
        return ()


def _swept(place: Path) -> tuple[Reservation, ...]:
    """The reservations that are alive; those that are known to be over are removed, and drafts of killed processes."""
    alive = []
    for one in _all(place):
        if is_live(one):
            alive.append(one)
        elif one.until is not None or is_known_dead(one.process or one.runner):
            remove(one.id)
    for file in _files(place):
        with contextlib.suppress(OSError):
            if file.name.endswith(DRAFT) and time.time() - file.stat().st_mtime > _DRAFT_KEPT:
                file.unlink()
    return tuple(sorted(alive, key=lambda one: (one.since, one.id)))
