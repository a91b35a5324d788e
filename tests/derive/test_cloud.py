"""Which nodes are handed to a cloud agent, and when one is over, as whole tables."""

from __future__ import annotations

from typing import Any

import pytest
from msgspec.structs import replace

from stoat.derive.cloud import Offers, offers, standing
from stoat.derive.schedule import Scope
from stoat.plan.facts import Facts, HeldBack
from stoat.plan.state import NodeState
from tests.support.github_states import gh_issue, github_answers, looked, seen
from tests.support.states import BEFORE, JO, LATER, NOW, attempt, claim, node, plan, runner


def cloud(node_id: str, number: int = 7, **state: Any) -> NodeState:
    """An issue of o/r kept for the cloud, with its go-ahead."""
    spec = {"repo": "o/r", "issue": number, **state.pop("spec", {})}
    return node(node_id, "issue", spec=spec, **{"cloud": JO, "go_ahead": JO, **state})


def offered(*nodes: NodeState, scope: Scope | None = None, facts: Facts | None = None) -> Offers:
    found = plan("p", *nodes)
    numbers = [one.spec.issue for one in nodes if one.spec.issue is not None]
    record = seen(*(gh_issue(number=number) for number in numbers))
    answers = github_answers(found, record=record, now=looked(), facts=facts)
    return offers(found, answers.plans["p"], scope or Scope())


@pytest.mark.parametrize(
    ("one", "is_offered"),
    [
        (cloud("a"), True),
        (cloud("a", cloud=None, spec={"agent": "cloud"}), True),
        (cloud("a", cloud=None), False),
        (cloud("a", go_ahead=None), False),
        (cloud("a", claim=claim()), False),
        (cloud("a", gave_up=JO), False),
        (cloud("a", open_questions=1), False),
        (cloud("a", spec={"assignee": "person"}), False),
        (cloud("a", spec={"issue": None}), False),
        (cloud("a", attempt=attempt(worktree="", outcome=None)), False),
        (cloud("a", attempt=attempt(worktree="", outcome="failed")), True),
        (cloud("a", attempt=attempt(worktree="", outcome="done")), False),
    ],
)
def test_an_issue_is_offered_where_nothing_but_the_mark_keeps_it(one: NodeState, is_offered: bool) -> None:
    found = offered(one)
    assert (found.nodes == ("a",)) is is_offered
    assert not (is_offered and found.holds)


def test_the_order_is_that_of_local_launches_and_the_scope_holds() -> None:
    nodes = (cloud("a", 1), cloud("b", 2, expedited=JO), cloud("c", 3), cloud("d", 4))
    assert offered(*nodes, scope=Scope(skip=frozenset({"d"}))).nodes == ("b", "a", "c")


def test_nodes_of_other_kinds_are_named_and_not_offered() -> None:
    change = node("a", cloud=JO, go_ahead=JO)
    assert offered(change) == Offers((), ("a",))


OUT = {"attempt": attempt(worktree="", outcome=None, claim="c-1"), "claim": claim(where="cloud")}


@pytest.mark.parametrize(
    ("state", "now", "where"),
    [
        ({}, NOW, "none"),
        ({"attempt": attempt(outcome=None)}, NOW, "none"),
        (OUT, NOW, "out"),
        (OUT, LATER, "lapsed"),
        ({**OUT, "claim": None}, NOW, "over"),
        ({**OUT, "claim": claim(id="c-2")}, NOW, "over"),
        ({**OUT, "restarted_seq": 9999}, NOW, "none"),
        ({**OUT, "attempt": replace(OUT["attempt"], outcome="done")}, NOW, "none"),  # type: ignore[type-var]
        ({**OUT, "attempt": replace(OUT["attempt"], exited_at=BEFORE)}, NOW, "judge"),  # type: ignore[type-var]
    ],
)
def test_an_attempt_in_the_cloud_is_out_for_as_long_as_its_claim_runs(
    state: dict[str, Any], now: str, where: str
) -> None:
    assert standing(cloud("a", **state), now) == where


@pytest.mark.parametrize(
    ("facts", "stance"),
    [
        ({}, "you"),
        ({"cloud": "remote"}, "moving"),
        ({"cloud": "remote", "state": "paused"}, "held"),
        ({"cloud": "remote", "reasons": {"a": HeldBack("held", "its dispatcher failed")}}, "you"),
        ({"cloud": "remote", "state": "gone"}, "you"),
    ],
)
def test_a_person_is_called_where_no_runner_hands_it_over(facts: dict[str, Any], stance: str) -> None:
    found = Facts(runners=(runner(**facts),))
    answers = github_answers(plan("p", cloud("a")), record=seen(gh_issue()), now=looked(), facts=found)
    assert answers.by_ref["p/a"].stance == stance
