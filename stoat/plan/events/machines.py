"""A machine's controls: a person holds it, or lets it go on."""

from __future__ import annotations

from stoat.plan.events.base import Event
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
