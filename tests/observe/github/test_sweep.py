"""One look at GitHub: what is read, with how many requests, and what stays readable when something fails."""

from __future__ import annotations

import random

import pytest
from msgspec.structs import replace

from stoat import clock
from stoat.observe.github import gathering
from stoat.observe.github.client import connect
from stoat.observe.github.sweep import read
from stoat.plan.github import (
    Blocker,
    Branch,
    GitHubState,
    Issue,
    IssueRecord,
    Link,
    Looked,
    Numbered,
    PullLooked,
    PullRecord,
    Reading,
    Wanted,
)
from tests.observe.github.asking import Waits, ask, ask_hub
from tests.support.fakehub import FakeHub

WIDGETS = "acme/widgets"


def look(hub: FakeHub, *wanted: Wanted, known: dict[str, GitHubState] | None = None) -> Reading:
    return read(ask_hub(hub), wanted, known=known)


def one(reading: Reading) -> Looked:
    (looked,) = reading.repositories
    assert (reading.problem, looked.problem) == (None, None)
    return looked


def pulls(looked: Looked) -> dict[int, PullLooked]:
    return {found.pull.number: found for found in looked.pulls}


def issues(looked: Looked) -> dict[int, Issue]:
    return {found.number: found for found in looked.issues}


def recorded(looked: Looked) -> dict[str, GitHubState]:
    """The look as it would be on record."""
    state = GitHubState(repository=looked.repository, default=looked.default)
    state.issues = {found.number: IssueRecord(found) for found in looked.issues}
    state.pulls = {found.pull.number: PullRecord(found.pull) for found in looked.pulls}
    return {looked.name.lower(): state}


def test_an_issue_is_read_whole(hub: FakeHub) -> None:
    repo, other = hub.repository(WIDGETS), hub.repository("acme/gadgets")
    parent = repo.issue("Everything")
    blocker = other.issue("First this", state="closed", reason="not_planned")
    open_blocker = repo.issue("And this")
    issue = repo.issue(
        "Fix lanes",
        labels=("zeta", "bug"),
        assignees=("bob", "ada"),
        milestone="1.0",
        parent=parent,
        blocked_by=(blocker, open_blocker),
    )
    repo.issue("Child", parent=issue)
    repo.issue("Done child", parent=issue, state="closed")
    (found,) = one(look(hub, Wanted(name=WIDGETS, issues=(issue.number,)))).issues
    assert found == replace(
        found,
        number=issue.number,
        url=f"https://github.com/acme/widgets/issues/{issue.number}",
        title="Fix lanes",
        open=True,
        reason=None,
        labels=("bug", "zeta"),
        assignees=("ada", "bob"),
        milestone="1.0",
        parent=Numbered(WIDGETS, parent.number),
        children=2,
        children_open=1,
        blockers=(
            Blocker("acme/gadgets", blocker.number, False, "not_planned"),
            Blocker(WIDGETS, open_blocker.number, True),
        ),
    )


@pytest.mark.parametrize("reason", ["completed", "not_planned", "duplicate"])
def test_a_closed_issue_says_why_and_a_reopened_one_that_it_was(hub: FakeHub, reason: str) -> None:
    issue = hub.repository(WIDGETS).issue("Fix lanes")
    issue.close(reason=reason)
    wanted = Wanted(name=WIDGETS, issues=(1,))
    found = one(look(hub, wanted)).issues[0]
    assert (found.open, found.reason, found.closed_at is not None) == (False, reason, True)
    issue.reopen()
    found = one(look(hub, wanted)).issues[0]
    assert (found.open, found.reason, found.closed_at, found.closed_by) == (True, "reopened", None, None)


def test_an_issue_that_a_merge_closed_names_the_pull_request_and_its_commit(hub: FakeHub) -> None:
    repo = hub.repository(WIDGETS)
    repo.issue("Fix lanes")
    pull = repo.pull("Fix", head="stoat/p/fix", body="Fixes #1")
    pull.merge()
    looked = one(look(hub, Wanted(name=WIDGETS, issues=(1,))))
    (issue,), (found,) = looked.issues, looked.pulls
    assert issue.closed_by == Numbered(WIDGETS, pull.number)
    assert issue.closed_commit == pull.merge_commit == found.pull.merge_commit
    assert (found.pull.state, found.pull.merged_at is not None) == ("merged", True)


