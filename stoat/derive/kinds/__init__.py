"""The rule of each kind, one module a kind, in one table.

What the evidence says comes before who is on the node: a live claim shows as `claimed` only where the kind's own word
would be open, waiting or unknown.
"""

from __future__ import annotations

from collections.abc import Callable

from msgspec.structs import replace

from stoat.derive.kinds import change, consume, issue, person, pr, publish, review, slice, test_run_gate
from stoat.derive.verdict import Context, Verdict
from stoat.derive.wording import status as say
from stoat.plan import nodes
from stoat.plan.state import NodeState, PlanState

Rule = Callable[[NodeState, PlanState, Context], Verdict]

RULES: dict[str, Rule] = {
    nodes.CHANGE: change.status,
    nodes.CONSUME: consume.status,
    nodes.ISSUE: issue.status,
    nodes.PERSON: person.status,
    nodes.PR: pr.status,
    nodes.PUBLISH: publish.status,
    nodes.REVIEW: review.status,
    nodes.SLICE: slice.status,
    nodes.GATE: test_run_gate.status,
}

YIELDS_TO_A_CLAIM = frozenset({"open", "waiting", "unknown"})


def verdict(node: NodeState, plan: PlanState, context: Context) -> Verdict:
    """Where a node stands, its claim considered. A kind that this version does not know is `unknown`."""
    rule = RULES.get(node.spec.kind)
    found = rule(node, plan, context) if rule else Verdict("unknown", say.unknown_kind(node.spec.kind))
    claim = node.lease(context.now, context.facts) if found.status in YIELDS_TO_A_CLAIM else None
    if claim is None:
        return found
    detail = say.claimed(claim, "" if found.status == "open" else found.detail)
    return replace(found, status="claimed", detail=detail, turn=None, unseen=False, over="")
