"""Whether somebody may take a node now. Whether a lease runs is `NodeState.lease`, its fence `plan/events/claims.py`.

Refused, in this order:

| what                                                       | whom                |
|------------------------------------------------------------|---------------------|
| the plan is archived                                       | everybody           |
| the node is done                                           | everybody           |
| somebody holds it                                          | everybody           |
| this machine is held                                       | everybody           |
| this machine is reserved for an exclusive node             | everybody           |
| it is kept for a person                                    | agents and runners  |
| its finished work only has to land                         | agents and runners  |
| it needs a go-ahead and has none                           | agents and runners  |
| a dependency is not done                                   | agents and runners, unless told to ignore it |

A person may take what is not ready: it is theirs to know.
"""

from __future__ import annotations

from msgspec import Struct

from stoat.clock import Time
from stoat.derive import goahead, kinds
from stoat.derive.derivation import derive
from stoat.derive.reservations import reserved_against
from stoat.derive.verdict import Context, Verdict, context_of
from stoat.derive.wording import claims as say
from stoat.derive.wording import machine
from stoat.derive.wording.text import machine_held
from stoat.errors import Refused
from stoat.plan import guards
from stoat.plan.events.base import ActorKind
from stoat.plan.facts import Facts
from stoat.plan.ids import NodeRef
from stoat.plan.nodes import PERSON
from stoat.plan.state import NodeState, PlanState, State


class Refusal(Struct, frozen=True):
    """Why not, and what to do instead."""

    message: str
    hint: str


def refusal(
    state: State, facts: Facts, now: Time, ref: NodeRef, *, actor: ActorKind = "agent",
    ignore_dependencies: bool = False,
) -> Refusal | None:  # fmt: skip
    """Why the node may not be claimed at `now` by such an actor, or None when it may. KeyError: there is no such node.

    It looks at the node and at what it waits for, not at the whole store: it is asked inside an append.
    """
    plan = state.plan(ref.plan)
    if plan is None:
        raise KeyError(ref.plan)
    node = plan.nodes[ref.node]
    context = context_of(state, facts, now)
    verdict = _verdict(state, context, ref, plan, node)
    held = state.machine(facts.machine).held if facts.machine else None
    try:
        guards.not_archived(plan)
    except Refused as archived:
        return Refusal(archived.message, archived.hint or say.LOOK)
    if verdict.status == "done":
        return Refusal(say.done(str(ref), verdict.detail), say.LOOK)
    lease = node.lease(now, facts)
    if lease is not None:
        return Refusal(say.taken(str(ref), lease, now), say.TAKEN_HINT)
    if held is not None:
        return Refusal(machine_held(held), say.MACHINE_HINT)
    first = reserved_against(facts.exclusive, (facts.store, ref.plan, ref.node))
    if first is not None:
        return Refusal(machine.reserved(machine.node(first)), machine.RESERVED_HINT)
    if actor == "person":
        return None
    if node.spec.kind == PERSON or node.spec.assignee == "person":
        return Refusal(say.a_persons(str(ref)), say.LOOK)
    if verdict.finished:
        return Refusal(say.finished(str(ref), verdict.detail), say.LOOK)
    if goahead.awaited(plan, node):
        return Refusal(say.no_go_ahead(str(ref)), say.go_ahead_hint(plan.slug, node.spec.id))
    undone = () if ignore_dependencies else _undone(state, context, plan, node)
    return Refusal(say.not_ready(str(ref), undone), say.LOOK) if undone else None


def _verdict(state: State, context: Context, ref: NodeRef, plan: PlanState, node: NodeState) -> Verdict:
    verdict = kinds.verdict(node, plan, context)
    if verdict.weaker is not None and not _is_done(state, context, ref):
        return verdict.weaker
    return verdict.mended if verdict.mended is not None and _is_done(state, context, ref) else verdict


def _is_done(state: State, context: Context, ref: NodeRef) -> bool:
    """Whether a node is done, as far as that hangs on its neighbours: a lesser pass, or a review being mended."""
    return derive(state, context.facts, context.now).by_ref[str(ref)].status == "done"


def _undone(state: State, context: Context, plan: PlanState, node: NodeState) -> tuple[str, ...]:
    """The dependencies that are not done, as the node names them. A lesser pass is not done: this node waits on it."""
    names = []
    for name in node.spec.depends_on:
        slug, _, node_id = name.rpartition("/")
        other = state.plan(slug) if slug else plan
        upstream = other.nodes.get(node_id) if other is not None else None
        verdict = kinds.verdict(upstream, other, context) if upstream is not None and other is not None else None
        if verdict is None or other is None or verdict.weaker is not None:
            names.append(name)
        elif verdict.mended is not None:
            names += [] if _is_done(state, context, NodeRef(other.slug, node_id)) else [name]
        elif verdict.holds:
            names.append(name)
    return tuple(names)
