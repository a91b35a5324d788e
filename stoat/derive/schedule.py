"""What a runner launches next: which nodes are on offer, what holds the others, and in which order they go.

    offers(…)  every node that is ready for this runner, in launch order, and a Hold for each one that something keeps
    pick(…)    those of the offers that slots and the machine allow now, and a Hold for each one that has to wait
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

from msgspec import Struct
from msgspec.structs import replace

from stoat.derive import reservations
from stoat.derive.answers import NodeAnswer, PlanAnswer
from stoat.derive.holds import Hold, hold_of
from stoat.derive.readiness import NOT_TO_TAKE
from stoat.derive.reservations import Shared
from stoat.plan.ids import same_repository
from stoat.plan.nodes import ISSUE, LAUNCHED, repository_of
from stoat.plan.reservations import Reservation
from stoat.plan.state import NodeState, PlanState


class Scope(Struct, frozen=True, kw_only=True):
    """What a run was scoped to: only these nodes (all, when empty), never those, and whether upstreams count."""

    only: frozenset[str] = frozenset()
    skip: frozenset[str] = frozenset()
    ignore_dependencies: bool = False

    def takes(self, node_id: str) -> bool:
        """Whether the run may launch that node at all."""
        return node_id not in self.skip and (not self.only or node_id in self.only)


class Offer(Struct, frozen=True):
    """A node that could be launched now, and the resources that it takes while it runs."""

    node: str
    expedited: bool = False
    uses: tuple[str, ...] = ()
    alone: bool = False


class Offers(Struct, frozen=True):
    """The nodes on offer, first come first, and what holds the rest."""

    launchable: tuple[Offer, ...]
    holds: tuple[Hold, ...]


class Pick(Struct, frozen=True):
    """The nodes to launch now, in this order, and those that have to wait for a slot or for something of the machine.

    `turn` is the exclusive node that the machine is to be kept for until it is free.
    """

    launch: tuple[Offer, ...]
    holds: tuple[Hold, ...]
    turn: Offer | None = None


def offers(
    plan: PlanState, answer: PlanAnswer, scope: Scope, *, repo: str | None, running: Iterable[str],
    unlanded: Iterable[str],
) -> Offers:  # fmt: skip
    """What this runner could launch, whatever slots it has.

    `repo` is the OWNER/NAME of its checkout, `running` the nodes it works on, `unlanded` the done ones whose work has
    not reached the plan's branch. Nodes out of scope, done or with an open upstream are neither offered nor held.
    """
    busy, waiting = frozenset(running), frozenset(unlanded)
    launchable: list[tuple[tuple[bool, int, int], Offer]] = []
    holds = []
    for order, shown in enumerate(answer.nodes):
        node = plan.nodes.get(shown.id)
        if node is None or shown.id in busy or not _due(shown, scope):
            continue
        hold = _hold(plan, node, shown, repo, waiting)
        if hold is not None:
            holds.append(hold)
            continue
        expedited = shown.expedited is not None
        offer = Offer(shown.id, expedited, node.spec.uses, node.spec.exclusive == "machine")
        launchable.append(((not expedited, -shown.unblocks, order), offer))
    launchable.sort(key=lambda entry: entry[0])
    return Offers(tuple(offer for _, offer in launchable), tuple(holds))


def pick(
    launchable: Iterable[Offer], running: int, *, parallel: int, expedite_slot: bool,
    want: Callable[[Offer], Reservation], shared: Shared,
) -> Pick:  # fmt: skip
    """What may start beside `running` agents of this run, in the order given.

    `want` says what a node takes of the machine, `shared` what of it is taken, by this run too. An expedited node may
    take one slot past `parallel` with `expedite_slot`, never a second one. A node that waits for a resource keeps no
    later node from starting; an exclusive one whose turn it is keeps all of them.
    """
    launch: list[Offer] = []
    holds: list[Hold] = []
    turn: Offer | None = None
    for offer in launchable:
        slots = running + len(launch)
        room = slots < parallel or (expedite_slot and offer.expedited and slots == parallel)
        if not room:
            holds.append(Hold(offer.node, "slot", f"{slots}/{parallel}"))
            continue
        wanted = want(offer)
        hold = reservations.why_not(wanted, shared)
        if hold is None:
            launch.append(offer)
            shared = shared.with_(wanted)
            continue
        holds.append(hold)
        if hold.reason == "alone" and turn is None:
            turn = offer
            shared = shared.with_(replace(wanted, kind="turn"))
    return Pick(tuple(launch), tuple(holds), turn)


def _due(shown: NodeAnswer, scope: Scope) -> bool:
    if shown.kind not in LAUNCHED or not scope.takes(shown.id):
        return False
    if shown.kind == ISSUE and shown.status == "missing":
        return not shown.waits_on  # it is never launched, and why is to be said
    if shown.status in NOT_TO_TAKE:
        return False
    return shown.ready or (scope.ignore_dependencies and shown.id in scope.only)


def _hold(
    plan: PlanState, node: NodeState, shown: NodeAnswer, repo: str | None, unlanded: frozenset[str]
) -> Hold | None:
    holder = shown.claim.holder if shown.claim is not None else None
    upstream = next((one for one in node.spec.depends_on if one in unlanded), None)
    wanted = repository_of(plan.header, node.spec)
    hold = hold_of(plan, node, status=shown.status, detail=shown.detail, holder=holder, upstream=upstream)
    if hold is None and wanted is not None and not same_repository(wanted, repo):
        return Hold(shown.id, "elsewhere" if repo is not None else "unnamed", wanted)
    return hold
