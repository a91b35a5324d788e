"""What GitHub showed, as lines of a plan's Activity: only what is different from before, of the nodes it concerns."""

from __future__ import annotations

from typing import Any

import pytest
from msgspec.structs import replace

from stoat.derive import observed
from stoat.plan.events.base import Actor, Event, Unknown
from stoat.plan.events.decisions import NoteAdded
from stoat.plan.github import Blocker, Branch, Link, Numbered, Repository
from tests.support.github_states import (
    MAIN,
    OLD,
    RED_MAIN,
    REPOSITORY,
    Fact,
    event_of,
    gh_closed,
    gh_issue,
    gh_pull,
    hidden,
    said,
    seen,
    with_github,
)
from tests.support.states import claim, issue, node, plan, state

SWEEP = Actor("sweep", "observer")


def recorded(*facts: Fact) -> list[tuple[Event | Unknown, str | None]]:
    """The stream of those facts, oldest first."""
    return [
        (replace(event_of(fact), id=str(at), at=f"2026-11-30T12:{at:02}:00.000Z", by=SWEEP), f"c{at}")
        for at, fact in enumerate(facts)
    ]


def test_an_issue_that_somebody_holds_is_told_of_like_any_other() -> None:
    of = plan("p", issue("a", claim=claim()))
    (one,) = observed.followed(with_github(state(of), seen(gh_issue())), of)
    assert one.about[("issue", 7)] == ("a",)


def told(*facts: Fact, node_id: str | None = None, bound: int = 7) -> list[tuple[str | None, str]]:
    """The lines of plan p (an issue of o/r, and pull request #20) about those facts, newest first."""
    of = plan("p", issue("a", number=bound), node("b", "pr", spec={"pr": 20, "repo": "o/r"}))
    (one,) = observed.followed(with_github(state(of), seen(*facts)), of)
    return [(line.node, line.text) for line in observed.lines(one, recorded(*facts), node_id)]


