"""The graph of all plans: orders, circles and leverage, against the plain definition of each."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from stoat.derive.graph import Graph, circle, downstream, order_of
from stoat.derive.leverage import unblocks
from stoat.plan.state import PlanState
from tests.support.states import node, plan


@st.composite
def graphs(draw: st.DrawFn, acyclic: bool = False) -> tuple[dict[str, PlanState], bytearray]:
    """Up to three plans with any edges between their nodes, and which of the nodes are undone."""
    sizes = draw(st.lists(st.integers(1, 5), min_size=1, max_size=3))
    refs = [f"p{p}/n{n}" for p, size in enumerate(sizes) for n in range(size)]
    edges = {}
    for place, ref in enumerate(refs):
        others = refs[:place] if acyclic else refs
        edges[ref] = draw(st.lists(st.sampled_from(others), unique=True, max_size=4)) if others else []
    plans = {}
    for p, size in enumerate(sizes):
        nodes = []
        for n in range(size):
            names = [other.removeprefix(f"p{p}/") for other in edges[f"p{p}/n{n}"]]
            nodes.append(node(f"n{n}", "change", *names))
        plans[f"p{p}"] = plan(f"p{p}", *nodes)
    undone = bytearray(draw(st.lists(st.integers(0, 1), min_size=len(refs), max_size=len(refs))))
    return plans, undone


@given(graphs())
def test_leverage_is_the_number_of_undone_nodes_that_wait_however_far_away(
    drawn: tuple[dict[str, PlanState], bytearray],
) -> None:
    plans, undone = drawn
    graph = Graph(plans)
    many = unblocks(graph, order_of(graph, undone), [True] * len(undone))
    expected = [len(downstream(graph, i, undone)) if undone[i] else 0 for i in range(len(undone))]
    assert many == expected


@given(graphs(), st.data())
def test_what_is_archived_is_passed_through_and_not_counted(
    drawn: tuple[dict[str, PlanState], bytearray], data: st.DataObject
) -> None:
    plans, undone = drawn
    graph = Graph(plans)
    archived = data.draw(st.sets(st.sampled_from(sorted(plans))))
    active = [slug not in archived for slug in graph.plan_of]
    many = unblocks(graph, order_of(graph, undone), active)
    for i in range(len(undone)):
        behind = downstream(graph, i, undone) if undone[i] else set()
        assert many[i] == sum(active[j] for j in behind)


@given(graphs())
def test_the_order_has_every_undone_node_once_and_whoever_waits_first(
    drawn: tuple[dict[str, PlanState], bytearray],
) -> None:
    plans, undone = drawn
    graph = Graph(plans)
    order = order_of(graph, undone)
    assert sorted(order.walk) == [i for i, alive in enumerate(undone) if alive]
    place = {i: at for at, i in enumerate(order.walk)}
    for i in order.walk:
        for other in graph.deps[i]:
            same = order.circle_of.get(i) is not None and order.circle_of.get(i) == order.circle_of.get(other)
            assert not undone[other] or same or place[i] < place[other]


@given(graphs())
def test_a_node_is_in_a_circle_exactly_when_it_waits_for_itself(
    drawn: tuple[dict[str, PlanState], bytearray],
) -> None:
    plans, undone = drawn
    graph = Graph(plans)
    order = order_of(graph, undone)
    for i, alive in enumerate(undone):
        reached: set[int] = set()
        stack = [i]
        while alive and stack:
            for other in graph.deps[stack.pop()]:
                if undone[other] and other not in reached:
                    reached.add(other)
                    stack.append(other)
        assert (i in order.circle_of) == (i in reached)


@given(graphs())
def test_a_way_around_a_circle_follows_its_edges(drawn: tuple[dict[str, PlanState], bytearray]) -> None:
    plans, undone = drawn
    graph = Graph(plans)
    for members in order_of(graph, undone).circles:
        way = circle(graph, members)
        assert set(way) <= set(members) and len(set(way)) == len(way)
        for at, nxt in zip(way, [*way[1:], way[0]], strict=True):
            assert nxt in graph.deps[at]


@given(graphs(acyclic=True))
@settings(max_examples=50)
def test_a_graph_without_circles_shows_none(drawn: tuple[dict[str, PlanState], bytearray]) -> None:
    plans, undone = drawn
    assert order_of(Graph(plans), undone).circles == []


def test_plans_with_the_same_node_ids_are_kept_apart_and_edges_cross_them() -> None:
    plans = {"a": plan("a", node("x"), node("y", "change", "x")), "b": plan("b", node("x", "change", "a/x", "y/gone"))}
    graph = Graph(plans)
    assert graph.refs == ["a/x", "a/y", "b/x"]
    assert graph.users[0] == [1, 2]
    assert graph.missing == {2: ("y/gone",)}


def test_a_dependency_written_twice_counts_once() -> None:
    graph = Graph({"a": plan("a", node("x"), node("y", "change", "x", "a/x", "x"))})
    assert graph.deps == [(), (0,)]
