"""Which node is meant where one was launched for a node, and which claim is one's own."""

from __future__ import annotations

import pytest

from stoat.errors import NotFound, Refused
from stoat.plan.ids import NodeRef
from stoat.service.assigned import Assigned, assigned

OWN = Assigned(NodeRef("demo", "parser"), "c-1")
NONE = Assigned(None, None)
NO = "refused"


@pytest.mark.parametrize(
    ("own", "plan", "node", "meant"),
    [
        (OWN, None, None, "demo/parser"),
        (OWN, "demo", None, "demo/parser"),
        (OWN, "other", None, NO),
        (OWN, None, "suite", "demo/suite"),
        (OWN, None, "other/suite", "other/suite"),
        (OWN, "other", "suite", "other/suite"),
        (OWN, "other", "demo/suite", NO),
        (NONE, None, None, NO),
        (NONE, "demo", None, NO),
        (NONE, None, "suite", NO),
        (NONE, "demo", "suite", "demo/suite"),
        (NONE, "demo", "demo/suite", "demo/suite"),
        (OWN, None, "", NO),
        (OWN, None, "a/b/c", NO),
        (OWN, None, "A node", NO),
    ],
)  # fmt: skip
def test_a_node_that_is_named_wins_over_ones_own(own: Assigned, plan: str | None, node: str | None, meant: str) -> None:
    try:
        found = str(own.node(plan, node))
    except (Refused, NotFound):
        found = NO
    assert found == meant


def test_a_plan_that_is_named_wins_over_ones_own() -> None:
    assert (OWN.plan(None), OWN.plan("other"), NONE.plan("other")) == ("demo", "other", "other")
    with pytest.raises(Refused):
        NONE.plan(None)


def test_a_claim_is_for_ones_own_node_alone() -> None:
    assert OWN.claim_on(NodeRef("demo", "parser")) == "c-1"
    assert OWN.claim_on(NodeRef("demo", "suite")) is None
    assert NONE.claim_on(NodeRef("demo", "suite")) is None


def test_the_environment_says_it() -> None:
    assert assigned({"STOAT_PLAN": "demo", "STOAT_NODE": "parser", "STOAT_CLAIM": "c-1"}) == OWN
    assert assigned({"STOAT_PLAN": "demo", "STOAT_CLAIM": ""}) == NONE
