"""What a person owes the plans, most held up first.

| of                                                               | a need                                       |
|------------------------------------------------------------------|----------------------------------------------|
| a `you` card                                                     | its own                                      |
| a done node that could not be landed, or is landing              | its own                                      |
| a red branch, and all nodes of a plan whose pull request it holds | one `main-red` of the plan and of no node    |
"""

from __future__ import annotations

from collections.abc import Iterable

from stoat.derive.answers import Need
from stoat.derive.graph import downstream
from stoat.derive.mainred import Red
from stoat.derive.memo import Memo
from stoat.derive.wording import merging


def needs(memo: Memo) -> tuple[Need, ...]:
    """The needs of all active plans. Ties keep the order of plans and of their nodes, red branches last."""
    found = sorted((*_each(memo), *_red_branches(memo)), key=lambda need: -need.holds)
    return tuple(found)


def _each(memo: Memo) -> Iterable[Need]:
    for i, local in enumerate(memo.local):
        if local is None or local.standing.owed is None:
            continue
        owed = local.standing.owed
        yield Need(
            plan=memo.graph.plan_of[i],
            node=memo.states[i].spec.id,
            kind=owed.kind,
            why=owed.why,
            holds=_holds(memo, i),
            since=owed.since,
            action=owed.action,
        )


def _red_branches(memo: Memo) -> Iterable[Need]:
    held: dict[str, dict[tuple[str, str], list[tuple[int, Red]]]] = {}
    for i, verdict in enumerate(memo.final):
        turn, slug = verdict.turn if verdict is not None else None, memo.graph.plan_of[i]
        if turn is not None and turn.red is not None and slug not in memo.archived:
            branch = turn.red.repo.lower(), turn.red.branch.name
            held.setdefault(slug, {}).setdefault(branch, []).append((i, turn.red))
    for slug, branches in held.items():
        for nodes in branches.values():
            red = nodes[0][1]
            names = tuple(dict.fromkeys(one.pull for _, one in nodes))
            yield Need(
                plan=slug,
                node=None,
                kind="main-red",
                why=merging.main_red_holds(red.branch, red.repo if len(branches) > 1 else None, names),
                holds=sum(_holds(memo, i) for i, _ in nodes),
                since=red.branch.red_at,
                action=red.link,
            )


def _holds(memo: Memo, i: int) -> int:
    """How many undone nodes wait for it. A done one's leverage is 0; while its work is not landed it holds them too."""
    return memo.many[i] if memo.undone[i] else len(downstream(memo.graph, i, memo.undone))
