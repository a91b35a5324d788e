"""Why a node that is ready is not launched, as far as the node itself goes: one order, for the board and for runners.

The first row that applies:

| what                                                                  | reason   |
|-----------------------------------------------------------------------|----------|
| it is of a kind that this version's runner does not launch            | later    |
| it is kept for a person                                               | person   |
| it is kept for a cloud agent                                          | cloud    |
| somebody holds it                                                     | claimed  |
| its agent's question is open                                          | question |
| it was given up on                                                    | gave-up  |
| it needs a go-ahead and has none                                      | go-ahead |
| its last attempt is not judged yet                                    | judging  |
| its finished work has only to land                                    | finished |
| it builds on a done upstream whose work has not landed                | upstream |

What a runner adds (its checkout, its slots, resources) is in `schedule.py`, what the machine adds in `launch.py`.
"""

from __future__ import annotations

from typing import Literal

from msgspec import Struct

from stoat.derive import goahead, landings
from stoat.plan.nodes import CHANGE, ISSUE, PERSON, REVIEW
from stoat.plan.state import NodeState, PlanState

HoldReason = Literal[
    "later", "person", "cloud", "claimed", "question", "gave-up", "go-ahead", "judging", "finished", "upstream",
    "elsewhere", "slot", "resource", "alone",
]  # fmt: skip
"""The rows above; and of a runner: elsewhere (another repository's), slot (all are taken), resource (one is full),
alone (it wants the machine to itself, or another node has it)."""

NOT_YET = frozenset({ISSUE, REVIEW})
"""Kinds whose result nothing here can observe yet: an agent on one could never be judged."""


class Hold(Struct, frozen=True):
    """Why a node is not launched: the reason, and who or what (a kind, a holder, an upstream, a resource)."""

    node: str
    reason: HoldReason
    what: str = ""


def hold_of(plan: PlanState, node: NodeState, *, holder: str | None, upstream: str | None) -> Hold | None:
    """What keeps the node from every runner; None when nothing does.

    `holder` has its running lease; `upstream` is a done node that it builds on and whose work is known not to have
    landed.
    """
    spec, attempt = node.spec, node.current_attempt

    def hold(reason: HoldReason, what: str = "") -> Hold:
        return Hold(spec.id, reason, what)

    if spec.kind in NOT_YET:
        return hold("later", spec.kind)
    if for_a_person(node):
        return hold("person")
    if for_the_cloud(node):
        return hold("cloud")
    if holder is not None:
        return hold("claimed", holder)
    if node.open_questions:
        return hold("question")
    if node.gave_up is not None:
        return hold("gave-up", node.gave_up.why or "")
    if goahead.awaited(plan, node):
        return hold("go-ahead")
    if attempt is not None and attempt.outcome is None:
        return hold("judging")
    if spec.kind == CHANGE and landings.awaited(node):
        return hold("finished")
    return hold("upstream", upstream) if upstream is not None else None


def for_a_person(node: NodeState) -> bool:
    """Whether no agent may do it."""
    return node.spec.kind == PERSON or node.spec.assignee == "person"


def for_the_cloud(node: NodeState) -> bool:
    """Whether it is kept for a cloud agent."""
    return node.cloud is not None or node.spec.agent == "cloud"
