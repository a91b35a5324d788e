"""Whether a runner creates a node's issue on GitHub, and what it does next about it; never two for one node.

| what is on record of the issue's creation                              | then                              |
|------------------------------------------------------------------------|-----------------------------------|
| nothing                                                                | begin                             |
| GitHub was asked, and said itself that it made none                    | begin, with the same mark         |
| GitHub was asked, and nobody has looked since whether it is there      | look                              |
| it was looked for, less than SETTLED after GitHub was last asked        | wait, then look once more         |
| it was looked for after that, and was not there                        | begin, with the same mark         |

What is found is bound, whoever asked for it.
"""

from __future__ import annotations

from typing import Literal

from msgspec import Struct

from stoat.clock import Time, plus
from stoat.derive import goahead, holds
from stoat.derive.answers import NodeAnswer
from stoat.plan.creation import Creation
from stoat.plan.nodes import ISSUE, repository_of
from stoat.plan.state import NodeState, PlanState

SETTLED = 120.0
"""Seconds after which an issue that GitHub was asked for is there to be seen, or was never made."""


class Wait(Struct, frozen=True):
    """Not before `until`."""

    until: Time


Action = Literal["begin", "look"] | Wait


def wanted(plan: PlanState, node: NodeState, shown: NodeAnswer) -> str | None:
    """The repository (OWNER/NAME) in which the node's issue is to be created; None where it is not.

    Only where a person turned that on and gave the node its go-ahead, and nothing but the missing issue keeps the node
    from being worked.
    """
    if plan.creates_issues is None or node.spec.kind != ISSUE or node.spec.issue is not None:
        return None
    if holds.for_a_person(node) or goahead.awaited(plan, node) or not shown.ready or shown.claim is not None:
        return None
    if node.open_questions or node.gave_up is not None:
        return None
    return repository_of(plan.header, node.spec)


def decide(creation: Creation | None, looked: Time | None, now: Time, declined: Time | None = None) -> Action:
    """What to do about an issue that is wanted.

    `looked` is when the last look began that did not find it, `declined` when the question was put to GitHub that it
    answered with a no.
    """
    if creation is None or creation.at == declined:
        return "begin"
    if looked is None or looked < creation.at:
        return "look"
    settled = plus(creation.at, SETTLED)
    if looked >= settled:
        return "begin"
    return "look" if now >= settled else Wait(settled)
