"""The needs of a plan that are of no node: a default branch that is red, and all that it holds."""

from __future__ import annotations

from typing import Any

from msgspec.structs import replace

from stoat.derive.answers import Answers
from stoat.plan.facts import DriftFact, Facts, RunnerFact, StopFact
from stoat.plan.github import GitHubNow, RepositoryNow
from tests.support.github_states import (
    GREEN,
    RED,
    RED_MAIN,
    REPOSITORY,
    ci,
    gh_closed,
    gh_issue,
    gh_pull,
    github_answers,
    looked,
    seen,
)
from tests.support.states import BEFORE, JO, NOW, claim, derived, node, plan, runner

RECORD = seen(
    REPOSITORY, RED_MAIN, gh_issue(9), gh_issue(12, number=8), gh_closed(14, number=10),
    gh_pull(9), gh_pull(12), gh_pull(14), gh_pull(16),
)  # fmt: skip
ALL_RED = looked({9: RED, 12: RED, 14: RED, 16: RED})


def issue(node_id: str, number: int, *deps: str, **fields: Any) -> Any:
    return node(node_id, "issue", *deps, spec={"issue": number, "repo": "o/r"}, **fields)


def pr(node_id: str, number: int) -> Any:
    return node(node_id, "pr", spec={"pr": number, "repo": "o/r"})


def main_red(answers: Answers) -> list[tuple[str, str | None, str, int]]:
    """The callouts: plan, node, what is held, how many nodes that holds up."""
    return [
        (need.plan, need.node, need.why.partition("it holds ")[2], need.holds)
        for need in answers.needs
        if need.kind == "main-red"
    ]


def test_one_red_branch_is_one_need_of_each_plan_whatever_it_holds() -> None:
    p = plan(
        "p", issue("a", 7), issue("b", 8), issue("landing", 10), pr("same", 9), node("c", "change", "a"),
        node("d", "change", "c", "landing"), node("e", "change", "b"),
    )  # fmt: skip
    q, old = plan("q", pr("other", 16)), plan("old", pr("x", 16), archived=True)
    answers = github_answers(p, q, old, record=RECORD, now=ALL_RED)
    assert main_red(answers) == [("p", None, "#9, #12, #14", 4), ("q", None, "#16", 0)]
    first = next(need for need in answers.needs if need.kind == "main-red")
    red = "main is red since 1a2b3c4 'Merge #3' (test, lint): it needs a fix there, not in a pull request; it holds "
    assert first.why.startswith(red)
    assert (first.since, first.action) == (BEFORE, f"https://github.com/o/r/commit/{RED_MAIN.red_commit}")
    cards = [answers.by_ref[f"p/{name}"] for name in ("a", "b", "landing", "same")]
    assert [card.stance for card in cards] == ["held", "held", None, "held"]
    assert answers.by_ref["p/e"].stance_why.startswith("waits on b (⏸ main is red since 1a2b3c4")
    assert not [need for need in answers.needs if need.node in ("a", "b", "landing", "same")]


def test_what_is_red_by_itself_green_or_worked_on_is_told_apart() -> None:
    p = plan("p", issue("a", 7, claim=claim()), issue("b", 8), pr("c", 16))
    now = looked({9: RED, 12: GREEN, 16: ci("failed", 0, ("build",))})
    answers = github_answers(p, record=RECORD, now=now)
    assert main_red(answers) == [("p", None, "#9", 0)]
    assert answers.by_ref["p/a"].stance == "moving"
    assert [(need.node, need.kind) for need in answers.needs if need.node] == [("b", "review"), ("c", "fix")]
    green = github_answers(p, record=seen(replace(RED_MAIN, ci="passed", failing=()), before=RECORD), now=now)
    assert main_red(green) == []


