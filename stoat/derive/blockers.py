"""What a node waits on: its undone dependencies, and upstream of them, across plans, the one it ultimately waits on.

The root blocker is an undone node that itself waits for nothing (or a dependency that exists nowhere, or a circle).
Of several the node names the one that something has to be done about: yours before broken before held. Nodes are
visited after what they wait for, so that each walk upstream is one step.
"""

from __future__ import annotations

from stoat.derive.answers import WaitsOn
from stoat.derive.memo import TELL, Memo
from stoat.derive.positions import RANKS
from stoat.derive.wording import stance

_MISSING = RANKS["broken"]
_WORST = max(RANKS.values()) + 1


def trace(memo: Memo, touched: bytearray) -> None:
    """Find what every touched undone node waits on; whoever waits for it is touched where its root is another one."""
    order, graph = memo.order, memo.graph
    assert order is not None
    roots = [_of_circle(memo, members) for members in order.circles]
    for i in order.circle_of:
        touched[i] |= TELL
    for i in reversed(order.walk):
        if not touched[i]:
            continue
        waits, root, rank = _upstream(memo, i)
        group = order.circle_of.get(i)
        verdict = memo.final[i]
        if verdict is not None and verdict.status == "done":  # others wait until it has landed, itself for nothing
            waits, root, rank = (), None, 0
        elif group is not None:
            root, rank = roots[group], RANKS["broken"]
        memo.waits[i] = waits
        if root != memo.root[i] or rank != memo.root_rank[i]:
            memo.root[i], memo.root_rank[i] = root, rank
            for user in graph.users[i]:
                touched[user] |= TELL
    for i, touch in enumerate(touched):
        if touch and not memo.undone[i]:
            memo.waits[i], memo.root[i], memo.root_rank[i] = (), None, 0


def _upstream(memo: Memo, i: int) -> tuple[tuple[WaitsOn, ...], WaitsOn | None, int]:
    waits: list[WaitsOn] = []
    root, rank = None, _WORST
    for other in memo.graph.deps[i]:
        if not memo.undone[other]:
            continue
        local = memo.local[other]
        assert local is not None
        waits.append(local.shown)
        behind = memo.root[other]
        found, its_rank = (local.shown, local.rank) if behind is None else (behind, memo.root_rank[other])
        if its_rank < rank:
            root, rank = found, its_rank
    for ref in memo.graph.missing.get(i, ()):
        slug, _, node = ref.partition("/")
        waits.append(WaitsOn(slug, node, stance.MISSING))
        if rank > _MISSING:
            root, rank = waits[-1], _MISSING
    return tuple(waits), root, 0 if root is None else rank


def _of_circle(memo: Memo, members: tuple[int, ...]) -> WaitsOn:
    """A circle as a blocker: its first node, and the way around."""
    graph = memo.graph
    first = min(members, key=lambda i: graph.refs[i])
    local = memo.local[first]
    assert local is not None
    return WaitsOn(graph.plan_of[first], memo.states[first].spec.id, local.shown.why)
