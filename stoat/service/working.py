"""What the holder of a node says while it works: how it goes, the steps it means to take, and how far each is.

It is the holder's word. Beside it is shown what a step's test runs were seen to come to; no status follows from either.
"""

from __future__ import annotations

from collections.abc import Sequence

from msgspec import Struct

from stoat.clock import Time, seconds_between
from stoat.errors import Refused
from stoat.gitstore.log import Change
from stoat.plan import streams
from stoat.plan.events import claims as leases
from stoat.plan.events import working as rules
from stoat.plan.events.base import PlanEvent
from stoat.plan.ids import NodeRef
from stoat.plan.state import Claim, NodeState, PlanState, State, WorkState, WorkStep
from stoat.service import run_list
from stoat.service.run_list import RunShown
from stoat.service.runs import split_tag
from stoat.service.session import Session, node_of

QUIET = 60.0
"""Seconds in which saying the same again is not recorded."""


class WorkShown(Struct, frozen=True, rename="camel"):
    """A step of a node's holder: its word, and the newest test run of the tag that the step names."""

    id: str
    title: str
    state: WorkState
    run_tag: str | None
    observed: RunShown | None


class Working(Struct, frozen=True, rename="camel"):
    """A claim as its holder keeps it: until when, the last note on it, and the steps."""

    plan: str
    node: str
    claim_id: str
    holder: str
    expires_at: Time
    note: str | None
    steps: tuple[WorkShown, ...]


def activity(
    session: Session, ref: NodeRef, note: str, *, step: str | None = None, state: WorkState = "running",
    claim_id: str | None = None,
) -> Working:  # fmt: skip
    """Say what one is at, on the claim that one holds, and (`step`) how far that step is. The lease is renewed.

    The same said again within a minute is not recorded. Refused for somebody who does not hold the node, NotFound for
    a step that was not declared.
    """

    def decide(at: State, now: Time) -> Change | None:
        plan, node = node_of(at, ref)
        held = leases.mine(plan, node, session.actor, claim_id)
        events: list[PlanEvent | None] = []
        if step is not None:
            events.append(rules.report_step(plan, node, step, state, actor=session.actor, claim_id=claim_id))
        if note != held.note or seconds_between(held.renewed_at, now) >= QUIET:
            events.append(_renewed(plan, node, held, now, session, note))
        entries = [(streams.of_plan(ref.plan), event) for event in events if event is not None]
        return Change(entries, f"{ref.plan}: {session.actor.name} works on {ref.node}") if entries else None

    return shown(session, session.commit(decide).state, ref)


def keep(session: Session, ref: NodeRef, *, claim_id: str | None = None) -> None:
    """Keep a node while one waits on its account; nothing for who does not hold it, or renewed it a moment ago."""

    def decide(state: State, now: Time) -> Change | None:
        plan, node = node_of(state, ref)
        try:
            held = leases.mine(plan, node, session.actor, claim_id)
        except Refused:
            return None
        if seconds_between(held.renewed_at, now) < QUIET:
            return None
        subject = f"{ref.plan}: {session.actor.name} keeps {ref.node}"
        return Change([(streams.of_plan(ref.plan), _renewed(plan, node, held, now, session, None))], subject)

    session.commit(decide)


def declare_steps(session: Session, ref: NodeRef, steps: Sequence[WorkStep], *, claim_id: str | None = None) -> Working:
    """Say which steps one means to take, in place of those one said before.

    Refused for somebody who does not hold the node, Invalid for a `run_tag` that is not PLAN/NODE[/STEP].
    """
    for step in steps:
        if step.run_tag is not None:
            split_tag(step.run_tag)

    def decide(state: State, now: Time) -> Change | None:
        event = rules.declare(*node_of(state, ref), steps, actor=session.actor, claim_id=claim_id)
        if event is None:
            return None
        subject = f"{ref.plan}: {session.actor.name} says its steps on {ref.node}"
        return Change([(streams.of_plan(ref.plan), event)], subject)

    return shown(session, session.commit(decide).state, ref)


def shown(session: Session, state: State, ref: NodeRef) -> Working:
    """The claim on a node that somebody holds, as it is kept."""
    held = node_of(state, ref)[1].claim
    assert held is not None, "who may say so holds it"
    return Working(ref.plan, ref.node, held.id, held.holder, held.expires_at, held.note, tuple(_steps(session, held)))


def steps_of(session: Session, node: NodeState) -> tuple[WorkShown, ...]:
    """The steps that whoever has a node's claim means to take; none where nobody has one."""
    return tuple(_steps(session, node.claim)) if node.claim is not None else ()


def _renewed(
    plan: PlanState, node: NodeState, held: Claim, now: Time, session: Session, note: str | None
) -> leases.ClaimRenewed:
    # A lease that runs for longer is not cut short by a sign of life.
    lease = min(max(leases.DEFAULT_LEASE, seconds_between(now, held.expires_at)), leases.LONGEST_LEASE)
    return leases.renew(plan, node, actor=session.actor, lease=lease, claim_id=held.id, note=note)


def _steps(session: Session, held: Claim) -> list[WorkShown]:
    seen = run_list.newest(session, {one.run_tag for one in held.steps if one.run_tag is not None})
    return [WorkShown(one.id, one.title, one.state, one.run_tag, seen.get(one.run_tag or "")) for one in held.steps]
