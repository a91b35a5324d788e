"""Ports of a worktree's own: one for each name of --port, free when it was chosen and nobody else's on the machine.

What a worktree was given is noted in its own git directory, so that the next attempt has the same where that is free.
"""

from __future__ import annotations

import errno
import hashlib
import socket
from collections.abc import Iterable, Mapping
from pathlib import Path

import msgspec

from stoat.errors import UNDECODABLE, Refused
from stoat.gitstore.work.worktrees import git_directory
from stoat.observe.replacing import replaced
from stoat.plan.reservations import Reservation

FIRST, LAST = 20_000, 29_999
"""Below what systems give to outgoing connections (from 32768 on Linux, from 49152 elsewhere)."""

_NOTE = "stoat-ports"


def allot(
    wanted: Reservation, names: Iterable[str], kept: Mapping[str, int], live: Iterable[Reservation]
) -> dict[str, int]:
    """A port for each name: the one the worktree had, else one that follows from the node's name, else the next free
    one. Refused when none is left. Called under the lock of the reservations, of which `live` are those there are."""
    taken = {port for one in live for port in one.ports.values()}
    given: dict[str, int] = {}
    for name in names:
        port = _choose("/".join((*wanted.of, name)), kept.get(name), taken)
        given[name] = port
        taken.add(port)
    return given


def kept(worktree: Path) -> dict[str, int]:
    """The ports that the worktree was given last; none where it was given none, or is gone.

    Refused where the note of it cannot be read, GitFailed where the worktree cannot be asked.
    """
    if not worktree.is_dir():
        return {}
    note = git_directory(worktree) / _NOTE
    try:
        return msgspec.json.decode(note.read_bytes(), type=dict[str, int])
    except FileNotFoundError:
        return {}
    except (OSError, *UNDECODABLE) as problem:
        raise Refused(
            f"which ports the worktree {worktree} has cannot be read from {note}: {problem}",
            hint="see what is in that file; a worktree without it is given ports anew",
        ) from problem


def keep(worktree: Path, given: Mapping[str, int]) -> None:
    """Note what the worktree was given; nothing where it was given nothing."""
    if given:
        replaced(git_directory(worktree) / _NOTE, msgspec.json.encode(given))


def is_free(port: int) -> bool:
    """Whether nobody listens on that port, on loopback or on all addresses."""
    return _binds(socket.AF_INET, "127.0.0.1", port) and _binds(socket.AF_INET6, "::1", port)


def _choose(key: str, before: int | None, taken: set[int]) -> int:
    count = LAST - FIRST + 1
    start = int.from_bytes(hashlib.sha256(key.encode(errors="surrogateescape")).digest()[:8], "big") % count
    candidates = [FIRST + (start + step) % count for step in range(count)]
    if before is not None and FIRST <= before <= LAST:
        candidates.insert(0, before)
    for port in candidates:
        if port not in taken and is_free(port):
            return port
    raise Refused(
        f"no port from {FIRST} to {LAST} is free on this machine", hint="see who has them: stoat machine; or end some"
    )


def _binds(family: socket.AddressFamily, address: str, port: int) -> bool:
    try:
        with socket.socket(family, socket.SOCK_STREAM) as probe:
            # What only just closed is no reason; who listens is one, with this or without.
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            probe.bind((address, port))
            probe.listen(1)
            return True
    except OSError as problem:
        # A machine without IPv6 has nobody on it.
        return family == socket.AF_INET6 and problem.errno not in (errno.EADDRINUSE, errno.EACCES)
