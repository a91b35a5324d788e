"""The checks of a commit: which run counts, and what they come to."""

from __future__ import annotations

import itertools
import random
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stoat.observe.github.checks import OUTCOMES, check, ci, newest, settled
from stoat.plan.github import Bound

CONCLUSIONS = {
    "SUCCESS": "passed",
    "NEUTRAL": "skipped",
    "SKIPPED": "skipped",
    "FAILURE": "failed",
    "TIMED_OUT": "failed",
    "CANCELLED": "failed",
    "ACTION_REQUIRED": "failed",
    "STARTUP_FAILURE": "failed",
    "STALE": "failed",
    "GREENISH": "pending",
    None: "pending",
}
STATUSES = {name: "pending" for name in ("QUEUED", "IN_PROGRESS", "WAITING", "PENDING", "REQUESTED", "DREAMING")}
STATES = {
    "SUCCESS": "passed",
    "FAILURE": "failed",
    "ERROR": "failed",
    "PENDING": "pending",
    "EXPECTED": "pending",
    "ODD": "pending",
}


def run(
    name: str = "test",
    conclusion: str | None = "SUCCESS",
    *,
    status: str = "COMPLETED",
    started: str | None = "2026-11-30T16:00:00Z",
    id: int = 1,
    app: str | None = "github-actions",
    workflow: str | None = "CI",
) -> dict[str, Any]:
    return {
        "__typename": "CheckRun",
        "databaseId": id,
        "name": name,
        "status": status,
        "conclusion": conclusion if status == "COMPLETED" else None,
        "startedAt": started,
        "completedAt": None,
        "checkSuite": {
            "app": app and {"slug": app},
            "workflowRun": workflow and {"workflow": {"name": workflow}},
        },
    }


def status(context: str, state: str, created: str = "2026-11-30T16:00:00Z") -> dict[str, Any]:
    return {"__typename": "StatusContext", "context": context, "state": state, "createdAt": created}


@pytest.mark.parametrize("conclusion", CONCLUSIONS)
def test_every_conclusion_means_what_is_documented(conclusion: str | None) -> None:
    assert check(run(conclusion=conclusion)).outcome == CONCLUSIONS[conclusion]


@pytest.mark.parametrize("word", STATUSES)
def test_a_run_that_has_not_ended_is_pending_whatever_it_is_called(word: str) -> None:
    found = check(run(status=word))
    assert (found.outcome, found.word) == ("pending", word.lower())


@pytest.mark.parametrize("state", STATES)
def test_every_state_of_a_commit_status_means_what_is_documented(state: str) -> None:
    assert check(status("ci/lint", state)).outcome == STATES[state]


def test_a_word_that_nobody_knows_is_kept_as_it_is_and_waited_for() -> None:
    assert check(run(conclusion="GREENISH")).word == "greenish"
    assert ci([run(conclusion="GREENISH")]).verdict == "pending"


def test_every_combination_of_outcomes_has_one_verdict() -> None:
    words = {"passed": "SUCCESS", "failed": "FAILURE", "skipped": "SKIPPED", "pending": None}
    for size in range(4):
        for outcomes in itertools.product(words, repeat=size):
            found = ci([run(f"check {n}", words[outcome]) for n, outcome in enumerate(outcomes)])
            expected = next((one for one in ("failed", "pending", "passed") if one in outcomes), "none")
            assert found.verdict == expected, outcomes
            assert found.total == size
            has_ended = "pending" not in outcomes
            assert settled(found) == (expected if has_ended else None), outcomes


@pytest.mark.parametrize("contexts", [[], [run(conclusion="SKIPPED")], [run("a", "NEUTRAL"), run("b", "SKIPPED")]])
def test_nothing_but_what_was_skipped_is_no_ci(contexts: list[Any]) -> None:
    assert ci(contexts).verdict == "none"


def test_the_newest_run_counts_wherever_it_stands_in_the_list() -> None:
    old, new = (
        run(conclusion="FAILURE", started="2026-11-30T16:00:00Z", id=9),
        run(started="2026-11-30T16:00:01Z", id=2),
    )
    for contexts in ([old, new], [new, old]):
        assert ci(contexts).verdict == "passed"
        assert ci(contexts).total == 1


@pytest.mark.parametrize(
    ("one", "other", "verdict"),
    [
        (run(conclusion="FAILURE", id=1), run(id=2), "passed"),
        (run(conclusion="FAILURE", id=2), run(id=1), "failed"),
        (run(conclusion="FAILURE", id=1), run(id=2, status="QUEUED", started=None), "pending"),
        (run(id=2), run(id=1, status="QUEUED", started=None), "passed"),
        (
            run(id=1, started="2026-11-30T16:00:00.500Z"),
            run(conclusion="FAILURE", id=2, started="2026-11-30T16:00:00Z"),
            "passed",
        ),
        (run(id=7), run(conclusion="FAILURE", id=7), "failed"),
    ],
)
def test_of_two_runs_the_start_decides_then_the_id(one: Any, other: Any, verdict: str) -> None:
    assert ci([one, other]).verdict == ci([other, one]).verdict == verdict


