"""What a person's decisions leave behind: when a go-ahead covers what was written, and what a restart lets go."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from stoat.plan import fold
from stoat.plan.events.authoring import NodeAdded, NodeBound, NodeChanged
from stoat.plan.events.base import Actor, Event
from stoat.plan.events.decisions import NodeApprovalWithdrawn, NodeRestarted, PlanApproved
from stoat.plan.events.evidence import GateStarted
from stoat.plan.events.plans import PlanCreated
from stoat.plan.nodes import Header, Node
from stoat.plan.state import PlanState


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
