"""Whose work may be on a branch without a landing on record, and what a runner lands that it never began."""

from __future__ import annotations

import pytest

from stoat.derive import landings
from stoat.derive.landings import Expected
from stoat.plan.facts import Facts
from stoat.plan.nodes import CHANGE, Step
from stoat.plan.state import NodeState
from tests.support.states import BEFORE, JO, answer, attempt, claim, going, landing, node, piece, plan, run

STEPS = {"steps": (Step(id="s", run="make s"), Step(id="t", run="make t"))}
GREEN = {"s": run("s", seq=5), "t": run("t", seq=6)}


def change(steps: bool = False, **state: object) -> NodeState:
    return node("a", CHANGE, spec=STEPS if steps else {}, **state)


BY_HAND = {
    "nobody's, without steps": (change(), True),
    "held": (change(claim=claim()), False),
    "a lapsed claim, without steps": (change(claim=claim(expires_at=BEFORE)), False),
    "a lapsed claim, steps passed": (change(True, claim=claim(expires_at=BEFORE), evidence=GREEN), True),
    "held, steps passed": (change(True, claim=claim(), evidence=GREEN), False),
    "a step is missing": (change(True, evidence={"s": GREEN["s"]}), False),
    "steps passed": (change(True, evidence=GREEN), True),
    "a run is going": (change(True, evidence=GREEN, running=going("s")), False),
    "a question is open": (change(open_questions=1), False),
    "restarted, without steps": (change(restarted=JO, restarted_seq=4), False),
    "restarted, steps passed since": (change(True, restarted=JO, restarted_seq=4, evidence=GREEN), True),
    "restarted after its steps passed": (change(True, restarted=JO, restarted_seq=5, evidence=GREEN), False),
    "an attempt is on it": (change(attempt=attempt(outcome="failed")), False),
    "an attempt before a restart, steps passed since": (
        change(True, attempt=attempt(outcome="failed", seq=1), restarted=JO, restarted_seq=4, evidence=GREEN), True,
    ),
    "landed": (change(landing=landing()), False),
    "another kind": (piece("a"), False),
}  # fmt: skip


@pytest.mark.parametrize("case", BY_HAND)
def test_what_a_runner_lands_that_it_never_began(case: str) -> None:
    given, expected = BY_HAND[case]
    shown = answer("p/a", plan("p", given, header={"branch": "i"}), facts=Facts(machine="box"))
    assert landings.by_hand(given, shown) is expected


EXPECTED = {
    "by hand": (change(), Expected("stoat/p/a")),
    "an attempt that is not judged": (change(attempt=attempt()), None),
    "judged done": (change(attempt=attempt(outcome="done")), Expected("stoat/p/a", attempt().base)),
    "judged otherwise": (change(attempt=attempt(outcome="failed")), Expected("stoat/p/a")),
    "landed": (change(attempt=attempt(outcome="done", seq=1), landing=landing(seq=2)), None),
    "landed, restarted and redone": (
        change(attempt=attempt(outcome="done", seq=3), landing=landing(seq=2)),
        Expected("stoat/p/a", attempt().base, landing().commit),
    ),
    "a slice by hand": (piece("a"), None),
    "a slice judged done": (piece("a", attempt=attempt(outcome="done")), Expected("stoat/p/a", attempt().base)),
    "a slice judged otherwise": (piece("a", attempt=attempt(outcome="failed")), None),
}


@pytest.mark.parametrize("case", EXPECTED)
def test_where_work_is_expected(case: str) -> None:
    given, expected = EXPECTED[case]
    assert landings.expected("p", given) == expected


@pytest.mark.parametrize(
    ("given", "ours", "busy", "troubled", "expected"),
    [
        (piece("a"), False, False, False, False),
        (piece("a", attempt=attempt()), False, False, False, False),
        (piece("a", attempt=attempt()), True, True, False, True),
        (piece("a", attempt=attempt()), True, False, False, True),
        (piece("a", attempt=attempt(outcome="done")), True, False, True, False),
        (piece("a", attempt=attempt(outcome="done", seq=1), restarted=JO, restarted_seq=2), True, False, False, False),
    ],
)
def test_whether_a_landing_follows_by_itself(
    given: NodeState, ours: bool, busy: bool, troubled: bool, expected: bool
) -> None:
    assert landings.follows(given, ours=ours, busy=busy, troubled=troubled) is expected