def test_of_two_statuses_of_a_context_the_newer_counts() -> None:
    old, new = status("ci/lint", "FAILURE", "2026-11-30T15:00:00Z"), status("ci/lint", "SUCCESS")
    assert ci([old, new]).verdict == ci([new, old]).verdict == "passed"


def test_checks_of_the_same_name_by_different_producers_are_different_checks() -> None:
    contexts = [
        run("test", "FAILURE", workflow="Nightly", started="2026-11-30T10:00:00Z"),
        run("test", workflow="CI"),
        run("test", "FAILURE", app="circleci", workflow=None),
        run("lint", "FAILURE"),
        status("deploy", "ERROR"),
    ]
    found = ci(contexts)
    assert (found.passed, found.failed) == (1, 4)
    assert found.failing == ("Nightly / test", "circleci / test", "deploy", "lint")


def test_a_required_check_that_never_reported_is_waited_for() -> None:
    found = ci([run("test")], required=("test", "ci/lint"))
    assert (found.verdict, found.waiting) == ("pending", ("ci/lint",))
    assert settled(found) is None
    assert ci([], required=("test",)).verdict == "pending"
    assert ci([run("test", "FAILURE")], required=("lint",)).verdict == "failed"
    assert ci([status("ci/lint", "SUCCESS")], required=("ci/lint",)).verdict == "passed"


@pytest.mark.parametrize("contexts", [[], [run()], [run(conclusion="SKIPPED")]])
def test_what_could_not_be_read_whole_is_never_green(contexts: list[Any]) -> None:
    assert ci(contexts, complete=False).verdict == "pending"
    assert settled(ci(contexts, complete=False)) is None


@pytest.mark.parametrize("context", [None, {}, 7, {"__typename": "CheckRun"}, {"__typename": "StatusContext"}])
def test_a_check_that_is_not_shown_or_makes_no_sense_is_waited_for(context: Any) -> None:
    assert ci([run("test"), context]).verdict == "pending"


runs = st.builds(
    run,
    st.sampled_from(["test", "lint"]),
    st.sampled_from([word for word in CONCLUSIONS if word]),
    status=st.sampled_from(["COMPLETED", "QUEUED", "IN_PROGRESS"]),
    started=st.sampled_from([None, "2026-11-30T16:00:00Z", "2026-11-30T17:00:00Z"]),
    id=st.integers(1, 4),
    app=st.sampled_from([None, "github-actions"]),
    workflow=st.sampled_from([None, "CI"]),
)


@given(
    st.lists(runs | st.builds(status, st.sampled_from("ab"), st.sampled_from(list(STATES))), max_size=8), st.randoms()
)
def test_the_order_of_the_list_never_matters(contexts: list[Any], chance: random.Random) -> None:
    mixed = list(contexts)
    chance.shuffle(mixed)
    assert ci(mixed) == ci(contexts)
    found = newest(contexts)
    assert len({one.identity for one in found}) == len(found)


def test_the_table_has_every_word_of_githubs() -> None:
    assert set(OUTCOMES) == {word.lower() for word in [*CONCLUSIONS, *STATUSES, *STATES] if word} - {
        "greenish",
        "dreaming",
        "odd",
    }


def numbered(name: str, app: str, number: int, **more: Any) -> dict[str, Any]:
    found = run(name, app=app, **more)
    found["checkSuite"]["app"]["databaseId"] = number
    return found


@pytest.mark.parametrize("first", [None, "SUCCESS", "FAILURE"])
@pytest.mark.parametrize("second", [None, "SUCCESS", "FAILURE"])
@pytest.mark.parametrize("plain", [None, "SUCCESS"])
def test_a_required_check_of_one_app_is_not_met_by_anothers(
    first: str | None, second: str | None, plain: str | None
) -> None:
    contexts = [
        *([numbered("lint", "ci-a", 7, conclusion=first)] if first else []),
        *([numbered("lint", "ci-b", 8, conclusion=second)] if second else []),
        *([status("lint", plain)] if plain else []),
    ]
    found = ci(contexts, ("lint",), (Bound("lint", 7),))
    assert found.waiting == (() if first or plain else ("lint",))
    if "FAILURE" not in (first, second):
        assert found.verdict == ("passed" if first or plain else "pending")
    assert ci(contexts, ("lint",)).waiting == (() if contexts else ("lint",))


def test_what_failed_is_named_apart_and_each_name_has_its_producer() -> None:
    def red(name: str, app: str, workflow: str | None) -> dict[str, Any]:
        return run(name, "FAILURE", app=app, workflow=workflow)

    found = ci([
        red("lint", "ci-a", None), red("lint", "ci-b", None), red("test", "actions", "CI"), red("test", "other", "CI"),
        red("build", "actions", "CI"), status("docs", "FAILURE"),
    ])  # fmt: skip
    assert dict(zip(found.failing, found.producers, strict=True)) == {
        "actions / CI / test": "actions/CI", "build": "actions/CI", "ci-a / lint": "ci-a/", "ci-b / lint": "ci-b/",
        "docs": "status:docs", "other / CI / test": "other/CI",
    }  # fmt: skip
    assert list(found.failing) == sorted(found.failing)
