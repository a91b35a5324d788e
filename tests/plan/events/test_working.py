"""What a holder says of its own steps: its word, on its claim, and gone with it."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from stoat.errors import NotFound, Refused
from stoat.plan.events import claims, working
from stoat.plan.events.base import PlanEvent
from stoat.plan.state import WorkStep
from tests.plan.events.test_claims import ANN, BOB, Story

READ = WorkStep(id="read", title="Read the code")
TEST = WorkStep(id="test", title="Write the tests", run_tag="p/n")


@pytest.fixture
def story() -> Story:
    """Ann holds the node."""
    story = Story()
    story.claim(ANN, "c-1")
    return story


def said(story: Story, event: PlanEvent | None) -> None:
    assert event is not None
    story.append(event, ANN)


def test_steps_are_on_the_claim_in_the_order_they_were_said(story: Story) -> None:
    said(story, working.declare(story.plan, story.node, [TEST, READ], actor=ANN))
    assert story.node.claim is not None
    assert story.node.claim.steps == (TEST, READ)
    assert working.declare(story.plan, story.node, [TEST, READ], actor=ANN) is None


def test_a_step_is_as_far_as_its_holder_says(story: Story) -> None:
    said(story, working.declare(story.plan, story.node, [READ, TEST], actor=ANN))
    said(story, working.report_step(story.plan, story.node, "test", "done", actor=ANN))
    assert story.node.claim is not None
    assert story.node.claim.steps == (READ, replace(TEST, state="done"))
    assert working.report_step(story.plan, story.node, "test", "done", actor=ANN) is None
    with pytest.raises(NotFound, match="no step 'land'"):
        working.report_step(story.plan, story.node, "land", "done", actor=ANN)


def test_steps_go_with_the_claim_and_an_old_fence_says_none_of_the_next(story: Story) -> None:
    event = working.declare(story.plan, story.node, [READ], actor=ANN)
    said(story, event)
    story.append(claims.release(story.plan, story.node, actor=ANN), ANN)
    story.claim(BOB, "c-2")
    said(story, event)
    assert story.node.claim is not None
    assert story.node.claim.steps == ()
    with pytest.raises(Refused, match="held by bob"):
        working.declare(story.plan, story.node, [READ], actor=ANN)


def test_nobody_says_steps_of_a_node_that_it_does_not_hold(story: Story) -> None:
    for ask in (
        lambda: working.declare(story.plan, story.node, [READ], actor=BOB),
        lambda: working.report_step(story.plan, story.node, "read", "done", actor=BOB),
        lambda: working.declare(story.plan, story.node, [READ], actor=ANN, claim_id="c-0"),
    ):
        with pytest.raises(Refused):
            ask()
    assert working.declare(story.plan, story.node, [READ], actor=BOB, claim_id="c-1") is not None


@pytest.mark.parametrize(
    "steps",
    [
        [replace(READ, id="")], [replace(READ, id="a b")], [replace(READ, id="x" * 61)], [READ, READ],
        [replace(READ, title=" ")], [replace(READ, title="two\nlines")], [replace(READ, title="x" * 201)],
        [replace(READ, run_tag="\x1b[2J")], [replace(READ, id=f"s{number}") for number in range(51)],
    ],
)  # fmt: skip
def test_steps_are_told_apart_and_shown_in_a_line_each(story: Story, steps: list[WorkStep]) -> None:
    with pytest.raises(Refused) as refused:
        working.declare(story.plan, story.node, steps, actor=ANN)
    assert refused.value.hint
