"""Where nodes stand on the board: columns by dependency, cards that never touch, lines that are true."""

from __future__ import annotations

import random
import time
from itertools import pairwise

from hypothesis import given, settings
from hypothesis import strategies as st

from stoat.derive.layout import CARD, GAP, STUB, Layout, lay_out

few = settings(max_examples=60)
Edges = dict[str, tuple[str, ...]]


@st.composite
def plans(draw: st.DrawFn) -> Edges:
    """A plan without cycles, some of its nodes waiting for nodes of other plans."""
    names = [f"n{index}" for index in range(draw(st.integers(0, 24)))]
    outside = ["other/a", "other/b"]
    return {
        name: tuple(draw(st.lists(st.sampled_from([*names[:index], *outside]), unique=True, max_size=4)))
        for index, name in enumerate(names)
    }


@few
@given(plans())
def test_every_node_stands_right_of_what_it_waits_for(plan: Edges) -> None:
    column = {place.id: place.column for place in lay_out(plan).places}
    for name, dependencies in plan.items():
        assert all(column[other] < column[name] for other in dependencies)


@few
@given(plans())
def test_a_node_of_the_plan_stands_as_far_left_as_its_chain_allows(plan: Edges) -> None:
    column = {place.id: place.column for place in lay_out(plan).places}
    for name, dependencies in plan.items():
        longest = max((column[other] + 1 for other in dependencies if other in plan), default=0)
        assert column[name] == longest or any("/" in other for other in upstream(plan, name))


@few
@given(plans())
def test_every_node_and_every_stub_has_one_place(plan: Edges) -> None:
    layout = lay_out(plan)
    named = [place.id for place in layout.places]
    assert len(named) == len(set(named))
    stubs = {other for names in plan.values() for other in names if other not in plan}
    assert {place.id for place in layout.places if not place.stub} == set(plan)
    assert {place.id for place in layout.places if place.stub} == stubs


@few
@given(plans())
def test_cards_of_a_column_keep_a_gap_and_stay_on_the_sheet(plan: Edges) -> None:
    layout = lay_out(plan)
    for column in range(layout.columns):
        spans = [span(place.y, place.stub) for place in layout.places if place.column == column]
        assert spans == sorted(spans)
        assert all(above[1] + GAP <= below[0] + 0.01 for above, below in pairwise(spans))
        assert all(top >= -0.01 and bottom <= layout.height + 0.01 for top, bottom in spans)


@few
@given(plans())
def test_lines_say_exactly_what_waits_for_what(plan: Edges) -> None:
    """Drawn or implied by what is drawn: both reach the same nodes."""
    layout = lay_out(plan)
    drawn: Edges = {name: () for name in plan}
    for line in layout.lines:
        assert line.source in plan[line.target]
        drawn[line.target] += (line.source,)
    for name in plan:
        assert upstream(drawn, name) == upstream(plan, name)


@few
@given(plans())
def test_a_line_passes_every_column_between_its_ends(plan: Edges) -> None:
    layout = lay_out(plan)
    column = {place.id: place.column for place in layout.places}
    for line in layout.lines:
        assert [stop for stop, _ in line.lanes] == list(range(column[line.source] + 1, column[line.target]))


@few
@given(plans())
def test_the_same_plan_is_drawn_the_same_every_time(plan: Edges) -> None:
    assert lay_out(plan) == lay_out(dict(plan))


def test_a_dependency_that_a_longer_chain_says_is_not_drawn() -> None:
    layout = lay_out({"a": (), "b": ("a",), "c": ("b", "a")})
    assert [(line.source, line.target) for line in layout.lines] == [("a", "b"), ("b", "c")]


def test_a_chain_is_a_straight_row() -> None:
    layout = lay_out({"a": (), "b": ("a",), "c": ("b",)})
    assert [(place.id, place.column) for place in layout.places] == [("a", 0), ("b", 1), ("c", 2)]
    assert len({place.y for place in layout.places}) == 1


def test_two_chains_that_are_written_crosswise_are_drawn_side_by_side() -> None:
    layout = lay_out({"a": (), "b": (), "b2": ("b",), "a2": ("a",), "a3": ("a2",), "b3": ("b2",)})
    rows = {place.id: place.y for place in layout.places}
    assert rows["a"] == rows["a2"] == rows["a3"] != rows["b"] == rows["b2"] == rows["b3"]


def test_a_node_of_another_plan_is_a_stub_beside_the_first_node_that_waits_for_it() -> None:
    layout = lay_out({"a": (), "b": ("a",), "c": ("b", "other/x")})
    (stub,) = [place for place in layout.places if place.stub]
    assert (stub.id, stub.column) == ("other/x", 1)


def test_a_cycle_is_cut_and_everybody_still_has_a_place() -> None:
    layout = lay_out({"a": ("c",), "b": ("a",), "c": ("b",), "d": ("d",)})
    assert {place.id for place in layout.places} == {"a", "b", "c", "d"}


def test_a_plan_with_no_nodes_is_an_empty_sheet() -> None:
    assert lay_out({}) == Layout((), (), 0, 0.0)


def test_a_chain_longer_than_the_stack_is_laid_out() -> None:
    names = [f"n{index}" for index in range(3000)]
    plan = {name: (names[index + 1],) if index + 1 < len(names) else () for index, name in enumerate(names)}
    assert lay_out(plan).columns == 3000


def test_a_thousand_nodes_are_laid_out_in_a_moment() -> None:
    chance = random.Random(7)
    names = [f"n{index}" for index in range(1000)]
    plan = {name: tuple(chance.sample(names[:index], min(index, 2))) for index, name in enumerate(names)}
    began = time.process_time()
    lay_out(plan)
    assert time.process_time() - began < 1.5  # 0.06 s here: the bound is for a slow, busy machine


def span(y: float, stub: bool) -> tuple[float, float]:
    height = STUB if stub else CARD
    return y - height / 2, y + height / 2


def upstream(plan: Edges, name: str) -> set[str]:
    found: set[str] = set()
    rest = list(plan[name])
    while rest:
        other = rest.pop()
        if other not in found:
            found.add(other)
            rest += plan.get(other, ())
    return found
