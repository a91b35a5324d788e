"""A review is done when a person decided every finding. None can be submitted yet, so it waits for its review."""

from __future__ import annotations

from stoat.derive.verdict import Context, Verdict
from stoat.derive.wording import status as say
from stoat.plan.state import NodeState, PlanState


def status(node: NodeState, plan: PlanState, context: Context) -> Verdict:
    """Where a review stands: nobody gave one yet."""
    return Verdict("waiting", say.no_review())
