"""A consume is done when the committed pin reaches what was published. No sweep reads pins yet, so it is `unknown`."""

from __future__ import annotations

from stoat.derive.verdict import Context, Verdict
from stoat.derive.wording import status as say
from stoat.plan.nodes import repository_of
from stoat.plan.state import NodeState, PlanState

DEFAULT_MANIFEST = "Directory.Packages.props"


def status(node: NodeState, plan: PlanState, context: Context) -> Verdict:
    """Where a consume stands: its pin was not read yet."""
    spec = node.spec
    manifest = spec.manifest or DEFAULT_MANIFEST
    return Verdict("unknown", say.unread_pin(spec.package or spec.id, manifest, repository_of(plan.header, spec)))
