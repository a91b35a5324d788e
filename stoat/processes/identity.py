"""Who a process is, so that no other is taken for it: the machine, its boot, the pid and the kernel's start time."""

from __future__ import annotations

import functools
import re
import socket
from pathlib import Path
from typing import NamedTuple

from stoat.processes import seeing


class Identity(NamedTuple):
    """One process of one boot of one machine; `started` is the kernel's own count, exact and never recomputed."""

    machine: str
    boot: str
    pid: int
    started: str

    @property
    def key(self) -> str:
        """The identity as one word, `machine:boot:pid:started`; `parse` reads it back."""
        return f"{self.machine}:{self.boot}:{self.pid}:{self.started}"

    @classmethod
    def parse(cls, key: str) -> Identity:
        """The identity that `key` spells; ValueError when it spells none."""
        machine, boot, pid, started = key.split(":")
        return cls(machine, boot, int(pid), started)


@functools.cache
def machine_name() -> str:
    """This machine's name as records and the store's paths carry it: the host's, lower case, `[a-z0-9.-]` alone."""
    return re.sub(r"[^a-z0-9.-]+", "-", socket.gethostname().lower()).strip(".-") or "localhost"


@functools.cache
def _boot() -> str:
    """This boot of the kernel, and on Linux the pid namespace too; empty where start times are wall-clock times.

    Containers of one host share the boot id (and often the host's name) but not their pids.
    """
    try:
        boot = Path("/proc/sys/kernel/random/boot_id").read_text(encoding="ascii").strip()
        return f"{boot}+{Path('/proc/self/ns/pid').stat().st_ino}"
    except OSError:
        return ""


def identity_of(pid: int) -> Identity | None:
    """The identity of the process that has `pid` now (a zombie has one too), or None when none has."""
    seen = seeing.see(pid)
    return None if seen is None else identify(seen)


def identify(seen: seeing.Seen) -> Identity:
    """The identity of a process of this machine that was just seen."""
    return Identity(machine_name(), _boot(), seen.pid, seen.started)


def is_here(identity: Identity) -> bool:
    """Whether its pid means, on this machine and in this pid namespace, what it meant when it was recorded."""
    return (identity.machine, identity.boot) == (machine_name(), _boot())


def is_alive(identity: Identity) -> bool:
    """Whether exactly this process is seen running here; a zombie is not, nor is what another machine runs."""
    return find(identity) is not None


def is_dead(identity: Identity) -> bool:
    """Whether this process is known to have ended. Of another machine's or container's nothing is known: False."""
    if is_here(identity):
        return find(identity) is None
    if identity.machine != machine_name():
        return False
    return identity.boot.partition("+")[0] != _boot().partition("+")[0]


def is_known_dead(key: str | None) -> bool:
    """The same of a process by its key; False without one, and for what is no key."""
    try:
        return key is not None and is_dead(Identity.parse(key))
    except ValueError:
        return False


def find(identity: Identity) -> seeing.Seen | None:
    """What the kernel says of exactly this process while it runs; None once it has ended, or is a zombie."""
    if not is_here(identity):
        return None
    seen = seeing.see(identity.pid)
    if seen is None or seen.zombie or seen.started != identity.started:
        return None
    return seen


def find_marked(name: str, value: str) -> list[Identity]:
    """This user's live processes that were started with `name=value` in their environment, the oldest first.

    A child inherits the mark, so the first one is what was spawned with it, unless that has ended already.
    """
    marked = [
        seen
        for seen in seeing.see_all().values()
        if not seen.zombie and seeing.environment_holds(seen.pid, name, value)
    ]
    marked.sort(key=lambda seen: (float(seen.started), seen.pid))
    # The environment was read by pid: only what is still the process seen before is what it was read of.
    return [identity for identity in map(identify, marked) if is_alive(identity)]
