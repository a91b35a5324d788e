"""A graph of issues has one answer: a class for each issue, cycles whole and once, warnings, a verdict."""

from __future__ import annotations

import json
from itertools import product
from pathlib import Path
from random import Random
from typing import TypeVar, get_args

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from stoat.derive.frontier import Frontier, frontier
from stoat.plan.issue_graph import Class, Edge, Graph, GraphIssue
from tests.derive.graphs import GRAPHS, NOW, at, closed, graph, issue, unread

GOLDEN = Path(__file__).parent / "frontiers"


def classes(found: Frontier) -> dict[int, str]:
    return {placed.number: placed.standing for placed in found.issues}


@pytest.mark.parametrize("name", GRAPHS)
def test_the_answer_to_a_graph_is_the_one_on_file(name: str) -> None:
    said = json.loads(msgspec.json.encode(frontier(GRAPHS[name], NOW)))
    assert said == json.loads((GOLDEN / f"{name}.json").read_text(encoding="utf-8"))


def test_the_document_has_these_keys_and_no_others() -> None:
    said = json.loads(msgspec.json.encode(frontier(GRAPHS["cross-repo"], NOW)))
    assert list(said) == ["scope", "verdict", "issues", "ready", "cycles", "warnings"]
    assert list(said["issues"][0]) == [
        "number", "repo", "title", "class", "labels", "assignees", "parent", "blockedBy", "children", "openPr",
        "mergedPr", "url",
    ]  # fmt: skip
    blocked = next(placed for placed in said["issues"] if placed["number"] == 7)
    assert list(blocked["blockedBy"][0]) == ["number", "repo", "state", "inScope", "openPr", "mergedPr"]
    assert list(said["warnings"][0]) == ["kind", "issues", "text"]


OPEN, CLOSED = Edge(at(50), True), closed(51)


def test_an_issue_has_the_first_class_that_fits() -> None:
    states = product(
        [True, False], [(), (OPEN,), (CLOSED,), (OPEN, CLOSED), (unread(),)], [(), ("ada",)],
        [None, "open", "draft", "merged", "closed"],
        [(), (OPEN,), (CLOSED,), (CLOSED, OPEN), (unread(),), (unread(52),)], [(), ("NEEDS-HUMAN",)],
    )  # fmt: skip
    for is_open, children, assignees, pull, blocked, labels in states:
        one = issue(
            1, open=is_open, children=children, assignees=assignees, blocked=blocked, labels=labels,
            pulls=[(9, pull)] if pull else (),  # type: ignore[list-item]
        )  # fmt: skip
        fits = {
            "done": not is_open,
            "split": bool(children) and children != (CLOSED,),
            "split_complete": children == (CLOSED,),
            "in_flight": bool(assignees) or pull in ("open", "draft"),
            "blocked": bool(blocked) and blocked != (CLOSED,),
            "human": bool(labels),
            "ready": True,
        }
        found = frontier(graph(one), NOW)
        assert classes(found)[1] == next(name for name, fit in fits.items() if fit)
        assert found.ready == ((1,) if found.issues[0].standing == "ready" else ())


def test_an_issues_own_state_goes_before_what_an_edge_says_of_it() -> None:
    found = frontier(graph(issue(1, blocked=[2]), issue(2, open=False)), NOW)
    assert classes(found) == {1: "ready", 2: "done"}


@pytest.mark.parametrize("ends", [(OPEN, closed(50)), (closed(50), OPEN), (unread(50), OPEN), (OPEN, unread(50))])
def test_of_edges_that_disagree_the_open_one_stands(ends: tuple[Edge, ...]) -> None:
    placed = frontier(graph(issue(1, blocked=ends)), NOW).issues[0]
    assert (placed.standing, [one.state for one in placed.blocked_by]) == ("blocked", ["open"])


