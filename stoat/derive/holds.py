"""Why a node that is ready is not launched, as far as the node itself goes: one order, for the board and for runners.

The first row that applies:

| what                                                                  | reason   |
|-----------------------------------------------------------------------|----------|
| it is kept for a person                                               | person   |
| it is kept for a cloud agent                                          | cloud    |
| an issue: it has no number yet, and no runner may create it           | unbound  |
| an issue: a pull request that closes it is open                       | pr-open  |
| somebody holds it                                                     | claimed  |
| its agent's question is open                                          | question |
| it was given up on                                                    | gave-up  |
| it needs a go-ahead and has none                                      | go-ahead |
| its last attempt is not judged yet                                    | judging  |
| an issue: it has no number yet, and runners create it                 | creating |
| an issue: GitHub was not seen, or does not show it                    | unseen   |
| an issue: its last attempt ended in a pull request, and it is open    | over     |
| its finished work has only to land                                    | finished |
| no issue: it builds on a done upstream whose work has not landed      | upstream |

What a runner adds (its checkout, its slots, resources) is in `schedule.py`, what the machine adds in `launch.py`.
"""

from __future__ import annotations

from typing import Literal

from msgspec import Struct

from stoat.derive import goahead, landings
from stoat.derive.answers import Status
from stoat.plan.events.creation import may_be_created
from stoat.plan.nodes import CHANGE, ISSUE, PERSON
from stoat.plan.state import NodeState, PlanState

HoldReason = Literal[
    "person", "cloud", "unbound", "creating", "pr-open", "claimed", "question", "gave-up", "go-ahead", "judging",
    "unseen", "over", "finished", "upstream", "elsewhere", "unnamed", "slot", "resource", "alone", "limited",
    "reserved", "cap", "scarce", "unread",
]  # fmt: skip
"""The rows above; and of a runner: elsewhere (another repository's), unnamed (its own checkout's remote names none),
slot (all are taken), resource (one is full), alone (it wants the machine to itself, and something runs), limited
(the account has no quota left), reserved (another node has the machine to itself), cap (the machine takes no more
agents), scarce (it is short of disk, of memory or of processors), unread (what others have of it cannot be read)."""

UNSEEN: frozenset[Status] = frozenset({"unknown", "missing"})
"""How an issue reads that GitHub does not show, or that nobody has looked at."""


class Hold(Struct, frozen=True):
    """Why a node is not launched: the reason, and who or what (a kind, a holder, an upstream, a resource, a detail;
    of `limited` the Time at which it goes on)."""

    node: str
    reason: HoldReason
    what: str = ""


def hold_of(
    plan: PlanState, node: NodeState, *, status: Status, detail: str, holder: str | None, upstream: str | None
) -> Hold | None:
    """What keeps the node from every runner; None when nothing does.

    `status` and `detail` are what is derived of it. `holder` has its running lease; `upstream` is a done node that it
    builds on and whose work is known not to have landed.
    """
    spec, attempt = node.spec, node.current_attempt

    def hold(reason: HoldReason, what: str = "") -> Hold:
        return Hold(spec.id, reason, what)

    if for_a_person(node):
        return hold("person")
    if for_the_cloud(node):
        return hold("cloud")
    creating = may_be_created(plan, node)
    if spec.kind == ISSUE and spec.issue is None and not creating:
        return hold("unbound")
    if spec.kind == ISSUE and status == "pr-open":
        return hold("pr-open")
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
    if creating:
        return hold("creating")
    if spec.kind == ISSUE and status in UNSEEN:
        return hold("unseen", detail)
    if spec.kind == ISSUE and attempt is not None and attempt.outcome == "done":
        return hold("over")
    if spec.kind == CHANGE and landings.awaited(node):
        return hold("finished")
    return hold("upstream", upstream) if upstream is not None and spec.kind != ISSUE else None


def for_a_person(node: NodeState) -> bool:
    """Whether no agent may do it."""
    return node.spec.kind == PERSON or node.spec.assignee == "person"


def for_the_cloud(node: NodeState) -> bool:
    """Whether it is kept for a cloud agent."""
    return node.cloud is not None or node.spec.agent == "cloud"
