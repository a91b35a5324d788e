"""A machine's controls: held and let go, and how much it takes on."""

from __future__ import annotations

from stoat.plan.events import machines
from stoat.plan.events.machines import MachineLimited
from stoat.plan.reservations import Limits
from stoat.plan.state import MachineState


def test_a_machine_is_limited_as_it_was_last_said() -> None:
    machine = MachineState()
    assert machines.limit(machine, Limits()) is None
    said = machines.limit(machine, Limits(agents=2, disk=0))
    assert isinstance(said, MachineLimited)
    said.fold(machine)
    assert machine.limits == Limits(agents=2, disk=0)
    assert machines.limit(machine, Limits(agents=2, disk=0)) is None
    back = machines.limit(machine, Limits())
    assert back is not None
    back.fold(machine)
    assert machine.limits == Limits()
    assert machine.held is None
