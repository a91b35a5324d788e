"""Whose turn it is, row by row; and the needs, which are the `you` cards and done nodes that could not be landed."""

from __future__ import annotations

import pytest

from stoat.derive.wording.stance import card
from stoat.plan.facts import Facts, RunnerFact
from stoat.plan.nodes import Step
from stoat.plan.state import Mark, NodeState, Parked, Question, Stuck
from tests.support.states import (
    BEFORE,
    JO,
    answer,
    attempt,
    claim,
    derived,
    done,
    gate,
    going,
    issue,
    node,
    piece,
    plan,
    review,
    run,
    runner,
)  # fmt: skip

PARKED = Parked(why="it conflicts", at=BEFORE, commit="a" * 40, files=("x.py",))
STUCK = Stuck(why="a rebase was left in it", at=BEFORE, commands=("git -C /x status",))
UNLANDED = "done, and not landed: conflict in x.py"
GAVE_UP = Mark("r-1", BEFORE, "its steps stay red")
HERE = (runner(),)
INTEG = {"branch": "integ"}
GREEN = ("F/a", "F/b")
MAKE = {"steps": (Step(id="s", run="make s"),)}

CASES: list[tuple[str, NodeState, dict[str, object], tuple[RunnerFact, ...], tuple[object, ...]]] = [
    ("done", done("a"), {}, HERE, (None, "", None, None)),
    ("archived", node("a"), {"archived": JO}, HERE, (None, "", None, None)),
    ("parked slice", piece("a", green=GREEN, parked=PARKED), {"header": INTEG}, HERE,
     (None, "", "unmergeable", "git merge integ")),
    ("parked change", node("a", parked=PARKED, attempt=attempt()), {"header": INTEG}, HERE,
     ("you", "done, and not landed: conflict in x.py", "unmergeable", "git -C /code/x-a merge integ")),
    ("parked, somebody on it", node("a", parked=PARKED, claim=claim()), {"header": INTEG}, HERE,
     ("moving", "bot is on it", None, None)),
    ("nowhere", node("a", "change", "gone"), {}, HERE,
     ("broken", "depends on `p/gone`, which does not exist", None, None)),
    ("running", gate("a", running=going()), {}, HERE, ("moving", "running since 2026-11-30 11:00Z", None, None)),
    ("held", piece("a", claim=claim(note="n")), {}, (), ("moving", "bot is on it: n", None, None)),
    ("red, somebody on it", gate("a", evidence={"": run(result="failed")}, claim=claim()), {}, HERE,
     ("moving", "bot is on it", None, None)),
    ("given up", piece("a", gave_up=GAVE_UP, tries=2), {}, HERE,
     ("you", "given up after 2 attempts: its steps stay red", "give-up", "stoat restart p/a")),
    ("its worktree cannot be used", node("a", stuck=STUCK), {}, HERE,
     ("you", "its worktree cannot be used: a rebase was left in it", "fix", "git -C /x status")),
    ("its worktree cannot be used, and no command is known", node("a", stuck=Stuck(why="why", at=BEFORE)), {}, HERE,
     ("you", "its worktree cannot be used: why", "fix", "stoat restart p/a")),
    ("its worktree cannot be used, and somebody is on it", node("a", stuck=STUCK, claim=claim()), {}, HERE,
     ("moving", "bot is on it", None, None)),
    ("given up on, in a worktree that cannot be used", piece("a", gave_up=GAVE_UP, tries=2, stuck=STUCK), {}, HERE,
     ("you", "given up after 2 attempts: its steps stay red", "give-up", "stoat restart p/a")),
    ("done elsewhere, in spite of its worktree", piece("a", green=GREEN, stuck=STUCK), {}, HERE,
     (None, "", None, None)),
    ("finished, to merge", node("a", attempt=attempt(outcome="done", exited_at=BEFORE)), {}, HERE,
     ("you", "committed on stoat/p/a, merge when ready", "merge", "git -C /code/x merge stoat/p/a")),
    ("finished, no checkout known", node("a", attempt=attempt(outcome="done")), {}, (),
     ("you", "committed on stoat/p/a, merge when ready", "merge", "git merge stoat/p/a")),
    ("finished, to land", node("a", attempt=attempt(outcome="done")), {"header": INTEG}, HERE,
     ("moving", "finished, its runner lands it on integ", None, None)),
    ("finished by hand, to land", node("a", spec=MAKE, evidence={"s": run("s")}), {"header": INTEG}, HERE,
     ("held", "its step passed, worked by hand: a runner lands it on integ if its branch stoat/p/a is here", None,
      None)),
    ("finished by hand, to merge", node("a", spec=MAKE, evidence={"s": run("s")}), {}, HERE,
     ("you", "its step passed, worked by hand: merge when ready", "merge", "git -C /code/x merge stoat/p/a")),
    ("finished, nobody lands it", node("a", attempt=attempt(outcome="done")), {"header": INTEG}, (),
     ("held", "no runner: stoat run-plan p CHECKOUT --watch", None, None)),
    ("red", gate("a", evidence={"": run(result="failed", exit_code=1)}), {}, HERE,
     ("broken", "failed: failed (exit 1)", None, None)),
    ("mismatch",
     node("a", "test-run-gate", spec={"steps": (Step(id="s", run="make"),)}, evidence={"s": run("s", command=("x",))}),
     {}, HERE, ("broken", "mismatch: step s ran another command: `x`, declared is `make` · 1✗", None, None)),
    ("a person's step", node("a", "person"), {}, (), ("you", "a step of yours", "person", "stoat done p/a")),
    ("a person's gate", node("a", "test-run-gate", spec={"assignee": "person"}), {}, (),
     ("you", "a step of yours", "person", "stoat gate exec p/a -- COMMAND")),
    ("a person's gate with steps",
     node("a", "test-run-gate", spec={"assignee": "person", "steps": (Step(id="s"),)}), {}, (),
     ("you", "a step of yours", "person", "stoat gate run p/a")),
    ("a person's slice", node("a", "slice", spec={"assignee": "person", "specs": GREEN}), {}, (),
     ("you", "a step of yours", "person", "stoat runs add RESULTS.xml --tag p/a")),
    ("a person's change", node("a", spec={"assignee": "person"}), {}, (),
     ("you", "a step of yours", "person", "stoat claim p/a")),
    ("go-ahead", issue("a"), {}, (), ("you", "awaits your go-ahead", "go-ahead", "stoat approve p/a")),
    ("go-ahead of a plan", node("a"), {"header": {"go_ahead": "plan"}}, (),
     ("you", "awaits your go-ahead", "go-ahead", "stoat approve p")),
    ("not filed", issue("a", number=None), {}, HERE,
     ("waiting", "not filed as an issue yet: bind it with `stoat node bind p/a --issue N`", None, None)),
    ("cloud", piece("a", cloud=JO), {}, HERE,
     ("you", "kept for a cloud agent: start one, claiming the node for it", "cloud", "stoat claim p/a")),
    ("cloud, of a kind that no runner hands over", piece("a", cloud=JO), {}, (runner(cloud="actions"),),
     ("you", "kept for a cloud agent: start one, claiming the node for it", "cloud", "stoat claim p/a")),
    ("a review", node("a", "review"), {}, HERE, ("moving", "its runner launches it next", None, None)),
    ("a person's review", node("a", "review", spec={"assignee": "person"}), {}, (),
     ("you", "a step of yours", "person", "stoat done p/a")),
    ("findings", node("a", "review", review=review("Wrong lane", seq=5)), {}, HERE,
     ("you", "1 of 1 finding to decide: f1 (Wrong lane)", "findings", "stoat review list p/a")),
    ("findings, held", node("a", "review", review=review("Wrong lane", seq=5), claim=claim()), {}, HERE,
     ("you", "1 of 1 finding to decide: f1 (Wrong lane)", "findings", "stoat review list p/a")),
    ("nothing found", node("a", "review", review=review(seq=5)), {}, HERE,
     ("you", "the review of integ at ccccccc found nothing: sign it off", "findings", "stoat review list p/a")),
    ("being judged", piece("a", attempt=attempt()), {}, HERE,
     ("moving", "its last attempt is not judged yet", None, None)),
    ("never judged", piece("a", attempt=attempt()), {}, (), ("held", "its last attempt is not judged yet", None, None)),
    ("next", piece("a"), {}, HERE, ("moving", "its runner launches it next", None, None)),
    ("paused", piece("a"), {}, (runner(state="paused", paused_by="jo"),), ("held", "runner paused by jo", None, None)),
    ("no slot", piece("a"), {}, (runner(parallel=0),), ("held", "waiting for a slot (0/0 in use)", None, None)),
    ("to be observed", node("a", "publish", spec={"package": "F"}), {}, HERE,
     ("waiting", "no sweep has looked for F on nuget.org yet", None, None)),
]  # fmt: skip