def test_two_red_branches_say_whose_they_are() -> None:
    there = seen(replace(RED_MAIN, red_commit="f" * 40), gh_pull(4, url="https://github.com/o/x/pull/4"))
    p = plan("p", issue("a", 8), node("b", "pr", spec={"pr": 4, "repo": "o/x"}))
    now = GitHubNow(at=NOW, repositories={
        "o/r": ALL_RED.repositories["o/r"],
        "o/x": RepositoryNow(seen_at=NOW, pulls={4: ALL_RED.repositories["o/r"].pulls[9]}),
    })  # fmt: skip
    answers = github_answers(p, record=RECORD, now=now, o_x=there)
    why = [(need.why[:22], need.action) for need in answers.needs if need.kind == "main-red"]
    assert why == [
        ("main of o/r is red sin", f"https://github.com/o/r/commit/{RED_MAIN.red_commit}"),
        ("main of o/x is red sin", f"https://github.com/o/x/commit/{'f' * 40}"),
    ]


def test_a_stop_that_only_a_newer_runner_knows_breaks_no_answer() -> None:
    one = runner(state="stopping", stopped=StopFact("of-a-newer-version", 1.0, 2.0, NOW))
    found = derived(plan("p", node("a", go_ahead=JO)), facts=Facts(machine="box", runners=(one,)))
    (shown,) = found.plans["p"].runners
    assert shown.stopped == "it reached a limit that this version of stoat does not know"
    assert found.needs == ()


STOPPED = StopFact("cost", 5.0, 5.0, NOW)
DRIFT = DriftFact(at=NOW, base="origin/main", behind=3, conflicts=("a.py",), commits=("1a2b3c4 Rename",))


def of_runners(*runners: RunnerFact, **header: Any) -> list[tuple[str, str | None, str, int, str]]:
    """The needs of the plan as a whole: kind, node, why, what it holds up, what settles it."""
    one = plan("p", node("a", go_ahead=JO), node("b", go_ahead=JO), header=header)
    found = derived(one, facts=Facts(machine="box", runners=runners)).needs
    return [(need.kind, need.node, need.why, need.holds, need.action) for need in found]


def test_a_limit_that_a_runner_reached_is_a_need_of_its_plan_and_a_persons_stop_is_none() -> None:
    assert of_runners(runner(state="stopping", stopped=STOPPED)) == [
        ("limit", None, "its runner stops: agents reported $5.00, the limit is $5", 2,
         "stoat run-plan p /code/x --watch"),
    ]  # fmt: skip
    for reason in ("asked", "stop-file"):
        assert of_runners(runner(state="stopping", stopped=StopFact(reason, 0.0, 0.0, NOW))) == []


def test_an_account_without_money_is_a_need_and_a_quota_that_resets_is_information() -> None:
    waits = {"state": "limited", "limited": ("a",)}
    assert of_runners(runner(**waits, limited_until=NOW)) == []
    ((kind, of, why, holds, action),) = of_runners(runner(**waits, spend="Credit balance is too low"))
    assert (kind, of, holds, action) == ("limit", None, 2, "stoat restart p/a")
    assert "Credit balance is too low" in why


def test_a_base_that_would_conflict_is_a_need_and_one_that_is_only_ahead_is_none() -> None:
    ((kind, of, why, holds, action),) = of_runners(runner(drift=DRIFT, integration="/code/x y-i"), branch="next")
    assert (kind, of, holds) == ("drift", None, 0)
    assert "would conflict in a.py" in why and "1a2b3c4 Rename" in why
    assert action == "git -C '/code/x y-i' merge origin/main"
    assert of_runners(runner(drift=replace(DRIFT, conflicts=())), branch="next") == []
    assert of_runners(runner(drift=replace(DRIFT, problem="no remote")), branch="next") == []


def test_a_runner_that_went_away_or_says_nothing_calls_nobody() -> None:
    for state in ("gone", "disconnected"):
        assert of_runners(runner(state=state, stopped=STOPPED, drift=DRIFT, spend="no money"), branch="next") == []


def test_what_two_runners_say_alike_is_said_once() -> None:
    two = [runner(runner_id=name, drift=DRIFT, checkout=f"/code/{name}") for name in ("r-1", "r-2")]
    assert len(of_runners(*two, branch="next")) == 1
