"""Issues, situation by situation: one right status each, whose turn it is, whether it is ready, and the words."""

from __future__ import annotations

from typing import Any, NamedTuple

import pytest
from msgspec import json
from msgspec.structs import replace

from stoat.derive.wording.stance import card
from stoat.plan.facts import Facts
from stoat.plan.github import Ci, GitHubNow, GitHubState, Link, PullNow, Repository, RepositoryNow
from stoat.plan.state import Mark, NodeState
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
    gh_closed,
    gh_issue,
    gh_pull,
    github_answer,
    github_answers,
    hidden,
    looked,
    said,
    seen,
)
from tests.support.states import BEFORE, JO, LATER, NOW, claim, done, issue, node, plan, runner

BRANCH = "stoat/p/a"
PR = "https://github.com/o/r/pull/9"
GO = {"go_ahead": JO}
EARLIER = "2026-11-30T10:00:00.000Z"
THREE_HOURS_AGO = "2026-11-30T09:00:00.000Z"


class Case(NamedTuple):
    """A situation, and what is right of it: status, stance, kind of need, ready, and a piece of the detail."""

    record: GitHubState | None
    now: GitHubNow
    status: str
    stance: str | None
    need: str | None
    ready: bool
    detail: str
    given: NodeState = issue("a", **GO)


def case(
    facts: tuple[Any, ...], right: tuple[str, str | None, str | None, bool, str], *, now: GitHubNow | None = None,
    given: NodeState | None = None,
) -> Case:  # fmt: skip
    record = seen(REPOSITORY, MAIN, *facts)
    return Case(record, now or looked(), *right, given or issue("a", **GO))


def pulled(
    right: tuple[str | None, str | None, str], checks: Ci | PullNow | None = GREEN, merge: str | None = None,
    **fields: Any,
) -> Case:  # fmt: skip
    """An open issue with #9 open, and its checks."""
    stance, need, detail = right
    spec = {"issue": 7, "repo": "o/r", **({"merge": merge} if merge else {})}
    return case(
        (gh_issue(9), gh_pull(9, **fields)), ("pr-open", stance, need, True, detail),
        now=looked({9: checks} if checks is not None else {}), given=node("a", "issue", spec=spec, **GO),
    )  # fmt: skip


