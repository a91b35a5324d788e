"""What has to be recorded for a plan to become what a document says; nothing, when it is that already.

A node whose edges alone changed keeps its go-ahead (`dependency_added`, `dependency_removed`); anything else replaces
it whole (`node_changed`). The order in which dependencies are listed means nothing; the order of the nodes breaks ties.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from msgspec.structs import replace

from stoat.plan.events.authoring import DependencyAdded, DependencyRemoved, NodeAdded, NodeChanged, NodeRemoved
from stoat.plan.events.base import NodeEvent, PlanEvent
from stoat.plan.events.plans import NodesReordered, PlanCreated, PlanHeaderChanged
from stoat.plan.nodes import Header, Node
from stoat.plan.normal import normal_header, normal_node
from stoat.plan.state import PlanState


def diff(header: Header, nodes: Sequence[Node], plan: PlanState | None) -> list[PlanEvent]:
    """The events that turn `plan` (None: there is none yet) into this header and these nodes, in their normal form."""
    if plan is None:
        return [PlanCreated(header=header), *(NodeAdded(node=node.id, spec=node) for node in nodes)]
    events: list[PlanEvent] = []
    if header != normal_header(plan.header):
        events.append(PlanHeaderChanged(header=header))
    wanted = {node.id: node for node in nodes}
    for node_id in plan.nodes:
        if node_id not in wanted:
            events.append(NodeRemoved(node=node_id))
    for node in nodes:
        state = plan.nodes.get(node.id)
        if state is None:
            events.append(NodeAdded(node=node.id, spec=node))
        else:
            events.extend(change(node, normal_node(state.spec, plan.slug)))
    folded = [*(node_id for node_id in plan.nodes if node_id in wanted)]
    folded += [node_id for node_id in wanted if node_id not in plan.nodes]
    if folded != list(wanted):
        events.append(NodesReordered(order=tuple(wanted)))
    return events


def change(new: Node, old: Node) -> Iterator[NodeEvent]:
    """The events that turn one node into another of the same id."""
    if new == old:
        return
    if replace(new, depends_on=()) != replace(old, depends_on=()):
        yield NodeChanged(node=new.id, spec=new)
        return
    for on in old.depends_on:
        if on not in new.depends_on:
            yield DependencyRemoved(node=new.id, on=on)
    for on in new.depends_on:
        if on not in old.depends_on:
            yield DependencyAdded(node=new.id, on=on)