def test_a_person_or_a_parent_that_is_finished_keeps_a_graph_running() -> None:
    assert frontier(graph(issue(1, labels=["needs-human"])), NOW).verdict == "running"
    assert frontier(graph(issue(1, children=[closed(2)]), issue(2, open=False)), NOW).verdict == "running"
    assert frontier(graph(), NOW).verdict == "complete"


def test_a_cycle_is_bad_even_while_others_are_ready() -> None:
    found = frontier(GRAPHS["cycle"], NOW)
    assert found.verdict == "running"
    assert found.bad
    assert not frontier(GRAPHS["split"], NOW).bad


def test_a_cycle_through_a_thousand_issues_is_found_whole() -> None:
    ring = [issue(n, blocked=[n % 1500 + 1]) for n in range(1, 1501)]
    assert frontier(graph(*ring), NOW).cycles == (tuple(range(1, 1501)),)


def test_two_cycles_that_share_an_issue_are_one() -> None:
    found = frontier(graph(issue(1, blocked=[2, 3]), issue(2, blocked=[1]), issue(3, blocked=[1])), NOW)
    assert found.cycles == ((1, 2, 3),)
    assert found.warnings[0].text == "a cycle that nothing can end: #1 → #2 → #1 (of 3 that wait for each other)"


def test_what_is_closed_is_in_no_cycle() -> None:
    assert frontier(graph(issue(1, blocked=[2]), issue(2, blocked=[1], open=False)), NOW).cycles == ()


@st.composite
def graphs(draw: st.DrawFn) -> Graph:
    """Any small graph, its edges in scope, out of it and unreadable."""
    names = st.one_of(st.integers(1, 8), st.integers(1, 3).map(lambda n: f"acme/gadgets#{n}"))
    ends = st.one_of(names.map(lambda name: Edge(at(name), True)), names.map(closed), names.map(unread))
    chosen = draw(st.lists(names, unique=True, max_size=9))
    issues = [
        issue(
            name, open=draw(st.booleans()), blocked=draw(st.lists(ends, max_size=3)),
            children=draw(st.lists(ends, max_size=2)), assignees=draw(st.lists(st.sampled_from("ab"), max_size=2)),
            labels=draw(st.lists(st.sampled_from(["needs-human", "lane"]), max_size=2)),
            named=draw(st.lists(names, max_size=2)), updated=draw(st.sampled_from([NOW, "2026-11-01T00:00:00.000Z"])),
        )
        for name in chosen
    ]  # fmt: skip
    inside = draw(st.integers(0, len(issues)))
    return graph(*issues[:inside], outside=issues[inside:], named_open={1: True, 2: False, 3: None})


Item = TypeVar("Item")


@given(graphs(), st.randoms(use_true_random=False))
def test_the_order_in_which_a_graph_was_read_changes_nothing(read: Graph, chance: Random) -> None:
    def shuffled(items: tuple[Item, ...]) -> tuple[Item, ...]:
        return tuple(chance.sample(items, len(items)))

    def mixed(one: GraphIssue) -> GraphIssue:
        return replace(
            one, blockers=shuffled(one.blockers), children=shuffled(one.children), named=shuffled(one.named),
            labels=shuffled(one.labels), assignees=shuffled(one.assignees),
        )  # fmt: skip

    other = replace(
        read, issues=shuffled(tuple(map(mixed, read.issues))), outside=shuffled(tuple(map(mixed, read.outside)))
    )
    assert frontier(other, NOW) == frontier(read, NOW)


@given(graphs())
def test_every_issue_has_one_class_and_every_cycle_is_listed_once(read: Graph) -> None:
    found = frontier(read, NOW)
    assert [placed.at for placed in found.issues] == sorted(
        {one.at for one in read.issues}, key=lambda place: (place.number, place.repo != "acme/widgets")
    )
    assert all(placed.standing in get_args(Class) for placed in found.issues)
    assert len(set(found.cycles)) == len(found.cycles) or any("gadgets" in str(one.at) for one in read.issues)
    assert (found.verdict == "complete") == all(placed.standing == "done" for placed in found.issues)
