"""What a person's decisions leave behind: when a go-ahead covers what was written, and what a restart lets go."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from msgspec.structs import replace

from stoat.errors import Refused
from stoat.plan import fold
from stoat.plan.events import decisions
from stoat.plan.events.authoring import NodeAdded, NodeBound, NodeChanged
from stoat.plan.events.base import Actor, Event
from stoat.plan.events.claims import Claimed
from stoat.plan.events.decisions import NodeApprovalWithdrawn, NodeRestarted, PlanApproved
from stoat.plan.events.evidence import GateStarted
from stoat.plan.events.plans import PlanCreated, PlanHeaderChanged
from stoat.plan.nodes import KINDS, Header, Node
from stoat.plan.state import NodeState, PlanState

Decide = Callable[[PlanState, NodeState], Event | None]


def folded(*events: Event) -> PlanState:
    begin = [PlanCreated(header=Header(plan="p")), NodeAdded(node="a", spec=Node(id="a", kind="issue"))]
    lines = [
        fold.encode_event(replace(event, id="01", at="2026-11-30T12:00:00.000Z", by=Actor("jo", "person")))
        for event in [*begin, *events]
    ]
    part, troubles = fold.fold_part("plans/p", None, lines)
    assert troubles == []
    assert isinstance(part, PlanState)
    return part


def test_a_plans_go_ahead_comes_after_the_nodes_that_were_there() -> None:
    plan = folded(PlanApproved())
    assert plan.approved_seq > plan.nodes["a"].cleared_seq


@pytest.mark.parametrize(
    "later",
    [
        NodeChanged(node="a", spec=Node(id="a", kind="issue", brief="another thing")),
        NodeBound(node="a", number=7),
        NodeApprovalWithdrawn(node="a"),
    ],
)
def test_what_is_written_or_withdrawn_later_is_newer_than_the_plans_go_ahead(later: Event) -> None:
    plan = folded(PlanApproved(), later)
    assert plan.nodes["a"].cleared_seq > plan.approved_seq


def test_a_restart_lets_go_of_runs_that_never_ended() -> None:
    started = GateStarted(node="a", run="r-1", command=("true",), machine="far-away")
    assert folded(started).nodes["a"].running
    assert not folded(started, NodeRestarted(node="a")).nodes["a"].running


def decided(kind: str, **spec: object) -> tuple[PlanState, NodeState]:
    if kind == "issue":
        spec.setdefault("issue", 7)
    plan = folded(NodeAdded(node="n", spec=Node(id="n", kind=kind, **spec)))  # type: ignore[arg-type]
    return plan, plan.nodes["n"]


RULES: dict[str, tuple[Decide, set[str]]] = {
    "approve": (decisions.approve, {"change", "issue", "review", "slice", "test-run-gate"}),
    "expedite": (decisions.expedite, {"change", "issue", "review", "slice", "test-run-gate"}),
    "cloud": (decisions.cloud, {"change", "issue", "review", "slice", "test-run-gate"}),
    "merge": (lambda plan, node: decisions.set_merge(plan, node, "merge-on-green"), {"issue", "pr", "consume"}),
    "done": (decisions.mark_done, {"person"}),
    "reverify": (decisions.reverify, {"slice", "test-run-gate"}),
    "allow-asserted": (decisions.allow_asserted, {"test-run-gate"}),
    "accept-partial": (decisions.accept_partial, {"issue"}),
    "restart": (decisions.restart, set(KINDS)),
    "withdraw": (decisions.withdraw, set(KINDS)),
}


@pytest.mark.parametrize("rule", RULES)
@pytest.mark.parametrize("kind", KINDS)
def test_each_decision_is_open_to_its_kinds_and_refused_for_every_other(rule: str, kind: str) -> None:
    decide, kinds = RULES[rule]
    plan, node = decided(kind)
    if kind in kinds:
        decide(plan, node)
    else:
        with pytest.raises(Refused, match=f"p/n \\({kind}\\)"):
            decide(plan, node)


@pytest.mark.parametrize(
    ("decide", "kind"),
    [
        (decisions.approve, "change"),
        (decisions.expedite, "slice"),
        (decisions.cloud, "issue"),
        (lambda plan, node: decisions.set_merge(plan, node, "merge-on-green"), "pr"),
        (decisions.mark_done, "person"),
        (decisions.allow_asserted, "test-run-gate"),
        (decisions.accept_partial, "issue"),
    ],
)
def test_deciding_twice_decides_once(decide: Decide, kind: str) -> None:
    plan, node = decided(kind)
    event = decide(plan, node)
    assert event is not None
    plan = folded(NodeAdded(node="n", spec=node.spec), event)
    assert decide(plan, plan.nodes["n"]) is None


def test_a_go_ahead_is_not_for_what_a_person_does() -> None:
    plan, node = decided("slice", assignee="person")
    with pytest.raises(Refused, match="kept for a person"):
        decisions.approve(plan, node)
    assert decisions.mark_done(plan, node) is not None


def test_merge_policy_names_the_policies_there_are() -> None:
    plan, node = decided("pr")
    with pytest.raises(Refused, match="'now' is not a merge policy"):
        decisions.set_merge(plan, node, "now")
    assert decisions.set_merge(plan, node, "manual-review") is None


def test_a_whole_plan_is_approved_only_where_its_header_says_so() -> None:
    with pytest.raises(Refused, match="node by node"):
        decisions.approve_plan(folded())


def test_a_whole_plans_go_ahead_is_given_anew_for_what_changed_since() -> None:
    header = PlanHeaderChanged(header=Header(plan="p", go_ahead="plan"))
    change = NodeAdded(node="n", spec=Node(id="n", kind="change"))
    plan = folded(header, change, PlanApproved())
    assert decisions.approve_plan(plan) is None
    assert decisions.covered(plan, plan.nodes["n"])
    again = folded(header, change, PlanApproved(), NodeChanged(node="n", spec=change.spec))
    assert not decisions.covered(again, again.nodes["n"])
    assert decisions.approve_plan(again) is not None


def test_restarting_what_nobody_began_is_nothing() -> None:
    plan, node = decided("change")
    assert decisions.restart(plan, node) is None
    claimed = folded(NodeAdded(node="n", spec=node.spec), Claimed(node="n", claim="c-1", holder="al"))
    assert decisions.restart(claimed, claimed.nodes["n"]) is not None


def test_verifying_again_what_was_never_proved_is_nothing() -> None:
    plan, node = decided("test-run-gate")
    assert decisions.reverify(plan, node) is None


def test_a_go_ahead_needs_something_to_go_to() -> None:
    plan, node = decided("issue", issue=None)
    with pytest.raises(Refused, match="not bound to an issue"):
        decisions.approve(plan, node)