ON_GREEN = "merge-on-green"
SITUATIONS = {
    # open, and nothing else
    "open": case((gh_issue(),), ("open", "held", None, True, "open")),
    "open, no go-ahead": case((gh_issue(),), ("open", "you", "go-ahead", True, "open"), given=issue("a")),
    "open, held by an agent": case(
        (gh_issue(),), ("claimed", "moving", None, True, "bot is on it"), given=issue("a", claim=claim())
    ),
    "open, in another case of the name": case(
        (gh_issue(),), ("open", "held", None, True, "open"),
        given=node("a", "issue", spec={"issue": 7, "repo": "O/R"}, **GO),
    ),
    "reopened": case((gh_issue(reason="reopened"),), ("open", "held", None, True, "reopened")),
    "reopened after its merge": case(
        (gh_issue(9, reason="reopened"), gh_pull(9, "merged")),
        ("open", "held", None, True, "reopened, though #9 was merged"),
    ),
    # kept for a person
    "a person's": case(
        (gh_issue(),), ("open", "you", "person", True, "open"),
        given=node("a", "issue", spec={"issue": 7, "repo": "o/r", "assignee": "person"}),
    ),
    "a person's, split, one sub-issue open": case(
        (gh_issue(children=2, children_open=1),), ("open", "you", "person", True, "open"),
        given=node("a", "issue", spec={"issue": 7, "repo": "o/r", "assignee": "person"}),
    ),
    "a person's, split, all sub-issues closed": case(
        (gh_issue(children=2),), ("open", "you", "person", True, "all its sub-issues are closed: close #7"),
        given=node("a", "issue", spec={"issue": 7, "repo": "o/r", "assignee": "person"}),
    ),
    "a person's, split, all sub-issues closed, held": case(
        (gh_issue(children=2),), ("claimed", "moving", None, True, "bot is on it"),
        given=node("a", "issue", spec={"issue": 7, "repo": "o/r", "assignee": "person"}, claim=claim()),
    ),
    "an agent's, split, all sub-issues closed": case((gh_issue(children=2),), ("open", "held", None, True, "open")),
    # closed
    "closed": case((gh_closed(),), ("done", None, None, False, "closed (completed) at 2026-11-30 11:00Z")),
    "closed by its pull request": case(
        (gh_closed(9, by=9), gh_pull(9, "merged")), ("done", None, None, False, "closed (completed) by #9 at")
    ),
    "not planned": case((gh_closed(reason="not_planned"),), ("done", None, None, False, "closed as not planned")),
    "duplicate": case((gh_closed(reason="duplicate"),), ("done", None, None, False, "closed as a duplicate")),
    "closed for no reason": case((gh_closed(reason=None),), ("done", None, None, False, "closed at")),
    "closed, held": case((gh_closed(),), ("done", None, None, False, "closed"), given=issue("a", claim=claim())),
    "closed by hand, its pull request open": case(
        (gh_closed(9), gh_pull(9)), ("done", None, "review", False, "landing #9 · closed (completed)"),
        now=looked({9: GREEN}),
    ),
    "closed, a draft open": case(
        (gh_closed(9), gh_pull(9, "draft")), ("done", None, "review", False, "landing #9 · closed"),
        now=looked({9: GREEN}),
    ),
    "closed, a pull request red": case(
        (gh_closed(9), gh_pull(9)), ("done", None, "fix", False, "landing #9"), now=looked({9: RED})
    ),
    "closed, a pull request closed": case(
        (gh_closed(9), gh_pull(9, "closed")), ("done", None, None, False, "closed (completed)")
    ),
    "closed, deleted since": case(
        (gh_closed(), hidden("deleted", 7)), ("done", None, None, False, "not seen any more since"),
    ),
    "closed, its repository gone": case((gh_closed(), hidden("missing")), ("done", None, None, False, "closed")),
    "closed, GitHub away": case(
        (gh_closed(),), ("done", None, None, False, "closed"), now=looked(problem="GitHub could not be reached")
    ),
    "accepted as partial": case(
        (gh_issue(9), gh_pull(9, "merged")), ("done", None, None, False, "jo accepted it as partial"),
        given=issue("a", partial_accepted=JO),
    ),
    "accepted as partial, its pull request open": case(
        (gh_issue(9), gh_pull(9)), ("done", None, "review", False, "landing #9 · jo accepted it as partial"),
        now=looked({9: GREEN}), given=issue("a", partial_accepted=JO),
    ),
    # an open pull request
    "green, nobody reviewed": pulled(("you", "review", "#9 open · CI ✓ 6/6")),
    "green and approved": pulled(("you", "merge", "review: approved"), review="approved"),
    "approved by somebody, no review asked for": pulled(
        ("you", "merge", "· approved by bob"), opinions=(said("bob", "approved"),)
    ),
    "approved on an older commit": pulled(
        ("you", "review", "approved by bob at 0000000, an older commit"), opinions=(said("bob", "approved", OLD),)
    ),
    "changes requested": pulled(("you", "fix", "review: changes requested"), review="changes_requested"),
    "changes requested, no decision of GitHub's": pulled(
        ("you", "fix", "· changes requested by bob"),
        opinions=(said("ada", "approved"), said("bob", "changes_requested")),
    ),
    "changes requested, pushed to since": pulled(
        ("you", "review", "by bob at 0000000, an older commit"), opinions=(said("bob", "changes_requested", OLD),)
    ),
    "a request for changes that was dismissed": pulled(
        ("you", "review", "#9 open · CI ✓ 6/6"), opinions=(said("bob", "dismissed"),)
    ),
    "a review required": pulled(("you", "review", "review required"), review="review_required"),
    "red": pulled(("you", "fix", "CI ✕ 1 failed (test)"), RED),
    "red, and approved": pulled(("you", "fix", "CI ✕ 1 failed (test) · review: approved"), RED, review="approved"),
    "running": pulled(("moving", None, "CI ○ 2/6"), RUNNING),
    "nothing reported yet": pulled(("moving", None, "CI has not reported yet"), ci("pending")),
    "nobody looked at its checks yet": pulled(("moving", None, "CI has not reported yet"), None),
    "settled on record, no counts": pulled(("you", "review", "#9 open · CI ✓"), None, ci="passed"),
    "red on record, no counts": pulled(("you", "fix", "CI ✕ 1 failed (test)"), None, ci="failed", failing=("test",)),
    "checks of an older head": pulled(
        ("moving", None, "CI has not reported yet"), PullNow(head=OLD, ci=GREEN, merge_state="clean")
    ),
    "no CI": pulled(("you", "review", "no CI"), ci("none")),
    "no CI, merge-on-green": pulled(("you", "merge", "no CI"), ci("none"), merge=ON_GREEN),
    "green, merge-on-green": pulled(("you", "merge", "CI ✓ 6/6"), merge=ON_GREEN),
    "merge-on-green, a review required": pulled(("you", "review", "review required"), merge=ON_GREEN,
                                                review="review_required"),
    "a required check never reported": pulled(
        ("you", "merge", "CI ○ 5/5, not reported: lint"), ci("pending", 5, waiting=("lint",))
    ),
    "a required check not reported, others run": pulled(
        ("moving", None, "not reported: lint"), ci("pending", 2, pending=3, waiting=("lint",))
    ),
    "conflict": pulled(("you", "fix", "conflicts with main"), mergeable="conflicting"),
    "conflict, and red": pulled(("you", "fix", "conflicts with main · CI ✕ 1 failed (test)"), RED,
                                mergeable="conflicting"),
    "conflict, one check green": pulled(("you", "fix", "#9 open · conflicts with main · CI ✓ 1/1"), ci(passed=1),
                                        mergeable="conflicting"),
    "not known whether it conflicts": pulled(("moving", None, "not known yet whether it conflicts with main"),
                                             mergeable="unknown"),
    "behind": pulled(("you", "fix", "behind main"), PullNow(head=HEAD, ci=GREEN, merge_state="behind")),
    "queued": pulled(("moving", None, "in the merge queue"), queued=True),
    "draft": pulled(("you", "review", "#9 draft"), pull_state="draft"),
    "draft, running": pulled(("moving", None, "#9 draft"), RUNNING, pull_state="draft"),
    "an agent is on a red one": case(
        (gh_issue(9), gh_pull(9)), ("pr-open", "moving", None, True, "CI ✕ 1 failed (test)"),
        now=looked({9: RED}), given=issue("a", claim=claim(), **GO),
    ),
    "two open": case(
        (gh_issue(9, 12), gh_pull(9), gh_pull(12)), ("pr-open", "you", "merge", True, "#12 open"),
        now=looked({9: GREEN, 12: GREEN}),
    ),
    "one open, one merged": case(
        (gh_issue(9, 8), gh_pull(9), gh_pull(8, "merged")), ("pr-open", "you", "review", True, "#9 open"),
        now=looked({9: GREEN}),
    ),
    "one open, one closed": case(
        (gh_issue(9, 8), gh_pull(9), gh_pull(8, "closed")), ("pr-open", "you", "review", True, "#9 open"),
        now=looked({9: GREEN}),
    ),
    "its branch, and no keyword": case(
        (gh_issue(), gh_pull(9, head_branch=BRANCH)), ("pr-open", "you", "review", True, "#9 open"),
        now=looked({9: GREEN}),
    ),
    "a fork's branch with its name": case(
        (gh_issue(), gh_pull(9, head_branch=BRANCH, fork=True)), ("open", "held", None, True, "open")
    ),
    "a fork's that closes it": case(
        (gh_issue(9), gh_pull(9, fork=True, head_repo_owner=None)), ("pr-open", "you", "review", True, "#9 open"),
        now=looked({9: GREEN}),
    ),
    "into another branch, by its text": case(
        (gh_issue(Link("o/r", 9, "body")), gh_pull(9, base="net11")),
        ("pr-open", "you", "review", True, "#9 open · CI ✓ 6/6"), now=looked({9: GREEN}),
    ),
    # merged, and the issue open
    "merged into another branch": case(
        (gh_issue(Link("o/r", 9, "body")), gh_pull(9, "merged", base="net11")),
        ("open", "you", "person", False, "#9 was merged into net11, and GitHub closes an issue only by a merge into"),
    ),
    "merged into the default branch": case(
        (gh_issue(), gh_pull(9, "merged", head_branch=BRANCH)),
        ("open", "you", "partial", False, "#9 was merged into main, and #7 is open all the same"),
    ),
    "merged before a restart": case(
        (gh_issue(), gh_pull(9, "merged", head_branch=BRANCH)),
        ("open", "held", None, True, "open · #9 ended before its restart"),
        given=issue("a", restarted=Mark("jo", NOW), **GO),
    ),
    # abandoned
    "abandoned": case(
        (gh_issue(9), gh_pull(9, "closed")), ("abandoned", "broken", None, True, "#9 was closed without merging"),
    ),
    "abandoned twice": case(
        (gh_issue(9, 8), gh_pull(9, "closed"), gh_pull(8, "closed", closed_at=EARLIER)),
        ("abandoned", "broken", None, True, "#9 and #8 were closed without merging"),
    ),
    "abandoned, no go-ahead": case(
        (gh_issue(9), gh_pull(9, "closed")), ("abandoned", "you", "go-ahead", True, "#9 was closed"),
        given=issue("a"),
    ),
    "abandoned, taken up again": case(
        (gh_issue(9), gh_pull(9, "closed")), ("abandoned", "moving", None, True, "#9 was closed"),
        given=issue("a", claim=claim(), **GO),
    ),
    "abandoned before a restart": case(
        (gh_issue(9), gh_pull(9, "closed")), ("open", "held", None, True, "open · #9 ended before its restart"),
        given=issue("a", restarted=Mark("jo", NOW), **GO),
    ),
    "a linked pull request that nobody read": case((gh_issue(99),), ("open", "held", None, True, "open")),
    # what cannot be seen
    "not swept yet": Case(None, GitHubNow(), "unknown", "held", None, True,
                          "no GitHub sweep has seen o/r#7 yet (`stoat sweep` looks)"),
    "not there": case((hidden("missing", 7),), ("missing", "broken", None, False, "GitHub shows no o/r#7")),
    "a pull request's number": case(
        (hidden("other-kind", 7),),
        ("missing", "broken", None, False, "o/r#7 is a pull request, not an issue; bind the node to an issue ("),
    ),
    "deleted": case(
        (gh_issue(), hidden("deleted", 7)),
        ("missing", "broken", None, False, "or take it out of the plan (since 2026-11-30 11:00Z, last seen open)"),
    ),
    "seen again": case((gh_issue(), hidden("missing", 7), gh_issue()), ("open", "held", None, True, "open")),
    "transferred": case(
        (gh_issue(), hidden("transferred", 7, to="o/x#3")),
        ("unknown", "broken", None, True, "o/r#7 was transferred to o/x#3; name o/x#3 in the plan instead"),
    ),
    "no permission": case(
        (gh_issue(), hidden("forbidden", 7, detail="Resource not accessible by personal access token")),
        ("unknown", "broken", None, True, "may not read o/r#7: Resource not accessible by personal access token; see"),
    ),
    "no such repository": Case(
        seen(hidden("missing")), looked(), "missing", "broken", None, False, "GitHub shows no o/r: it does not exist"
    ),
    "its repository is not shown any more": case(
        (gh_issue(), hidden("missing")),
        ("unknown", "broken", None, True, "GitHub does not show o/r any more: it is gone, or this token may not"),
    ),
    "its repository deleted": case((gh_issue(), hidden("deleted")), ("missing", "broken", None, False, "was deleted")),
    "its repository blocked": case(
        (gh_issue(), hidden("blocked")), ("unknown", "broken", None, True, "GitHub has blocked o/r")
    ),
    "its repository forbidden": case(
        (gh_issue(), hidden("forbidden", detail="SAML")),
        ("unknown", "broken", None, True, "this token may not read o/r: SAML; see that the name is right and"),
    ),
    "its repository unreadable just now": case(
        (gh_issue(9), gh_pull(9)),
        ("unknown", "broken", None, True, "last seen 3h ago, open, with #9; GitHub could not be reached"),
        now=looked(seen_at=THREE_HOURS_AGO, problem="GitHub could not be reached"),
    ),
    "no token": case(
        (gh_issue(),), ("unknown", "broken", None, True, "last seen 3h ago, open; no token (set GH_TOKEN)"),
        now=replace(looked(seen_at=THREE_HOURS_AGO), problem="no token", fix="set GH_TOKEN"),
    ),
    "no token, and never seen": Case(
        None, GitHubNow(at=NOW, problem="no token", fix="set GH_TOKEN"), "unknown", "broken", None, True,
        "o/r#7 was never seen; no token (set GH_TOKEN)",
    ),
    "a limit after it was read": case(
        (gh_issue(),), ("open", "held", None, True, "open"), now=replace(looked(), problem="a limit")
    ),
    "unreadable, held": case(
        (gh_issue(),), ("claimed", "moving", None, True, "bot is on it · last seen"),
        now=looked(seen_at=THREE_HOURS_AGO, problem="away"), given=issue("a", claim=claim()),
    ),
    "read by another machine": Case(
        seen(REPOSITORY, MAIN, gh_issue()), GitHubNow(), "open", "held", None, True, "open"
    ),
    "renamed": Case(
        seen(Repository(name="o/new", default_branch="main"), MAIN, gh_issue()), looked(), "open", "held", None, True,
        "open · its repository is o/new now",
    ),
    "not filed": Case(None, GitHubNow(), "unrealized", "waiting", None, True, "no issue is filed for it yet",
                      issue("a", number=None)),
}  # fmt: skip


