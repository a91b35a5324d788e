"""A review: every combination of a decided or undecided finding, its fix, the round and a person's word."""

from __future__ import annotations

from itertools import product
from typing import Any

import pytest
from msgspec.structs import replace

from stoat.derive.derivation import derive
from stoat.plan.facts import Facts
from stoat.plan.nodes import GATE, REVIEW
from stoat.plan.review import Review
from stoat.plan.state import NodeState, PlanState
from tests.support.states import BEFORE, JO, NOW, answer, claim, done, gate, landing, node, plan, review, run, state

ACCEPTED = {"state": "accepted", "by": "jo", "at": BEFORE, "fix": "fix"}
REJECTED = {"state": "rejected", "by": "jo", "at": BEFORE, "why": "as meant"}
SIGNED = {"signed_by": "jo", "signed_at": BEFORE}


def of(found: Review | None, *depends_on: str, **fields: Any) -> NodeState:
    return node("a", REVIEW, *depends_on, review=found, **fields)


def with_(one: str | None, two: str | None, **fields: Any) -> Review:
    """A round of two findings, each open (None), accepted or rejected."""
    made = review("Wrong lane", "Slow", **fields)
    for name, decision in (("f1", one), ("f2", two)):
        if decision:
            made = made.decided(name, **(ACCEPTED if decision == "accepted" else REJECTED))
    return made


CASES: dict[str, tuple[list[NodeState], str, str]] = {
    "nobody reviewed": ([of(None)], "open", "no review yet"),
    "held": ([of(None, claim=claim())], "claimed", "bot is on it"),
    "other evidence": ([of(None, evidence={"": run()}, landing=landing())], "open", "no review yet"),
    "findings": ([of(with_(None, None))], "findings", "2 of 2 findings to decide: f1 (Wrong lane), f2 (Slow)"),
    "one is decided": ([of(with_("rejected", None))], "findings", "1 of 2 findings to decide: f2 (Slow)"),
    "all rejected": ([of(with_("rejected", "rejected"))], "done", "2 findings decided (2 rejected)"),
    "accepted, and its fix to do": (
        [of(with_("accepted", "rejected"), "fix"), node("fix")], "fixing", "2 findings decided, 1 fix to be done: fix"
    ),
    "accepted, and its fix done": (
        [of(with_("accepted", "rejected"), "fix"), done("fix")], "done", "2 findings decided (1 mended, 1 rejected)"
    ),
    "accepted, and unlinked from its fix": (
        [of(with_("accepted", "rejected")), node("fix")], "fixing", "2 findings decided, 1 fix to be done: fix"
    ),
    "accepted, and its fix is gone": (
        [of(with_("accepted", "rejected"))], "findings",
        "1 of 2 findings to decide: f1 (Wrong lane) (the fix of f1 is no longer in the plan)",
    ),
    "nothing found": ([of(review())], "findings", "the review of integ at ccccccc found nothing: sign it off"),
    "nothing found, and nobody saw the branch": (
        [of(review(standing=None))], "findings",
        "the review at ccccccc (nobody could see whether that is on integ) found nothing: sign it off",
    ),
    "nothing found, and its worktree has a commit of its own": (
        [of(review(standing="beyond"))], "findings",
        "the review of integ at ccccccc with commits beyond it found nothing: sign it off",
    ),
    "nothing found, signed off": (
        [of(review(**SIGNED))], "done",
        "the review of integ at ccccccc found nothing, signed off by jo at 2026-11-30 11:00Z",
    ),
    "restarted since": ([of(with_("rejected", "rejected"), restarted=JO, restarted_seq=600)], "open",
                        "no review since it was restarted (round 1 was before that)"),
    "restarted before": ([of(review(**SIGNED), restarted=JO, restarted_seq=400)], "done",
                         "the review of integ at ccccccc found nothing, signed off by jo at 2026-11-30 11:00Z"),
    "a person's, marked done": (
        [of(None, spec={"assignee": "person"}, done=JO)], "done", "jo marked it done at 2026-11-30 11:00Z"
    ),
    "an agent's cannot be marked done": ([of(None, done=JO)], "open", "no review yet"),
    "a person's word does not decide findings": (
        [of(with_(None, None), spec={"assignee": "person"}, done=JO)], "findings",
        "2 of 2 findings to decide: f1 (Wrong lane), f2 (Slow)",
    ),
}  # fmt: skip


