"""What is reserved on this machine: a small file a reservation, under the user's home, for every store and runner.

    ~/.stoat/machine/<machine>/  lock · <id>.json a reservation · limits-<store>.json (machine_limits.py)

Whoever decides and writes holds the lock, so that two runners never count without each other. A reservation whose
processes are gone counts no more, and is removed by whoever looks next under the lock. `STOAT_MACHINE` names another
directory. What cannot be read there may be a reservation: it is never taken for none (`Seen.unreadable`).
"""

from __future__ import annotations

import contextlib
import errno
import os
import stat
import tempfile
import time
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

import msgspec

from stoat import clock
from stoat.errors import UNDECODABLE
from stoat.observe.replacing import DRAFT, replaced
from stoat.plan.reservations import Reservation
from stoat.plan.variables import CLAIM, MACHINE
from stoat.processes import Identity, find_marked, is_alive, is_known_dead, machine_name
from stoat.processes.locking import taken

LIMITS = "limits-"
"""How the files begin that are no reservations."""
_PATIENCE = 5.0
"""Seconds for which the lock is tried: it is held for as long as a few small files take."""
_DRAFT_KEPT = 60.0


class Seen(NamedTuple):
    """The reservations that are alive, in the order in which they were made; and, a sentence each, what could not be
    read and may be one: nobody knows what is taken then."""

    live: tuple[Reservation, ...]
    unreadable: tuple[str, ...] = ()


def folder() -> Path:
    """Where the reservations of this machine are."""
    given = os.environ.get(MACHINE)
    try:
        root = Path(given) if given else Path.home() / ".stoat" / "machine"
    except RuntimeError:  # a user without a home
        root = _without_a_home()
    return root / machine_name()


def make_room() -> Path:
    """The same directory, made where it is missing; OSError as the disk has it, and where it is another user's."""
    place = folder()
    place.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    _check_owner(place.parent)
    place.mkdir(exist_ok=True, mode=0o700)
    return place


def is_one(place: Path) -> bool:
    """Whether a path is a reservation, and not its draft or the lock."""
    return place.suffix == ".json" and place.parent == folder()


class Table:
    """The reservations while nobody else may change them; only `locked` gives one."""

    def __init__(self, place: Path) -> None:
        self._place = place
        self.live, self.unreadable = _swept(place)

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
    place = make_room()
    handle = os.open(place / "lock", os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    try:
        yield Table(place) if taken(handle, time.monotonic() + patience) else None
    finally:
        os.close(handle)


def read() -> tuple[Reservation, ...]:
    """The reservations that are alive now, in the order in which they were made; changes nothing."""
    return look().live


def look() -> Seen:
    """The same, with what could not be read."""
    found, unreadable = _all(folder())
    return Seen(_in_order(one for one in found if is_live(one)), unreadable)


def exclusive() -> tuple[Reservation, ...]:
    """Those of nodes that have the machine to themselves, or wait for their turn. Asked by every command, so no process
    is looked at but theirs."""
    return tuple(one for one in _all(folder())[0] if one.exclusive and is_live(one))


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
    replaced(make_room() / f"{one.id}.json", msgspec.json.encode(one), 0o600)


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


def _is_alive(key: str | None) -> bool:
    try:
        return key is not None and is_alive(Identity.parse(key))
    except ValueError:
        return False


def _all(place: Path) -> tuple[list[Reservation], tuple[str, ...]]:
    """Every reservation, alive or not, and what of them could not be read, a newer version's too."""
    found, unreadable = [], []
    try:
        files = _files(place)
    except OSError as problem:
        return [], (f"{place}: {problem.strerror}",)
    for file in files:
        if file.suffix != ".json" or file.name.startswith(LIMITS):
            continue
        try:
            one = msgspec.json.decode(file.read_bytes(), type=Reservation)
        except FileNotFoundError:  # it ended while we looked
            continue
        except OSError as problem:
            unreadable.append(f"{file}: {problem.strerror}")
        except UNDECODABLE:
            unreadable.append(f"{file}: it is no reservation that this version knows")
        else:
            if one.id == file.stem:
                found.append(one)
            else:
                unreadable.append(f"{file}: it is the reservation {one.id}")
    return found, tuple(sorted(unreadable))


def _files(place: Path) -> list[Path]:
    _check_owner(place.parent)
    try:
        return list(place.iterdir())
    except FileNotFoundError:  # nothing was ever reserved
        return []


def _check_owner(root: Path) -> None:
    """PermissionError where a directory that anybody could have made is not this user's alone."""
    if root != _without_a_home():
        return
    with contextlib.suppress(FileNotFoundError):
        seen = root.lstat()
        if not stat.S_ISDIR(seen.st_mode) or seen.st_uid != os.getuid() or seen.st_mode & 0o022:
            why = f"it is not this user's alone, name another directory: {MACHINE}=DIR"
            raise PermissionError(errno.EACCES, why, str(root))


def _without_a_home() -> Path:
    return Path(tempfile.gettempdir()) / f"stoat-machine-{os.getuid()}"


def _swept(place: Path) -> Seen:
    """What is there; reservations that are known to be over are removed, and drafts of killed processes."""
    alive = []
    found, unreadable = _all(place)
    for one in found:
        if is_live(one):
            alive.append(one)
        elif one.until is not None or is_known_dead(one.process or one.runner):
            remove(one.id)
    for file in _files(place) if not unreadable else ():
        with contextlib.suppress(OSError):
            if file.name.endswith(DRAFT) and time.time() - file.stat().st_mtime > _DRAFT_KEPT:
                file.unlink()
    return Seen(_in_order(alive), unreadable)


def _in_order(found: Iterable[Reservation]) -> tuple[Reservation, ...]:
    return tuple(sorted(found, key=lambda one: (one.since, one.id)))
