"""Nodes one by one, at a real store: every guard on the state that the change lands on."""

from __future__ import annotations

import pytest

from stoat.errors import Invalid, NotFound, Refused
from stoat.plan.ids import NodeRef
from stoat.plan.nodes import Node
from stoat.service import claims, decisions, nodes, plans
from stoat.service.session import Session
from tests.service.authors import agent_at, events_of, person_at
from tests.support.gitrepo import MakeRepo

PLAN = """\
schema: 1
plan: p
nodes:
  - {id: a, kind: change}
  - {id: b, kind: issue, repo: o/r, issue: 11, depends_on: [a]}
  - {id: real, kind: publish, package: X, bump: fix}
  - {id: pack, kind: publish, package: X, feed: local, rehearses: real}
"""
OTHER = "schema: 1\nplan: q\nnodes:\n  - {id: x, kind: change, depends_on: [p/b]}\n"


@pytest.fixture
def ada(make_repo: MakeRepo) -> Session:
    session = person_at(make_repo().path)
    plans.import_document(session, PLAN)
    plans.import_document(session, OTHER)
    return session


def spec(session: Session, node_id: str, plan: str = "p") -> Node:
    return session.state().plans[plan].nodes[node_id].spec


def test_a_node_is_added_in_its_normal_form(ada: Session) -> None:
    node = Node(id="n", kind="change", title=" New ", brief="One  \r\ntwo\n", depends_on=("p/a", "q/x", "a"))
    added = nodes.add(ada, "p", node)
    assert added.changes == ({"type": "node_added", "node": "n", "kind": "change"},)
    assert spec(ada, "n") == Node(id="n", kind="change", title="New", brief="One\ntwo", depends_on=("a", "q/x"))


def test_every_problem_of_a_node_is_said_at_once(ada: Session) -> None:
    node = Node(id="n", kind="slice", bump="minor", specs=("x",), depends_on=("gone", "z/y"), uses=("pg",))
    with pytest.raises(Invalid) as refused:
        nodes.add(ada, "p", node)
    assert [problem.what for problem in refused.value.problems] == [
        "`bump` does not belong to a slice node",
        "'x' is not a spec",
        "there is no resource 'pg'",
        "there is no node 'gone' in this plan",
        "there is no plan 'z'",
    ]


def test_a_taken_id_is_refused_and_so_is_a_plan_that_is_not_there(ada: Session) -> None:
    with pytest.raises(Refused, match="plan p has a node 'a'"):
        nodes.add(ada, "p", Node(id="a", kind="change"))
    with pytest.raises(NotFound):
        nodes.add(ada, "zzz", Node(id="a", kind="change"))


def test_a_change_replaces_a_node_whole_and_takes_its_go_ahead(ada: Session) -> None:
    nodes.change(ada, "p", Node(id="a", kind="change", title="A", model="opus"))
    decisions.approve(ada, [NodeRef("p", "a")])
    nodes.change(ada, "p", Node(id="a", kind="change", title="A"))
    assert spec(ada, "a") == Node(id="a", kind="change", title="A")
    assert ada.state().plans["p"].nodes["a"].go_ahead is None
    assert nodes.change(ada, "p", Node(id="a", kind="change", title="A\n")).changes == ()
    with pytest.raises(NotFound):
        nodes.change(ada, "p", Node(id="zzz", kind="change"))


def test_nothing_is_removed_that_anything_names(ada: Session) -> None:
    for node_id, why in (
        ("a", "p/a cannot be removed: b depends on it"),
        ("b", "p/b cannot be removed: q/x depends on it"),
        ("real", "p/real cannot be removed: `rehearses` of pack names it"),
    ):
        with pytest.raises(Refused) as refused:
            nodes.remove(ada, NodeRef("p", node_id))
        assert refused.value.message == why
    nodes.remove(ada, NodeRef("p", "pack"))
    nodes.remove(ada, NodeRef("p", "real"))
    assert list(ada.state().plans["p"].nodes) == ["a", "b"]


def test_a_held_node_is_not_removed(ada: Session) -> None:
    decisions.approve(ada, [NodeRef("q", "x")])
    nodes.unlink(ada, NodeRef("q", "x"), "p/b")
    claims.claim(ada, "q", "x")
    with pytest.raises(Refused) as refused:
        nodes.remove(ada, NodeRef("q", "x"))
    assert refused.value.message == "q/x is held by Ada Tester: to remove it would lose that work"


