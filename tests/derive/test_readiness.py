"""What may be taken up now, in which order, and what the rest waits on."""

from __future__ import annotations

from itertools import product
from typing import get_args

import pytest

from stoat.derive import readiness
from stoat.derive.answers import Status
from stoat.derive.here import Here
from stoat.derive.verdict import Verdict
from stoat.plan.nodes import Header
from stoat.plan.state import PlanState
from tests.support.states import (
    BEFORE,
    JO,
    LATER,
    NOW,
    answer,
    claim,
    derived,
    done,
    gate,
    going,
    issue,
    node,
    piece,
    plan,
)

NOT_TO_TAKE = {"done", "missing", "running", "partial", "findings", "fixing"}


@pytest.mark.parametrize(("status", "blocked", "archived"), [*product(get_args(Status), (True, False), (True, False))])
def test_every_status_blocked_or_not_archived_or_not(status: Status, blocked: bool, archived: bool) -> None:
    of = PlanState(header=Header(plan="p"), created=JO, archived=JO if archived else None)
    here = Here(of, node("a"), Verdict(status, ""), None, blocked)
    assert readiness.ready(here) == (status not in NOT_TO_TAKE and not blocked and not archived)


def test_dependencies_count_wherever_they_live() -> None:
    upstream, same_name = plan("up", done("a"), node("b")), plan("p", node("a", "change", "up/a"))
    assert answer("p/a", upstream, same_name).ready
    waiting = answer("p/a", upstream, plan("p", node("a", "change", "up/b")))
    assert not waiting.ready
    assert waiting.readiness == "waiting on `up/b`"
    assert [(one.plan, one.node) for one in waiting.waits_on] == [("up", "b")]


def test_an_archived_plans_nodes_are_never_ready_and_still_count_as_dependencies() -> None:
    old = plan("old", done("a"), node("b"), archived=JO)
    assert not answer("old/b", old).ready
    assert answer("old/b", old).readiness == "its plan is archived"
    assert answer("p/a", old, plan("p", node("a", "change", "old/a"))).ready
    assert not answer("p/a", old, plan("p", node("a", "change", "old/b"))).ready


@pytest.mark.parametrize("name", ["gone", "nowhere/a"])
def test_a_dependency_that_is_nowhere_blocks_and_says_so(name: str) -> None:
    found = answer("p/a", plan("p", node("a", "change", name)))
    ref = name if "/" in name else f"p/{name}"
    assert (found.ready, found.readiness) == (False, f"waiting on `{ref}`")
    assert found.waits_on[0].why == "there is no such node"
    assert found.stance == "broken"
    assert found.stance_why == f"depends on `{ref}`, which does not exist"
    assert found.root_blocker == found.waits_on[0]


@pytest.mark.parametrize(
    ("given", "phrase"),
    [
        (piece("a"), "ready"),
        (node("a"), "ready, awaiting a go-ahead"),
        (node("a", go_ahead=JO), "ready"),
        (node("a", spec={"assignee": "person"}), "ready, for a person"),
        (node("a", "person"), "ready, for a person"),
        (piece("a", claim=claim()), "ready, held by bot until 2026-11-30 12:30Z"),
        (piece("a", cloud=JO), "ready, kept for a cloud agent"),
        (done("a"), "done"),
        (gate("a", running=going()), "running"),
        (issue("a"), "ready, awaiting a go-ahead"),
    ],
)
def test_readiness_in_words(given: object, phrase: str) -> None:
    assert answer("p/a", plan("p", given)).readiness == phrase  # type: ignore[arg-type]


def test_many_upstreams_are_counted() -> None:
    found = answer("p/z", plan("p", *[node(name) for name in "abcde"], node("z", "change", *"abcde")))
    assert found.readiness == "waiting on `a`, `b`, `c` and 2 more"


def test_the_ready_list_goes_by_leverage_then_plan_order_then_plan() -> None:
    first = plan("q", node("one"), node("two"), node("x", "change", "two"))
    second = plan("p", node("uno"), node("due"), node("tre", "change", "due"), node("y", "change", "tre", "q/two"))
    found = [(slug, node_answer.id, node_answer.unblocks) for slug, node_answer in derived(first, second).ready]
    assert found == [("p", "due", 2), ("q", "two", 2), ("p", "uno", 0), ("q", "one", 0)]


def test_a_claim_is_over_at_the_very_moment_it_expires() -> None:
    held = plan("p", piece("a", claim=claim(expires_at=NOW)), piece("b", claim=claim(expires_at=LATER)))
    before = "2026-11-30T11:59:59.999Z"
    assert answer("p/a", held, now=before).status == "claimed"
    assert answer("p/a", held, now=NOW).status == "waiting"
    assert answer("p/a", held, now=NOW).claim is None
    assert derived(held, now=before).until == NOW
    assert derived(held, now=NOW).until == LATER
    assert derived(held, now=LATER).until is None


def test_a_claimed_node_carries_its_claim() -> None:
    shown = answer("p/a", plan("p", piece("a", claim=claim(session="s", note="n", where="cloud", link="l")))).claim
    assert shown is not None
    assert (shown.holder, shown.since, shown.expires_at) == ("bot", BEFORE, LATER)
    assert (shown.session, shown.note, shown.where, shown.link) == ("s", "n", "cloud", "l")
