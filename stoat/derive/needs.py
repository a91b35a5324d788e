"""What a person owes the plans: the `you` cards and the done nodes that could not be landed, most held up first."""

from __future__ import annotations

from collections.abc import Iterable

from stoat.derive.answers import Need
from stoat.derive.graph import downstream
from stoat.derive.memo import Memo


def needs(memo: Memo) -> tuple[Need, ...]:
    """The needs of all active plans. Ties keep the order of plans and of their nodes."""
    found = sorted(_each(memo), key=lambda need: -need.holds)
    return tuple(found)


def _each(memo: Memo) -> Iterable[Need]:
    for i, local in enumerate(memo.local):
        if local is None or local.standing.owed is None:
            continue
        owed = local.standing.owed
        # A done node's leverage is 0; one whose work is not landed still keeps others from starting.
        holds = memo.many[i] if memo.undone[i] else len(downstream(memo.graph, i, memo.undone))
        yield Need(
            plan=memo.graph.plan_of[i],
            node=memo.states[i].spec.id,
            kind=owed.kind,
            why=owed.why,
            holds=holds,
            since=owed.since,
            action=owed.action,
        )