@pytest.mark.parametrize("name", SITUATIONS)
def test_every_situation(name: str) -> None:
    of = SITUATIONS[name]
    answers = github_answers(plan("p", of.given), record=of.record, now=of.now)
    found = answers.by_ref["p/a"]
    needs = [need.kind for need in answers.needs]
    assert of.detail in found.detail
    assert (found.status, found.stance, found.ready) == (of.status, of.stance, of.ready)
    assert needs == ([of.need] if of.need else [])
    assert all(need.action and need.why for need in answers.needs)


def test_an_issue_that_moved_is_followed_where_it_was_seen() -> None:
    record = seen(REPOSITORY, MAIN, gh_issue(), hidden("transferred", 7, to="o/x#3"))
    there = seen(Repository(name="o/x"), gh_closed(number=3, url="https://github.com/o/x/issues/3"))
    found = github_answer("p/a", plan("p", issue("a")), record=record, now=looked(), o_x=there)
    assert (found.status, found.url) == ("done", "https://github.com/o/x/issues/3")
    assert found.detail == "closed (completed) at 2026-11-30 11:00Z · transferred to o/x#3"


def test_a_token_that_is_refused_is_named_with_its_fix() -> None:
    now = replace(looked(problem="the token is refused", seen_at=THREE_HOURS_AGO), problem="the token is refused")
    now = replace(now, fix="gh auth login")
    found = github_answer("p/a", plan("p", issue("a")), record=seen(REPOSITORY, MAIN, gh_issue()), now=now)
    assert found.detail == "last seen 3h ago, open; the token is refused (gh auth login)"


