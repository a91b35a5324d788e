"""A person's step is open until a person marks it done; nothing else makes it so."""

from __future__ import annotations

from stoat.derive.verdict import Context, Verdict
from stoat.derive.wording import status as say
from stoat.plan.state import NodeState, PlanState


def status(node: NodeState, plan: PlanState, context: Context) -> Verdict:
    """Where a person's step stands."""
    if node.done is not None:
        return Verdict("done", say.person_done(node.done))
    return Verdict("open", say.person_open())
