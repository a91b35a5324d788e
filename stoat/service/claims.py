"""Taking a node, keeping it, and giving it back. The lease's own rules are in `plan/events/claims.py`."""

from __future__ import annotations

from msgspec import Struct

from stoat.clock import Time
from stoat.errors import Refused
from stoat.gitstore.log import Change
from stoat.plan import streams
from stoat.plan.events import claims as leases
from stoat.plan.events.claims import DEFAULT_LEASE
from stoat.plan.ids import NodeRef
from stoat.plan.state import Claim, State
from stoat.service.session import Session, mint, node_of


class ClaimGranted(Struct, frozen=True, rename="camel"):
    """A lease that was granted: its id (the fence), who holds it, until when."""

    claim_id: str
    holder: str
    expires_at: Time


def claim(
    session: Session, plan: str, node: str, *, holder: str | None = None, lease: float = DEFAULT_LEASE,
    session_id: str | None = None,
) -> ClaimGranted:  # fmt: skip
    """Take a free node for `lease` seconds in the name of `holder` (default: who speaks).

    Refused, with the holder's name, while a lease runs, and by every rule of `derive/claims.py`: a person is free to
    take what is not ready, an agent (which is who a `holder` named by a person is) and a runner are not. Whoever
    comes first wins, whatever process they are in.
    """
    from stoat.derive import claims as may

    claim_id, ref = mint("c"), NodeRef(plan, node)
    facts, kind = session.facts(), session.actor.as_
    if kind == "person" and holder not in (None, session.actor.name):
        kind = "agent"

    def decide(state: State, now: Time) -> Change:
        of, free = node_of(state, ref)
        why_not = may.refusal(state, facts, now, ref, actor=kind)
        if why_not is not None:
            raise Refused(why_not.message, hint=why_not.hint)
        event = leases.claim(
            of, free, claim_id=claim_id, holder=holder or session.actor.name, lease=lease, now=now,
            session=session_id or session.actor.session,
        )  # fmt: skip
        return Change([(streams.of_plan(plan), event)], f"{plan}: {event.holder} claims {node}")

    granted = _claim_in(session.commit(decide).state, ref)
    return ClaimGranted(granted.id, granted.holder, granted.expires_at)


def report(
    session: Session, plan: str, node: str, *, lease: float = DEFAULT_LEASE, claim_id: str | None = None,
    note: str | None = None, link: str | None = None,
) -> ClaimGranted:  # fmt: skip
    """Renew the lease one holds, with a note or a link if there is news. Refused when it is somebody else's by now."""
    ref = NodeRef(plan, node)

    def decide(state: State, now: Time) -> Change:
        event = leases.renew(
            *node_of(state, ref), actor=session.actor, lease=lease, claim_id=claim_id, note=note, link=link
        )
        return Change([(streams.of_plan(plan), event)], f"{plan}: {session.actor.name} reports on {node}")

    held = _claim_in(session.commit(decide).state, ref)
    return ClaimGranted(held.id, held.holder, held.expires_at)


def release(session: Session, plan: str, node: str, *, claim_id: str | None = None, why: str | None = None) -> str:
    """Give a node back, or as a person take it from whoever holds it. Gives the name of who held it."""
    ref = NodeRef(plan, node)
    holder = ""

    def decide(state: State, now: Time) -> Change:
        nonlocal holder
        of, held = node_of(state, ref)
        event = leases.release(of, held, actor=session.actor, claim_id=claim_id, why=why)
        holder = held.claim.holder if held.claim else ""
        return Change([(streams.of_plan(plan), event)], f"{plan}: {session.actor.name} releases {node}")

    session.commit(decide)
    return holder


def _claim_in(state: State, ref: NodeRef) -> Claim:
    held = node_of(state, ref)[1].claim
    assert held is not None, "the change that was just appended put it there"
    return held