def test_pull_requests_are_found_by_githubs_links_by_their_text_and_by_their_branch(hub: FakeHub) -> None:
    repo = hub.repository(WIDGETS)
    repo.issue("Fix lanes")
    repo.push("net11")
    linked = repo.pull("A", head="a", body="Fixes #1")
    by_text = repo.pull("B", head="b", base="net11", body="Closes: acme/widgets#1")
    quoted = repo.pull("C", head="c", base="net11", body="> Fixes #1\n\n`Fixes #1`")
    by_branch = repo.pull("D", head="stoat/p/fix", base="net11", body="no word")
    forked = repo.pull("E", head="stoat/p/fix", fork="mallory", body="no word")
    looked = one(look(hub, Wanted(name=WIDGETS, issues=(1,), branches=("stoat/p/fix", "stoat/p/none"))))
    assert looked.issues[0].pulls == (Link(WIDGETS, linked.number, "closes"), Link(WIDGETS, by_text.number, "body"))
    assert set(pulls(looked)) == {linked.number, by_text.number, by_branch.number}
    assert quoted.number not in pulls(looked) and forked.number not in pulls(looked)


def test_a_pull_request_of_another_repository_is_read_with_the_issue_that_it_closes(hub: FakeHub) -> None:
    hub.repository(WIDGETS).issue("Fix lanes")
    other = hub.repository("acme/gadgets")
    pull = other.pull("Fix it there", head="fix", body="Fixes acme/widgets#1")
    pull.check("test", "success")
    looked = one(look(hub, Wanted(name=WIDGETS, issues=(1,))))
    assert looked.issues[0].pulls == (Link("acme/gadgets", pull.number, "closes"),)
    assert [(found.repo, found.pull.ci) for found in looked.pulls] == [("acme/gadgets", "passed")]
    both = look(hub, Wanted(name=WIDGETS, issues=(1,)), Wanted(name="acme/gadgets"))
    assert [len(found.pulls) for found in both.repositories] == [0, 1]


def test_a_fork_is_one_also_when_it_is_gone(hub: FakeHub) -> None:
    repo = hub.repository(WIDGETS)
    ours = repo.pull("A", head="a")
    theirs = repo.pull("B", head="b", fork="mallory")
    gone = repo.pull("C", head="c", fork="eve")
    gone.forget_fork()
    found = pulls(one(look(hub, Wanted(name=WIDGETS, pulls=(ours.number, theirs.number, gone.number)))))
    assert {number: (it.pull.fork, it.pull.head_repo_owner) for number, it in found.items()} == {
        ours.number: (False, "acme"),
        theirs.number: (True, "mallory"),
        gone.number: (True, None),
    }


def test_a_pull_request_is_read_whole(hub: FakeHub) -> None:
    repo = hub.repository(WIDGETS, required=("test", "ci/lint"), approvals=1)
    pull = repo.pull("Fix", head="stoat/p/fix", body="", author="ada")
    pull.check("test", "success")
    pull.review("bob", "changes_requested")
    pull.review("carol", "approved")
    (found,) = one(look(hub, Wanted(name=WIDGETS, pulls=(pull.number,)))).pulls
    assert (found.pull.state, found.pull.base, found.pull.head_branch) == ("open", "main", "stoat/p/fix")
    assert (found.pull.head, found.now.head) == (pull.head_oid, pull.head_oid)
    assert found.pull.review == "changes_requested"
    assert [(it.author, it.state) for it in found.pull.opinions] == [
        ("bob", "changes_requested"),
        ("carol", "approved"),
    ]
    assert (found.now.ci.verdict, found.now.ci.waiting, found.pull.ci) == ("pending", ("ci/lint",), None)
    assert (found.now.merge_state, found.pull.mergeable) == ("blocked", "mergeable")
    pull.status("ci/lint", "failure")
    (found,) = one(look(hub, Wanted(name=WIDGETS, pulls=(pull.number,)))).pulls
    assert (found.pull.ci, found.pull.failing) == ("failed", ("ci/lint",))


def test_opinions_are_read_where_no_review_is_asked_for_and_ghosts_have_them_too(hub: FakeHub) -> None:
    pull = hub.repository(WIDGETS).pull("Fix", head="a", author=None)
    pull.review(None, "changes_requested")
    (found,) = one(look(hub, Wanted(name=WIDGETS, pulls=(pull.number,)))).pulls
    assert (found.pull.review, found.pull.author) == (None, None)
    assert [(it.author, it.state) for it in found.pull.opinions] == [("ghost", "changes_requested")]


