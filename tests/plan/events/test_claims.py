"""Leases: who may take, renew and let go, and that an old fence opens nothing."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from stoat.clock import plus
from stoat.errors import Refused
from stoat.plan import fold
from stoat.plan.events import claims
from stoat.plan.events.authoring import NodeAdded
from stoat.plan.events.base import Actor, Event
from stoat.plan.events.plans import PlanCreated
from stoat.plan.nodes import Header, Node
from stoat.plan.state import NodeState, PlanState

START = "2026-11-30T12:00:00.000Z"
ANN, BOB, JO = Actor("ann", "agent"), Actor("bob", "agent"), Actor("jo", "person")


class Story:
    """A plan with one node, and a clock that the test sets."""

    def __init__(self) -> None:
        self.now = START
        self.part: PlanState | None = None
        self.append(PlanCreated(header=Header(plan="p")))
        self.append(NodeAdded(node="n", spec=Node(id="n", kind="change")))

    def append(self, event: Event, by: Actor = JO) -> None:
        part, troubles = fold.fold_part("plans/p", self.part, [fold.encode_event(replace(event, at=self.now, by=by))])
        assert troubles == []
        assert isinstance(part, PlanState)
        self.part = part

    @property
    def plan(self) -> PlanState:
        assert self.part is not None
        return self.part

    @property
    def node(self) -> NodeState:
        return self.plan.nodes["n"]

    def claim(self, by: Actor, claim_id: str, lease: float = 1800.0) -> None:
        self.append(
            claims.claim(self.plan, self.node, claim_id=claim_id, holder=by.name, lease=lease, now=self.now), by
        )

    def after(self, seconds: float) -> None:
        self.now = plus(self.now, seconds)


def test_a_taken_node_is_refused_with_the_holders_name_and_a_way_on() -> None:
    story = Story()
    story.claim(ANN, "c-1")
    with pytest.raises(Refused, match="held by ann until 2026-11-30T12:30:00") as refusal:
        story.claim(BOB, "c-2")
    assert refusal.value.hint
    with pytest.raises(Refused, match="held by ann"):
        story.claim(ANN, "c-3")


@pytest.mark.parametrize(("seconds", "free"), [(1799.999, False), (1800, True), (1800.001, True)])
def test_a_lease_is_over_exactly_at_its_end(seconds: float, free: bool) -> None:
    story = Story()
    story.claim(ANN, "c-1")
    story.after(seconds)
    if free:
        story.claim(BOB, "c-2")
        assert story.node.claim is not None
        assert story.node.claim.holder == "bob"
    else:
        with pytest.raises(Refused):
            story.claim(BOB, "c-2")


def test_a_lapsed_lease_that_nobody_took_is_still_the_holders_to_renew() -> None:
    story = Story()
    story.claim(ANN, "c-1")
    story.after(7200)
    story.append(claims.renew(story.plan, story.node, actor=ANN, lease=600, claim_id="c-1"))
    assert story.node.claim is not None
    assert story.node.lease(story.now) is not None


def test_after_a_takeover_the_old_fence_opens_nothing() -> None:
    story = Story()
    story.claim(ANN, "c-1")
    story.after(1800)
    story.claim(BOB, "c-2")
    before = story.node
    with pytest.raises(Refused, match="now held by bob"):
        claims.renew(story.plan, story.node, actor=ANN, lease=600, claim_id="c-1")
    with pytest.raises(Refused, match="now held by bob"):
        claims.release(story.plan, story.node, actor=ANN, claim_id="c-1")
    with pytest.raises(Refused, match="held by bob, not by ann"):
        claims.renew(story.plan, story.node, actor=ANN, lease=600)
    assert story.node == before


def test_the_holder_needs_no_fence_while_the_node_is_theirs() -> None:
    story = Story()
    story.claim(ANN, "c-1")
    story.append(claims.renew(story.plan, story.node, actor=ANN, lease=600, note="half way", link="https://x"))
    held = story.node.claim
    assert held is not None
    assert (held.note, held.link, held.since) == ("half way", "https://x", START)
    story.append(claims.renew(story.plan, story.node, actor=ANN, lease=600))
    assert story.node.claim is not None
    assert story.node.claim.note == "half way"


def test_a_person_may_free_any_node_and_an_agent_only_its_own() -> None:
    story = Story()
    story.claim(ANN, "c-1")
    with pytest.raises(Refused, match="not by bob"):
        claims.release(story.plan, story.node, actor=BOB)
    story.append(claims.release(story.plan, story.node, actor=JO))
    assert story.node.claim is None


def test_letting_go_of_a_free_node_is_refused_and_says_so() -> None:
    story = Story()
    for act in (claims.release, claims.renew):
        arguments = {"lease": 600.0} if act is claims.renew else {}
        with pytest.raises(Refused, match="nobody holds p/n"):
            act(story.plan, story.node, actor=JO, **arguments)  # type: ignore[operator]


def test_a_lease_of_more_than_four_hours_is_refused() -> None:
    story = Story()
    story.claim(ANN, "c-1", lease=4 * 3600)
    with pytest.raises(Refused, match="too long"):
        claims.renew(story.plan, story.node, actor=ANN, lease=4 * 3600 + 1)
    for endless in (math.inf, math.nan):
        with pytest.raises(Refused, match="no end"):
            claims.renew(story.plan, story.node, actor=ANN, lease=endless)


@given(
    st.lists(
        st.tuples(st.sampled_from([ANN, BOB]), st.integers(0, 4000), st.sampled_from(["claim", "renew", "release"]))
    )
)
def test_whatever_they_try_there_is_one_holder_and_only_a_lapse_or_a_release_changes_it(
    tries: list[tuple[Actor, int, str]],
) -> None:
    story = Story()
    for number, (actor, wait, what) in enumerate(tries):
        story.after(wait)
        held = story.node.claim
        taken = story.node.lease(story.now) is not None
        try:
            if what == "claim":
                story.claim(actor, f"c-{number}")
                assert not taken
            elif what == "renew":
                story.append(claims.renew(story.plan, story.node, actor=actor, lease=1000))
                assert held is not None
                assert held.holder == actor.name
            else:
                story.append(claims.release(story.plan, story.node, actor=actor))
                assert held is not None
                assert held.holder == actor.name
        except Refused:
            assert story.node.claim == held
