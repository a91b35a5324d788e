"""Groups and ways around, against the plain definition of reaching oneself."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from stoat.plan import cycles

EDGES = st.lists(st.tuples(st.integers(0, 7), st.integers(0, 7)), max_size=20)


def edges_of(pairs: list[tuple[int, int]]) -> dict[int, list[int]]:
    return {node: [to for start, to in pairs if start == node] for node in range(8)}


def reached(edges: dict[int, list[int]], start: int) -> set[int]:
    seen: set[int] = set()
    waiting = list(edges[start])
    while waiting:
        node = waiting.pop()
        if node not in seen:
            seen.add(node)
            waiting += edges[node]
    return seen


@settings(deadline=None)
@given(EDGES)
def test_nodes_are_in_one_group_exactly_when_each_reaches_the_other(pairs: list[tuple[int, int]]) -> None:
    edges = edges_of(pairs)
    reach = {node: reached(edges, node) for node in edges}
    expected = {frozenset({node, *(o for o in reach[node] if node in reach[o])}) for node in edges}
    found = list(cycles.groups(edges, edges.__getitem__))
    assert {frozenset(group) for group in found} == expected
    place = {node: number for number, group in enumerate(found) for node in group}
    assert all(place[to] <= place[node] for node, following in edges.items() for to in following)


@settings(deadline=None)
@given(EDGES)
def test_a_way_around_follows_the_edges_within_its_group(pairs: list[tuple[int, int]]) -> None:
    edges = edges_of(pairs)
    for group in cycles.groups(edges, edges.__getitem__):
        start, members = group[0], set(group)
        if start not in reached(edges, start):
            with pytest.raises(ValueError, match="no circle"):
                cycles.way_around(start, edges.__getitem__, members)
            continue
        way = cycles.way_around(start, edges.__getitem__, members)
        assert way[0] == start and set(way) <= members and len(set(way)) == len(way)
        assert all(on in edges[node] for node, on in pairwise([*way, start]))


def test_a_ring_of_ten_thousand_ends() -> None:
    ring = {node: [(node + 1) % 10_000] for node in range(10_000)}
    assert [len(group) for group in cycles.groups(ring, ring.__getitem__)] == [10_000]
    assert len(cycles.way_around(0, ring.__getitem__, set(ring))) == 10_000