def test_only_the_reviews_of_those_who_may_write_are_opinions(hub: FakeHub) -> None:
    repo = hub.repository(WIDGETS, approvals=1)
    repo.readers.add("rando")
    pull = repo.pull("Fix", head="a")
    for reader, writer, decision in (
        ("approved", None, "review_required"), ("changes_requested", "approved", "approved"),
        ("approved", "changes_requested", "changes_requested"),
    ):  # fmt: skip
        pull.review("rando", reader)
        if writer is not None:
            pull.review("bob", writer)
        (found,) = one(look(hub, Wanted(name=WIDGETS, pulls=(pull.number,)))).pulls
        opinions = [("bob", writer)] if writer is not None else []
        assert [(it.author, it.state) for it in found.pull.opinions] == opinions
        assert found.pull.review == decision


def test_a_required_check_of_one_app_waits_for_that_one(hub: FakeHub) -> None:
    repo = hub.repository(WIDGETS, required=("lint", "test"))
    repo.protect(apps={"lint": "ci-a"})
    pull = repo.pull("Fix", head="a")
    for app, waiting in (("ci-b", ("lint",)), ("ci-a", ())):
        pull.check("lint", "success", app=app)
        pull.check("test", "success")
        (found,) = one(look(hub, Wanted(name=WIDGETS, pulls=(pull.number,)))).pulls
        assert found.now.ci.waiting == waiting
        assert found.now.merge_state == ("blocked" if waiting else "clean")
        assert found.pull.ci == (None if waiting else "passed")


def test_who_published_what_failed_is_read_of_a_pull_request_and_of_the_default_branch(hub: FakeHub) -> None:
    repo = hub.repository(WIDGETS)
    repo.check("lint", "failure", app="ci-a")
    pull = repo.pull("Fix", head="a")
    pull.check("lint", "failure", app="ci-b")
    pull.status("docs", "failure")
    found = one(look(hub, Wanted(name=WIDGETS, pulls=(pull.number,))))
    assert found.default is not None
    assert (found.default.failing, found.default.producers) == (("lint",), ("ci-a/",))
    assert (found.pulls[0].pull.failing, found.pulls[0].pull.producers) == (("docs", "lint"), ("status:docs", "ci-b/"))


def test_what_github_is_working_out_stays_unknown(hub: FakeHub) -> None:
    hub.unknown_reads = 1
    pull = hub.repository(WIDGETS).pull("Fix", head="a")
    wanted = Wanted(name=WIDGETS, pulls=(pull.number,))
    assert one(look(hub, wanted)).pulls[0].pull.mergeable == "unknown"
    pull.conflict = True
    assert one(look(hub, wanted)).pulls[0].pull.mergeable == "conflicting"


@pytest.mark.parametrize("classic", [False, True])
def test_a_repository_is_read_with_the_rules_of_its_default_branch(hub: FakeHub, classic: bool) -> None:
    repo = hub.repository(
        WIDGETS,
        default="trunk",
        methods=("squash", "rebase"),
        required=("test", "lint"),
        strict=True,
        approvals=2,
        classic=classic,
    )
    found = one(look(hub, Wanted(name=WIDGETS))).repository
    assert found is not None
    assert (found.name, found.default_branch, found.archived, found.permission) == (WIDGETS, "trunk", False, "write")
    assert (found.methods, found.required, found.strict, found.approvals) == (
        ("squash", "rebase"),
        ("lint", "test"),
        True,
        2,
    )
    assert not found.queue
    if not classic:
        repo.protect(methods=("rebase",), queue=True)
        found = one(look(hub, Wanted(name=WIDGETS))).repository
        assert found is not None and found.methods == ("rebase",) and found.queue


def test_an_empty_repository_has_no_default_branch(hub: FakeHub) -> None:
    hub.repository(WIDGETS, empty=True)
    looked = one(look(hub, Wanted(name=WIDGETS)))
    assert looked.repository is not None and looked.repository.default_branch is None
    assert looked.default is None


def test_a_red_default_branch_is_red_since_the_commit_after_the_last_green_one(hub: FakeHub) -> None:
    repo = hub.repository(WIDGETS)
    commits = [repo.push("main", f"Commit {number}") for number in range(5)]
    for commit, result in zip(commits, ("success", "failure", "in_progress", "failure", "failure"), strict=True):
        repo.check("test", result, on=commit)
    reading = look(hub, Wanted(name=WIDGETS))
    looked = one(reading)
    assert looked.default is not None
    assert (looked.default.ci, looked.default.failing) == ("failed", ("test",))
    assert (looked.default.red_commit, looked.default.red_subject) == (commits[1], "Commit 1")
    assert looked.default.red_at is not None and not looked.default.red_floor
    assert reading.requests == 2
    again = look(hub, Wanted(name=WIDGETS), known=recorded(looked))
    assert (one(again).default, again.requests) == (looked.default, 1)
    repo.check("test", "success", on=commits[-1])
    green = one(look(hub, Wanted(name=WIDGETS), known=recorded(looked))).default
    assert green is not None and (green.ci, green.red_commit) == ("passed", None)


