"""Whose turn it is on an open pull request: the whole space of its states, and what reviewers said."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product
from typing import Any

import pytest
from msgspec.structs import replace

from stoat.derive import mainred, pulls
from stoat.derive.pulls import Mine
from stoat.derive.turns import Turn, turn
from stoat.derive.watched import Watched
from stoat.plan.github import GitHubNow, PullNow, RepositoryNow
from tests.support.github_states import (
    GREEN,
    HEAD,
    MAIN,
    OLD,
    RED,
    RED_MAIN,
    REPOSITORY,
    RUNNING,
    ci,
    gh_pull,
    said,
    seen,
)
from tests.support.states import BEFORE

UNREPORTED = ci("pending", 1, waiting=("lint",))
CHECKS = {
    "green": GREEN, "red": RED, "running": RUNNING, "none": ci("none"), "nothing yet": ci("pending"),
    "unreported": UNREPORTED,
}  # fmt: skip
REVIEWS: dict[str, dict[str, Any]] = {
    "nothing": {}, "approved": {"review": "approved"}, "required": {"review": "review_required"},
    "changes": {"opinions": (said("bob", "changes_requested"),)},
    "older changes": {"opinions": (said("bob", "changes_requested", OLD),)},
}  # fmt: skip


MERGE_STATES = (
    "clean", "unstable", "has_hooks", "behind", "blocked", "dirty", "draft", "unknown", "a word of next year's",
)  # fmt: skip


def asked(
    fields: dict[str, Any], checks: Any, policy: Any = None, *, main: Any = MAIN, merge_state: str = "clean",
    queue: bool = False,
) -> Turn | None:  # fmt: skip
    """Whose turn it is on #9."""
    github = Watched({"o/r": seen(main, replace(REPOSITORY, queue=queue))}, GitHubNow())
    now = PullNow(head=HEAD, ci=checks, merge_state=merge_state)
    return turn([Mine("o/r", gh_pull(9, **fields), BEFORE, now)], policy, "o/r", github)


def space() -> Iterator[tuple[str, str, str, str, str, bool, bool, str | None]]:
    return product(
        ("open", "draft"), ("mergeable", "conflicting", "unknown"), MERGE_STATES, CHECKS, REVIEWS, (False, True),
        (False, True), (None, "merge-on-green"),
    )  # fmt: skip


def right(
    state: str, mergeable: str, word: str, checks: str, review: str, queued: bool, queue: bool, policy: str | None
) -> str | None:
    """The need, None while it moves by itself: the table once more, as one would say it."""
    if mergeable == "conflicting" or word == "dirty":
        return "fix"
    if queued:
        return None
    if checks == "red" or review == "changes":
        return "fix"
    if checks in ("running", "nothing yet"):
        return None
    if "draft" in (state, word):
        return "review"
    if word == "behind" and not queue:
        return "fix"
    if mergeable == "unknown":
        return None
    if checks == "unreported":
        return "merge"
    if review == "older changes":
        return "review"
    if word == "blocked" and not queue and review != "required":
        return "merge"
    if policy is None:
        return "merge" if review == "approved" else "review"
    return "merge" if checks == "none" or review != "required" else "review"


def test_the_whole_space_of_one_open_pull_request() -> None:
    for case in space():
        state, mergeable, word, checks, review, queued, queue, policy = case
        fields = {"pull_state": state, "mergeable": mergeable, "queued": queued, **REVIEWS[review]}
        found = asked(fields, CHECKS[checks], policy, merge_state=word, queue=queue)
        assert found is not None and found.why
        assert found.kind == right(*case), case
        assert bool(found.action) == (found.kind is not None)
        assert not (found.later and found.kind == "fix")
        if "can be merged ·" in found.why:
            assert mergeable == "mergeable" and (queue or word not in ("behind", "blocked")), case


@pytest.mark.parametrize(
    ("word", "fields", "why"),
    [
        ("no checks", {}, "#9 has no checks yet"),
        ("behind", {}, "#9 is behind main: bring it up to date"),
        ("clean", {"mergeable": "unknown"}, "GitHub is working out whether #9 can be merged"),
        ("blocked", {"review": "review_required"}, "#9 waits for your review · CI ✓ 6/6 · review required"),
        ("blocked", {"review": "approved"}, "GitHub does not let this token merge #9 · CI ✓ 6/6 · review: approved"),
        ("blocked", {}, "GitHub does not let this token merge #9 · CI ✓ 6/6 ("),
    ],
)
def test_what_keeps_github_from_merging_is_said(word: str, fields: dict[str, Any], why: str) -> None:
    found = asked(fields, ci("pending") if word == "no checks" else GREEN, merge_state=word)
    assert found is not None and found.why.startswith(why)


def test_a_red_main_holds_whatever_else_is_but_a_conflict_and_the_queue() -> None:
    for state, mergeable, word, review, queued in product(
        ("open", "draft"), ("mergeable", "conflicting", "unknown"), MERGE_STATES, REVIEWS, (False, True)
    ):
        fields = {"pull_state": state, "mergeable": mergeable, "queued": queued, **REVIEWS[review]}
        found = asked(fields, RED, main=RED_MAIN, merge_state=word)
        assert found is not None
        conflicts = mergeable == "conflicting" or word == "dirty"
        assert found.kind == ("fix" if conflicts else None)
        assert (found.red is not None) == (not conflicts and not queued)


