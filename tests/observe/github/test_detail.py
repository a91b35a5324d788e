"""GitHub's text about a node, read from the fake GitHub over real HTTP."""

from __future__ import annotations

import pytest

from stoat.observe.github import detail, failing
from stoat.observe.github.client import Client
from stoat.observe.github.text import Annotation, Comments, GitHubText, Log
from stoat.observe.github.trouble import BadToken, Outage
from stoat.plan.github import Numbered
from tests.support.fakehub import Annotation as Remark
from tests.support.fakehub import FakeHub, Issue, Pull, Repository

AT = "2026-12-01T10:00:00.000Z"


def text(client: Client, issue: Issue | None = None, *pulls: Pull) -> GitHubText:
    """What is read about them."""
    named = [Numbered(pull.repo.name, pull.number) for pull in pulls]
    return detail.read(client, Numbered(issue.repo.name, issue.number) if issue else None, named, AT)


def test_an_issue_has_its_text_and_its_newest_comments(repo: Repository, client: Client) -> None:
    issue = repo.issue("Fix lanes", body="They *drift*.\n", labels=("bug", "p1"), assignees=("bob",), milestone="3.0")
    for number in range(7):
        issue.comment("cleo", f"word {number}")
    shown = text(client, issue).issue
    assert shown is not None
    assert (shown.repo, shown.number, shown.title, shown.body) == ("acme/widgets", 1, "Fix lanes", "They *drift*.\n")
    assert (shown.state, shown.reason, shown.author) == ("open", None, "ada")
    assert (shown.labels, shown.assignees, shown.milestone) == (("bug", "p1"), ("bob",), "3.0")
    assert shown.comments.total == 7
    assert [(one.author, one.body) for one in shown.comments.newest] == [("cleo", f"word {n}") for n in range(2, 7)]


def test_a_pull_request_has_its_text_its_size_and_every_check(repo: Repository, client: Client) -> None:
    pull = repo.pull("Mend lanes", head="stoat/p/a", body="It was the parser.", files={"a.txt": "1\n2\n"})
    pull.check("test", "success")
    pull.check("lint", "skipped")
    pull.check("deploy", "queued")
    pull.status("ci/old", "success", description="fine")
    pull.review("bob", "approved")
    (shown,) = text(client, None, pull).prs
    assert (shown.state, shown.body, shown.base) == ("open", "It was the parser.", "main")
    assert (shown.additions, shown.deletions, shown.changed_files) == (2, 0, 1)
    assert [(one.author, one.state) for one in shown.reviews] == [("bob", "approved")]
    assert [(one.label, one.state, one.said) for one in shown.checks] == [
        ("CI / deploy", "pending", "queued"), ("CI / test", "passed", "success"), ("ci/old", "passed", "success"),
        ("CI / lint", "skipped", "skipped"),
    ]  # fmt: skip


def test_a_failing_job_says_how_without_the_noise_and_with_the_end_of_its_log(
    repo: Repository, hub: FakeHub, client: Client
) -> None:
    pull = repo.pull("Mend lanes", head="stoat/p/a")
    remarks = [
        Remark(".github", 1, "Process completed with exit code 1."),
        Remark("src/a.py", 3, "deprecated", level="warning"),
        Remark("src/a.py", 12, "expected 2, got 3", title="Retries.count_twice"),
    ]
    pull.check(
        "test", "failure", annotations=remarks, title="1 failed", summary="One test.", log="one\ntwo\n##[error]no"
    )
    (check,) = text(client, None, pull).prs[0].checks
    assert (check.title, check.summary, check.app) == ("1 failed", "One test.", "github-actions")
    assert check.annotations == (Annotation("src/a.py", 12, "Retries.count_twice", "expected 2, got 3"),)
    assert check.log == Log("one\ntwo\nerror: no")
    assert len(hub.journal) == client.requests == 3  # the text, the failing checks, the log


@pytest.mark.parametrize(("app", "result"), [("circleci", "failure"), ("github-actions", "cancelled")])
def test_only_a_job_of_actions_that_failed_is_asked_for_a_log(
    repo: Repository, hub: FakeHub, client: Client, app: str, result: str
) -> None:
    pull = repo.pull("Mend lanes", head="stoat/p/a")
    pull.check("test", result, app=app, log="secret")
    (check,) = text(client, None, pull).prs[0].checks
    assert (check.state, check.log) == ("failed", None)
    assert not [one for one in hub.journal if "/logs" in one.path]


