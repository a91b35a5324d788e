"""A publish is done when its version can be downloaded. No sweep reads feeds yet, so it is `unknown`."""

from __future__ import annotations

from stoat.derive.verdict import Context, Verdict
from stoat.derive.wording import status as say
from stoat.plan.state import NodeState, PlanState

DEFAULT_FEED = "nuget.org"


def status(node: NodeState, plan: PlanState, context: Context) -> Verdict:
    """Where a publish stands: not looked for yet."""
    return Verdict("unknown", say.unread_feed(node.spec.package or node.spec.id, node.spec.feed or DEFAULT_FEED))
