"""Which nodes are handed to a cloud agent, and when one that was handed over is over.

An attempt of a cloud agent has no worktree. It is out for as long as its claim runs, which the agent renews from where
it is. What becomes of it is seen on GitHub:

| of the node's attempt in the cloud                     | then                                              |
|--------------------------------------------------------|---------------------------------------------------|
| a person restarted the node since                      | nothing: it is history                            |
| its claim runs                                         | out                                               |
| its claim lapsed                                       | lapsed: it ends now, and the node is free         |
| its claim was released, or is somebody else's          | over: it ends now                                 |
| it has ended and is not judged                         | judge                                             |
"""

from __future__ import annotations

from typing import Literal

from msgspec import Struct
from msgspec.structs import replace

from stoat.clock import Time
from stoat.derive import holds
from stoat.derive.answers import PlanAnswer
from stoat.derive.holds import Hold
from stoat.derive.schedule import Scope
from stoat.plan.nodes import ISSUE, repository_of
from stoat.plan.state import Attempt, NodeState, PlanState

Standing = Literal["none", "out", "lapsed", "over", "judge"]


class Offers(Struct, frozen=True):
    """The issue nodes that may be handed over now, first come first; nodes of other kinds, which nobody takes; and what
    holds the rest."""

    nodes: tuple[str, ...]
    others: tuple[str, ...]
    holds: tuple[Hold, ...] = ()


def is_cloud(attempt: Attempt) -> bool:
    """Whether the attempt is a cloud agent's: it has no worktree here."""
    return not attempt.worktree


def offers(plan: PlanState, answer: PlanAnswer, scope: Scope) -> Offers:
    """What may be handed over: ready, kept for the cloud, and held by nothing else. In whichever repository: the agent
    clones its own."""
    found: list[tuple[tuple[bool, int, int], str]] = []
    others, held = [], []
    for order, shown in enumerate(answer.nodes):
        node = plan.nodes.get(shown.id)
        if node is None or not scope.takes(shown.id) or not shown.ready or not holds.for_the_cloud(node):
            continue
        here = replace(node, cloud=None, spec=replace(node.spec, agent=None))
        holder = shown.claim.holder if shown.claim is not None else None
        hold = holds.hold_of(plan, here, status=shown.status, detail=shown.detail, holder=holder, upstream=None)
        if hold is not None:
            held.append(hold)
        elif node.spec.kind != ISSUE:
            others.append(shown.id)
        elif repository_of(plan.header, node.spec) is not None:
            found.append(((shown.expedited is None, -shown.unblocks, order), shown.id))
    return Offers(tuple(node for _, node in sorted(found)), tuple(others), tuple(held))


def standing(node: NodeState, now: Time) -> Standing:
    """Where the node's attempt in the cloud stands; `none` where it has none that counts."""
    attempt, claim = node.current_attempt, node.claim
    if attempt is None or not is_cloud(attempt) or attempt.outcome is not None:
        return "none"
    if attempt.exited_at is not None:
        return "judge"
    if claim is None or claim.id != attempt.claim:
        return "over"
    return "out" if node.lease(now) is not None else "lapsed"