OPEN = gh_issue(9)
PULL = gh_pull(9, author="ada")
CASES: dict[str, tuple[tuple[Fact, ...], str | None]] = {
    "first seen open": ((gh_issue(),), "issue #7 is open"),
    "first seen closed": ((gh_closed(),), "issue #7 was closed (completed)"),
    "closed by a pull request": ((OPEN, gh_closed(9, by=9)), "issue #7 was closed (completed) by #9"),
    "closed by another repository's": (
        (gh_issue(), replace(gh_closed(), closed_by=Numbered("o/x", 4))), "issue #7 was closed (completed) by o/x#4"
    ),
    "not planned": ((gh_issue(), gh_closed(reason="not_planned")), "issue #7 was closed (not planned)"),
    "reopened": ((gh_closed(), gh_issue(reason="reopened")), "issue #7 was reopened"),
    "linked": ((gh_issue(), gh_issue(9, Link("o/x", 4, "body"))), "issue #7 is to be closed by #9, o/x#4"),
    "assigned": ((gh_issue(), gh_issue(assignees=("ada",))), "issue #7 was assigned to ada"),
    "called otherwise": ((gh_issue(), gh_issue(title="a\nb")), "issue #7 is called 'a b' now"),
    "blocked": (
        (gh_issue(), gh_issue(blockers=(Blocker("o/r", 8, True), Blocker("o/x", 3, True)))),
        "issue #7 is blocked by #8, o/x#3",
    ),
    "a blocker closed": (
        (gh_issue(blockers=(Blocker("o/r", 8, True),)), gh_issue(blockers=(Blocker("o/r", 8, False, "completed"),))),
        "issue #7 is no longer blocked by #8, which was closed",
    ),
    "a blocker reopened": (
        (gh_issue(blockers=(Blocker("o/r", 8, False),)), gh_issue(blockers=(Blocker("o/r", 8, True),))),
        "issue #7 is blocked again by #8, which was reopened",
    ),
    "a blocker less": (
        (gh_issue(blockers=(Blocker("o/r", 8, True),)), gh_issue()), "issue #7 is no longer blocked by #8"
    ),
    "three things at once": (
        (gh_issue(), gh_issue(4, Link("o/r", 9, "body"), title="x", assignees=("ada",))),
        "issue #7 is to be closed by #4, #9, was assigned to ada and is called 'x' now",
    ),
    "closed by what was not linked before": (
        (gh_issue(), gh_closed(9, by=9)), "issue #7 was closed (completed) by #9"
    ),
    "unlinked": ((OPEN, gh_issue()), "issue #7 is not to be closed by #9 any more"),
    "a pull request where an issue was named": (
        (hidden("other-kind", 7),), "issue #7 is a pull request, not an issue"
    ),
    "labelled": ((gh_issue(), gh_issue(labels=("bug",))), None),
    "deleted": ((gh_issue(), hidden("deleted", 7)), "issue #7 was deleted"),
    "transferred": ((gh_issue(), hidden("transferred", 7, to="o/x#3")), "issue #7 was transferred to o/x#3"),
    "no access": ((gh_issue(), hidden("forbidden", 7, detail="SAML")), "this token may not read issue #7: SAML"),
    "there again": ((gh_issue(), hidden("missing", 7), gh_issue()), "issue #7 can be seen again"),
    "opened": ((OPEN, PULL), "pull request #9 was opened by ada"),
    "opened as a draft": ((OPEN, gh_pull(9, "draft")), "pull request #9 was opened as a draft"),
    "ready": ((OPEN, gh_pull(9, "draft"), PULL), "pull request #9 is ready for review"),
    "a draft again": ((OPEN, PULL, gh_pull(9, "draft")), "pull request #9 is a draft again"),
    "merged": ((OPEN, PULL, gh_pull(9, "merged")), "pull request #9 was merged into main"),
    "closed": ((OPEN, PULL, gh_pull(9, "closed")), "pull request #9 was closed without merging"),
    "opened again": ((OPEN, gh_pull(9, "closed"), PULL), "pull request #9 was reopened"),
    "pushed": ((OPEN, PULL, gh_pull(9, head=OLD)), "pull request #9 was pushed to (0000000)"),
    "conflict": ((OPEN, PULL, gh_pull(9, mergeable="conflicting")), "pull request #9 turned conflicting with main"),
    "conflict over": ((OPEN, gh_pull(9, mergeable="conflicting"), PULL),
                      "pull request #9 conflicts with main no more"),
    "not known whether it conflicts": ((OPEN, PULL, gh_pull(9, mergeable="unknown")), None),
    "changes requested": (
        (OPEN, PULL, gh_pull(9, review="changes_requested", opinions=(said("bob", "changes_requested"),))),
        "bob requested changes on #9",
    ),
    "approved": ((OPEN, PULL, gh_pull(9, opinions=(said("bob", "approved"),))),
                 "bob approved #9"),
    "approved, nobody named": ((OPEN, PULL, gh_pull(9, review="approved")), "pull request #9 was approved"),
    "dismissed": ((OPEN, PULL, gh_pull(9, opinions=(said("bob", "dismissed"),))),
                  "bob's review of #9 was dismissed"),
    "red": ((OPEN, PULL, gh_pull(9, ci="failed", failing=("test",))), "checks of #9 failed: test"),
    "green": ((OPEN, PULL, gh_pull(9, ci="passed")), "checks of #9 passed"),
    "queued": ((OPEN, PULL, gh_pull(9, queued=True)), "pull request #9 entered the merge queue"),
    "into another branch": ((OPEN, PULL, gh_pull(9, base="net11")), "pull request #9 goes into net11 now"),
    "several at once": (
        (OPEN, PULL, gh_pull(9, head=OLD, mergeable="conflicting", ci="failed", failing=("test",))),
        "pull request #9 was pushed to (0000000); pull request #9 turned conflicting with main; "
        "checks of #9 failed: test",
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", CASES)
def test_every_sentence(name: str) -> None:
    facts, expected = CASES[name]
    found = told(*facts)
    before = told(*facts[:-1], bound=7) if len(facts) > 1 else []
    assert found[: len(found) - len(before)] == ([("a", expected)] if expected else [])


BRANCHES: dict[str, tuple[tuple[Fact, ...], str | None]] = {
    "red": ((MAIN, RED_MAIN), "main is red since 1a2b3c4 'Merge #3': test, lint"),
    "red still": ((RED_MAIN, RED_MAIN), None),
    "green again": ((RED_MAIN, MAIN), "main is green again"),
    "green": ((MAIN,), None),
    "another one": ((MAIN, Branch(name="trunk")), "the default branch is trunk now"),
    "renamed": ((REPOSITORY, Repository(name="o/new")), "o/r is o/new now"),
    "archived": ((REPOSITORY, replace(REPOSITORY, archived=True)), "o/r was archived"),
    "gone": ((REPOSITORY, hidden("missing")), "GitHub shows no o/r: it does not exist, or this token may not see it"),
    "there again": ((REPOSITORY, hidden("missing"), REPOSITORY), "o/r can be seen again"),
    "first seen": ((REPOSITORY,), None),
}


@pytest.mark.parametrize("name", BRANCHES)
def test_what_concerns_the_whole_repository_is_the_plans(name: str) -> None:
    facts, expected = BRANCHES[name]
    earlier = told(*facts[:-1]) if len(facts) > 1 else []
    assert told(*facts) == ([(None, expected)] if expected else []) + earlier
    assert told(*facts, node_id="a") == []


def test_lines_are_of_the_nodes_they_concern_newest_first_and_observed() -> None:
    of = plan("p", issue("a"), issue("c", number=8), node("b", "pr", spec={"pr": 9, "repo": "O/R"}))
    facts = (REPOSITORY, gh_issue(9), gh_issue(number=8), gh_issue(number=99), PULL, gh_pull(50), gh_pull(9, "merged"))
    (one,) = observed.followed(with_github(state(of), seen(*facts)), of)
    noise: list[Any] = [(NoteAdded(text="x"), "c"), (Unknown(b"", None, "?"), "c")]
    found = observed.lines(one, [*noise, *recorded(*facts)])
    assert [(line.node, line.text) for line in found] == [
        ("b", "pull request #9 was merged into main"), ("a", "pull request #9 was merged into main"),
        ("b", "pull request #9 was opened by ada"), ("a", "pull request #9 was opened by ada"),
        ("c", "issue #8 is open"), ("a", "issue #7 is open"),
    ]  # fmt: skip
    assert {line.observed for line in found} == {True}
    assert (found[0].type, found[0].by, found[0].by_kind, found[0].commit) == ("pull_seen", "sweep", "observer", "c6")
    assert [line.text for line in observed.lines(one, recorded(*facts), "c")] == ["issue #8 is open"]


def test_a_plan_follows_every_repository_that_its_pull_requests_are_in() -> None:
    of = plan("p", issue("a"), node("x", "change", spec={"repo": "o/other"}))
    record = seen(gh_issue(Link("O/X", 4, "closes")))
    at = with_github(state(of), record, o_x=seen(gh_pull(4), name="o/x"), o_other=seen(REPOSITORY))
    found = observed.followed(at, of)
    assert [one.stream for one in found] == ["github/o/r", "github/o/x"]
    assert found[1].about == {("pull", 4): ("a",)}
    assert observed.followed(at, of, "a") == found and observed.followed(at, of, "x") == ()
