"""Who is alive here: a runner or a server holds an OS lock while it lives, and says its state in a file beside it.

The lock dies with its process, whatever way that ends, so nobody has to believe a process id. A process that is there
and does nothing any more (stopped, hung) holds its lock; so a thread of it touches the file, and one whose file is old
does not answer. The files are under `stoat/live/` of the common git directory and are nobody's history.
"""

from __future__ import annotations

import contextlib
import fcntl
import os
import threading
import time
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Literal

import msgspec
from msgspec import Struct

from stoat.errors import UNDECODABLE, Refused
from stoat.observe.replacing import replaced
from stoat.plan.facts import RunnerFact
from stoat.plan.state import State
from stoat.processes import is_known_dead
from stoat.processes.locking import taken

Kind = Literal["runner", "server"]

_PATIENCE = 1.0
"""Seconds for which a lock is tried: somebody who only looks whether it is free holds it for an instant."""
HEARTBEAT = 10.0
"""Seconds between two touches of a live file."""
STUCK = 600.0
"""Seconds after which a piece of work that has not ended counts as hung: nothing is touched any more."""
SILENT = 30.0
"""Seconds of a runner's silence after which it reads as disconnected."""
_KEPT = 24 * 3600.0
"""Seconds for which what a process last said is kept after it went away, so that it reads as gone."""


class Live:
    """This process, as others see it. Its lock is held until `close` or the end of the process."""

    def __init__(self, place: Path, handle: int) -> None:
        self._place = place
        self._handle = handle
        self._said = b""
        self._busy_since: float | None = None
        self._ended = threading.Event()
        threading.Thread(target=self._beat, name="stoat-heartbeat", daemon=True).start()

    def update(self, state: Struct) -> None:
        """Say the state anew, in one step: a reader sees the old one or the new one. Nothing is written twice."""
        said = msgspec.json.encode(state)
        if said == self._said:
            return
        replaced(self._place, said)
        self._said = said

    @contextlib.contextmanager
    def at_work(self) -> Iterator[None]:
        """Do a piece of work that should come to an end; should it hang, this process reads as silent."""
        self._busy_since = time.monotonic()
        try:
            yield
        finally:
            self._busy_since = None

    def close(self) -> None:
        """Let go and take the state away; a second call does nothing."""
        if self._handle < 0:
            return
        self._ended.set()
        self._place.unlink(missing_ok=True)
        os.close(self._handle)
        self._handle = -1

    def _beat(self) -> None:
        while not self._ended.wait(HEARTBEAT):
            since = self._busy_since
            if since is not None and time.monotonic() - since > STUCK:
                continue
            with contextlib.suppress(OSError):
                os.utime(self._place)


def announce(common_dir: Path, kind: Kind, name: str, state: Struct) -> Live:
    """Be the one live `kind` called `name`. Refused, with what the other said of itself, while another one is."""
    directory = common_dir / "stoat" / "live"
    directory.mkdir(parents=True, exist_ok=True)
    _sweep(directory, kind)
    place = directory / f"{kind}-{name}.json"
    handle = os.open(place.with_suffix(".lock"), os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o644)
    if not taken(handle, time.monotonic() + _PATIENCE):
        os.close(handle)
        who = f"process {held.pid}" if (held := _owner(place)) else "another process"
        raise Refused(
            f"a {kind} is at work here already ({who})",
            hint="wait for it, or stop it first (Ctrl-C in its terminal, or a file .stoat-stop in its project)",
        )
    os.truncate(handle, 0)
    os.pwrite(handle, f"{os.getpid()}\n".encode(), 0)
    live = Live(place, handle)
    live.update(state)
    return live


def read_runners(common_dir: Path) -> tuple[RunnerFact, ...]:
    """Every runner that is at work here or went away lately.

    One whose process is dead is `gone`, one that has been silent for SILENT seconds `disconnected`: neither runs or
    wants anything, and `was` has what it was doing.
    """
    directory = common_dir / "stoat" / "live"
    facts = []
    for place in sorted(directory.glob("runner-*.json")) if directory.is_dir() else ():
        try:
            fact = msgspec.json.decode(place.read_bytes(), type=RunnerFact)
            silent = time.time() - place.stat().st_mtime > SILENT
        except (OSError, *UNDECODABLE):
            continue
        if not _is_held(place):
            facts.append(_away(fact, "gone"))
        else:
            facts.append(_away(fact, "disconnected") if silent else fact)
    return tuple(facts)


def checkouts(runners: Iterable[RunnerFact], plan: str) -> list[tuple[Path, str | None]]:
    """The checkouts of a plan's runners that are there, each with its OWNER/NAME, those of runners at work first."""
    own = sorted((one for one in runners if one.plan == plan), key=lambda one: not one.is_reachable)
    return [(place, one.repo) for one in own if (place := Path(one.checkout)).is_dir()]


def _away(fact: RunnerFact, state: Literal["gone", "disconnected"]) -> RunnerFact:
    """A runner that says nothing any more: who it was and what it was doing are left of it."""
    return RunnerFact(
        runner_id=fact.runner_id, plan=fact.plan, host=fact.host, checkout=fact.checkout, state=state,
        parallel=fact.parallel, repo=fact.repo, since=fact.since, pid=fact.pid, was=fact.running,
    )  # fmt: skip


def read_monitors(common_dir: Path) -> tuple[str, ...]:
    """Where the servers that are at work here take test runs, the one that was started last first."""
    directory = common_dir / "stoat" / "live"
    found = []
    for place in directory.glob("server-*.json") if directory.is_dir() else ():
        with contextlib.suppress(OSError, *UNDECODABLE):
            said = msgspec.json.decode(place.read_bytes(), type=_Server)
            if _is_held(place):
                found.append((said.since, said.monitor or said.url))
    return tuple(address for _, address in sorted(found, reverse=True))


def dead_processes(state: State) -> frozenset[str]:
    """The keys of processes recorded as at work (a gate's run, an attempt's agent) that are known to be dead here."""
    return frozenset(key for key in state.processes() if is_known_dead(key))


class _Server(Struct):
    url: str
    since: str
    monitor: str | None = None


class _Owner(Struct):
    pid: int


def _owner(place: Path) -> _Owner | None:
    with contextlib.suppress(OSError, ValueError):
        return _Owner(int(place.with_suffix(".lock").read_text(encoding="ascii")))
    return None


def _is_held(place: Path) -> bool:
    """Whether a live process holds the lock of this state file."""
    try:
        handle = os.open(place.with_suffix(".lock"), os.O_RDONLY | os.O_CLOEXEC)
    except OSError:
        return False
    try:
        fcntl.flock(handle, fcntl.LOCK_SH | fcntl.LOCK_NB)
        return False
    except BlockingIOError:
        return True
    finally:
        os.close(handle)


def _sweep(directory: Path, kind: Kind) -> None:
    """Remove what processes long gone said. Their lock files stay: removing one could split it between two holders."""
    for place in directory.glob(f"{kind}-*.json"):
        with contextlib.suppress(OSError):
            if time.time() - place.stat().st_mtime > _KEPT and not _is_held(place):
                place.unlink()