def test_what_github_says_of_something_missing_is_not_said_twice() -> None:
    record = seen(REPOSITORY, hidden("missing", 7, detail="Could not resolve to an Issue with the number of 7."))
    assert "Could not" not in github_answer("p/a", plan("p", issue("a")), record=record, now=looked()).detail


def test_two_issues_that_point_at_each_other_end() -> None:
    record = seen(hidden("transferred", 7, to="o/r#8"), hidden("transferred", 8, to="o/r#7"))
    assert github_answer("p/a", plan("p", issue("a")), record=record, now=looked()).status == "unknown"


def test_a_pull_request_in_another_repository_closes_it_too() -> None:
    record = seen(REPOSITORY, MAIN, gh_issue(Link("O/X", 4, "closes")))
    there = seen(gh_pull(4, url="https://github.com/o/x/pull/4"))
    found = github_answer("p/a", plan("p", issue("a")), record=record, now=looked({4: GREEN}, name="o/x"), o_x=there)
    assert (found.status, found.detail) == ("pr-open", "O/X#4 open · CI ✓ 6/6")
    assert found.prs[0].repo == "O/X"


def test_a_pull_request_whose_repository_cannot_be_read_says_so() -> None:
    record = seen(REPOSITORY, MAIN, gh_issue(Link("o/x", 4, "closes")))
    now = GitHubNow(at=NOW, repositories={
        "o/r": RepositoryNow(seen_at=NOW), "o/x": RepositoryNow(seen_at=BEFORE, problem="no access")})  # fmt: skip
    found = github_answer("p/a", plan("p", issue("a")), record=record, now=now, o_x=seen(gh_pull(4)))
    assert found.detail.endswith("o/x cannot be read: no access")