@pytest.mark.parametrize("case", CASES)
def test_every_case(case: str) -> None:
    nodes, status, detail = CASES[case]
    found = answer("p/a", plan("p", *nodes))
    assert (found.status, found.detail) == (status, detail)


def test_what_becomes_of_two_findings_and_a_fix_in_every_combination() -> None:
    for one, two, fix, signed in product((None, "accepted", "rejected"), (None, "accepted", "rejected"),
                                         ("done", "open", "gone"), (False, True)):  # fmt: skip
        nodes = [of(with_(one, two, **(SIGNED if signed else {})))]
        nodes += [done("fix")] if fix == "done" else [node("fix")] if fix == "open" else []
        accepted = "accepted" in (one, two)
        undecided = None in (one, two) or (accepted and fix == "gone")
        expected = "findings" if undecided else "fixing" if accepted and fix == "open" else "done"
        shown = answer("p/a", plan("p", *nodes))
        assert shown.status == expected, (one, two, fix, signed)
        assert not shown.ready


def test_commits_after_the_review_are_said_and_change_nothing() -> None:
    moved = {"branch_tips": {"o/r": "d" * 40}}
    signed = of(review(repo="o/r", tip="b" * 40, **SIGNED))
    shown = answer("p/a", plan("p", signed, **moved))
    assert shown.status == "done"
    assert shown.detail.endswith("11:00Z, integ moved since: reviewed at ccccccc, now at ddddddd")
    for same in ({"commit": "d" * 40}, {"tip": "d" * 40}, {"repo": "o/other"}):
        still = of(replace(signed.review, **same))  # type: ignore[type-var]
        assert "moved" not in answer("p/a", plan("p", still, **moved)).detail


def test_what_waits_for_a_review_waits_until_its_fixes_are_done() -> None:
    nodes = [of(with_("accepted", "rejected"), "fix"), node("after", "slice", "a", spec={"specs": ("F/a",)})]
    waiting = answer("p/after", plan("p", *nodes, node("fix", go_ahead=JO)))
    assert (waiting.ready, waiting.root_blocker and waiting.root_blocker.node) == (False, "fix")
    assert answer("p/after", plan("p", *nodes, done("fix"))).ready


def test_one_that_was_unlinked_from_its_fix_says_itself_what_it_waits_for() -> None:
    shown = answer("p/a", plan("p", of(with_("accepted", "rejected")), node("fix")))
    assert (shown.stance, shown.stance_why) == ("waiting", "2 findings decided, 1 fix to be done: fix")


def test_a_fix_that_passed_on_a_dirty_tree_does_not_keep_its_own_review_undone() -> None:
    dirty = gate("fix", evidence={"": run(dirty=True)})
    assert dirty.spec.kind == GATE
    nodes = [of(with_("accepted", "rejected"), "fix"), dirty]
    assert answer("p/a", plan("p", *nodes)).status == "done"
    waits = plan("p", *nodes, node("after", "slice", "fix", spec={"specs": ("F/a",)}))
    assert [answer(f"p/{name}", waits).status for name in ("fix", "a")] == ["stale", "fixing"]


@pytest.mark.parametrize("seed", range(4))
def test_looking_again_at_what_changed_gives_what_looking_at_everything_gives(seed: int) -> None:
    moments: list[PlanState] = [
        plan("p", of(None)),
        plan("p", of(with_(None, None))),
        plan("p", of(with_("accepted", None), "fix"), node("fix")),
        plan("p", of(with_("accepted", "rejected"), "fix"), node("fix")),
        plan("p", of(with_("accepted", "rejected"), "fix"), done("fix")),
        plan("p", of(with_("accepted", "rejected"), "fix"), done("fix"), branch_tip="e" * 40, moved_seq=900,
             branch_tips={"": "e" * 40}),
        plan("p", of(with_("accepted", "rejected"))),
        plan("p", of(with_("accepted", "rejected")), node("fix")),
    ]  # fmt: skip
    order = moments[seed:] + moments[:seed]
    # The same object where nothing changed, as a fold leaves it.
    shared: dict[str, NodeState] = {}
    for moment in order:
        for name, one in moment.nodes.items():
            if shared.get(name) == one:
                moment.nodes[name] = shared[name]
            shared[name] = moment.nodes[name]
    warm = None
    for moment in order:
        warm = derive(state(moment), Facts(), NOW, warm)
        cold = derive(state(moment), Facts(), NOW)
        assert (warm.by_ref, warm.needs, warm.ready) == (cold.by_ref, cold.needs, cold.ready)
