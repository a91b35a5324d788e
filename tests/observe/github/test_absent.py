"""Why something is not shown: each reason told apart, and asked about once."""

from __future__ import annotations

import pytest

from stoat.observe.github.sweep import read
from stoat.plan.github import GitHubState, IssueRecord, NotThere, Reading, Unseen, Wanted, WhyUnseen
from tests.observe.github.asking import ask_hub
from tests.support.fakehub import FakeHub

WIDGETS = "acme/widgets"


def look(hub: FakeHub, wanted: Wanted, known: GitHubState | None = None) -> Reading:
    return read(ask_hub(hub), [wanted], known={wanted.name.lower(): known} if known else None)


def absent(reading: Reading) -> NotThere:
    (looked,) = reading.repositories
    assert (reading.problem, looked.problem) == (None, None)
    (missing,) = looked.not_there
    return missing


def test_an_issue_that_was_never_there_is_missing(hub: FakeHub) -> None:
    hub.repository(WIDGETS)
    missing = absent(look(hub, Wanted(name=WIDGETS, issues=(99,))))
    assert (missing.what, missing.number, missing.why, missing.to) == ("issue", 99, "missing", None)
    assert "99" in missing.detail


def test_a_deleted_issue_is_deleted(hub: FakeHub) -> None:
    hub.repository(WIDGETS).issue("Fix").delete()
    assert absent(look(hub, Wanted(name=WIDGETS, issues=(1,)))).why == "deleted"


def test_a_transferred_issue_says_where_it_is(hub: FakeHub) -> None:
    hub.repository("acme/other")
    hub.repository(WIDGETS).issue("Fix").transfer("acme/other", 7)
    missing = absent(look(hub, Wanted(name=WIDGETS, issues=(1,))))
    assert (missing.why, missing.to) == ("transferred", "acme/other#7")


def test_a_pull_request_where_an_issue_was_meant_and_the_other_way_round(hub: FakeHub) -> None:
    repo = hub.repository(WIDGETS)
    pull, issue = repo.pull("Fix", head="a"), repo.issue("Fix")
    missing = absent(look(hub, Wanted(name=WIDGETS, issues=(pull.number,))))
    assert (missing.what, missing.why) == ("issue", "other-kind") and "is a pull request" in missing.detail
    missing = absent(look(hub, Wanted(name=WIDGETS, pulls=(issue.number,))))
    assert (missing.what, missing.why) == ("pull", "other-kind") and "is an issue" in missing.detail


@pytest.mark.parametrize("why", ["missing", "other-kind", "deleted", "transferred", "forbidden"])
def test_what_is_known_to_be_not_shown_is_not_asked_about_again(hub: FakeHub, why: WhyUnseen) -> None:
    hub.repository(WIDGETS)
    known = GitHubState()
    known.issues[99] = IssueRecord(unseen=Unseen(why=why, at="", detail="as it was said", to="acme/other#7"))
    reading = look(hub, Wanted(name=WIDGETS, issues=(99,)), known)
    missing = absent(reading)
    assert (missing.why, missing.detail, missing.to, reading.requests) == (why, "as it was said", "acme/other#7", 1)


def test_what_could_not_be_read_the_last_time_is_asked_about_again(hub: FakeHub) -> None:
    hub.repository(WIDGETS)
    known = GitHubState()
    known.issues[99] = IssueRecord(unseen=Unseen(why="unreadable", at=""))
    reading = look(hub, Wanted(name=WIDGETS, issues=(99,)), known)
    assert (absent(reading).why, reading.requests) == ("missing", 2)


def test_what_is_shown_again_is_read_again(hub: FakeHub) -> None:
    hub.repository(WIDGETS).issue("Fix")
    known = GitHubState(unseen=Unseen(why="missing", at=""))
    known.issues[1] = IssueRecord(unseen=Unseen(why="missing", at=""))
    (looked,) = look(hub, Wanted(name=WIDGETS, issues=(1,)), known).repositories
    assert len(looked.issues) == 1 and looked.repository is not None and looked.not_there == ()


def test_an_issue_that_the_token_may_not_see_is_forbidden(hub: FakeHub) -> None:
    repo = hub.repository(WIDGETS)
    repo.issue("Fix")
    repo.issue("Other")
    hub.faults.partial(("r0", "i1"), "FORBIDDEN")
    reading = look(hub, Wanted(name=WIDGETS, issues=(1, 2)))
    missing = absent(reading)
    assert (missing.number, missing.why) == (1, "forbidden") and "personal access token" in missing.detail
    assert [issue.number for issue in reading.repositories[0].issues] == [2]