def test_what_depends_on_a_done_issue_waits_until_its_pull_request_ended() -> None:
    of = plan("p", issue("a"), node("b", "change", "a", **GO), node("c", "change", "b"))
    answers = github_answers(of, record=seen(REPOSITORY, MAIN, gh_closed(9), gh_pull(9)), now=looked({9: GREEN}))
    first, second = answers.by_ref["p/a"], answers.by_ref["p/b"]
    assert (first.status, first.ready, first.unblocks) == ("done", False, 2)
    assert (second.ready, second.readiness, second.stance) == (False, "waiting on `a`", "waiting")
    assert second.waits_on[0].why == "done · landing #9"
    assert second.stance_why == "waits on a (done · landing #9)"
    assert answers.plans["p"].done == 1
    (need,) = [need for need in answers.needs if need.node == "a"]
    assert (need.kind, need.holds, need.action) == ("review", 2, PR)
    for ended in ("merged", "closed"):
        over = github_answers(of, record=seen(REPOSITORY, MAIN, gh_closed(9), gh_pull(9, ended)), now=looked())
        assert over.by_ref["p/b"].ready


def test_a_review_waits_for_the_dependencies_and_a_fix_does_not() -> None:
    of = plan("p", node("b", "change"), issue("a", "b"))
    record = seen(REPOSITORY, MAIN, gh_issue(9), gh_pull(9))
    assert github_answer("p/a", of, record=record, now=looked({9: GREEN})).stance == "waiting"
    assert github_answer("p/a", of, record=record, now=looked({9: RED})).stance == "you"