def test_the_merge_that_turned_the_default_branch_red_names_its_pull_request(hub: FakeHub) -> None:
    repo = hub.repository(WIDGETS)
    repo.check("test", "success")
    pull = repo.pull("Break it", head="a")
    pull.merge()
    repo.check("test", "failure")
    default = one(look(hub, Wanted(name=WIDGETS))).default
    assert default is not None and (default.red_pull, default.red_commit) == (pull.number, pull.merge_commit)


def test_what_was_red_long_before_keeps_what_is_on_record_of_it(hub: FakeHub) -> None:
    repo = hub.repository(WIDGETS)
    for number in range(60):
        repo.push("main", f"Commit {number}")
    repo.check("test", "failure")
    looked = one(look(hub, Wanted(name=WIDGETS)))
    assert looked.default is not None and not looked.default.red_floor
    known = recorded(looked)
    known[WIDGETS].default = Branch(name="main", ci="failed", red_commit="c" * 40, red_subject="Long ago", red_pull=7)
    kept = one(look(hub, Wanted(name=WIDGETS), known=known)).default
    assert kept is not None and (kept.red_commit, kept.red_pull, kept.ci) == ("c" * 40, 7, "failed")


def test_a_branch_that_was_red_as_far_as_was_looked_may_be_red_for_longer(
    hub: FakeHub, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(gathering, "_DEEPEST", 50)
    repo = hub.repository(WIDGETS)
    commits = [repo.push("main", f"Commit {number}") for number in range(60)]
    for commit in commits:
        repo.check("test", "failure", on=commit)
    reading = look(hub, Wanted(name=WIDGETS))
    default = one(reading).default
    assert default is not None and (default.red_commit, default.red_floor) == (commits[10], True)
    assert reading.requests == 2
    monkeypatch.undo()
    default = one(look(hub, Wanted(name=WIDGETS))).default
    assert default is not None and (default.red_commit, default.red_floor) == (commits[0], False)


def test_checks_that_run_on_the_default_branch_have_not_come_to_a_verdict(hub: FakeHub) -> None:
    repo = hub.repository(WIDGETS)
    repo.check("test", "queued")
    looked = one(look(hub, Wanted(name=WIDGETS)))
    assert looked.default is not None and looked.default.ci is None


def test_more_than_a_hundred_checks_are_all_read_and_counted_once(hub: FakeHub) -> None:
    repo = hub.repository(WIDGETS)
    pull = repo.pull("Fix", head="a")
    for number in range(230):
        pull.check(f"check {number:03}", "success")
    pull.check("check 229", "failure")
    for number in range(120):
        repo.status(f"status {number}", "success")
    repo.status("status 120", "failure")
    reading = look(hub, Wanted(name=WIDGETS, pulls=(pull.number,)))
    (found,) = one(reading).pulls
    assert (found.now.ci.total, found.now.ci.passed, found.pull.failing) == (230, 229, ("check 229",))
    default = one(reading).default
    assert default is not None and (default.ci, default.failing) == ("failed", ("status 120",))
    assert reading.requests == 3


def test_checks_whose_list_changes_while_its_pages_are_read_are_never_called_green(hub: FakeHub) -> None:
    pull = hub.repository(WIDGETS).pull("Fix", head="a")
    for number in range(150):
        pull.check(f"check {number:03}", "success")
    hub.faults.shuffle()
    (found,) = look(hub, Wanted(name=WIDGETS, pulls=(pull.number,))).repositories[0].pulls
    assert (found.now.ci.verdict, found.pull.ci) == ("pending", None)


def test_every_closing_pull_request_is_read_however_many_there_are(hub: FakeHub) -> None:
    repo = hub.repository(WIDGETS)
    repo.issue("Fix lanes")
    for number in range(18):
        repo.pull(f"Try {number}", head="same", body="Fixes #1")
    reading = look(hub, Wanted(name=WIDGETS, issues=(1,)))
    looked = one(reading)
    assert len(looked.pulls) == len(looked.issues[0].pulls) == 18
    assert reading.requests == 3


def test_lists_longer_than_a_page_of_twenty_are_whole(hub: FakeHub) -> None:
    repo = hub.repository(WIDGETS)
    blockers = [repo.issue(f"Blocker {number}") for number in range(40)]
    issue = repo.issue("Fix", labels=[f"label {number}" for number in range(60)], blocked_by=blockers)
    found = issues(one(look(hub, Wanted(name=WIDGETS, issues=(issue.number,)))))[issue.number]
    assert (len(found.labels), len(found.blockers)) == (60, 40)


def test_what_does_not_fit_a_page_is_never_cut_in_silence(hub: FakeHub) -> None:
    repo = hub.repository(WIDGETS)
    blockers = [repo.issue(f"Blocker {number}") for number in range(101)]
    issue = repo.issue("Fix", blocked_by=blockers)
    (looked,) = look(hub, Wanted(name=WIDGETS, issues=(issue.number,))).repositories
    assert looked.problem is None and looked.gaps is not None and f"#{issue.number}" in looked.gaps


def test_an_old_mention_is_found_behind_a_hundred_newer_ones(hub: FakeHub) -> None:
    repo = hub.repository(WIDGETS)
    repo.issue("Fix lanes")
    repo.push("net11")
    wanted = repo.pull("Fix", head="first", base="net11", body="Fixes #1")
    for number in range(120):
        repo.pull(f"Talk {number}", head="same", body="about #1")
    looked = one(look(hub, Wanted(name=WIDGETS, issues=(1,))))
    assert looked.issues[0].pulls == (Link(WIDGETS, wanted.number, "body"),)


def test_a_hundred_issues_with_their_pull_requests_take_at_most_five_requests(hub: FakeHub) -> None:
    repos = [hub.repository(f"acme/r{number}", required=("test",)) for number in range(4)]
    wanted = []
    for repo in repos:
        repo.push("net11")
        repo.check("test", "failure")
        for number in range(1, 26):
            repo.issue(f"Issue {number}")
        for number in range(1, 26):
            base = "net11" if number % 2 else "main"
            repo.pull(f"Fix {number}", head=f"stoat/p/{number % 3}", base=base, body=f"Fixes #{number}")
        branches = tuple(f"stoat/p/{number}" for number in range(25))
        wanted.append(Wanted(name=repo.name, issues=tuple(range(1, 26)), branches=branches))
    reading = look(hub, *wanted)
    assert reading.requests <= 5
    for looked in reading.repositories:
        assert looked.problem is None and looked.default is not None and looked.default.ci == "failed"
        assert len(looked.issues) == len(looked.pulls) == 25
        assert all(len(issue.pulls) == 1 for issue in looked.issues)
    known = {name: state for looked in reading.repositories for name, state in recorded(looked).items()}
    wanted = [replace(it, pulls=tuple(known[it.name].pulls)) for it in wanted]
    assert look(hub, *wanted, known=known).requests <= 5


def test_a_pull_request_that_is_over_and_was_not_touched_is_not_read_again(hub: FakeHub) -> None:
    repo = hub.repository(WIDGETS)
    pull = repo.pull("Fix", head="stoat/p/fix")
    pull.merge()
    wanted = Wanted(name=WIDGETS, branches=("stoat/p/fix",))
    first = look(hub, wanted)
    assert (len(one(first).pulls), first.requests) == (1, 2)
    again = look(hub, wanted, known=recorded(one(first)))
    assert (len(one(again).pulls), again.requests) == (0, 1)
    known = recorded(one(first))
    known[WIDGETS].pulls[pull.number] = PullRecord(
        replace(one(first).pulls[0].pull, updated_at="2020-01-01T00:00:00.000Z")
    )
    assert len(one(look(hub, wanted, known=known)).pulls) == 1


@pytest.mark.parametrize("how", ["resource_limits", "502", "504"])
def test_what_is_too_much_at_once_is_asked_in_halves_and_nothing_twice(hub: FakeHub, how: str) -> None:
    repo = hub.repository(WIDGETS)
    for number in range(1, 21):
        repo.issue(f"Issue {number}")
    hub.faults.heavy(6, how)  # type: ignore[arg-type]
    looked = one(look(hub, Wanted(name=WIDGETS, issues=tuple(range(1, 21)))))
    assert sorted(issues(looked)) == list(range(1, 21))
    answered = [request.body["query"] for request in hub.journal if request.status == 200]
    if how != "resource_limits":
        asked = "".join(answered)
        assert all(asked.count(f"i{number}: issue(") == 1 for number in range(1, 21))


def test_a_part_that_was_too_much_is_asked_again_without_what_was_answered(hub: FakeHub) -> None:
    repo = hub.repository(WIDGETS)
    for number in range(1, 5):
        repo.issue(f"Issue {number}")
    hub.faults.partial(("r0", "i3"), "RESOURCE_LIMITS_EXCEEDED")
    reading = look(hub, Wanted(name=WIDGETS, issues=(1, 2, 3, 4)))
    assert sorted(issues(one(reading))) == [1, 2, 3, 4]
    second = hub.journal[1].body["query"]
    assert "i3: issue(" in second and "i1: issue(" not in second and "RepoFacts" not in second


def test_one_thing_that_github_can_never_answer_is_unreadable_and_the_rest_is_read(hub: FakeHub) -> None:
    repo = hub.repository(WIDGETS)
    for number in range(1, 5):
        repo.issue(f"Issue {number}")
    hub.faults.partial(("r0", "i3"), "RESOURCE_LIMITS_EXCEEDED", times=hub.faults.EVER)
    looked = one(look(hub, Wanted(name=WIDGETS, issues=(1, 2, 3, 4))))
    assert sorted(issues(looked)) == [1, 2, 4]
    assert [(it.number, it.why) for it in looked.not_there] == [(3, "unreadable")]


@pytest.mark.parametrize("fault", ["html", "truncated", "reset", "502", "503"])
def test_an_outage_keeps_what_was_read_and_says_what_was_not(hub: FakeHub, fault: str) -> None:
    repo = hub.repository(WIDGETS)
    other = hub.repository("acme/gadgets")
    for number in range(1, 51):
        repo.issue(f"Issue {number}")
    other.issue("Elsewhere")
    requests = iter(range(100))

    def progress(answered: int, asked: int) -> None:
        if next(requests) == 0:
            ever = hub.faults.EVER
            match fault:
                case "html":
                    hub.faults.html(status=200, times=ever)
                case "truncated":
                    hub.faults.truncated(times=ever)
                case "reset":
                    hub.faults.reset(times=ever)
                case status:
                    hub.faults.next(status=int(status), times=ever)

    wanted = (Wanted(name="acme/gadgets", issues=(1,)), Wanted(name=WIDGETS, issues=tuple(range(1, 51))))
    reading = read(ask_hub(hub), wanted, progress)
    gadgets, widgets = reading.repositories
    assert reading.problem is not None and reading.requests < 12
    assert gadgets.problem is None and len(gadgets.issues) == 1 and gadgets.repository is not None
    assert widgets.problem == reading.problem and 0 < len(widgets.issues) < 50
    assert gadgets.not_there == widgets.not_there == ()


def test_an_outage_from_the_beginning_reads_nothing_and_calls_nothing_missing(hub: FakeHub) -> None:
    hub.repository(WIDGETS).issue("Fix")
    hub.stop()
    reading = look(hub, Wanted(name=WIDGETS, issues=(1, 2)))
    assert reading.problem is not None and "cannot be reached" in reading.problem
    (looked,) = reading.repositories
    assert (looked.repository, looked.issues, looked.not_there) == (None, (), ())
    assert looked.problem == reading.problem


def test_github_hanging_is_an_outage_after_a_bounded_number_of_questions(hub: FakeHub) -> None:
    hub.repository(WIDGETS)
    hub.faults.slow(0.2, times=hub.faults.EVER)
    reading = read(ask(hub.url, token=hub.token, timeout=0.05), [Wanted(name=WIDGETS, issues=tuple(range(1, 26)))])
    assert reading.problem is not None and "too long" in reading.problem and reading.requests < 12


def test_a_wrong_token_is_one_problem_with_a_fix_and_one_request(hub: FakeHub) -> None:
    hub.repository(WIDGETS)
    hub.faults.unauthorized()
    reading = look(hub, Wanted(name=WIDGETS, issues=tuple(range(1, 60))))
    assert "does not accept the token" in (reading.problem or "") and "gh auth login" in (reading.fix or "")
    assert reading.requests == 1


def test_a_limit_stops_the_sweep_until_it_is_over_unless_somebody_waits(hub: FakeHub) -> None:
    hub.repository(WIDGETS).issue("Fix")
    hub.faults.rate_limit(reset_in=60)
    wanted = [Wanted(name=WIDGETS, issues=(1,))]
    reading = look(hub, *wanted)
    assert reading.problem is not None and reading.again_at is not None and reading.requests == 1
    assert reading.fix == f"wait until {clock.moment(clock.plus(reading.again_at, 59))}"
    hub.faults.secondary(retry_after=3)
    waits = Waits()
    client = connect({"STOAT_GITHUB_API": hub.url, "GH_TOKEN": hub.token}, wait=waits)
    client.sleep = lambda seconds: None
    assert len(one(read(client, wanted)).issues) == 1
    assert [seconds for seconds, _ in waits] == [3]


def test_a_part_that_the_token_may_not_see_is_said_and_the_rest_is_read(hub: FakeHub) -> None:
    repo = hub.repository(WIDGETS)
    pull = repo.pull("Fix", head="a", body="")
    pull.check("test", "success")
    hub.faults.partial("PullRequest.statusCheckRollup", "FORBIDDEN")
    (looked,) = look(hub, Wanted(name=WIDGETS, pulls=(pull.number,))).repositories
    assert looked.problem is None and looked.gaps == gathering.HIDDEN
    assert (looked.pulls[0].pull.title, looked.pulls[0].pull.ci) == ("Fix", None)
    assert (looked.pulls[0].now.ci.verdict, looked.pulls[0].now.ci.hidden) == ("pending", True)


def test_checks_that_cannot_be_read_for_another_reason_are_no_matter_of_the_token(hub: FakeHub) -> None:
    repo = hub.repository(WIDGETS)
    pull = repo.pull("Fix", head="a", body="")
    hub.faults.partial("PullRequest.statusCheckRollup", None, "it stumbled")
    (looked,) = look(hub, Wanted(name=WIDGETS, pulls=(pull.number,))).repositories
    assert looked.gaps is not None and "it stumbled" in looked.gaps
    assert (looked.pulls[0].now.ci.verdict, looked.pulls[0].now.ci.hidden) == ("pending", False)


def test_a_default_branch_whose_checks_are_hidden_is_left_as_it_was(hub: FakeHub) -> None:
    hub.repository(WIDGETS)
    hub.faults.partial("Commit.statusCheckRollup", "FORBIDDEN")
    (looked,) = look(hub, Wanted(name=WIDGETS)).repositories
    assert looked.problem is None and looked.gaps is not None and looked.default is None
    assert looked.repository is not None


def test_an_issue_whose_mentions_cannot_be_listed_is_read_without_them(hub: FakeHub) -> None:
    repo = hub.repository(WIDGETS)
    repo.issue("Fix lanes")
    repo.issue("Other")
    hub.faults.partial(("r0", "i1", "timelineItems"), "INTERNAL", message="it broke")
    reading = look(hub, Wanted(name=WIDGETS, issues=(1, 2)))
    (looked,) = reading.repositories
    assert sorted(issues(looked)) == [1, 2] and looked.not_there == () and reading.requests == 2
    assert looked.problem is None and looked.gaps is not None and "mentions #1" in looked.gaps


def test_one_part_that_takes_its_repository_with_it_does_not_hide_the_others(hub: FakeHub) -> None:
    repo = hub.repository(WIDGETS)
    repo.issue("Fix lanes")
    hub.faults.partial("Repository.pullRequests", "FORBIDDEN", times=hub.faults.EVER)
    reading = look(hub, Wanted(name=WIDGETS, issues=(1,), branches=("stoat/p/a", "stoat/p/b")))
    (looked,) = reading.repositories
    assert len(looked.issues) == 1 and looked.repository is not None and looked.not_there == ()
    assert looked.problem is None and looked.gaps is not None and "stoat/p/a" in looked.gaps
    assert reading.requests == 2


def test_a_name_that_is_no_repository_is_said_and_never_asked_for(hub: FakeHub) -> None:
    hub.repository(WIDGETS).issue("Fix")
    strange = ('acme/"){id}', "acme", "../../user", "acme/widgets/issues", "")
    reading = look(hub, *(Wanted(name=name, issues=(1,)) for name in strange), Wanted(name=WIDGETS, issues=(1,)))
    *wrong, right = reading.repositories
    assert all(looked.problem and "OWNER/NAME" in looked.problem for looked in wrong)
    assert len(right.issues) == 1 and reading.requests == 1


def test_numbers_that_github_cannot_have_are_missing_and_spoil_nothing(hub: FakeHub) -> None:
    hub.repository(WIDGETS).issue("Fix")
    looked = one(look(hub, Wanted(name=WIDGETS, issues=(1, 0, 2**31, 10**30), pulls=(-1,))))
    assert len(looked.issues) == 1
    assert {(it.what, it.number, it.why) for it in looked.not_there} == {
        ("issue", 0, "missing"),
        ("issue", 2**31, "missing"),
        ("issue", 10**30, "missing"),
        ("pull", -1, "missing"),
    }


@pytest.mark.parametrize("seed", range(8))
def test_whatever_fails_everything_asked_for_is_read_or_said_to_be_not(hub: FakeHub, seed: int) -> None:
    chance = random.Random(seed)
    for name in ("acme/r0", "acme/r1", "acme/r2"):
        repo = hub.repository(name)
        for number in range(1, 13):
            repo.issue(f"Issue {number}")
    types = ("NOT_FOUND", "FORBIDDEN", "RESOURCE_LIMITS_EXCEEDED", "INTERNAL", None)
    fields: tuple[tuple[str, ...], ...] = ((), ("labels",), ("timelineItems",), ("title",), ("subIssuesSummary",))
    for _ in range(chance.randint(1, 12)):
        place = (f"r{chance.randrange(3)}", f"i{chance.randint(1, 12)}", *chance.choice(fields))
        path = place if chance.random() < 0.9 else place[:1]
        hub.faults.partial(path, chance.choice(types), times=chance.choice((1, 2, hub.faults.EVER)))
    reading = look(hub, *(Wanted(name=f"acme/r{n}", issues=tuple(range(1, 13))) for n in range(3)))
    assert reading.problem is None
    for looked in reading.repositories:
        read_or_not = [issue.number for issue in looked.issues]
        read_or_not += [missing.number for missing in looked.not_there if missing.number is not None]
        if read_or_not or looked.repository is not None:
            assert sorted(read_or_not) == list(range(1, 13))
        else:
            assert looked.problem is not None or [it.what for it in looked.not_there] == ["repository"]


def test_pages_without_an_end_are_not_read_for_ever(hub: FakeHub) -> None:
    repo = hub.repository(WIDGETS)
    pull = repo.pull("Fix", head="a")
    for number in range(2300):
        repo.status(f"status {number}", "success", on=pull.head_oid)
    reading = look(hub, Wanted(name=WIDGETS, pulls=(pull.number,)))
    (looked,) = reading.repositories
    assert looked.problem is None and looked.gaps is not None and f"#{pull.number}" in looked.gaps
    assert looked.pulls[0].now.ci.verdict == "pending" and reading.requests == 21


def test_nothing_wanted_is_nothing_asked(hub: FakeHub) -> None:
    assert look(hub) == Reading()


def test_a_question_that_is_not_understood_is_a_problem_and_makes_nothing_missing(hub: FakeHub) -> None:
    hub.repository(WIDGETS).issue("Fix")
    hub.faults.next(200, body={"errors": [{"message": "Field 'blockedBy' doesn't exist on type 'Issue'"}]})
    reading = look(hub, Wanted(name=WIDGETS, issues=(1,)))
    assert "blockedBy" in (reading.problem or "") and reading.fix is not None
    assert reading.repositories[0].not_there == ()


def test_how_far_it_is_is_told(hub: FakeHub) -> None:
    repo = hub.repository(WIDGETS)
    for number in range(1, 61):
        repo.issue(f"Issue {number}")
    told: list[tuple[int, int]] = []
    read(ask_hub(hub), [Wanted(name=WIDGETS, issues=tuple(range(1, 61)))], lambda *far: told.append(far))
    assert told == sorted(told) and told[-1] == (61, 61) and len(told) == 3


def test_an_issue_whose_pull_requests_cannot_be_listed_never_reads_as_one_without_any(hub: FakeHub) -> None:
    repo = hub.repository(WIDGETS)
    repo.issue("Fix lanes")
    repo.issue("Another")
    hub.faults.partial(
        ("r0", "i1", "closedByPullRequestsReferences"), "SERVICE_UNAVAILABLE", "Not now.", times=hub.faults.EVER
    )
    (looked,) = look(hub, Wanted(name=WIDGETS, issues=(1, 2))).repositories
    assert [issue.number for issue in looked.issues] == [2]
    assert [(one.number, one.why) for one in looked.not_there] == [(1, "unreadable")]


def test_a_pull_request_whose_text_cannot_be_read_is_read_without_it(hub: FakeHub) -> None:
    repo = hub.repository(WIDGETS)
    pull = repo.pull("Fix lanes", head="fix")
    hub.faults.partial("PullRequest.body", "SERVICE_UNAVAILABLE", "Not now.", times=hub.faults.EVER)
    (looked,) = look(hub, Wanted(name=WIDGETS, pulls=(pull.number,))).repositories
    assert [one.pull.number for one in looked.pulls] == [pull.number]
    assert looked.problem is None and looked.gaps is not None and "text of #1" in looked.gaps
