"""An issue is done when GitHub shows it closed. No sweep reads GitHub yet: a bound one is `unknown`, never `open`."""

from __future__ import annotations

from stoat.derive.verdict import Context, Verdict
from stoat.derive.wording import status as say
from stoat.plan.nodes import repository_of
from stoat.plan.state import NodeState, PlanState


def status(node: NodeState, plan: PlanState, context: Context) -> Verdict:
    """Where an issue stands: not filed yet, or not seen yet."""
    if node.spec.issue is None:
        return Verdict("unrealized", say.unbound_issue())
    return Verdict("unknown", say.unswept(say.number(repository_of(plan.header, node.spec), node.spec.issue)))
