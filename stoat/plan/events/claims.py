"""Leases on nodes: claimed, renewed, released, and the rules of fencing.

Whether a node may be claimed at all (done, reserved, waiting for a go-ahead, worked by a live agent of this machine) is
`derive/claims.py`, which knows more than the log; here is what the lease itself says.
"""

from __future__ import annotations

import math

from msgspec.structs import replace

from stoat.clock import Time, duration_text, plus
from stoat.errors import Refused
from stoat.plan.events.base import Actor, NodeEvent
from stoat.plan.state import Claim, NodeState, PlanState

DEFAULT_LEASE = 30 * 60.0
LONGEST_LEASE = 4 * 3600.0


class Claimed(NodeEvent, tag="claimed", frozen=True):
    """Somebody works on the node, for `lease` seconds unless renewed. `claim` is the fence."""

    claim: str
    holder: str
    lease: float = DEFAULT_LEASE
    session: str | None = None
    note: str | None = None
    where: str | None = None

    def fold(self, plan: PlanState) -> None:
        """Put the lease on the node, over whichever one was there: the guard has looked."""
        plan.change(
            self.node,
            claim=Claim(
                id=self.claim,
                holder=self.holder,
                since=self.at,
                renewed_at=self.at,
                expires_at=plus(self.at, min(self.lease, LONGEST_LEASE)),
                session=self.session,
                note=self.note,
                where=self.where,
            ),
        )


class ClaimRenewed(NodeEvent, tag="claim_renewed", frozen=True):
    """The holder is still at it: the lease runs `lease` seconds from now."""

    claim: str
    lease: float = DEFAULT_LEASE
    note: str | None = None
    link: str | None = None
    session: str | None = None

    def fold(self, plan: PlanState) -> None:
        """Extend the lease if it is still the one that is meant."""
        held = plan.nodes[self.node].claim
        if held is None or held.id != self.claim:
            return
        plan.change(
            self.node,
            claim=replace(
                held,
                renewed_at=self.at,
                expires_at=plus(self.at, min(self.lease, LONGEST_LEASE)),
                note=self.note or held.note,
                link=self.link or held.link,
                session=self.session or held.session,
            ),
        )


class ClaimReleased(NodeEvent, tag="claim_released", frozen=True):
    """The node is free again. It changes no status."""

    claim: str
    why: str | None = None

    def fold(self, plan: PlanState) -> None:
        """Take the lease away if it is still the one that is meant."""
        held = plan.nodes[self.node].claim
        if held is not None and held.id == self.claim:
            plan.change(self.node, claim=None)


def check_lease(seconds: float) -> float:
    """A lease's length in seconds as it may be; Refused above four hours."""
    if not seconds <= LONGEST_LEASE:
        length = duration_text(seconds) if math.isfinite(seconds) else "no end"
        raise Refused(
            f"a lease of {length} is too long",
            hint=f"ask for at most {duration_text(LONGEST_LEASE)} and renew it with `stoat report`",
        )
    return seconds


def claim(
    plan: PlanState, node: NodeState, *, claim_id: str, holder: str, lease: float, now: Time,
    session: str | None = None, note: str | None = None, where: str | None = None,
) -> Claimed:  # fmt: skip
    """Take a free node. Refused, with the holder's name, while a lease on it runs."""
    check_lease(lease)
    held = node.lease(now)
    if held is not None:
        raise Refused(
            f"{plan.slug}/{node.spec.id} is held by {held.holder} until {held.expires_at}",
            hint="take another node (`stoat ready`), or ask the holder to release it",
        )
    return Claimed(
        node=node.spec.id, claim=claim_id, holder=holder, lease=lease, session=session, note=note, where=where
    )


def renew(
    plan: PlanState, node: NodeState, *, actor: Actor, lease: float, claim_id: str | None = None,
    note: str | None = None, link: str | None = None, session: str | None = None,
) -> ClaimRenewed:  # fmt: skip
    """Renew the lease one holds. A lapsed one that nobody took over can still be renewed; a lost one cannot."""
    check_lease(lease)
    held = mine(plan, node, actor, claim_id)
    return ClaimRenewed(node=node.spec.id, claim=held.id, lease=lease, note=note, link=link, session=session)


def release(
    plan: PlanState, node: NodeState, *, actor: Actor, claim_id: str | None = None, why: str | None = None
) -> ClaimReleased:
    """Let the node go: by its holder, by the claim's id, or by a person."""
    held = node.claim if actor.as_ == "person" and claim_id is None else mine(plan, node, actor, claim_id)
    if held is None:
        raise _unclaimed(plan, node)
    return ClaimReleased(node=node.spec.id, claim=held.id, why=why)


def mine(plan: PlanState, node: NodeState, actor: Actor, claim_id: str | None) -> Claim:
    """The claim on a node that `actor` holds, or that it names as its own; Refused when it has none such."""
    held = node.claim
    if held is None:
        raise _unclaimed(plan, node)
    if claim_id is not None and held.id != claim_id:
        raise Refused(
            f"claim {claim_id} on {plan.slug}/{node.spec.id} is over: the node is now held by {held.holder}",
            hint="stop working on it; what you committed stays on its branch",
        )
    if claim_id is None and held.holder != actor.name:
        raise Refused(
            f"{plan.slug}/{node.spec.id} is held by {held.holder}, not by {actor.name}",
            hint="name your claim with --claim, or say who you are with --by",
        )
    return held


def _unclaimed(plan: PlanState, node: NodeState) -> Refused:
    return Refused(
        f"nobody holds {plan.slug}/{node.spec.id}",
        hint=f"claim it first: stoat claim {plan.slug}/{node.spec.id}",
    )