def test_a_repository_that_is_not_shown_is_missing_and_asked_about_once(hub: FakeHub) -> None:
    reading = look(hub, Wanted(name="acme/none", issues=(1, 2), pulls=(3,)))
    missing = absent(reading)
    assert (missing.what, missing.number, missing.why, reading.requests) == ("repository", None, "missing", 2)
    known = GitHubState(unseen=Unseen(why="missing", at="", detail=missing.detail))
    again = look(hub, Wanted(name="acme/none", issues=(1,)), known)
    assert (absent(again), again.requests) == (missing, 1)


@pytest.mark.parametrize("status", [403, 451])
def test_a_blocked_repository_is_blocked(hub: FakeHub, status: int) -> None:
    hub.repository(WIDGETS)
    hub.faults.blocked(WIDGETS, status)
    missing = absent(look(hub, Wanted(name=WIDGETS)))
    assert (missing.what, missing.why) == ("repository", "blocked") and "blocked" in missing.detail


def test_single_sign_on_and_a_lacking_permission_name_what_to_do(hub: FakeHub) -> None:
    hub.repository(WIDGETS)
    hub.faults.sso(WIDGETS)
    missing = absent(look(hub, Wanted(name=WIDGETS)))
    assert missing.why == "forbidden" and "single sign-on" in missing.detail and "SAML" in missing.detail
    assert "https://github.com/orgs/acme/sso?authorization_request=A1" in missing.detail
    hub.faults.forbidden(WIDGETS, permissions="issues=read; pull_requests=read")
    missing = absent(look(hub, Wanted(name=WIDGETS)))
    assert missing.why == "forbidden" and "issues=read" in missing.detail


def test_a_renamed_repository_is_read_under_its_new_name(hub: FakeHub) -> None:
    repo = hub.repository(WIDGETS)
    repo.issue("Fix")
    pull = repo.pull("Fix", head="stoat/p/fix", body="Fixes #1")
    repo.issue("Gone").delete()
    repo.rename("acme/gears")
    (looked,) = look(hub, Wanted(name=WIDGETS, issues=(1, 3), branches=("stoat/p/fix",))).repositories
    assert looked.name == WIDGETS and looked.repository is not None and looked.repository.name == "acme/gears"
    assert [(link.repo, link.number) for link in looked.issues[0].pulls] == [("acme/gears", pull.number)]
    assert [found.repo for found in looked.pulls] == ["acme/gears"]
    assert [(it.number, it.why) for it in looked.not_there] == [(3, "deleted")]


def test_a_name_in_another_case_is_the_same_repository(hub: FakeHub) -> None:
    hub.repository(WIDGETS).issue("Fix")
    (looked,) = look(hub, Wanted(name="ACME/Widgets", issues=(1,))).repositories
    assert looked.repository is not None and looked.repository.name == WIDGETS
    assert len(looked.issues) == 1 and looked.not_there == ()


def test_with_rest_away_what_is_not_shown_is_unreadable_and_not_gone(hub: FakeHub) -> None:
    hub.repository(WIDGETS)
    hub.faults.next(status=503, path="/repos/", times=hub.faults.EVER)
    missing = absent(look(hub, Wanted(name=WIDGETS, issues=(99,))))
    assert missing.why == "unreadable"


def test_with_rest_away_it_is_asked_once_and_not_for_each(hub: FakeHub) -> None:
    hub.repository(WIDGETS)
    hub.faults.next(status=503, path="/repos/", times=hub.faults.EVER)
    reading = look(hub, Wanted(name=WIDGETS, issues=tuple(range(1, 21))))
    assert reading.requests == 2
    assert {missing.why for missing in reading.repositories[0].not_there} == {"unreadable"}


def test_a_repository_that_only_graphql_does_not_show_is_a_problem_and_not_missing(hub: FakeHub) -> None:
    hub.repository(WIDGETS)
    hub.faults.partial(("r0",), "NOT_FOUND", message="Could not resolve")
    (looked,) = look(hub, Wanted(name=WIDGETS)).repositories
    assert looked.not_there == () and looked.problem is not None and "Could not resolve" in looked.problem


def test_a_repository_that_github_has_trouble_with_is_a_problem_and_not_missing(hub: FakeHub) -> None:
    hub.repository(WIDGETS)
    hub.faults.partial(("r0",), "INTERNAL", message="it broke")
    (looked,) = look(hub, Wanted(name=WIDGETS, issues=(1,))).repositories
    assert looked.not_there == () and looked.problem is not None and "it broke" in looked.problem