def test_how_old_the_last_facts_are_is_said_anew_when_it_changes() -> None:
    record = seen(REPOSITORY, MAIN, gh_issue())
    now = looked(seen_at="2026-11-30T11:58:30.000Z", problem="away")
    of = plan("p", issue("a", **GO))
    answers = github_answers(of, record=record, now=now)
    assert answers.by_ref["p/a"].detail == "last seen 1 min ago, open; away"
    assert answers.until == "2026-11-30T12:00:30.000Z"
    assert github_answer("p/a", of, record=record, now=now, at="2026-11-30T12:00:30.000Z").detail.startswith(
        "last seen 2 min ago"
    )
    assert github_answer("p/a", of, record=record, now=now, at="2026-12-04T12:00:30.000Z").detail.startswith(
        "last seen 4 days ago"
    )


MAIN_RED = {
    "both fail what it fails": (("test",), "main", "main-red", "main is red (test), not this PR"),
    "main fails more": (("test", "lint"), "main", "main-red", "main is red (test, lint), not this PR"),
    "it fails something of its own": (
        ("test", "build"),
        "main",
        "fix",
        "CI ✕ 2 failed (test, build, test also on main)",
    ),
    "nothing in common": (("build",), "main", "fix", "CI ✕ 1 failed (build)"),
    "nothing named": ((), "main", "fix", "CI ✕ failed"),
    "into another branch": (("test",), "net11", "fix", "CI ✕ 1 failed (test)"),
}


