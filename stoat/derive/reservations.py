"""Whether a node may have its part of this machine now, beside what others have: resources, the machine to itself.

The first row that applies:

| what                                                                        | reason   |
|-----------------------------------------------------------------------------|----------|
| what others have cannot be read                                             | unread   |
| an exclusive node has the machine, or its turn on it                        | reserved |
| it is exclusive, and something else runs or is held by hand                 | alone    |
| a resource that it uses is full (in its plan, or on the machine)            | resource |
| as many agents are at work as the machine takes                             | cap      |

Resources are had all or none. Two plans may give one machine-wide resource different capacities: the smaller one
counts while both have to do with it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from msgspec import Struct
from msgspec.structs import replace

from stoat.derive.holds import Hold
from stoat.derive.wording import machine as say
from stoat.plan.nodes import HEAVY, Resource
from stoat.plan.reservations import Reservation, Use


class Shared(Struct, frozen=True, kw_only=True):
    """What else is on the machine: the reservations that are alive, what of them could not be read (a sentence each),
    the nodes of the store that are claimed by hand (which an exclusive node waits for), and how many agents the machine
    takes (None: any number)."""

    live: tuple[Reservation, ...] = ()
    unreadable: tuple[str, ...] = ()
    by_hand: tuple[str, ...] = ()
    agents: int | None = None

    def with_(self, one: Reservation) -> Shared:
        """The same once that reservation is made."""
        return replace(self, live=(*self.live, one))


def uses(names: Iterable[str], resources: Mapping[str, Resource]) -> dict[str, Use]:
    """What a node takes by the names in its `uses`; a name that nobody declared is free for all."""
    taken = {}
    for name in names:
        declared = resources.get(name)
        if declared is not None:
            taken[name] = Use(declared.capacity, declared.scope == "machine" or name == HEAVY)
        elif name == HEAVY:
            taken[name] = Use(1, True)
    return taken


def reserver(live: Iterable[Reservation]) -> Reservation | None:
    """Which exclusive node the machine is reserved for: the one that runs, else the one whose turn came first."""
    exclusive = [one for one in live if one.exclusive]
    return min(exclusive, key=lambda one: (one.kind == "turn", one.since, one.id), default=None)


def reserved_against(live: Iterable[Reservation], of: tuple[str, str, str]) -> Reservation | None:
    """The exclusive node that the machine is reserved for, where that is another one than `of` (store, plan, node)."""
    first = reserver(live)
    return first if first is not None and first.of != of else None


def why_not(wanted: Reservation, shared: Shared) -> Hold | None:
    """What keeps a reservation from being made now; None when it may be."""
    others = [one for one in shared.live if one.id != wanted.id and not (one.kind == "turn" and one.of == wanted.of)]
    if shared.unreadable:
        return Hold(wanted.node, "unread", say.unread(shared.unreadable))
    first = reserved_against(shared.live, wanted.of)
    if first is not None:
        return Hold(wanted.node, "reserved", say.node(first))
    if wanted.exclusive and (others or shared.by_hand):
        return Hold(wanted.node, "alone", say.waits_for(wanted, others, shared.by_hand))
    for name, use in wanted.uses.items():
        holders = [one for one in others if _meets(wanted, one, name)]
        capacity = min([use.capacity, *(one.uses[name].capacity for one in holders)])
        if len(holders) >= capacity:
            return Hold(wanted.node, "resource", say.resource(name, holders, wanted))
    agents = sum(one.kind == "agent" for one in others)
    if wanted.kind == "agent" and shared.agents is not None and agents >= shared.agents:
        return Hold(wanted.node, "cap", say.of_most(agents, shared.agents))
    return None


def _meets(one: Reservation, other: Reservation, name: str) -> bool:
    """Whether two take the same resource: of the same plan, or both of the machine's."""
    if name not in one.uses or name not in other.uses:
        return False
    if (one.store, one.plan) == (other.store, other.plan):
        return True
    return one.uses[name].machine and other.uses[name].machine


def claimed_by_hand(claims: Sequence[tuple[str, str]], live: Iterable[Reservation]) -> tuple[str, ...]:
    """Of (node, claim id) pairs those nodes whose claim no reservation stands for."""
    known = {one.claim for one in live if one.claim}
    return tuple(node for node, claim in claims if claim not in known)
