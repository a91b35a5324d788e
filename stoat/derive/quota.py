"""When agents may start again after a limit of their account stopped one of them.

One account's quota covers every agent of a launcher on this machine, whichever plan it works for: all of them stop
together, and all go on together. What that comes to, by the kind of limit that stopped an agent:

| kind       | what waits                  | until                                                              |
|------------|-----------------------------|--------------------------------------------------------------------|
| usage      | every agent of its launcher | two minutes after the reset that was named, else half an hour      |
| spend      | every agent of its launcher | half an hour, and again: a person has to put money in              |
| rate       | its own node                | two minutes, or after the reset that was named                     |
| overloaded | its own node                | two minutes                                                        |

The limit of a node counts until its next attempt begins, or until a person restarts it, whatever became of its work.
"""

from __future__ import annotations

from collections.abc import Iterable

from msgspec import Struct

from stoat.clock import Time, plus
from stoat.plan.ids import NodeRef
from stoat.plan.state import Attempt, Limited, LimitKind, NodeState, PlanState

AFTER_RESET = 120.0
"""Seconds after a reset at which agents go on: a clock that is a little wrong must not cost each of them a start."""
_UNNAMED = 30 * 60.0
_OF_ALL: frozenset[LimitKind] = frozenset({"usage", "spend"})


class Pause(Struct, frozen=True, kw_only=True):
    """No agent of a launcher may start before `until`: the limit that says so, and the nodes (PLAN/NODE) it stopped.

    `since` is when the last of them was stopped.
    """

    until: Time
    since: Time
    kind: LimitKind
    text: str
    nodes: tuple[str, ...]


def goes_on_at(limit: Limited) -> Time:
    """The moment from which an agent that this limit stopped may start again."""
    if limit.kind == "overloaded":
        return plus(limit.at, AFTER_RESET)
    if limit.resets_at is not None:
        return plus(max(limit.resets_at, limit.at), AFTER_RESET)
    return plus(limit.at, AFTER_RESET if limit.kind == "rate" else _UNNAMED)


def pause(plans: Iterable[PlanState], *, launcher: str, machine: str, now: Time) -> Pause | None:
    """What keeps every agent of the launcher on that machine from starting at `now`; None when nothing does."""
    waiting = [
        (goes_on_at(limit), str(NodeRef(plan.slug, node_id)), limit)
        for plan in plans
        for node_id, node in plan.nodes.items()
        if (limit := _limit(node, launcher, machine)) is not None and _stops_all(limit) and now < goes_on_at(limit)
    ]
    if not waiting:
        return None
    until, _, last = max(waiting, key=lambda one: one[:2])
    since = max(limit.at for _, _, limit in waiting)
    nodes = tuple(sorted(name for _, name, _ in waiting))
    return Pause(until=until, since=since, kind=last.kind, text=last.text, nodes=nodes)


def holds(pause: Pause, node: NodeState) -> bool:
    """Whether a pause holds the node: not one that a person restarted since, who may know that there is quota again."""
    return node.restarted is None or node.restarted.at < pause.since


def waits_until(node: NodeState, *, launcher: str, machine: str, now: Time) -> Time | None:
    """Until when the node itself waits for a limit that stopped its last agent; None when it does not."""
    limit = _limit(node, launcher, machine)
    if limit is None:
        return None
    until = goes_on_at(limit)
    return until if now < until else None


def _stops_all(limit: Limited) -> bool:
    """Whether it is the account's, and still was when it was seen: one that had reset by then stops nobody else."""
    return limit.kind in _OF_ALL and (limit.resets_at is None or limit.resets_at > limit.at)


def _limit(node: NodeState, launcher: str, machine: str) -> Limited | None:
    attempt: Attempt | None = node.current_attempt
    if attempt is None or (attempt.launcher, attempt.machine) != (launcher, machine):
        return None
    return attempt.limit