@pytest.mark.parametrize("name", MAIN_RED)
def test_a_pull_request_that_fails_only_what_main_fails_is_red_because_of_main(name: str) -> None:
    failing, base, kind, detail = MAIN_RED[name]
    record = seen(REPOSITORY, RED_MAIN, gh_issue(9), gh_pull(9, base=base))
    answers = github_answers(plan("p", issue("a")), record=record, now=looked({9: ci("failed", 1, failing)}))
    assert detail in answers.by_ref["p/a"].detail
    (need,) = answers.needs
    card = answers.by_ref["p/a"]
    assert need.kind == kind
    assert (card.stance, need.node) == (("held", None) if kind == "main-red" else ("you", "a"))
    if kind == "main-red":
        red = "main is red since 1a2b3c4 'Merge #3' (test, lint): it needs a fix there, not in "
        assert (card.stance_why, need.why) == (f"{red}#9", f"{red}a pull request; it holds #9")
        assert need.action == f"https://github.com/o/r/commit/{RED_MAIN.red_commit}"


def test_pull_requests_as_they_are_shown() -> None:
    record = seen(
        REPOSITORY, MAIN, gh_issue(3, 4, 9, 5, 6), gh_pull(9, review="approved"), gh_pull(3, "draft", title="Draft"),
        gh_pull(4, "merged"), gh_pull(5, "merged", merged_at=NOW), gh_pull(6, "closed", ci="failed", failing=("test",)),
    )  # fmt: skip
    now = looked({9: ci("failed", 5, ("test",), pending=1, skipped=2)})
    found = github_answer("p/a", plan("p", issue("a")), record=record, now=now)
    assert [one.number for one in found.prs] == [9, 3, 5, 4, 6]
    shown = json.decode(json.encode(found.prs))
    assert shown[0] == {
        "number": 9, "url": PR, "title": "Fix lanes", "repo": "o/r", "state": "open",
        "ci": {"verdict": "failed", "passed": 5, "failed": 1, "pending": 1, "total": 9, "failing": ["test"]},
        "review": "approved", "mergeable": "mergeable", "mergeState": "clean", "head": HEAD, "base": "main",
        "mergedAt": None, "line": "#9 open · CI ✕ 1 failed (test) · review: approved",
    }  # fmt: skip
    assert [one.line for one in found.prs[1:]] == [
        "#3 draft · CI has not reported yet",
        "#5 merged 2026-11-30 12:00Z into main",
        "#4 merged 2026-11-30 11:00Z into main",
        "#6 closed without merging",
    ]
    assert shown[4]["ci"] == {
        "verdict": "failed", "passed": 0, "failed": 0, "pending": 0, "total": 0, "failing": ["test"],
    }  # fmt: skip
    assert (found.prs[2].state, found.prs[2].merged_at) == ("merged", NOW)
    assert shown[1]["ci"] == {"verdict": "pending", "passed": 0, "failed": 0, "pending": 0, "total": 0,
                                  "failing": []}  # fmt: skip
    assert found.url == "https://github.com/o/r/issues/7"


def test_an_open_pull_request_that_is_gone_is_nobodys() -> None:
    record = seen(REPOSITORY, MAIN, gh_issue(9), gh_pull(9), hidden("missing", 9, "pull"))
    found = github_answer("p/a", plan("p", issue("a")), record=record, now=looked())
    assert (found.status, found.prs) == ("open", ())


def test_a_root_blocker_on_github_is_named_across_plans() -> None:
    up, down = plan("up", issue("sdk")), plan("p", node("b", "change", "up/sdk"), node("c", "change", "b"))
    answers = github_answers(up, down, record=seen(REPOSITORY, MAIN, gh_issue(9), gh_pull(9)), now=looked({9: GREEN}))
    assert answers.by_ref["p/c"].stance_why == "waits on up/sdk (✋ your review)"
    assert [(need.node, need.kind, need.holds) for need in answers.needs] == [("sdk", "review", 2)]


def test_a_runner_starts_nothing_on_an_issue_with_a_pull_request_open() -> None:
    record = seen(REPOSITORY, MAIN, gh_issue(9), gh_pull(9))
    facts = Facts(runners=(runner(repo="o/r"),))
    found = github_answer("p/a", plan("p", issue("a", **GO)), record=record, now=looked({9: GREEN}), facts=facts)
    assert found.readiness == "ready, its pull request is open"
    assert found.launch is not None and found.launch.reason == "held"