@pytest.mark.parametrize(("name", "given", "more", "runners", "expected"), CASES, ids=[case[0] for case in CASES])
def test_every_row(
    name: str, given: NodeState, more: dict[str, object], runners: tuple[RunnerFact, ...], expected: tuple[object, ...]
) -> None:
    answers = derived(plan("p", given, **more), facts=Facts(runners=runners))
    found = answers.by_ref["p/a"]
    need = answers.needs[0] if answers.needs else None
    assert (found.stance, found.stance_why, need and need.kind, need and need.action) == expected
    assert need is None or (need.why == (found.stance_why or UNLANDED) and need.node == "a")


def test_a_question_comes_first_and_its_command_answers_the_oldest() -> None:
    questions = {
        "q-1": Question(id="q-1", node="a", question="old?", asked_by="bot", at=BEFORE, state="answered"),
        "q-2": Question(id="q-2", node="a", question="Which parser?", asked_by="bot", at=BEFORE),
        "q-3": Question(id="q-3", node="a", question="And now?", asked_by="bot", at=BEFORE),
    }
    asking = piece("a", open_questions=2, claim=claim(), gave_up=GAVE_UP)
    answers = derived(plan("p", asking, questions=questions))
    assert answers.by_ref["p/a"].stance == "you"
    (need,) = answers.needs
    assert (need.kind, need.action, need.why) == ("question", "stoat answer q-2 TEXT", "bot asks: Which parser?")


