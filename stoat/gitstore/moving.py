"""The lock file that a killed process leaves on the ref: whose it is, and removing it where that is proven.

libgit2 locks the ref by a file and knows no owner of it. So whoever moves the ref in their turn first writes down who
they are and what they are about to do. A lock that fits such a record, of a process known to be dead, is Stoat's own.
"""

from __future__ import annotations

import functools
import os
import stat
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import NamedTuple

from stoat.gitstore.refs import LOCK, REF, SETTLED, openers, read_tip

_LONGEST = 512
_NOBODY = b"-"


class _Move(NamedTuple):
    """A move that was announced: the key of the process, from which commit (empty: no ref) to which."""

    owner: str
    old: str
    new: str


class Moving:
    """The record in `directory`, for the ref of the repository with that common git directory.

    Records are written and locks removed only while `in_turn` says that the turnstile is really ours.
    """

    def __init__(self, common: Path, directory: Path) -> None:
        self._common = common
        self._lock = common / LOCK
        self._record = directory / "moving"
        self.in_turn = False

    @contextmanager
    def announced(self, old: str | None, new: str) -> Iterator[None]:
        """Say who moves the ref while it is moved. Failing to is no error, only then a crash is not put right."""
        handle = -1
        # A lock that lies there already is somebody else's, and the record that may explain it has to stay.
        if self.in_turn and not self._lock.exists() and (owner := _own_key(os.getpid())):
            with suppress(OSError):
                handle = os.open(self._record, os.O_WRONLY | os.O_CREAT | os.O_CLOEXEC, 0o644)
                os.pwrite(handle, f"{owner} {old or ''} {new}\n".encode(), 0)
        try:
            yield
        finally:
            if handle >= 0:
                # Written over, because a file that comes and goes costs the journal more than the whole record.
                with suppress(OSError):
                    os.pwrite(handle, _NOBODY, 0)
                os.close(handle)

    def leftover(self) -> bool:
        """Whether the lock on the ref is proven to be one that a killed process of Stoat's left behind."""
        try:
            lock, record = self._lock.lstat(), self._record.stat()
            move = self._read()
            with self._lock.open("rb") as file:
                content = file.read(_LONGEST)
        except (OSError, ValueError):
            return False
        like_ours = (
            stat.S_ISREG(lock.st_mode)
            and lock.st_uid == record.st_uid
            and lock.st_mtime_ns >= record.st_mtime_ns
            and content in (b"", f"{move.new}\n".encode())
        )
        # A move that was made took its lock along, but for the first one of all, which links the lock to the ref.
        unmade = (read_tip(self._common) or "") in ((move.old,) if move.old else ("", move.new))
        # Others' locks are empty only for an instant, and hold that very commit only if they do the same again.
        settled = time.time() - lock.st_mtime >= SETTLED
        return like_ours and unmade and settled and _is_dead(move.owner) and openers(self._lock) == []

    def clear(self) -> str | None:
        """Remove the lock if it is proven to be a leftover and the turn is ours; a sentence when it was."""
        if not self.in_turn or not self.leftover():
            return None
        try:
            self._lock.unlink()
        except OSError:
            return None
        return f"a process that was killed had left {self._lock} behind, which kept {REF} where it was; it was removed"

    def _read(self) -> _Move:
        with self._record.open(encoding="ascii") as file:
            line = file.readline(_LONGEST)
        owner, old, new = line.removesuffix("\n").split(" ")
        return _Move(owner, old, new)


@functools.cache
def _own_key(pid: int) -> str | None:
    # Not above: most commands only read, and these take a while to load.
    from stoat.processes import identity_of

    identity = identity_of(pid)
    return None if identity is None else identity.key


def _is_dead(key: str) -> bool:
    from stoat.processes import Identity, is_dead

    try:
        return is_dead(Identity.parse(key))
    except ValueError:
        return False
