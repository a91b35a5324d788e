"""The graph of all plans: who waits for whom, in which order to walk it, and where it goes in circles.

Edges cross plans. Authoring refuses a cycle, yet two imports at once on two machines can make one; every walk here
ends all the same, in a number of steps that the nodes and edges bound.
"""

from __future__ import annotations

from collections.abc import Container, Iterable, Mapping, Sequence
from operator import itemgetter
from typing import NamedTuple

from stoat.plan import cycles
from stoat.plan.state import NodeState, PlanState


class Graph:
    """Nodes by index, plans in the order of their slugs and nodes in plan order; edges as lists of indices.

    `deps[i]` are the nodes that `i` waits for, as written and each once; `missing[i]` the refs it names that no plan
    has; `users[i]` the nodes that wait for `i`.
    """

    __slots__ = ("deps", "index", "missing", "plan_of", "refs", "shape", "users")

    def __init__(self, plans: Mapping[str, PlanState]) -> None:
        self.refs: list[str] = []
        self.plan_of: list[str] = []
        self.index: dict[str, int] = {}
        self.deps: list[tuple[int, ...]] = []
        self.users: list[list[int]] = []
        self.missing: dict[int, tuple[str, ...]] = {}
        refs = self.refs
        for slug, plan in plans.items():
            prefix = slug + "/"
            refs.extend([prefix + node_id for node_id in plan.nodes])
            self.plan_of.extend([slug] * len(plan.nodes))
        self.index = dict(zip(refs, range(len(refs)), strict=True))
        self.users = [[] for _ in refs]
        self._link(plans)

    def _link(self, plans: Mapping[str, PlanState]) -> None:
        index, users, deps = self.index, self.users, self.deps
        at = 0
        for slug, plan in plans.items():
            prefix = slug + "/"
            for node in plan.nodes.values():
                found: list[int] = []
                lost: list[str] = []
                for name in node.spec.depends_on:
                    ref = name if "/" in name else prefix + name
                    other = index.get(ref)
                    if other is None:
                        lost.append(ref)
                    elif other not in found:
                        found.append(other)
                        users[other].append(at)
                deps.append(tuple(found))
                if lost:
                    self.missing[at] = tuple(dict.fromkeys(lost))
                at += 1


def same_shape(before: Sequence[NodeState], after: Sequence[NodeState], changed: Iterable[int]) -> bool:
    """Whether nodes that stand in the same places under the same names also have the same edges."""
    return all(before[i].spec.depends_on == after[i].spec.depends_on for i in changed)


class Order(NamedTuple):
    """The undone nodes so that whoever waits comes before what it waits for; and the circles among them.

    `walk` holds every undone node once. `circles` are the groups that wait for themselves, directly or through each
    other, each in the order of their indices; `circle_of` says which one a node is in.
    """

    walk: list[int]
    circles: list[tuple[int, ...]]
    circle_of: dict[int, int]

    def without(self, done: Container[int]) -> Order:
        """The same with nodes left out that are in no circle and that nothing undone is upstream of."""
        return Order([i for i in self.walk if i not in done], self.circles, self.circle_of)


def order_of(graph: Graph, undone: bytearray) -> Order:
    """The order of the nodes for which `undone` is not 0."""
    walk = _peel(graph, undone)
    circles: list[tuple[int, ...]] = []
    circle_of: dict[int, int] = {}
    rest = undone[:]
    for i in walk:
        rest[i] = 0
    if any(rest):
        # Along the users, so that those nobody else waits for come first.
        alive = [i for i, left in enumerate(rest) if left]
        for group in cycles.groups(alive, lambda i: [user for user in graph.users[i] if rest[user]]):
            walk.extend(group)
            if len(group) > 1 or group[0] in graph.deps[group[0]]:
                circle_of.update(dict.fromkeys(group, len(circles)))
                circles.append(tuple(sorted(group)))
    return Order(walk, circles, circle_of)


def circle(graph: Graph, members: Sequence[int]) -> list[int]:
    """One way around a circle, from its least ref: each node waits for the next, and the last for the first."""
    start = min(members, key=lambda i: graph.refs[i])
    return cycles.way_around(start, graph.deps.__getitem__, frozenset(members))


def downstream(graph: Graph, start: int, undone: bytearray) -> set[int]:
    """The undone nodes that wait for `start`, directly or through other undone ones; itself left out."""
    seen: set[int] = set()
    stack = [start]
    while stack:
        for user in graph.users[stack.pop()]:
            if undone[user] and user not in seen:
                seen.add(user)
                stack.append(user)
    seen.discard(start)
    return seen


def _peel(graph: Graph, undone: bytearray) -> list[int]:
    """Nodes whose users were all peeled before; what is left over waits for a circle's member or is one."""
    waiting = [0] * len(undone)
    deps = graph.deps
    for i, alive in enumerate(undone):
        if alive:
            for other in deps[i]:
                waiting[other] += 1
    walk = [i for i, alive in enumerate(undone) if alive and not waiting[i]]
    for i in walk:
        for other in deps[i]:
            waiting[other] -= 1
            if not waiting[other] and undone[other]:
                walk.append(other)
    return walk


def ranked(refs: Sequence[str], unblocks: Sequence[int], order: Sequence[int], chosen: Iterable[int]) -> list[int]:
    """Nodes by leverage, the one that unblocks most first; ties by their place in their plan, then by plan."""
    keyed = [(-unblocks[i], order[i], refs[i], i) for i in chosen]
    keyed.sort(key=itemgetter(0, 1, 2))
    return [entry[3] for entry in keyed]