@pytest.mark.parametrize(
    ("status", "why"), [(410, "GitHub keeps its log no longer"), (404, "GitHub has no log of it, or not yet")]
)
def test_a_log_that_is_gone_is_said_and_the_rest_is_there(
    repo: Repository, hub: FakeHub, client: Client, status: int, why: str
) -> None:
    pull = repo.pull("Mend lanes", head="stoat/p/a")
    pull.check("test", "failure", title="1 failed", log="x")
    hub.faults.next(status=status, path="/logs")
    (check,) = text(client, None, pull).prs[0].checks
    assert (check.title, check.log) == ("1 failed", Log(missing=why))


def test_a_check_that_ran_again_counts_once_as_it_is_now(repo: Repository, client: Client) -> None:
    pull = repo.pull("Mend lanes", head="stoat/p/a")
    pull.check("test", "failure", started="2026-12-01T08:00:00Z", log="x")
    pull.check("test", "success", started="2026-12-01T09:00:00Z")
    assert [(one.name, one.state) for one in text(client, None, pull).prs[0].checks] == [("test", "passed")]


def test_more_checks_than_a_page_holds_are_all_read(repo: Repository, client: Client) -> None:
    pull = repo.pull("Mend lanes", head="stoat/p/a")
    for number in range(130):
        pull.check(f"part-{number:03}", "success")
    assert len(text(client, None, pull).prs[0].checks) == 130


def test_a_pull_request_that_no_sweep_saw_is_found_by_the_issue_it_closes(repo: Repository, client: Client) -> None:
    issue = repo.issue("Fix lanes")
    pull = repo.pull("Mend lanes", head="ada/mend", body=f"Fixes #{issue.number}")
    assert [one.number for one in text(client, issue).prs] == [pull.number]
    assert [one.number for one in text(client, issue, pull).prs] == [pull.number]


def test_what_is_not_there_is_a_problem_beside_what_is(repo: Repository, hub: FakeHub, client: Client) -> None:
    gone = repo.issue("Gone")
    gone.delete()
    pull = repo.pull("Mend lanes", head="stoat/p/a")
    shown = text(client, gone, pull)
    assert shown.issue is None and len(shown.prs) == 1
    (problem,) = shown.problems
    assert problem.startswith(f"acme/widgets#{gone.number}: Could not resolve to an Issue")


def test_checks_of_closed_pull_requests_are_not_explained(repo: Repository, hub: FakeHub, client: Client) -> None:
    pull = repo.pull("Mend lanes", head="stoat/p/a")
    pull.check("test", "failure", log="x")
    pull.close()
    assert text(client, None, pull).prs[0].checks[0].log is None
    assert len(hub.journal) == 1


def test_who_left_and_what_is_empty_reads_as_that(repo: Repository, client: Client) -> None:
    issue = repo.issue("Old", author=None)
    shown = text(client, issue).issue
    assert shown is not None
    assert (shown.author, shown.body, shown.comments) == (None, "", Comments())


def test_when_github_cannot_be_asked_that_is_raised(repo: Repository, hub: FakeHub, client: Client) -> None:
    issue = repo.issue("Fix lanes")
    hub.faults.html(times=9)
    with pytest.raises(Outage):
        text(client, issue)
    hub.faults.clear()
    hub.faults.unauthorized()
    with pytest.raises(BadToken):
        text(client, issue)


def test_the_tail_of_a_log_is_for_people() -> None:
    log = (
        b"2026-12-01T08:00:00.1234567Z ##[group]Run make test\n"
        b"2026-12-01T08:00:00.2Z \x1b[36;1mmake test\x1b[0m\r\n"
        b"2026-12-01T08:00:00.3Z ##[endgroup]\n"
        b"2026-12-01T08:00:01Z FAILED a\n"
        b"2026-12-01T08:00:01Z ##[error]Process completed with exit code 2.\n"
        b"2026-12-01T08:00:02Z Post job cleanup.\n"
        b"2026-12-01T08:00:02Z [command]/usr/bin/git version\n"
    )
    said = "Run make test\nmake test\nFAILED a\nerror: Process completed with exit code 2."
    assert failing.tail(log) == Log(said)
    assert failing.tail(b"half a line\n" + log, cut=True) == Log(said, cut=True)
    long = b"".join(b"line %d\n" % number for number in range(1000))
    assert failing.tail(long).text.splitlines() == [f"line {number}" for number in range(940, 1000)]
    assert failing.tail(b"") == Log()
    assert failing.tail(b"\xff\xfe bytes\n").text == "\ufffd\ufffd bytes"
