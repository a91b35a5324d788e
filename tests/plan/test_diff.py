"""What a document changes: only that is recorded, and afterwards the plan is what the document says."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from stoat.plan.diff import diff
from stoat.plan.events.authoring import DependencyAdded, DependencyRemoved, NodeAdded, NodeChanged, NodeRemoved
from stoat.plan.events.base import Actor, PlanEvent
from stoat.plan.events.decisions import NodeApproved
from stoat.plan.events.plans import NodesReordered, PlanCreated, PlanHeaderChanged
from stoat.plan.fold import encode_event, fold_part
from stoat.plan.nodes import Header, Node
from stoat.plan.state import Mark, PlanState

HEADER = Header(plan="p", title="A plan")
A, B, C = (Node(id=name, kind="change", title=name.upper()) for name in "abc")
ADA = Actor("Ada", "person")


def folded(events: list[PlanEvent], plan: PlanState | None = None) -> PlanState:
    """The plan after events, as the store would fold them."""
    stamped = [
        encode_event(replace(event, id=str(n), at="2026-01-01T00:00:00.000Z", by=ADA)) for n, event in enumerate(events)
    ]
    part, troubles = fold_part("plans/p", plan, stamped)
    assert troubles == []
    assert isinstance(part, PlanState)
    return part


def made(*nodes: Node) -> PlanState:
    return folded(diff(HEADER, nodes, None))


def test_a_plan_that_is_not_there_is_created_with_its_nodes() -> None:
    assert diff(HEADER, (A, B), None) == [
        PlanCreated(header=HEADER), NodeAdded(node="a", spec=A), NodeAdded(node="b", spec=B),
    ]  # fmt: skip


def test_the_same_again_records_nothing() -> None:
    assert diff(HEADER, (A, B), made(A, B)) == []


def test_a_changed_header_is_one_event() -> None:
    new = replace(HEADER, title="Renamed")
    assert diff(new, (A,), made(A)) == [PlanHeaderChanged(header=new)]


def test_edges_alone_keep_the_go_ahead() -> None:
    plan = folded([NodeApproved(node="c")], made(A, B, replace(C, depends_on=("a",))))
    events = diff(HEADER, (A, B, replace(C, depends_on=("b",))), plan)
    assert events == [DependencyRemoved(node="c", on="a"), DependencyAdded(node="c", on="b")]
    after = folded(events, plan).nodes["c"]
    assert after.go_ahead == Mark("Ada", "2026-01-01T00:00:00.000Z")
    assert after.spec.depends_on == ("b",)


def test_anything_else_replaces_the_node_whole_and_takes_the_go_ahead() -> None:
    plan = folded([NodeApproved(node="c")], made(A, B, replace(C, depends_on=("a",))))
    new = replace(C, title="New", depends_on=("a", "b"))
    events = diff(HEADER, (A, B, new), plan)
    assert events == [NodeChanged(node="c", spec=new)]
    assert folded(events, plan).nodes["c"].go_ahead is None


def test_the_order_of_dependencies_means_nothing_and_that_of_nodes_does() -> None:
    both = replace(C, depends_on=("a", "b"))
    assert diff(HEADER, (A, B, replace(C, depends_on=("b", "a"))), made(A, B, both)) == []
    assert diff(HEADER, (B, A), made(A, B)) == [NodesReordered(order=("b", "a"))]
    assert diff(HEADER, (C, A), made(A, B)) == [
        NodeRemoved(node="b"), NodeAdded(node="c", spec=C), NodesReordered(order=("c", "a")),
    ]  # fmt: skip


def test_what_other_doors_wrote_in_another_form_is_no_change() -> None:
    plan = folded([PlanCreated(header=HEADER), NodeAdded(node="a", spec=replace(A, brief="One  \r\ntwo\n"))])
    assert diff(HEADER, (replace(A, brief="One\ntwo"),), plan) == []


IDS = ["a", "b", "c", "d", "e"]
NODES = st.lists(st.sampled_from(IDS), unique=True).flatmap(
    lambda ids: st.tuples(
        *(
            st.builds(
                Node,
                id=st.just(node_id),
                kind=st.just("change"),
                title=st.sampled_from(["x", "y"]),
                depends_on=st.lists(st.sampled_from(ids[:index] or ["q/z"]), unique=True).map(tuple),
            )
            for index, node_id in enumerate(ids)
        )
    )
)


@settings(deadline=None)
@given(NODES, NODES)
def test_after_its_events_the_plan_is_what_the_document_says(before: tuple[Node, ...], after: tuple[Node, ...]) -> None:
    plan = made(*before)
    changed = folded(diff(HEADER, after, plan), plan)
    assert list(changed.nodes) == [node.id for node in after]
    assert diff(HEADER, after, changed) == []
