"""Issues that runners create: what is on record while GitHub is asked, and who may ask."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from stoat.errors import Refused
from stoat.plan import fold
from stoat.plan.creation import Creation
from stoat.plan.events import creation
from stoat.plan.events.authoring import NodeAdded, NodeBound
from stoat.plan.events.base import Actor, Event
from stoat.plan.events.creation import IssueCreationAllowed, IssueCreationBegun, IssueCreationWithdrawn
from stoat.plan.events.decisions import NodeApproved, approve
from stoat.plan.events.plans import PlanCreated
from stoat.plan.nodes import Header, Node
from stoat.plan.state import PlanState

ASKS = IssueCreationBegun(node="a", repo="o/n", mark="i-1", runner="r-1")


def folded(*events: Event) -> PlanState:
    """A plan with an issue `a` after these events, a second apart."""
    begin = [PlanCreated(header=Header(plan="p")), NodeAdded(node="a", spec=Node(id="a", kind="issue", repo="o/n"))]
    lines = [
        fold.encode_event(replace(event, id=f"{at:02}", at=f"2026-11-30T12:00:{at:02}.000Z", by=Actor("jo", "person")))
        for at, event in enumerate([*begin, *events])
    ]
    part, troubles = fold.fold_part("plans/p", None, lines)
    assert troubles == []
    assert isinstance(part, PlanState)
    return part


def test_the_first_question_with_a_mark_is_remembered_beside_the_last() -> None:
    asked = folded(ASKS, ASKS).nodes["a"].creation
    assert asked is not None
    assert (asked.since[17:19], asked.at[17:19]) == ("02", "03")
    other = folded(ASKS, replace(ASKS, mark="i-2")).nodes["a"].creation
    assert other is not None and other.since == other.at


def test_an_issue_made_from_the_node_keeps_what_was_approved_and_any_other_does_not() -> None:
    made = folded(NodeApproved(node="a"), ASKS, NodeBound(node="a", number=7, created=True)).nodes["a"]
    assert (made.spec.issue, made.creation) == (7, None) and made.go_ahead is not None
    bound = folded(NodeApproved(node="a"), ASKS, NodeBound(node="a", number=7)).nodes["a"]
    assert (bound.go_ahead, bound.creation) == (None, None)


def test_a_person_turns_it_on_and_off() -> None:
    assert folded().creates_issues is None
    on = folded(IssueCreationAllowed())
    assert on.creates_issues is not None and on.creates_issues.by == "jo"
    assert creation.allow_creation(on) is None
    assert folded(IssueCreationAllowed(), IssueCreationWithdrawn()).creates_issues is None
    assert creation.allow_creation(folded(), off=True) is None


def test_an_issue_without_a_number_takes_a_go_ahead_only_where_it_is_created() -> None:
    off, on = folded(), folded(IssueCreationAllowed())
    with pytest.raises(Refused):
        approve(off, off.nodes["a"])
    assert approve(on, on.nodes["a"]) is not None


def begin(plan: PlanState, known: Creation | None) -> IssueCreationBegun:
    return creation.begin_creation(plan, plan.nodes["a"], repo="o/n", mark="i-1", runner="r-1", known=known)


def test_only_one_runner_asks_and_only_as_long_as_it_is_wanted() -> None:
    on = folded(IssueCreationAllowed())
    assert begin(on, None) == ASKS
    asked = folded(IssueCreationAllowed(), ASKS)
    with pytest.raises(Refused, match="another runner"):
        begin(asked, None)
    assert begin(asked, asked.nodes["a"].creation) == ASKS
    with pytest.raises(Refused, match="not created any more"):
        begin(folded(ASKS), folded(ASKS).nodes["a"].creation)
    bound = folded(IssueCreationAllowed(), NodeBound(node="a", number=7))
    with pytest.raises(Refused, match="needs no issue"):
        begin(bound, None)
