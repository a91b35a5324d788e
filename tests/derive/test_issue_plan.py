"""A graph of issues as a plan: what a first import makes, and what a later one changes and leaves alone."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from stoat.derive.frontier import frontier
from stoat.derive.issue_plan import Planned, planned
from stoat.plan.diff import diff
from stoat.plan.events.base import Actor, PlanEvent
from stoat.plan.events.issues import IssuesImported
from stoat.plan.fold import encode_event, fold_part
from stoat.plan.issue_graph import Edge, Graph, GraphIssue, Selection
from stoat.plan.nodes import Header, Node, Repo
from stoat.plan.normal import normal_header, normal_node
from stoat.plan.state import PlanState
from stoat.plan.validate import check_plan
from tests.derive.graphs import HOME, NOW, at, closed, graph, issue, unread

ADA = Actor("Ada", "person")


def events_of(wanted: Planned, plan: PlanState | None) -> list[PlanEvent]:
    """What an import records."""
    nodes = [normal_node(node, "p") for node in wanted.nodes]
    header = normal_header(wanted.header)
    assert list(check_plan(header, [((), node) for node in nodes], {})) == []
    events: list[PlanEvent] = list(diff(header, nodes, plan))
    return [*events, *([IssuesImported(issues=wanted.imported)] if wanted.imported else [])]


def folded(events: Sequence[PlanEvent], plan: PlanState | None = None) -> PlanState:
    """The plan after events, as the store would fold them."""
    lines = [encode_event(replace(event, id=str(n), at=NOW, by=ADA)) for n, event in enumerate(events)]
    part, troubles = fold_part("plans/p", plan, lines)
    assert troubles == []
    assert isinstance(part, PlanState)
    return part


def imported(read: Graph, plan: PlanState | None = None) -> PlanState:
    """The plan after an import."""
    return folded(events_of(planned(read, "p", plan), plan), plan)


def edited(plan: PlanState, *nodes: Node) -> PlanState:
    """The plan after a person made its nodes these."""
    return folded(diff(plan.header, nodes, plan), plan)


def specs(plan: PlanState) -> list[Node]:
    return [state.spec for state in plan.nodes.values()]


def node(plan: PlanState, number: int) -> Node:
    return next(spec for spec in specs(plan) if spec.issue == number)


def test_open_issues_are_nodes_with_readable_ids_and_their_blockers_are_dependencies() -> None:
    titled = replace(issue(3, blocked=[7]), title="  Fix `Lanes`:\tnão   é Straße \x1b[31m ")
    plan = imported(graph(issue(9, blocked=[3]), titled, issue(7), issue(8, open=False)))
    assert plan.header == Header(plan="p", title="acme/widgets: label lane")
    assert specs(plan) == [
        Node(id="fix-lanes-nao-e-strae-31m-3", kind="issue", title="Fix `Lanes`: não é Straße [31m", repo=HOME,
             issue=3, depends_on=("issue-7-7",)),
        Node(id="issue-7-7", kind="issue", title="Issue 7", repo=HOME, issue=7),
        Node(id="issue-9-9", kind="issue", title="Issue 9", repo=HOME, issue=9,
             depends_on=("fix-lanes-nao-e-strae-31m-3",)),
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("title", "node_id"),
    [("", "issue-1"), ("数据", "issue-1"), ("a" * 90, f"{'a' * 40}-1"),
     ("word " * 30, f"{'-'.join(['word'] * 8)}-1"), ("../..lock", "lock-1"), ("WIP: x", "wip-x-1")],
)  # fmt: skip
def test_any_title_makes_an_id(title: str, node_id: str) -> None:
    assert specs(imported(graph(replace(issue(1), title=title))))[0].id == node_id


def test_a_parent_is_a_container_that_depends_on_its_sub_issues_and_is_a_persons() -> None:
    plan = imported(graph(issue(1, children=[2, closed(3)]), issue(2, parent=1), issue(3, parent=1, open=False)))
    assert node(plan, 1).depends_on == ("issue-2-2", "issue-3-3")
    assert [spec.assignee for spec in specs(plan)] == ["person", None, None]


def test_what_needs_a_human_or_has_a_hidden_blocker_is_a_persons() -> None:
    plan = imported(graph(issue(1, labels=["Needs-Human"]), issue(2, blocked=[unread()]), issue(3)))
    assert [spec.assignee for spec in specs(plan)] == ["person", "person", None]


def test_blockers_from_outside_come_in_for_a_person_and_closed_ones_do_not() -> None:
    read = graph(
        issue(1, blocked=["acme/tools#1", closed("acme/tools#2"), unread("acme/secret#9")]),
        outside=[issue("acme/tools#1", blocked=["acme/tools#5"])],
    )
    wanted = planned(read, "p", None)
    plan = imported(read)
    assert [(spec.id, spec.repo, spec.assignee, spec.depends_on) for spec in specs(plan)] == [
        ("issue-1-1", HOME, None, ("tools-issue-1-1", "secret-9")),
        ("tools-issue-1-1", "acme/tools", "person", ()),
        ("secret-9", "acme/secret", "person", ()),
    ]
    assert wanted.warnings == (
        "acme/tools#1 is out of scope and blocks what is in it: it is the node tools-issue-1-1, kept for a person",
        "acme/secret#9 is out of scope and blocks what is in it: it is the node secret-9, kept for a person",
    )


def test_words_are_no_edges() -> None:
    assert node(imported(graph(issue(1, named=[2]), issue(2))), 1).depends_on == ()


def test_a_new_plan_of_a_parent_is_named_after_it() -> None:
    read = replace(graph(issue(42, children=[1]), issue(1)), selection=Selection(repo=HOME, parent=42))
    assert imported(read).header == Header(plan="p", title="Issue 42", anchor="acme/widgets#42")


def test_the_same_graph_again_records_nothing() -> None:
    read = graph(issue(1, children=[2]), issue(2, blocked=["acme/tools#1"]), issue(3, blocked=[closed(4)]),
                 issue(4, open=False), outside=[issue("acme/tools#1")])  # fmt: skip
    plan = imported(read)
    assert events_of(planned(read, "p", plan), plan) == []


def test_a_second_import_takes_over_what_changed_on_github() -> None:
    plan = imported(graph(issue(1), issue(2, blocked=[1]), issue(3, labels=["needs-human"])))
    read = graph(replace(issue(1), title="Renamed"), issue(2, blocked=[4]), issue(3, blocked=[1]), issue(4))
    after = imported(read, plan)
    assert [(spec.id, spec.title, spec.depends_on, spec.assignee) for spec in specs(after)] == [
        ("issue-1-1", "Renamed", (), None),
        ("issue-2-2", "Issue 2", ("issue-4-4",), None),
        ("issue-3-3", "Issue 3", ("issue-1-1",), None),
        ("issue-4-4", "Issue 4", (), None),
    ]
    assert events_of(planned(read, "p", after), after) == []


def test_what_a_person_changed_stays_while_github_says_the_same_and_after() -> None:
    first = graph(issue(1), issue(2, blocked=[1]), issue(3), issue(4, labels=["needs-human"]))
    plan = imported(first)
    one, two, three, four = specs(plan)
    mine = edited(
        plan, replace(one, title="Mine", brief="Mind the gap."), replace(two, depends_on=()),
        replace(three, depends_on=("issue-1-1",), merge="merge-on-green"), replace(four, assignee=None),
    )  # fmt: skip
    assert events_of(planned(first, "p", mine), mine) == []
    later = graph(replace(issue(1), title="Renamed"), issue(2, blocked=[1, 5]), issue(3, blocked=[5]), issue(4),
                  issue(5))  # fmt: skip
    after = imported(later, mine)
    assert (node(after, 1).title, node(after, 1).brief) == ("Mine", "Mind the gap.")
    assert node(after, 2).depends_on == ("issue-5-5",)
    assert (node(after, 3).depends_on, node(after, 3).merge) == (("issue-1-1", "issue-5-5"), "merge-on-green")


def test_a_node_that_is_bound_already_keeps_its_id_and_what_it_says() -> None:
    written = Node(id="mine", kind="issue", title="My words", repo="w", issue=1, brief="Do it.", depends_on=("film",))
    film = Node(id="film", kind="person")
    header = Header(plan="p", repos={"w": Repo("ACME/Widgets")})
    after = imported(graph(issue(1, blocked=[2]), issue(2)), folded(diff(header, [film, written], None)))
    assert node(after, 1) == replace(written, depends_on=("film", "issue-2-2"))
    assert [spec.id for spec in specs(after)] == ["film", "mine", "issue-2-2"]


def test_a_node_that_a_person_removed_stays_out() -> None:
    read = graph(issue(1), issue(2, blocked=[1]))
    plan = imported(read)
    without = edited(plan, replace(node(plan, 2), depends_on=()))
    wanted = planned(read, "p", without)
    assert events_of(wanted, without) == []
    assert wanted.warnings == ("acme/widgets#1 is left out: its node was removed from the plan",)


def test_what_left_the_scope_stays_and_is_said() -> None:
    plan = imported(graph(issue(1), issue(2)))
    wanted = planned(graph(issue(2)), "p", plan)
    assert events_of(wanted, plan) == []
    assert wanted.warnings == (
        "acme/widgets#1 is no longer in scope: its node issue-1-1 stays until somebody removes it",
    )


def test_closing_changes_nothing_in_the_plan() -> None:
    plan = imported(graph(issue(1, blocked=["acme/tools#1"]), issue(2, blocked=[1]),
                          outside=[issue("acme/tools#1")]))  # fmt: skip
    read = graph(issue(1, open=False, blocked=[closed("acme/tools#1")]), issue(2, blocked=[closed(1)]))
    wanted = planned(read, "p", plan)
    assert events_of(wanted, plan) == []


def test_a_closed_issue_waits_for_nothing_that_waits_for_it_by_now() -> None:
    plan = imported(graph(issue(1, blocked=[2]), issue(2), issue(3, blocked=[1])))
    read = graph(issue(1, open=False, blocked=[2]), issue(2, blocked=[3]), issue(3, blocked=[closed(1)]))
    after = imported(read, plan)
    assert [spec.depends_on for spec in specs(after)] == [(), ("issue-3-3",), ("issue-1-1",)]


def test_an_outside_blocker_that_comes_into_scope_is_an_agents() -> None:
    plan = imported(graph(issue(1, blocked=[2]), outside=[issue(2)]))
    after = imported(graph(issue(1, blocked=[2]), issue(2, blocked=[3]), issue(3)), plan)
    assert (node(after, 2).assignee, node(after, 2).depends_on) == (None, ("issue-3-3",))


def test_ids_never_collide() -> None:
    two = [replace(issue(name), title="Same") for name in (1, "acme/gadgets#1", "other/gadgets#1")]
    assert sorted(spec.id for spec in specs(imported(graph(*two)))) == ["gadgets-same-1", "gadgets-same-1-2", "same-1"]


@st.composite
def acyclic(draw: st.DrawFn) -> Graph:
    """Any small graph without cycles: an issue waits only for lower numbers."""
    inside: list[GraphIssue] = []
    outside: list[GraphIssue] = []
    for number in range(1, draw(st.integers(1, 7))):
        ends: list[Edge] = []
        for lower in range(1, number):
            if draw(st.booleans()):
                ends.append(draw(st.sampled_from([Edge(at(lower), True), closed(lower), unread(lower)])))
        one: GraphIssue = issue(
            number, open=draw(st.booleans()), blocked=ends, labels=draw(st.sampled_from([(), ("needs-human",)]))
        )
        (inside if draw(st.integers(0, 3)) else outside).append(replace(one, title=draw(st.sampled_from("XYZ"))))
    return graph(*inside, outside=outside)


@given(acyclic(), acyclic())
def test_any_graph_after_any_other_is_a_plan_that_a_further_import_leaves_alone(one: Graph, other: Graph) -> None:
    plan = imported(other, imported(one))
    again = planned(other, "p", plan)
    assert events_of(again, plan) == []
    bound = {spec.issue for spec in specs(plan)}
    assert {placed.number for placed in frontier(other, NOW).issues if placed.standing != "done"} <= bound
