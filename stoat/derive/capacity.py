"""Whether a machine has room for one more agent: disk for its worktree, memory, processors."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Literal

from msgspec import Struct

from stoat.derive.wording import machine as say
from stoat.plan.reservations import Limits, Pressure

Scarce = Literal["disk", "memory", "load"]


class Short(Struct, frozen=True):
    """What there is too little of, in a sentence with the figures and the command that changes it."""

    of: Scarce
    why: str


def short(pressure: Pressure, limits: Limits, agents: int) -> Short | None:
    """What keeps the next agent from being started, beside `agents` that run on the machine; None when nothing does.

    What cannot be seen keeps nothing. Load never keeps the only agent of a machine: others may load it for ever.
    """
    if pressure.disk is not None and pressure.disk < limits.disk:
        return Short("disk", say.disk(pressure, limits))
    if pressure.memory is not None and pressure.memory < limits.memory:
        return Short("memory", say.memory(pressure, limits))
    if agents and limits.load and pressure.load is not None and pressure.load > limits.load:
        return Short("load", say.load(pressure, limits))
    return None


def strictest(all_limits: Iterable[Limits]) -> Limits:
    """The limits of several stores on one machine, which all hold; the usual ones where nobody has set any."""
    given = list(all_limits)
    if not given:
        return Limits()
    caps = [one.agents for one in given if one.agents is not None]
    loads = [one.load for one in given if one.load]
    return Limits(
        agents=min(caps, default=None), disk=max(one.disk for one in given), memory=max(one.memory for one in given),
        load=min(loads, default=0.0),
    )  # fmt: skip