@pytest.mark.parametrize(
    ("since", "link"),
    [
        ({}, f"commit/{RED_MAIN.red_commit}"), ({"red_commit": None, "red_pull": 3}, "pull/3"),
        ({"red_commit": None}, "commits/main"),
    ],
)  # fmt: skip
def test_where_main_went_red_is_linked(since: dict[str, Any], link: str) -> None:
    found = asked({}, RED, main=replace(RED_MAIN, **since))
    assert found is not None and found.red is not None
    assert found.red.link == f"https://github.com/o/r/{link}"


def test_nothing_open_is_nobodys_turn() -> None:
    for over in ("merged", "closed"):
        assert asked({"pull_state": over}, GREEN) is None


@pytest.mark.parametrize(
    ("failing", "base", "main", "whose"),
    [
        (("test",), "main", RED_MAIN, "main"), (("test", "lint"), "main", RED_MAIN, "main"),
        (("test", "build"), "main", RED_MAIN, "own"), (("build",), "main", RED_MAIN, "own"),
        ((), "main", RED_MAIN, "own"), (("test",), "net11", RED_MAIN, "own"), (("test",), "main", MAIN, "own"),
        (("test",), "main", None, "own"),
    ],
)  # fmt: skip
def test_whose_fault_a_red_pull_request_is(failing: tuple[str, ...], base: str, main: Any, whose: str) -> None:
    pull = Mine("o/r", gh_pull(9, base=base), BEFORE, PullNow(head=HEAD, ci=ci("failed", 1, failing)))
    blame = mainred.blame(pull, main)
    assert blame.whose == whose
    assert set((*blame.own, *blame.mains)) == set(failing)


PUBLISHERS = ("", "ci-a/CI", "ci-b/CI", "ci-a/Nightly", "status:lint")


@pytest.mark.parametrize("settled", [False, True])
@pytest.mark.parametrize("ours", PUBLISHERS)
@pytest.mark.parametrize("mains", PUBLISHERS)
def test_a_check_of_one_name_is_mains_only_if_one_app_and_workflow_publish_both(
    ours: str, mains: str, settled: bool
) -> None:
    red_main = replace(RED_MAIN, failing=("lint", "test"), producers=(mains, "ci-z/") if mains else ())
    producers = (ours,) if ours else ()
    if settled:  # what the cache of counts does not have any more is on record
        pull = Mine("o/r", gh_pull(9, ci="failed", failing=("CI / lint",), producers=producers), BEFORE)
    else:
        now = PullNow(head=HEAD, ci=ci("failed", 1, ("CI / lint",), producers=producers))
        pull = Mine("o/r", gh_pull(9), BEFORE, now)
    one_of = not ours or not mains or ours == mains
    assert mainred.blame(pull, red_main).whose == ("main" if one_of else "own")


APPROVED, ASKED = said("ann", "approved"), said("bob", "changes_requested")
OLD_APPROVED, OLD_ASKED = said("ann", "approved", OLD), said("bob", "changes_requested", OLD)


@pytest.mark.parametrize("decision", [None, "approved", "changes_requested", "review_required"])
@pytest.mark.parametrize("opinions", [(), (APPROVED,), (OLD_APPROVED,), (ASKED,), (OLD_ASKED,), (APPROVED, OLD_ASKED),
                                      (said("ann", "approved", None),), (said("ann", "dismissed"),)])  # fmt: skip
def test_the_review_whatever_github_decided_and_people_said(decision: Any, opinions: Any) -> None:
    found = Mine("o/r", gh_pull(9, review=decision, opinions=opinions), BEFORE).review
    asks = any(one.state == "changes_requested" for one in opinions)
    approves = any(one.state == "approved" and one.commit in (None, HEAD) for one in opinions)
    if decision in ("approved", "changes_requested"):
        assert found == decision
    elif asks:
        assert found == "changes_requested"
    else:
        assert found == (decision or ("approved" if approves else None))


def test_checks_count_for_their_head_alone() -> None:
    record = seen(gh_pull(9, ci="passed"), gh_pull(12))
    for head, verdict in ((HEAD, "failed"), (OLD, "passed")):
        now = GitHubNow(repositories={"o/r": looked_at(9, head)})
        (one,), _ = pulls.of_pr(Watched({"o/r": record}, now), "o/r", 9)
        assert (one.ci.verdict, one.counted) == (verdict, head == HEAD)
    (one,), _ = pulls.of_pr(Watched({"o/r": record}, GitHubNow()), "o/r", 12)
    assert (one.ci.verdict, one.ci.total, one.counted) == ("pending", 0, False)


def looked_at(number: int, head: str) -> RepositoryNow:
    """A repository in which one pull request's head was red."""
    return RepositoryNow(pulls={number: PullNow(head=head, ci=RED)})