def test_hostile_words_stay_on_their_line() -> None:
    record = seen(REPOSITORY, MAIN, gh_issue(9), gh_pull(9))
    found = github_answer("p/a", plan("p", issue("a")), record=record, now=looked({9: ci("failed", 0, ("a\nb",))}))
    assert "\n" not in found.detail + found.stance_why


def test_nothing_done_turns_undone_while_its_repository_is_unseen() -> None:
    for unseen in ("missing", "deleted", "forbidden", "blocked", "unreadable", "transferred"):
        for number in (None, 7):
            record = seen(REPOSITORY, MAIN, gh_closed(), hidden(unseen, number))
            for now in (looked(), looked(problem="away"), GitHubNow(at=LATER, problem="no token")):
                assert github_answer("p/a", plan("p", issue("a")), record=record, now=now).status == "done"


def test_a_done_dependency_frees_an_issue() -> None:
    record = seen(REPOSITORY, MAIN, gh_issue())
    assert github_answer("p/a", plan("p", done("z"), issue("a", "z", **GO)), record=record, now=looked()).ready


def test_what_settles_an_issue_that_is_kept_for_a_person_is_closing_it() -> None:
    mine = {"issue": 7, "repo": "o/r", "assignee": "person"}
    of = plan("p", node("a", "issue", spec=mine), node("b", "issue", "c", spec=mine), node("c", "change", **GO))

    def owed(*facts: Any) -> list[tuple[str | None, str, str]]:
        answers = github_answers(of, record=seen(REPOSITORY, MAIN, *facts), now=looked())
        return [(need.node, need.why, need.action) for need in answers.needs]

    link = "https://github.com/o/r/issues/7"
    assert owed(gh_issue()) == [("a", "a step of yours: close #7 once it is done", link)]
    # What a sub-issue's node is not done with is waited for, also when all that GitHub knows of are closed.
    assert owed(gh_issue(children=2)) == [("a", "all its sub-issues are closed: close #7", link)]
    enterprise = "https://ghe.example/o/r/issues/7"
    assert owed(gh_issue(url=enterprise)) == [("a", "a step of yours: close #7 once it is done", enterprise)]


NEW_HOME = Repository(name="o/new", default_branch="main", permission="WRITE")
MOVED = seen(REPOSITORY, MAIN, gh_issue(), hidden("transferred", 7, to="o/x#3"))


@pytest.mark.parametrize(
    ("given", "record", "said"),
    [
        (issue("a"), None, "awaits your go-ahead · no GitHub sweep has seen o/r#7 yet (`stoat sweep` looks)"),
        (issue("a"), seen(REPOSITORY, MAIN, gh_issue()), "awaits your go-ahead"),
        (issue("a"), seen(REPOSITORY, gh_issue(reason="reopened")), "awaits your go-ahead · reopened"),
        (issue("a"), MOVED, "awaits your go-ahead · transferred to o/x#3"),
        (issue("a"), seen(NEW_HOME, gh_issue()), "awaits your go-ahead · its repository is o/new now"),
        (issue("a", "b"), MOVED, "waits on b (✋ a step of yours) · transferred to o/x#3"),
        (issue("a", claim=claim()), MOVED, "bot is on it"),
        (
            issue("a"), seen(NEW_HOME, gh_issue(9), gh_pull(9)),
            "#9 waits for your review · CI ✓ 6/6 · its repository is o/new now",
        ),
        (issue("a"), seen(REPOSITORY, MAIN, gh_issue(9), gh_pull(9)), "#9 waits for your review · CI ✓ 6/6"),
    ],
)  # fmt: skip
def test_a_card_says_what_github_shows_beside_whose_turn_it_is(
    given: NodeState, record: GitHubState | None, said: str
) -> None:
    there = seen(Repository(name="o/x"), gh_issue(number=3, url="https://github.com/o/x/issues/3"))
    now = looked({9: GREEN}) if record is not None else GitHubNow()
    answers = github_answers(plan("p", node("b", "person"), given), record=record, now=now, o_x=there)
    assert card(answers.by_ref["p/a"]) == said
