"""`stoat machine`: how this machine is shared, and how much it takes on."""

from __future__ import annotations

import math
import re
from typing import TYPE_CHECKING, Annotated

import typer

from stoat.cli import context, render
from stoat.cli.context import Json

if TYPE_CHECKING:
    from stoat.service.machine import MachineShown

_NONE = "none"
_SIZE = re.compile(r"(\d+(?:\.\d+)?)\s*([kmgt]?)(?:i?b)?", re.IGNORECASE)
_POWER = {"": 0, "k": 10, "m": 20, "g": 30, "t": 40}


def machine(
    agents: Annotated[
        str | None, typer.Option("--agents", metavar="N|none", help="Agents at once, of all runners and stores.")
    ] = None,
    disk: Annotated[
        str | None, typer.Option("--disk", metavar="SIZE|none", help="Disk that stays free (1G) where worktrees go.")
    ] = None,
    memory: Annotated[
        str | None, typer.Option("--memory", metavar="SIZE|none", help="Memory that stays available (512M).")
    ] = None,
    load: Annotated[
        str | None, typer.Option("--load", metavar="N|none", help="Load a core above which no second agent starts (8).")
    ] = None,
    json: Json = False,
) -> None:
    """This machine: its hold, its limits, how it stands, and who has what of it.

    With a limit given, set it; a limit is a person's and holds for the runners of every store of this user here.
    """
    from stoat.service import machine as service

    changes: dict[str, int | float | None] = {}
    if agents is not None:
        changes["agents"] = None if agents == _NONE else int(_number(agents, "--agents", whole=True))
    if disk is not None:
        changes["disk"] = _size(disk, "--disk")
    if memory is not None:
        changes["memory"] = _size(memory, "--memory")
    if load is not None:
        changes["load"] = 0.0 if load == _NONE else _number(load, "--load")
    session = context.session()
    if changes and not service.limit(session, changes):
        render.tell("that is how it is already: nothing to change")
    shown = service.shown(session)
    if json:
        render.json(shown)
    else:
        _tell(shown)


def _tell(shown: MachineShown) -> None:
    from stoat.derive.wording import machine as say
    from stoat.derive.wording.text import moment

    held, stands, limits = shown.held, shown.pressure, shown.limits
    why = f": {render.clean(held.why)}" if held is not None and held.why else ""
    render.say(f"{shown.machine}{f' is held by {render.clean(held.by)}{why}' if held is not None else ''}")
    render.say(f"  agents  {say.agents(shown.agents, limits)}")
    render.say(f"  disk    {say.room(stands.disk, stands.disk_total, limits.disk, 'free')}")
    render.say(f"  memory  {say.room(stands.memory, stands.memory_total, limits.memory, 'available')}")
    render.say(f"  load    {say.load_shown(stands, limits)}")
    if shown.short is not None:
        render.say(f"⚠ {shown.short}")
    if shown.unreadable:
        render.say(f"⚠ {render.clean(say.unread(shown.unreadable))}")
    if shown.reserved_for is not None:
        render.say(f"⚠ {render.clean(say.reserved(shown.reserved_for))}")
    render.table(
        ("node", "what", "has", "since"),
        [
            (
                f"{one.plan}/{one.node}" if one.node else "", say.KINDS[one.kind],
                ", ".join([*(["the machine"] if one.exclusive else []), *one.uses,
                           *(f"{name}={port}" for name, port in one.ports.items())]),
                moment(one.since),
            )
            for one in shown.taken
        ],
        empty="nothing of Stoat's runs here",
    )  # fmt: skip


def _number(text: str, flag: str, *, whole: bool = False) -> float:
    try:
        number = int(text) if whole else float(text)
        if math.isfinite(number):
            return number
    except (ValueError, OverflowError):
        pass
    raise typer.BadParameter(f"{text[:40]!r} is no number, and not {_NONE}", param_hint=flag)


def _size(text: str, flag: str) -> int:
    if text == _NONE:
        return 0
    written = _SIZE.fullmatch(text.strip())
    if written is None:
        raise typer.BadParameter(f"{text!r} is no size such as 500M or 2G, and not {_NONE}", param_hint=flag)
    amount = float(written[1]) * (1 << _POWER[written[2].lower()])
    if not math.isfinite(amount):
        raise typer.BadParameter(f"{text[:40]!r} is more than any machine has", param_hint=flag)
    return int(amount)