def test_edges_are_linked_and_unlinked_within_a_plan_and_across(ada: Session) -> None:
    decisions.approve(ada, [NodeRef("p", "b")])
    assert nodes.link(ada, NodeRef("p", "b"), "p/real").changes == (
        {"type": "dependency_added", "node": "b", "on": "real"},
    )
    assert nodes.link(ada, NodeRef("p", "b"), "real").changes == ()
    nodes.unlink(ada, NodeRef("p", "b"), "p/a")
    assert spec(ada, "b").depends_on == ("real",)
    assert ada.state().plans["p"].nodes["b"].go_ahead is not None
    nodes.link(ada, NodeRef("q", "x"), "p/a")
    assert spec(ada, "x", "q").depends_on == ("p/b", "p/a")
    with pytest.raises(Refused, match="p/b does not wait for a"):
        nodes.unlink(ada, NodeRef("p", "b"), "a")


@pytest.mark.parametrize(
    ("node_id", "on", "why"),
    [
        ("a", "b", "p/a cannot wait for b: a cycle: a → b → a"),
        ("a", "q/x", "p/a cannot wait for q/x: a cycle: a → q/x → b → a"),
        ("a", "a", "p/a cannot wait for a: a cycle: a → a"),
        ("a", "gone", "p/a cannot wait for gone: there is no node 'gone' in this plan"),
        ("a", "q/gone", "p/a cannot wait for q/gone: plan q has no node 'gone'"),
        ("a", "z/y", "p/a cannot wait for z/y: there is no plan 'z'"),
    ],
)
def test_no_link_closes_a_cycle_or_leads_nowhere(ada: Session, node_id: str, on: str, why: str) -> None:
    with pytest.raises(Refused) as refused:
        nodes.link(ada, NodeRef("p", node_id), on)
    assert refused.value.message == why


def test_an_issue_node_is_bound_and_its_go_ahead_was_for_another_thing(ada: Session) -> None:
    ref = NodeRef("p", "b")
    decisions.approve(ada, [ref])
    decisions.expedite(ada, ref)
    assert nodes.bind(ada, ref, "issue", 12).changes == ({"type": "node_bound", "node": "b", "number": 12},)
    state = ada.state().plans["p"].nodes["b"]
    assert (state.spec.issue, state.go_ahead, state.expedited) == (12, None, None)
    assert nodes.bind(ada, ref, "issue", 12).changes == ()
    with pytest.raises(Refused, match="p/a is a change node"):
        nodes.bind(ada, NodeRef("p", "a"), "issue", 12)
    with pytest.raises(Invalid):
        nodes.bind(ada, ref, "issue", 0)


def test_an_agent_files_what_it_found_and_never_merges_on_green(ada: Session) -> None:
    otter = agent_at(ada.directory)
    found = nodes.add(otter, "p", Node(id="found", kind="change", discovered_from="p/a"))
    assert found.warnings == ()
    assert spec(ada, "found").discovered_from == "a"
    lost = nodes.add(otter, "p", Node(id="lost", kind="change", discovered_from="zzz"))
    assert lost.warnings == ("lost: there is no node p/zzz that it could have been found in",)
    with pytest.raises(Refused, match="only a person may set merge-on-green"):
        nodes.add(otter, "p", Node(id="sly", kind="issue", repo="o/r", merge="merge-on-green"))
    with pytest.raises(Refused, match="only a person may set merge-on-green"):
        nodes.change(otter, "p", Node(id="b", kind="issue", repo="o/r", merge="merge-on-green"))


def test_an_agent_that_changes_a_node_keeps_the_policy_a_person_set(ada: Session) -> None:
    decisions.merge_policy(ada, NodeRef("p", "b"), "merge-on-green")
    nodes.change(agent_at(ada.directory), "p", Node(id="b", kind="issue", repo="o/r", title="B"))
    assert spec(ada, "b").merge == "merge-on-green"


def test_each_change_is_its_own_event(ada: Session) -> None:
    nodes.add(ada, "q", Node(id="y", kind="person"))
    nodes.link(ada, NodeRef("q", "y"), "x")
    nodes.unlink(ada, NodeRef("q", "y"), "x")
    nodes.change(ada, "q", Node(id="y", kind="person", title="Y"))
    nodes.remove(ada, NodeRef("q", "y"))
    assert events_of(ada, "q")[2:] == [
        "node_added", "dependency_added", "dependency_removed", "node_changed", "node_removed",
    ]  # fmt: skip


def test_a_node_is_shown_with_its_answer_its_neighbours_and_how_it_is_written(ada: Session) -> None:
    shown = nodes.show(ada, NodeRef("p", "b"))
    assert (shown["plan"], shown["id"], shown["kind"], shown["repo"]) == ("p", "b", "issue", "o/r")
    assert (list(shown["dependsOn"]), shown["dependents"]) == (["a"], [{"plan": "q", "node": "x"}])
    assert shown["spec"]["dependsOn"] == ["a"]
    assert "brief" in shown
    with pytest.raises(NotFound):
        nodes.show(ada, NodeRef("p", "zzz"))
