"""A person's go-ahead: whether a node needs one, has one, and could be given one.

| node                                     | needs one                                   |
|------------------------------------------|---------------------------------------------|
| an issue, a change                       | yes, unless it is kept for a person         |
| any other kind                           | no: its specs or its command define its work |

It has one by its own approval, or, a change in a plan with `go_ahead: plan`, by the plan's, if that came after the
node was last written and after its own go-ahead was last withdrawn (by the log's order).
"""

from __future__ import annotations

from stoat.derive.answers import Status
from stoat.plan.events.creation import may_be_created
from stoat.plan.events.decisions import covered
from stoat.plan.nodes import ISSUE, NEEDS_GO_AHEAD
from stoat.plan.state import Mark, NodeState, PlanState


def needed(node: NodeState) -> bool:
    """Whether agents must wait for a person's word."""
    return node.spec.kind in NEEDS_GO_AHEAD and node.spec.assignee != "person"


def given(plan: PlanState, node: NodeState) -> Mark | None:
    """The go-ahead that covers the node as it is now written; None without one."""
    if node.go_ahead is not None:
        return node.go_ahead
    return plan.approved if covered(plan, node) else None


def approvable(plan: PlanState, node: NodeState, status: Status) -> bool:
    """Whether the node can take a go-ahead now: it needs one, has none, is not done, and names a real thing."""
    if not needed(node) or status == "done" or plan.archived is not None or given(plan, node) is not None:
        return False
    return node.spec.kind != ISSUE or node.spec.issue is not None or may_be_created(plan, node)


def awaited(plan: PlanState, node: NodeState) -> bool:
    """Whether the node needs a go-ahead and has none."""
    return needed(node) and given(plan, node) is None
