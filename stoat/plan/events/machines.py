"""A machine's controls: a person holds it or lets it go on, and says how much it takes on."""

from __future__ import annotations

from stoat.plan.events.base import Event
from stoat.plan.reservations import Limits
from stoat.plan.state import MachineState, Mark


class MachineEvent(Event, frozen=True, kw_only=True, omit_defaults=True):
    """An event of a machine's stream."""

    def fold(self, machine: MachineState) -> None:
        """Put what happened into the machine's state."""
        raise NotImplementedError(type(self).__name__)


class MachineHeld(MachineEvent, tag="machine_held", frozen=True):
    """No new claims on this machine."""

    why: str | None = None

    def fold(self, machine: MachineState) -> None:
        """Hold it."""
        machine.held = Mark(self.by.name, self.at, self.why)


class MachineHoldLifted(MachineEvent, tag="machine_hold_lifted", frozen=True):
    """Claims are taken again."""

    def fold(self, machine: MachineState) -> None:
        """Let it go on."""
        machine.held = None


class MachineLimited(MachineEvent, tag="machine_limited", frozen=True):
    """What the machine takes on from now, all of it: agents at once (none given: any number), bytes of disk and of
    memory that stay free, load a core. Zero asks nothing."""

    disk: int
    memory: int
    load: float
    agents: int | None = None

    def fold(self, machine: MachineState) -> None:
        """Limit it."""
        machine.limits = Limits(agents=self.agents, disk=self.disk, memory=self.memory, load=self.load)


def limit(machine: MachineState, wanted: Limits) -> MachineLimited | None:
    """Say how much a machine takes on; None when that is how it is already."""
    if wanted == (machine.limits or Limits()):
        return None
    return MachineLimited(agents=wanted.agents, disk=wanted.disk, memory=wanted.memory, load=wanted.load)


def hold(machine: MachineState, *, why: str | None, off: bool) -> MachineHeld | MachineHoldLifted | None:
    """Hold a machine, or hold it for another reason (`off`: let it go on); None when that is how it is already."""
    if off:
        return MachineHoldLifted() if machine.held is not None else None
    return MachineHeld(why=why) if machine.held is None or machine.held.why != why else None
