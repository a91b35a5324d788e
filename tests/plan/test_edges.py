"""Edges: unknown ones are named, and every cycle is found, with its members, within a plan and across plans."""

from __future__ import annotations

from stoat.plan.ids import NodeRef
from stoat.plan.nodes import Header, Node
from stoat.plan.rules.edges import check_edges, dependents_elsewhere
from stoat.plan.state import Mark, NodeState, PlanState

MARK = Mark("Ada", "2026-01-01T00:00:00.000Z")


def node(node_id: str, *depends_on: str, **fields: str) -> Node:
    return Node(**{"id": node_id, "kind": "publish", "package": "X", "depends_on": depends_on, **fields})


def plan(slug: str, *nodes: Node) -> PlanState:
    return PlanState(header=Header(plan=slug), created=MARK, nodes={n.id: NodeState(spec=n, added=MARK) for n in nodes})


def said(nodes: list[Node], others: dict[str, PlanState] | None = None) -> list[str]:
    """What is wrong with the edges of plan `p` of these nodes."""
    written = [(("nodes", index), each) for index, each in enumerate(nodes)]
    found = check_edges("p", {each.id: each for each in nodes}, written, {} if others is None else others)
    return [f"{'.'.join(map(str, each.path[1:]))}: {each.what}" for each in found]


def test_a_dependency_names_a_node_that_is_there() -> None:
    others = {"q": plan("q", node("x"))}
    assert said([node("a"), node("b", "a", "p/a", "q/x")], others) == []
    assert said([node("b", "c", "q/y", "r/x", "Not/Right")], others) == [
        "0.depends_on.0: there is no node 'c' in this plan",
        "0.depends_on.1: plan q has no node 'y'",
        "0.depends_on.2: there is no plan 'r'",
        "0.depends_on.3: 'Not/Right' is not a node",
    ]


def test_a_dependency_is_named_once_and_a_repeated_one_hides_no_cycle() -> None:
    assert said([node("a"), node("b", "a", "a")]) == ["1.depends_on.1: 'a' is named twice"]
    assert sorted(said([node("b", "b", "b")])) == [
        "0.depends_on.0: a cycle: b → b",
        "0.depends_on.1: 'b' is named twice",
    ]


def test_without_the_other_plans_their_nodes_stay_unchecked() -> None:
    written = [((), node("a", "q/x"))]
    assert list(check_edges("p", {"a": node("a", "q/x")}, written, None)) == []


def test_a_cycle_names_its_members_in_order_once() -> None:
    assert said([node("a", "b"), node("b", "c"), node("c", "a"), node("d", "a")]) == [
        "0.depends_on.0: a cycle: a → b → c → a"
    ]
    assert said([node("a", "a")]) == ["0.depends_on.0: a cycle: a → a"]
    assert said([node("a", "b"), node("b", "a"), node("x", "y"), node("y", "x")]) == [
        "0.depends_on.0: a cycle: a → b → a",
        "2.depends_on.0: a cycle: x → y → x",
    ]


def test_a_cycle_through_other_plans_is_one_too() -> None:
    others = {"q": plan("q", node("x", "r/y")), "r": plan("r", node("y", "p/a"))}
    assert said([node("a", "q/x")], others) == ["0.depends_on.0: a cycle: a → q/x → r/y → a"]


def test_a_cycle_of_other_plans_alone_is_not_this_plans_fault() -> None:
    others = {"q": plan("q", node("x", "r/y")), "r": plan("r", node("y", "q/x"))}
    assert said([node("a", "q/x")], others) == []


def test_what_waits_for_a_node_in_other_active_plans_is_known() -> None:
    archived = plan("z", node("old", "p/a"))
    archived.archived = MARK
    others = {"q": plan("q", node("x", "p/a"), node("y", "p/b")), "z": archived}
    assert dependents_elsewhere("p", "a", others) == [NodeRef("q", "x")]


def test_a_rehearsal_stands_in_for_a_real_publish_of_its_package() -> None:
    real, other = node("real", bump="fix"), node("other", bump="fix", package="Y")
    pack = node("pack", rehearses="real", feed="local")
    assert said([real, pack]) == []
    assert said([real, node("pack", rehearses="rael")]) == ["1.rehearses: 'rael' is no other node of this plan"]
    assert said([real, pack, node("again", rehearses="pack")]) == ["2.rehearses: 'pack' is not a real publish"]
    assert said([other, node("pack", rehearses="other")]) == ["1.rehearses: 'other' publishes Y, this packs X"]


def test_a_pin_is_moved_by_another_node_of_the_plan() -> None:
    assert said([node("a"), node("c", bumped_by="a")]) == []
    assert said([node("c", bumped_by="c")]) == ["0.bumped_by: 'c' is no other node of this plan"]
