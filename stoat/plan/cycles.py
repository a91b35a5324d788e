"""Circles in a graph of whatever can be a key: which nodes wait for themselves, and the shortest way around.

Nothing recurses, so that a ring of ten thousand nodes ends like any other.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Collection, Hashable, Iterable, Iterator
from typing import TypeVar

Key = TypeVar("Key", bound=Hashable)


def groups(starts: Iterable[Key], following: Callable[[Key], Iterable[Key]]) -> Iterator[list[Key]]:
    """The strongly connected groups (Tarjan's) that can be reached from `starts`, each after those it leads to.

    A node that is in no circle is a group of its own; so is one whose only circle is an edge to itself.
    """
    number: dict[Key, int] = {}
    low: dict[Key, int] = {}
    trail: list[Key] = []
    on_trail: set[Key] = set()
    for start in starts:
        work: list[tuple[Key, Iterator[Key]]] = []
        entered: Key | None = start if start not in number else None
        while entered is not None or work:
            if entered is not None:
                number[entered] = low[entered] = len(number)
                trail.append(entered)
                on_trail.add(entered)
                work.append((entered, iter(following(entered))))
                entered = None
            node, rest = work[-1]
            for on in rest:
                if on not in number:
                    entered = on
                    break
                if on in on_trail:
                    low[node] = min(low[node], number[on])
            if entered is not None:
                continue
            work.pop()
            if work:
                low[work[-1][0]] = min(low[work[-1][0]], low[node])
            if low[node] == number[node]:
                group = [trail.pop()]
                while group[-1] != node:
                    group.append(trail.pop())
                on_trail.difference_update(group)
                yield group


def way_around(start: Key, following: Callable[[Key], Iterable[Key]], within: Collection[Key]) -> list[Key]:
    """The shortest way from `start` back to it that stays `within` a group, without coming back to `start` in the end.

    ValueError when `start` is on no circle.
    """
    came_from: dict[Key, Key] = {}
    queue = deque([start])
    while queue:
        node = queue.popleft()
        for on in following(node):
            if on == start:
                way = [node]
                while way[-1] != start:
                    way.append(came_from[way[-1]])
                return way[::-1]
            if on in within and on not in came_from:
                came_from[on] = node
                queue.append(on)
    raise ValueError(f"{start} is on no circle")
