"""Where a change stands: open until somebody takes it, done only once it landed."""

from __future__ import annotations

import pytest

from stoat.plan.facts import Facts
from stoat.plan.nodes import CHANGE, Step
from stoat.plan.state import Mark, NodeState, Parked
from tests.support.states import BEFORE, JO, answer, attempt, claim, going, landing, node, plan, run

STEPS = {"steps": (Step(id="s", run="make s"), Step(id="t", run="make t"))}
GREEN = {"s": run("s", seq=1), "t": run("t", seq=2)}
BY_HAND = "all 2 steps passed, worked by hand: a runner lands it on integ if its branch stoat/p/a is here"
PARKED = Parked(why="it conflicts", at=BEFORE, commit="a" * 40, files=("x.py",))


def change(steps: bool = False, **state: object) -> NodeState:
    return node("a", CHANGE, spec=STEPS if steps else {}, **state)


CASES = {
    "nothing happened": (change(), "open", "not started"),
    "somebody has it": (change(claim=claim(note="in the parser")), "claimed", "bot is on it: in the parser"),
    "a lapsed claim": (change(claim=claim(expires_at=BEFORE)), "open", "not started"),
    "a step runs": (change(True, running=going("s"), evidence={"t": run("t")}), "running", "1 of 2 steps"),
    "something runs": (change(running=going()), "running", "running since 2026-11-30 11:00Z"),
    "one step green": (change(True, evidence={"s": run("s")}), "waiting", "1 of 2 steps passed, not run: t"),
    "a step red": (
        change(True, evidence={**GREEN, "t": run("t", "failed", exit_code=1)}),
        "failed",
        "step t failed (exit 1) · 1✓ 1✗",
    ),
    "red under a claim": (
        change(True, claim=claim(), evidence={"t": run("t", "failed", exit_code=1)}),
        "failed",
        "step t failed (exit 1) · 1✗ 1○",
    ),
    "another command": (
        change(True, evidence={**GREEN, "t": run("t", command=("true",))}),
        "mismatch",
        "step t ran another command: `true`, declared is `make t` · 1✓ 1✗",
    ),
    "all green, by hand": (change(True, evidence=GREEN), "waiting", BY_HAND),
    "all green, on two commits": (
        change(True, evidence={**GREEN, "t": run("t", seq=2, commit="e" * 40, commit_after="e" * 40)}),
        "waiting",
        "all 2 steps passed, but not on one clean commit",
    ),
    "all green, nobody could tell whether clean": (
        change(True, evidence={**GREEN, "t": run("t", seq=2, dirty=None)}),
        "waiting",
        "all 2 steps passed, but not on one clean commit",
    ),
    "all green, on a commit that moved": (
        change(True, evidence={**GREEN, "t": run("t", seq=2, commit="e" * 40)}),
        "waiting",
        "all 2 steps passed, but not on one clean commit",
    ),
    "all green, before a restart": (
        change(True, evidence=GREEN, restarted=JO, restarted_seq=3),
        "waiting",
        "all 2 steps passed, before it was restarted",
    ),
    "all green, on a dirty tree": (
        change(True, evidence={**GREEN, "t": run("t", dirty=True)}),
        "waiting",
        "all 2 steps passed, but not on one clean commit",
    ),
    "attempt judged done": (
        change(attempt=attempt(outcome="done")),
        "waiting",
        "committed on stoat/p/a, to be landed on integ",
    ),
    "attempt left nothing": (
        change(attempt=attempt(outcome="nothing", detail="its branch has no new commit")),
        "open",
        "attempt 1: its branch has no new commit",
    ),
    "attempt before a restart": (
        change(attempt=attempt(outcome="done"), restarted=JO, restarted_seq=1),
        "open",
        "not started",
    ),
    "parked": (change(parked=PARKED), "waiting", "not landed: conflict in x.py"),
    "given up": (change(gave_up=Mark("r", BEFORE, "2 attempts")), "failed", "given up: 2 attempts"),
    "given up, taken by hand": (change(gave_up=JO, claim=claim()), "claimed", "bot is on it"),
    "nothing to land": (change(landing=landing("nothing")), "open", "its branch has nothing that integ lacks"),
    "rebased": (change(landing=landing()), "done", "landed on integ (rebased, bbbbbbb)"),
    "merged": (change(landing=landing("merged")), "done", "landed on integ (merged, bbbbbbb)"),
    "fast-forwarded": (change(landing=landing("fast-forwarded")), "done", "landed on integ (fast-forwarded, bbbbbbb)"),
    "seen there": (change(landing=landing("observed")), "done", "landed on integ (seen there, bbbbbbb)"),
    "landed, whatever else": (
        change(True, landing=landing(), evidence={"s": run("s", "failed")}, gave_up=JO, claim=claim()),
        "done",
        "landed on integ (rebased, bbbbbbb)",
    ),
}


@pytest.mark.parametrize("case", CASES)
def test_every_row(case: str) -> None:
    given, status, detail = CASES[case]
    found = answer("p/a", plan("p", given, header={"branch": "integ"}), facts=Facts(machine="box"))
    assert (found.status, found.detail) == (status, detail)


def test_without_an_integration_branch_it_says_merge_when_ready() -> None:
    found = answer("p/a", plan("p", change(attempt=attempt(outcome="done"))))
    assert found.detail == "committed on stoat/p/a, merge when ready"


def test_finished_work_is_not_taken_up_again() -> None:
    for given in (change(attempt=attempt(outcome="done")), change(parked=PARKED)):
        found = answer("p/a", plan("p", given, header={"branch": "integ"}))
        assert not found.ready
        assert found.readiness == "finished, waiting to land"
