"""A reservation: what one process has of this machine, so that every runner here can count it, whatever its store.

It is looked at and never recorded on the ref: it says what is taken now, and is over when its process is.
"""

from __future__ import annotations

from typing import Literal

from msgspec import Struct

from stoat.clock import Time

ReservationKind = Literal["agent", "verify", "gate", "turn"]
"""An agent (its setup too), a verification, a `stoat gate exec`; or an exclusive node's turn, for which nothing runs
yet: its runner waits until the machine is free, and nothing else starts."""


class Use(Struct, frozen=True):
    """How often a resource may be had at once, as the plan of whoever has it says; on the machine, or in that plan."""

    capacity: int
    machine: bool = False


class Reservation(Struct, frozen=True, kw_only=True, rename="camel", omit_defaults=True):
    """Who has what: `node` of `plan` in the store at that path (both empty for a command that counts for no node).

    `runner` and `process` are the keys of processes (`processes/identity`): the runner that made it, and what runs
    once that runs. `claim` is the mark of what was started and not noted yet. `ports` are numbers by name.
    """

    id: str
    kind: ReservationKind
    since: Time
    store: str = ""
    plan: str = ""
    node: str = ""
    runner: str | None = None
    process: str | None = None
    claim: str = ""
    uses: dict[str, Use] = {}
    exclusive: bool = False
    ports: dict[str, int] = {}
    until: Time | None = None
    """When a turn is over unless its runner says it anew: one that is stopped keeps the machine from nobody."""

    @property
    def of(self) -> tuple[str, str, str]:
        """The node that it is for, the same only for the same node of the same store."""
        return (self.store, self.plan, self.node)


class Limits(Struct, frozen=True, kw_only=True, rename="camel"):
    """What a machine takes on: at most so many agents (None: any number); nothing new under so many bytes of free disk
    or of available memory, or over so much load a core. Zero asks nothing.
    """

    agents: int | None = None
    disk: int = 1 << 30
    memory: int = 512 << 20
    load: float = 8.0


class Pressure(Struct, frozen=True, kw_only=True, rename="camel"):
    """How a machine stands: load of a minute a core, bytes of memory, bytes of disk; None for what cannot be seen."""

    load: float | None = None
    memory: int | None = None
    memory_total: int | None = None
    disk: int | None = None
    disk_total: int | None = None
