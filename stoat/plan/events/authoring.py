"""The nodes and edges of a plan, as their authors write them.

What a document may say is checked in `plan/validate.py`, for one node and for a whole plan alike; the fold here takes
what was accepted.
"""

from __future__ import annotations

from msgspec.structs import replace

from stoat.plan.events.base import NodeEvent
from stoat.plan.nodes import Node
from stoat.plan.state import Mark, NodeState, PlanState


class NodeAdded(NodeEvent, tag="node_added", frozen=True):
    """A node joins the plan, whole."""

    spec: Node

    def fold(self, plan: PlanState) -> None:
        """Put the node at the end of the plan's order."""
        plan.nodes[self.node] = NodeState(
            spec=self.spec, added=Mark(self.by.name, self.at), cleared_seq=plan.seq
        )


class NodeChanged(NodeEvent, tag="node_changed", frozen=True):
    """A node is replaced whole; what the new one leaves out is cleared.

    A go-ahead covered what the person saw, so it goes, as a whole-plan one does for this node by no longer being
    older than the change. The node's turn (expedited) is not what it says, and stays.
    """

    spec: Node

    def fold(self, plan: PlanState) -> None:
        """Replace the node and take its go-ahead back."""
        plan.change(
            self.node, spec=self.spec, go_ahead=None, added=Mark(self.by.name, self.at), cleared_seq=plan.seq
        )


class NodeRemoved(NodeEvent, tag="node_removed", frozen=True):
    """A node leaves the plan."""

    def fold(self, plan: PlanState) -> None:
        """Drop the node and its questions."""
        del plan.nodes[self.node]
        plan.questions = {key: asked for key, asked in plan.questions.items() if asked.node != self.node}


class DependencyAdded(NodeEvent, tag="dependency_added", frozen=True):
    """The node waits for another one, of this plan (`on`) or of another (`PLAN/NODE`)."""

    on: str

    def fold(self, plan: PlanState) -> None:
        """Add the edge."""
        spec = plan.nodes[self.node].spec
        if self.on not in spec.depends_on:
            plan.change(self.node, spec=replace(spec, depends_on=(*spec.depends_on, self.on)))


class DependencyRemoved(NodeEvent, tag="dependency_removed", frozen=True):
    """The node no longer waits for another one."""

    on: str

    def fold(self, plan: PlanState) -> None:
        """Remove the edge."""
        spec = plan.nodes[self.node].spec
        plan.change(
            self.node, spec=replace(spec, depends_on=tuple(other for other in spec.depends_on if other != self.on))
        )


class NodeBound(NodeEvent, tag="node_bound", frozen=True):
    """An issue or pr node got its number. What was approved and expedited was another thing: both go.

    `created` says that the issue was made from the node itself: then it is what was approved, and both stay.
    """

    number: int
    created: bool = False

    def fold(self, plan: PlanState) -> None:
        """Set the number."""
        node = plan.nodes[self.node]
        spec = node.spec
        bound = replace(spec, pr=self.number) if spec.kind == "pr" else replace(spec, issue=self.number)
        plan.change(
            self.node, spec=bound, go_ahead=node.go_ahead if self.created else None,
            expedited=node.expedited if self.created else None, added=Mark(self.by.name, self.at),
            cleared_seq=plan.seq, creation=None,
        )  # fmt: skip
