"""Whether a go-ahead is needed, given, or can be given: as a full table."""

from __future__ import annotations

from itertools import product

import pytest

from stoat.derive import goahead
from stoat.plan.nodes import KINDS
from stoat.plan.state import Mark, NodeState, PlanState
from tests.support.states import BEFORE, JO, answer, issue, landing, node, plan

ADA = Mark("ada", BEFORE)


@pytest.mark.parametrize("kind", KINDS)
def test_issues_and_changes_need_one_and_what_a_person_does_does_not(kind: str) -> None:
    assert goahead.needed(node("a", kind)) == (kind in ("issue", "change"))
    assert not goahead.needed(node("a", kind, spec={"assignee": "person"}))


@pytest.mark.parametrize(
    ("kind", "own", "mode", "approved", "newer"),
    [*product(("change", "issue"), (True, False), ("node", "plan"), (True, False), (True, False))],
)
def test_every_case_of_who_gave_it(kind: str, own: bool, mode: str, approved: bool, newer: bool) -> None:
    """`newer`: the node was written, or its go-ahead withdrawn, after the plan was approved."""
    given_node = node("a", kind, go_ahead=JO if own else None, cleared_seq=9 if newer else 3)
    of: PlanState = plan("p", given_node, header={"go_ahead": mode}, approved=ADA if approved else None, approved_seq=6)
    expected = None
    if own:
        expected = JO
    elif kind == "change" and mode == "plan" and approved and not newer:
        expected = ADA
    assert goahead.given(of, given_node) == expected


@pytest.mark.parametrize(
    ("given_node", "more", "expected"),
    [
        (node("a"), {}, True),
        (issue("a"), {}, True),
        (issue("a", number=None), {}, False),
        (node("a", go_ahead=JO), {}, False),
        (node("a", landing=landing()), {}, False),
        (node("a", spec={"assignee": "person"}), {}, False),
        (node("a", "slice"), {}, False),
        (node("a"), {"archived": JO}, False),
        (node("a", "change", "gone"), {}, True),
    ],
)
def test_what_can_take_one(given_node: NodeState, more: dict[str, object], expected: bool) -> None:
    assert answer("p/a", plan("p", given_node, **more)).approvable is expected


def test_who_gave_it_is_shown() -> None:
    shown = answer("p/a", plan("p", node("a", go_ahead=JO))).approved_for_agents
    assert shown is not None and (shown.by, shown.at) == ("jo", BEFORE)
