"""A pull request is done when GitHub shows it merged. No sweep reads GitHub yet, so a bound one is `unknown`."""

from __future__ import annotations

from stoat.derive.verdict import Context, Verdict
from stoat.derive.wording import status as say
from stoat.plan.nodes import repository_of
from stoat.plan.state import NodeState, PlanState


def status(node: NodeState, plan: PlanState, context: Context) -> Verdict:
    """Where a pull request stands: not opened yet, or not seen yet."""
    if node.spec.pr is None:
        return Verdict("unrealized", say.unbound_pr())
    return Verdict("unknown", say.unswept(say.number(repository_of(plan.header, node.spec), node.spec.pr)))