def test_a_claim_whose_agent_is_dead_is_broken_until_the_lease_runs_out() -> None:
    held = piece("a", claim=claim(), attempt=attempt())
    dead = Facts(machine="box", dead=frozenset({"agent"}))
    found = answer("p/a", plan("p", held), facts=dead)
    assert found.stance == "broken"
    assert found.stance_why == "the agent of bot is gone, its claim runs until 2026-11-30 12:30Z"
    assert found.claim is not None
    other = piece("a", claim=claim(id="c-2"), attempt=attempt())
    assert answer("p/a", plan("p", other), facts=dead).stance == "moving"


def test_a_waiting_card_names_its_root_blocker_across_plans() -> None:
    sdk = plan("sdk", issue("p0-sdk"), piece("take", "p0-sdk"))
    mine = plan("mine", piece("a", "sdk/take"), piece("b", "a"))
    found = answer("mine/b", sdk, mine)
    assert found.stance == "waiting"
    assert found.stance_why == "waits on sdk/p0-sdk (✋ your go-ahead)"
    assert found.waits_on[0].node == "a" and found.waits_on[0].why == "○ waiting on its dependencies"
    assert found.root_blocker is not None
    assert (found.root_blocker.plan, found.root_blocker.node) == ("sdk", "p0-sdk")
    assert answer("sdk/take", sdk, mine).stance_why == "waits on p0-sdk (✋ your go-ahead)"


def test_of_several_blockers_it_names_the_one_that_something_must_be_done_about() -> None:
    held, moving, yours = piece("h"), piece("m", claim=claim()), issue("y")
    red = gate("r", evidence={"": run(result="failed")})
    names = {"y": yours, "r": red, "h": held, "m": moving}
    order = list(names)
    for cut in range(len(order)):
        left = order[cut:]
        found = answer("p/z", plan("p", *names.values(), piece("z", *left[::-1])))
        assert found.root_blocker is not None and found.root_blocker.node == left[0]


def test_needs_are_ranked_by_what_each_holds_and_ties_keep_the_plans_order() -> None:
    other = plan("o", issue("z"), piece("z1", "z"))
    mine = plan("p", issue("a"), issue("b"), issue("c"), piece("x", "b"), piece("y", "x", "o/z1"))
    found = [(need.plan, need.node, need.holds) for need in derived(other, mine).needs]
    assert found == [("o", "z", 2), ("p", "b", 2), ("p", "a", 0), ("p", "c", 0)]


def test_done_work_that_is_not_landed_holds_what_builds_on_it() -> None:
    parked = piece("a", green=GREEN, parked=PARKED)
    (need,) = derived(plan("p", parked, piece("b", "a"), piece("c", "b"), header=INTEG)).needs
    assert (need.kind, need.holds) == ("unmergeable", 2)


def test_a_circle_is_broken_and_everything_behind_it_says_so() -> None:
    one = plan("one", piece("a", "two/b"), piece("after", "a"))
    two = plan("two", piece("b", "one/a"))
    found = derived(one, two).by_ref
    assert found["one/a"].stance == found["two/b"].stance == "broken"
    assert found["one/a"].readiness == "waits for itself: one/a → two/b → one/a"
    assert "stoat node unlink one/a --on two/b" in found["one/a"].stance_why
    assert found["one/after"].stance == "waiting"
    assert found["one/after"].stance_why.startswith("waits on a (⨯ waits for itself: one/a → two/b → one/a")
    assert not any(one.ready for one in found.values())


def test_a_node_that_waits_for_itself_alone_is_a_circle_too() -> None:
    found = answer("p/a", plan("p", piece("a", "a")))
    assert found.readiness == "waits for itself: p/a → p/a"
    assert found.stance == "broken"


@pytest.mark.parametrize(
    ("given", "more", "said"),
    [
        (done("a"), {}, "jo marked it done at 2026-11-30 11:00Z"),
        (node("a", "change", "gone"), {}, "depends on `p/gone`, which does not exist"),
        (gate("a", evidence={"": run(result="failed", exit_code=1)}), {}, "failed (exit 1)"),
        (gate("a", running=going()), {}, "running since 2026-11-30 11:00Z"),
        (gate("a", running=going(), claim=claim()), {}, "running since 2026-11-30 11:00Z"),
        (piece("a", gave_up=GAVE_UP, tries=2), {}, "given up after 2 attempts: its steps stay red"),
        (node("a", attempt=attempt(outcome="done")), {"header": INTEG}, "finished, its runner lands it on integ"),
    ],
)  # fmt: skip
def test_a_card_says_why_it_stands_so_unless_its_detail_says_that_and_more(
    given: NodeState, more: dict[str, object], said: str
) -> None:
    facts = Facts(machine="box", runners=HERE)
    assert card(answer("p/a", plan("p", given, **more), facts=facts)) == said
