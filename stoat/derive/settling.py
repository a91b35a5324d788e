"""Each node's verdict by its kind, then what the neighbours make of it: who is done, and what that leaves to walk."""

from __future__ import annotations

from stoat.derive import kinds, leverage
from stoat.derive.graph import order_of
from stoat.derive.memo import JUDGE, PLACE, TELL, Memo
from stoat.derive.verdict import Context, Verdict
from stoat.derive.wording import commands


def judge(memo: Memo, touched: bytearray) -> None:
    """The verdict of every touched node by its kind's rule, and then by who waits for it."""
    context = Context(memo.at, memo.facts, memo.github)
    for i, touch in enumerate(touched):
        if touch & JUDGE:
            memo.raw[i] = kinds.verdict(memo.states[i], memo.plan_at(i), context)
    final = settled(memo)
    for i, (before, after) in enumerate(zip(memo.final, final, strict=True)):
        if before is not after:
            touched[i] |= JUDGE
    memo.final = final


def settled(memo: Memo) -> list[Verdict | None]:
    """The verdicts, with a pass that proves less made stale where something undone of an active plan waits for it, and
    a review whose fixes are all done made done.

    Every review begins as if its fixes were done. Whatever turns undone can only turn more undone, so it ends, and the
    outcome does not depend on the order.
    """
    final, graph = memo.raw[:], memo.graph
    fixing = [(i, verdict) for i, verdict in enumerate(final) if verdict is not None and verdict.mended is not None]
    for i, verdict in fixing:
        final[i] = verdict.mended
    queue = [i for i, verdict in enumerate(final) if verdict is not None and verdict.weaker is not None]
    while True:
        _weaken(memo, final, queue)
        still = [one for one in fixing if final[one[0]] is not one[1] and _unmended(memo, final, *one)]
        if not still:
            return final
        for i, verdict in still:
            final[i] = verdict
            queue.extend(graph.deps[i])


def _weaken(memo: Memo, final: list[Verdict | None], queue: list[int]) -> None:
    graph = memo.graph
    while queue:
        i = queue.pop()
        verdict = final[i]
        if verdict is None or verdict.weaker is None:
            continue
        if any(_waits(memo, final[user], user) for user in graph.users[i]):
            final[i] = verdict.weaker
            queue.extend(graph.deps[i])


def _unmended(memo: Memo, final: list[Verdict | None], i: int, verdict: Verdict) -> bool:
    """Whether a fix of the review is not done; one that the plan does not have is the review's own to say."""
    graph = memo.graph
    places = (graph.index.get(commands.ref(graph.plan_of[i], fix)) for fix in verdict.fixes)
    return any(fix.holds for place in places if place is not None and (fix := final[place]) is not None)


def _waits(memo: Memo, verdict: Verdict | None, user: int) -> bool:
    return verdict is not None and verdict.status != "done" and memo.graph.plan_of[user] not in memo.archived


def connect(memo: Memo, touched: bytearray) -> None:
    """Note who is done; where that changed, the order of the rest and what each node holds back."""
    graph, flipped = memo.graph, []
    for i, touch in enumerate(touched):
        if not touch & JUDGE:
            continue
        verdict = memo.final[i]
        undone = verdict is not None and verdict.holds
        changed = bool(memo.undone[i]) != undone
        if changed:
            flipped.append(i)
            memo.undone[i] = undone
        if changed or not undone:
            # Whoever waits for it sees it in another light: done or not, landed or not.
            for user in graph.users[i]:
                touched[user] |= PLACE
    if memo.order is not None and all(_leaves_all_else(memo, i) for i in flipped):
        if flipped:
            memo.order = memo.order.without(frozenset(flipped))
            for i in flipped:
                memo.many[i] = 0
        return
    _order_anew(memo, touched)


def _leaves_all_else(memo: Memo, i: int) -> bool:
    """Whether a node became done that waits for nothing undone: no other node's leverage changes then."""
    return not memo.undone[i] and not any(memo.undone[other] for other in memo.graph.deps[i])


def _order_anew(memo: Memo, touched: bytearray) -> None:
    before, memo.order = memo.order, order_of(memo.graph, memo.undone)
    for i in (*memo.order.circle_of, *(before.circle_of if before is not None else ())):
        touched[i] |= PLACE
    active = [slug not in memo.archived for slug in memo.graph.plan_of]
    many = leverage.unblocks(memo.graph, memo.order, active)
    for i, (old, new) in enumerate(zip(memo.many, many, strict=True)):
        if old != new:
            touched[i] |= TELL
    memo.many = many
