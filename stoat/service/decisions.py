"""What a person decides about nodes and plans. An agent that asks for one of these is refused.

Which decision is open on which node is said in `plan/events/decisions.py`. Deciding what is decided already appends
nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

from stoat.clock import Time
from stoat.errors import Refused
from stoat.gitstore.log import Change
from stoat.plan import guards, streams
from stoat.plan.events import creation, machines, plans
from stoat.plan.events import decisions as rules
from stoat.plan.events.base import Event, NodeEvent
from stoat.plan.ids import NodeRef
from stoat.plan.state import NodeState, PlanState, State
from stoat.service.session import Session, node_of, plan_of

Rule = Callable[[PlanState, NodeState], NodeEvent | None]


class Skipped(NamedTuple):
    """A node that was left as it was, and why."""

    ref: NodeRef
    why: str


class Decided(NamedTuple):
    """What a decision over several nodes came to: those it changed, and those left alone."""

    changed: tuple[NodeRef, ...]
    skipped: tuple[Skipped, ...]


def approve(session: Session, refs: Sequence[NodeRef]) -> Decided:
    """Let agents start on these nodes, in one commit.

    Nodes that cannot take a go-ahead are skipped and named. Refused when there is none that can or has one already;
    NotFound, and nothing is approved, when one of them is not there.
    """
    session.person()
    answers = session.answers().by_ref
    finished = frozenset(ref for ref in refs if str(ref) in answers and answers[str(ref)].status == "done")
    return _each(session, refs, rules.approve, "approves", "has its go-ahead already", finished)


def withdraw(session: Session, refs: Sequence[NodeRef]) -> Decided:
    """Take the go-aheads of these nodes back, in one commit. Work that runs is not stopped."""
    session.person()
    return _each(session, refs, rules.withdraw, "withdraws the go-ahead of", "has no go-ahead")


def approve_plan(session: Session, slug: str) -> bool:
    """One go-ahead for a plan's change nodes as they stand now; False when that is how it is already."""
    session.person()
    return _plan(session, slug, rules.approve_plan, "approves the plan")


def withdraw_plan(session: Session, slug: str) -> bool:
    """Take a whole plan's go-ahead back; False when it has none."""
    session.person()
    return _plan(session, slug, rules.withdraw_plan, "withdraws the plan's go-ahead")


def expedite(session: Session, ref: NodeRef, *, off: bool = False) -> bool:
    """Send a node ahead of the others (`off`: no more); False when it is so already."""
    session.person()
    what = "lets wait its turn" if off else "expedites"
    return _one(session, ref, lambda plan, node: rules.expedite(plan, node, off=off), what)


def merge_policy(session: Session, ref: NodeRef, policy: str) -> bool:
    """Say who merges a node's pull request; False when it is so already. An agent may turn merge-on-green off."""
    if policy != "manual-review":
        session.person()
    return _one(session, ref, lambda plan, node: rules.set_merge(plan, node, policy), f"sets {policy} on")


def cloud(session: Session, ref: NodeRef, *, off: bool = False) -> bool:
    """Keep a node for a cloud agent (`off`: no more); False when it is so already."""
    session.person()
    what = "brings back from the cloud" if off else "sends to the cloud"
    return _one(session, ref, lambda plan, node: rules.cloud(plan, node, off=off), what)


def done(session: Session, ref: NodeRef) -> bool:
    """Mark a person's node done; False when it is."""
    session.person()
    return _one(session, ref, rules.mark_done, "marks done")


def restart(session: Session, ref: NodeRef) -> bool:
    """Begin a node again, whoever holds it; False when there is nothing to begin again."""
    session.person()
    return _one(session, ref, rules.restart, "restarts")


def reverify(session: Session, ref: NodeRef) -> bool:
    """Let a gate or a slice prove itself again; False when nothing passed since that was last asked."""
    session.person()
    return _one(session, ref, rules.reverify, "asks to verify again")


def allow_asserted(session: Session, ref: NodeRef, *, off: bool = False) -> bool:
    """Let an agent's word count as a gate's result (`off`: no more); False when it is so already."""
    session.person()
    what = "no longer takes an agent's word on" if off else "takes an agent's word on"
    return _one(session, ref, lambda plan, node: rules.allow_asserted(plan, node, off=off), what)


