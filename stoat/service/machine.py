"""This machine as its runners share it: what a person set for it, how it stands, and who has what of it."""

from __future__ import annotations

from collections.abc import Mapping

from msgspec import Struct
from msgspec.structs import replace

from stoat.clock import Time
from stoat.derive import capacity, reservations
from stoat.derive.wording import machine as say
from stoat.errors import Refused
from stoat.gitstore.log import Change
from stoat.observe import machine_limits, pressure, reserved
from stoat.plan import streams
from stoat.plan.events import machines
from stoat.plan.reservations import Limits, Pressure, ReservationKind
from stoat.plan.state import State
from stoat.processes import machine_name
from stoat.service.session import Session

_MOST = 1 << 60
"""An amount above that is a mistake, of bytes too."""


class HeldShown(Struct, frozen=True, rename="camel"):
    """Who holds the machine, since when, and why."""

    by: str
    at: Time
    why: str | None


class Taken(Struct, frozen=True, rename="camel"):
    """What one node (or a command that counts for none: both empty) has of the machine; `store` is the path of its
    store, where that is known."""

    kind: ReservationKind
    plan: str
    node: str
    store: str
    since: Time
    uses: tuple[str, ...]
    exclusive: bool
    ports: dict[str, int]


class MachineShown(Struct, frozen=True, rename="camel"):
    """The machine: its hold by this store's person, the limits that hold for all stores on it, how it stands, the
    exclusive node that it is reserved for (PLAN/NODE), what it is too short of to start anything, and who has what."""

    machine: str
    held: HeldShown | None
    limits: Limits
    pressure: Pressure
    agents: int
    reserved_for: str | None
    short: str | None
    taken: tuple[Taken, ...]
    unreadable: tuple[str, ...] = ()
    """What could not be read of what is taken, a sentence each."""


def shown(session: Session) -> MachineShown:
    """This machine as it stands now; the disk is the one that the session's directory is on."""
    name, (live, unreadable) = machine_name(), reserved.look()
    held = session.state().machine(name).held
    stands, limits = pressure.look(session.directory), capacity.strictest(machine_limits.limits())
    agents = sum(one.kind == "agent" for one in live)
    first = reservations.reserver(live)
    scarce = capacity.short(stands, limits, agents)
    taken = tuple(
        Taken(one.kind, one.plan, one.node, one.store, one.since, tuple(one.uses), one.exclusive, one.ports)
        for one in live
    )
    return MachineShown(
        name, HeldShown(held.by, held.at, held.why) if held is not None else None, limits, stands, agents,
        say.node(first) if first is not None else None, scarce.why if scarce is not None else None, taken, unreadable,
    )  # fmt: skip


def limit(session: Session, changes: Mapping[str, int | float | None]) -> bool:
    """Set how much this machine takes on: `agents` at once (None: any number), `disk` and `memory` in bytes that stay
    free, `load` a core (0: not asked). What is not named stays. False when it is so already; a person's.

    Refused for a number that means nothing.
    """
    session.person()
    name = machine_name()
    for field, amount in changes.items():
        if amount is not None and not _means_something(field, amount):
            raise Refused(
                f"{field}: {amount:g} means nothing here",
                hint="no new work at all is `stoat hold`; `none` takes a limit away",
            )

    def decide(state: State, now: Time) -> Change | None:
        machine = state.machine(name)
        event = machines.limit(machine, replace(machine.limits or Limits(), **changes))
        if event is None:
            return None
        return Change([(streams.of_machine(name), event)], f"{name}: {session.actor.name} sets its limits")

    appended = session.commit(decide)
    machine_limits.keep_limits(session.store.common.resolve(), appended.state.machine(name).limits)
    return bool(appended.events)


def _means_something(field: str, amount: int | float) -> bool:
    """Whether a limit may be that; what is not finite compares to nothing, or is too much."""
    return (1 if field == "agents" else 0) <= amount < _MOST
