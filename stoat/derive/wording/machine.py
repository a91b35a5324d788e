"""What is said of a machine that runners share: who has what, what an exclusive node waits for, what is short."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from stoat.derive.wording.text import counted, listed
from stoat.plan.reservations import Limits, Pressure, Reservation, ReservationKind

_UNITS = ((1 << 40, "TiB"), (1 << 30, "GiB"), (1 << 20, "MiB"), (1 << 10, "KiB"))


def node(one: Reservation) -> str:
    """PLAN/NODE of a reservation."""
    return f"{one.plan}/{one.node}" if one.node else "no node"


def who(one: Reservation, beside: Reservation | None = None) -> str:
    """Who has it: the node, and its plan where that is another one than of `beside`."""
    if not one.node:
        return "a gate run"
    near = beside is not None and (beside.store, beside.plan) == (one.store, one.plan)
    name = one.node if near else f"{one.node} of plan {one.plan}"
    return {"verify": f"the verification of {name}", "gate": f"a gate run on {name}"}.get(one.kind, name)


def resource(name: str, holders: Sequence[Reservation], wanted: Reservation) -> str:
    """A resource that is full, and who has it, as what follows “waiting on”."""
    return f"{name} ({listed([who(one, wanted) for one in holders])})"


def waits_for(wanted: Reservation, others: Sequence[Reservation], by_hand: Sequence[str]) -> str:
    """What an exclusive node still waits for, as what follows “waits for”."""
    running = [who(one, wanted) for one in others]
    return listed([*running, *(f"{held} (claimed by hand)" for held in by_hand)])


def reserved(what: str) -> str:
    """An exclusive node has the machine, or its turn."""
    return f"machine reserved for {what}"


def unread(files: Sequence[str]) -> str:
    """What others have of the machine cannot be read, so nobody knows whether anything is free; a sentence a file."""
    return (
        f"what is taken of this machine cannot be read ({listed(files)}): nothing new is started until it can — if "
        "another version of Stoat runs here, it goes on when that has ended"
    )


def gate_during(what: str) -> str:
    """A gate that a person runs while the machine is reserved: it runs all the same."""
    return f"this machine is reserved for {what}, which waits until this run has ended"


KINDS: Mapping[ReservationKind, str] = {
    "agent": "agent", "verify": "verification", "gate": "gate run", "turn": "waits for its turn",
}  # fmt: skip
"""What runs, as the table of `stoat machine` says it."""


def agents(count: int, limits: Limits) -> str:
    """How many agents are at work, and how many may be."""
    return f"{count} at work, " + ("no limit" if limits.agents is None else f"at most {limits.agents}")


def room(amount: int | None, total: int | None, floor: int, word: str) -> str:
    """How much is left of something, and how much has to stay."""
    left = "not seen" if amount is None else f"{size(amount)} {word}" + (f" of {size(total)}" if total else "")
    return f"{left}, " + (f"{size(floor)} to stay so" if floor else "no limit")


def load_shown(pressure: Pressure, limits: Limits) -> str:
    """The load a core, and how much it may be."""
    seen = "not seen" if pressure.load is None else f"{pressure.load:.1f} a core"
    return f"{seen}, " + (f"no second agent above {limits.load:g}" if limits.load else "no limit")


RESERVED_HINT = "wait for it; see what it waits for: stoat machine"


def of_most(count: int, most: int) -> str:
    """`4/4`: how many there are of how many there may be."""
    return f"{count}/{most}"


def cap(figure: str) -> str:
    """As many agents are at work as the machine takes; `figure` is `4/4`."""
    return f"this machine takes no more agents ({figure} at work) — stoat machine --agents N|none"


def disk(pressure: Pressure, limits: Limits) -> str:
    """Too little room for another worktree, and what gives some back."""
    return (
        f"{size(pressure.disk or 0)} of disk are free where worktrees go, and {size(limits.disk)} are to stay free: "
        "nothing new is started — `stoat prune` shows the worktrees that can go, `stoat machine --disk SIZE|none` asks "
        "for less"
    )


def memory(pressure: Pressure, limits: Limits) -> str:
    """Too little memory for another agent."""
    return (
        f"{size(pressure.memory or 0)} of memory are available, and {size(limits.memory)} are to stay so: nothing new "
        "is started until more is — stoat machine --memory SIZE|none"
    )


def load(pressure: Pressure, limits: Limits) -> str:
    """The processors have more to do than they can."""
    return (
        f"the load is {pressure.load or 0:.1f} a core, above {limits.load:g}: no second agent is started until it "
        "falls — stoat machine --load N|none"
    )


def limited(agents: int | None, free_disk: int, free_memory: int, most_load: float) -> str:
    """What a person set for the machine, as a line of Activity."""
    most = f"at most {counted(agents, 'agent')}" if agents is not None else "any number of agents"
    room = f"{size(free_disk)} of disk and {size(free_memory)} of memory stay free"
    load_said = f"load up to {most_load:g} a core" if most_load else "any load"
    return f"set the machine's limits: {most}, {room}, {load_said}"


def busy() -> str:
    """Somebody has the machine's reservations for longer than it takes to write one."""
    return "another process keeps the machine's reservations to itself: nothing new is started meanwhile"


def size(amount: int) -> str:
    """Bytes in words: `1.5 GiB`."""
    for unit, name in _UNITS:
        if amount >= unit:
            return f"{amount / unit:.1f}".removesuffix(".0") + f" {name}"
    return f"{amount} B"