def accept_partial(session: Session, ref: NodeRef) -> bool:
    """Accept what an issue's worker left out; False when it is accepted."""
    session.person()
    return _one(session, ref, rules.accept_partial, "accepts in part")


def note(session: Session, plan: str, node: str | None, text: str) -> None:
    """Leave a note on a plan or on one of its nodes."""
    session.person()
    if not text.strip():
        raise Refused("a note needs a text", hint="stoat note PLAN/NODE 'what to remember'")

    def decide(state: State, now: Time) -> Change:
        if node is None:
            plan_of(state, plan)
        else:
            node_of(state, NodeRef(plan, node))
        event = rules.NoteAdded(node=node, text=text)
        return Change([(streams.of_plan(plan), event)], f"{plan}: {session.actor.name} notes on {node or 'the plan'}")

    session.commit(decide)


def create_issues(session: Session, slug: str, *, off: bool = False) -> bool:
    """Let runners create the issues that the plan's nodes lack (`off`: no more); False when it is so already."""
    session.person()
    what = "lets runners create no issues" if off else "lets runners create issues"
    return _plan(session, slug, lambda plan: creation.allow_creation(plan, off=off), what)


def hold(session: Session, machine: str, *, off: bool = False, why: str | None = None) -> bool:
    """Keep every runner of a machine from new claims (`off`: let them go on); False when it is so already."""
    session.person()

    def decide(state: State, now: Time) -> Change | None:
        event = machines.hold(state.machine(machine), why=why, off=off)
        said = "lets go on" if off else "holds"
        return _change(streams.of_machine(machine), event, f"{machine}: {session.actor.name} {said}")

    return bool(session.commit(decide).events)


def lead(session: Session, slug: str, *, release: bool = False) -> bool:
    """Lead a plan, whoever led it before, or (`release`) lead it no more; False when it is so already."""
    session.person()
    if release:
        return _plan(session, slug, plans.release_lead, "releases the lead", archived_too=True)
    return _plan(session, slug, lambda plan: plans.take_lead(plan, session.actor.name), "leads the plan")


def _one(session: Session, ref: NodeRef, rule: Rule, what: str) -> bool:
    def decide(state: State, now: Time) -> Change | None:
        plan, node = node_of(state, ref)
        guards.not_archived(plan)
        event = rule(plan, node)
        subject = f"{ref.plan}: {session.actor.name} {what} {ref.node}"
        return _change(streams.of_plan(ref.plan), event, subject)

    return bool(session.commit(decide).events)


def _plan(
    session: Session, slug: str, rule: Callable[[PlanState], Event | None], what: str, *, archived_too: bool = False
) -> bool:
    def decide(state: State, now: Time) -> Change | None:
        plan = plan_of(state, slug)
        if not archived_too:
            guards.not_archived(plan)
        event = rule(plan)
        return _change(streams.of_plan(slug), event, f"{slug}: {session.actor.name} {what}")

    return bool(session.commit(decide).events)


def _each(
    session: Session, refs: Sequence[NodeRef], rule: Rule, what: str, already: str,
    finished: frozenset[NodeRef] = frozenset(),
) -> Decided:  # fmt: skip
    changed: list[NodeRef] = []
    skipped: list[Skipped] = []

    def decide(state: State, now: Time) -> Change | None:
        changed.clear()
        skipped.clear()
        entries = []
        refused = None
        for ref in dict.fromkeys(refs):
            plan, node = node_of(state, ref)
            try:
                guards.not_archived(plan)
                event = rule(plan, node)
            except Refused as reason:
                refused = reason
                skipped.append(Skipped(ref, reason.message))
                continue
            if event is None or ref in finished:
                skipped.append(Skipped(ref, f"{ref} {already if event is None else 'is done'}"))
            else:
                changed.append(ref)
                entries.append((streams.of_plan(ref.plan), event))
        if not changed and refused is not None:
            raise Refused("\n".join(left.why for left in skipped), hint=refused.hint)
        if not changed:
            return None
        more = f" and {len(changed) - 1} more" if len(changed) > 1 else ""
        return Change(entries, f"{changed[0].plan}: {session.actor.name} {what} {changed[0].node}{more}")

    session.commit(decide)
    return Decided(tuple(changed), tuple(skipped))


def _change(stream: str, event: Event | None, subject: str) -> Change | None:
    return None if event is None else Change([(stream, event)], subject)
