"""What authoring may not do to a plan as it stands: to a person's settings, to agents' work, to what depends on it.

Each guard raises Refused, with the way out in its hint. They are asked about the very state that the change lands on.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from msgspec.structs import replace

from stoat.clock import Time
from stoat.errors import Refused
from stoat.plan.events.authoring import NodeChanged, NodeRemoved
from stoat.plan.events.base import Actor, PlanEvent
from stoat.plan.nodes import FIELDS_OF, Node
from stoat.plan.rules.edges import dependents_elsewhere
from stoat.plan.state import PlanState

ON_GREEN = "merge-on-green"


def not_archived(plan: PlanState) -> None:
    """An archived plan is not written to."""
    if plan.archived is not None:
        raise Refused(
            f"plan {plan.slug} is archived ({plan.archived.by}, {plan.archived.at})",
            hint=f"bring it back first: stoat plan archive {plan.slug} --off",
        )


def with_merge_policy(node: Node, plan: PlanState | None, actor: Actor) -> Node:
    """The node as `actor` may write it: no agent turns merge-on-green on.

    An agent that leaves `merge` out keeps what a person set; it may always go back to manual-review.
    """
    if actor.as_ != "agent":
        return node
    before = plan.nodes[node.id].spec.merge if plan is not None and node.id in plan.nodes else None
    if node.merge == ON_GREEN and before != ON_GREEN:
        raise Refused(
            f"only a person may set merge-on-green, here on {node.id}",
            hint="leave `merge` out, and ask a person for it: stoat ask PLAN/NODE '…'",
        )
    if node.merge is None and before is not None and node.kind in FIELDS_OF["merge"]:
        return replace(node, merge=before)
    return node


def agents_work(plan: PlanState, events: Sequence[PlanEvent], now: Time) -> list[str]:
    """Refuses to take a node away from under the agent that holds it. Gives a warning for each that is changed."""
    warnings = []
    for event in events:
        if not isinstance(event, NodeRemoved | NodeChanged):
            continue
        state = plan.nodes[event.node]
        held = state.lease(now)
        if held is None:
            continue
        holder = held.holder
        if isinstance(event, NodeRemoved) or event.spec.kind != state.spec.kind:
            does = "remove it" if isinstance(event, NodeRemoved) else f"make it a {event.spec.kind} node"
            raise Refused(
                f"{plan.slug}/{event.node} is held by {holder}: to {does} would lose that work",
                hint=f"wait for it, or take it back first: stoat release {plan.slug}/{event.node}",
            )
        warnings.append(f"{event.node} is held by {holder}, who works from what it said before")
    return warnings


def may_be_purged(plan: PlanState, others: Mapping[str, PlanState]) -> None:
    """Only an archived plan that no other plan waits for goes for good."""
    if plan.archived is None:
        raise Refused(f"plan {plan.slug} is active", hint=f"archive it first: stoat plan archive {plan.slug}")
    nothing_waits(plan, list(plan.nodes), others)


def nothing_names(plan: PlanState, node_id: str) -> None:
    """Refuses to remove a node that the plan's other nodes wait for or name in a field."""
    waiting = [other for other, state in plan.nodes.items() if node_id in state.spec.depends_on]
    if waiting:
        raise Refused(
            f"{plan.slug}/{node_id} cannot be removed: {', '.join(waiting)} depends on it",
            hint=f"drop the dependency first: stoat node unlink {plan.slug}/{waiting[0]} --on {node_id}",
        )
    for other, state in plan.nodes.items():
        for field in ("rehearses", "bumped_by"):
            if getattr(state.spec, field) == node_id and other != node_id:
                why = f"{plan.slug}/{node_id} cannot be removed: `{field}` of {other} names it"
                raise Refused(why, hint="change that first")


def nothing_waits(plan: PlanState, removed: Sequence[str], others: Mapping[str, PlanState]) -> None:
    """Refuses to remove nodes that other plans' nodes wait for; within the plan that is an unknown dependency."""
    for node_id in removed:
        waiting = dependents_elsewhere(plan.slug, node_id, others)
        if waiting:
            names = ", ".join(str(ref) for ref in waiting)
            raise Refused(
                f"{plan.slug}/{node_id} cannot be removed: {names} depends on it",
                hint=f"drop the dependency first: stoat node unlink {waiting[0]} --on {plan.slug}/{node_id}",
            )
