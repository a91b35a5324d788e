"""REST's conventions and what its routes do."""

from __future__ import annotations

import base64
import socket
from typing import Any

import pytest
import requests

from tests.fakehub.conftest import Asker
from tests.support.fakehub import FakeHub

W = "/repos/acme/widgets"


@pytest.fixture
def repo(hub: FakeHub) -> Any:
    """acme/widgets."""
    return hub.repository("acme/widgets")


def said(response: requests.Response) -> tuple[int, str]:
    """Status and message."""
    return response.status_code, response.json()["message"]


def test_an_answer_says_each_header_once_and_the_time_of_this_github(hub: FakeHub, ask: Asker) -> None:
    hub.clock = lambda: 1_796_040_000.0
    with socket.create_connection(("127.0.0.1", int(hub.url.rpartition(":")[2])), 10) as line:
        line.sendall(b"GET /user HTTP/1.0\r\nUser-Agent: t\r\nAuthorization: token fake-token\r\n\r\n")
        head = b"".join(iter(lambda: line.recv(4096), b"")).partition(b"\r\n\r\n")[0].decode()
    names = [part.partition(":")[0].lower() for part in head.split("\r\n")[1:]]
    assert len(names) == len(set(names)), head
    assert "Date: Mon, 30 Nov 2026 12:00:00 GMT" in head


def test_the_token_is_looked_at(hub: FakeHub, ask: Asker) -> None:
    assert ask.get("/user", Authorization="token fake-token").json()["login"] == "stoat-bot"
    for wrong in ("Bearer other", "Bearer", "Bearer "):
        response = ask.get("/user", Authorization=wrong)
        assert said(response) in {(401, "Bad credentials"), (401, "Requires authentication")}
    response = requests.post(f"{hub.url}/graphql", json={"query": "{ viewer { login } }"}, timeout=10)
    assert said(response) == (401, "Requires authentication")
    hub.faults.unauthorized()
    assert said(ask.get("/user")) == (401, "Bad credentials")
    hub.faults.clear()
    assert ask.get("/user").headers["X-OAuth-Scopes"] == "repo, read:org"


def test_an_unknown_version_and_an_unknown_path_are_refused(ask: Asker) -> None:
    assert ask.get("/user", X_GitHub_Api_Version="2026-03-10").status_code == 200
    assert ask.get("/user", X_GitHub_Api_Version="1999-01-01").status_code == 400
    assert said(ask.get("/nothing/here")) == (404, "Not Found")
    assert ask.get("/user", User_Agent="").status_code in (200, 403)


def test_an_enterprise_servers_paths_work_as_well(repo: Any, hub: FakeHub, ask: Asker) -> None:
    assert ask.get("/api/v3/repos/acme/widgets").json()["url"] == f"{hub.url}/api/v3/repos/acme/widgets"
    response = ask.rest("POST", "/api/graphql", {"query": "{ viewer { login } }"})
    assert response.json()["data"]["viewer"]["login"] == "stoat-bot"


def test_pages_are_linked_and_capped(repo: Any, ask: Asker) -> None:
    for number in range(130):
        repo.issue(f"Issue {number}")
    repo.pull("Not an issue", "a")
    response = ask.get(f"{W}/issues?per_page=500&state=all")
    assert len(response.json()) == 100
    assert response.links["next"]["url"].endswith("per_page=500&state=all&page=2")
    assert set(response.links) == {"next", "last"}
    second = ask.session.get(response.links["next"]["url"], timeout=10)
    assert set(second.links) == {"prev", "first"}
    numbers = [one["number"] for one in response.json() + second.json()]
    assert sorted(numbers) == list(range(1, 132))
    assert [one["number"] for one in second.json() + response.json() if "pull_request" in one] == [131]
    assert len(ask.get(f"{W}/issues").json()) == 30
    assert "Link" not in ask.get(f"{W}/issues?per_page=100&labels=none").headers


def test_an_etag_saves_the_budget_until_something_changes(repo: Any, hub: FakeHub, ask: Asker) -> None:
    repo.issue("Lanes")
    first = ask.get(f"{W}/issues/1")
    assert first.headers["ETag"].startswith('W/"')
    left = hub.limits["core"].remaining
    again = ask.get(f"{W}/issues/1", If_None_Match=first.headers["ETag"])
    assert (again.status_code, again.content, again.headers["X-RateLimit-Remaining"]) == (304, b"", str(left))
    assert hub.journal[-1].etag_hit
    other = ask.get(f"{W}/issues/1", If_None_Match=first.headers["ETag"], Accept="application/json")
    assert other.status_code == 200
    repo.issues[1].comment("bob", "News")
    changed = ask.get(f"{W}/issues/1", If_None_Match=first.headers["ETag"])
    assert (changed.status_code, changed.json()["comments"]) == (200, 1)
    assert hub.limits["core"].remaining == left - 2


def test_budgets_are_shown_and_run_out(hub: FakeHub, ask: Asker) -> None:
    before = ask.get("/rate_limit").json()
    assert before["resources"]["core"] == before["rate"]
    assert before["rate"]["used"] == 0
    hub.limits.budgets["core"].remaining = 1
    assert ask.get("/user").headers["X-RateLimit-Remaining"] == "0"
    refused = ask.get("/user")
    assert (refused.status_code, refused.headers["X-RateLimit-Remaining"]) == (403, "0")
    assert refused.json()["message"].startswith("API rate limit exceeded for user ID")
    assert ask.get("/rate_limit").status_code == 200
    assert ask.rest("POST", "/graphql", {"query": "{ viewer { login } }"}).json()["data"]["viewer"]


def test_issues_that_are_gone(repo: Any, hub: FakeHub, ask: Asker) -> None:
    hub.repository("acme/other")
    repo.issue("Moves", labels=["bug"]).transfer("acme/other", 7)
    repo.issue("Goes").delete()
    moved = ask.get(f"{W}/issues/1/comments?per_page=5")
    assert moved.status_code == 301
    assert moved.headers["Location"].endswith("/issues/7/comments?per_page=5")
    there = ask.session.get(ask.hub.url + f"{W}/issues/1", timeout=10).json()
    assert (there["repository_url"], there["labels"][0]["name"]) == (f"{hub.url}/repos/acme/other", "bug")
    assert said(ask.get(f"{W}/issues/2")) == (410, "This issue was deleted")
    assert said(ask.get(f"{W}/issues/3")) == (404, "Not Found")
    assert ask.get(f"{W}/issues").json() == []
    repo.has_issues = False
    assert ask.get(f"{W}/issues").status_code == 410


def test_issues_are_filed_changed_and_closed(repo: Any, hub: FakeHub, ask: Asker) -> None:
    hub.user("ada")
    repo.milestone("v1")
    body = {"title": "Lanes", "body": "text", "labels": ["bug"], "assignees": ["ada", "nobody"], "milestone": 1}
    made = ask.rest("POST", f"{W}/issues", body)
    assert made.status_code == 201
    assert [one["login"] for one in made.json()["assignees"]] == ["ada"]
    assert made.json()["milestone"]["title"] == "v1"
    assert said(ask.rest("POST", f"{W}/issues", {"body": "?"})) == (422, "Validation Failed")
    closed = ask.rest("PATCH", f"{W}/issues/1", {"state": "closed", "state_reason": "not_planned"}).json()
    assert (closed["state"], closed["state_reason"]) == ("closed", "not_planned")
    opened = ask.rest("PATCH", f"{W}/issues/1", {"state": "open", "milestone": None}).json()
    assert (opened["state_reason"], opened["milestone"]) == ("reopened", None)
    labels = ask.rest("POST", f"{W}/issues/1/labels", {"labels": ["needs-human"]}).json()
    assert [one["name"] for one in labels] == ["bug", "needs-human"]
    assert ask.rest("DELETE", f"{W}/issues/1/labels/Bug").status_code == 200
    assert said(ask.rest("DELETE", f"{W}/issues/1/labels/bug")) == (404, "Label does not exist")
    assert ask.rest("DELETE", f"{W}/issues/1/assignees", {"assignees": ["ada"]}).json()["assignees"] == []
    assert ask.rest("POST", f"{W}/issues/1/comments", {"body": "Hello"}).json()["user"]["login"] == "stoat-bot"
    assert [one["body"] for one in ask.get(f"{W}/issues/1/comments").json()] == ["Hello"]
    assert [request.method for request in hub.writes()].count("POST") == 4


def test_a_timeline_tells_what_happened(repo: Any, ask: Asker) -> None:
    issue = repo.issue("Lanes")
    repo.pull("Fix", "a", body="Fixes #1").merge()
    issue.reopen()
    issue.comment("bob", "Not yet")
    shown = ask.get(f"{W}/issues/1/timeline").json()
    assert [one["event"] for one in shown] == ["cross-referenced", "closed", "reopened", "commented"]
    assert shown[0]["source"]["issue"]["pull_request"]["merged_at"] is not None
    assert [one["event"] for one in ask.get(f"{W}/issues/2/timeline").json()] == ["merged", "closed"]


def test_the_newer_api_version_has_dropped_some_keys(repo: Any, ask: Asker) -> None:
    repo.issue("Lanes")
    repo.pull("Fix", "a")
    for path, key in ((f"{W}/issues/1", "assignee"), (f"{W}/pulls/2", "merge_commit_sha"), ("/rate_limit", "rate")):
        assert key in ask.get(path).json()
        assert key not in ask.get(path, X_GitHub_Api_Version="2026-03-10").json()


def test_the_list_of_issues_is_filtered(repo: Any, ask: Asker) -> None:
    repo.issue("A", labels=["bug", "lane"], assignees=["ada"])
    repo.issue("B", labels=["bug"], milestone="v1")
    repo.issue("C", state="closed")
    for query, numbers in {
        "": [2, 1],
        "state=all": [3, 2, 1],
        "state=closed": [3],
        "labels=bug,lane": [1],
        "assignee=none": [2],
        "assignee=ada": [1],
        "milestone=1": [2],
        "milestone=none": [1],
        "direction=asc": [1, 2],
        "since=2999-01-01T00:00:00Z": [],
    }.items():
        assert [one["number"] for one in ask.get(f"{W}/issues?{query}").json()] == numbers, query


def test_the_graph_is_made_and_undone(repo: Any, ask: Asker) -> None:
    one, two, three = (repo.issue(title) for title in ("One", "Two", "Three"))
    assert ask.rest("POST", f"{W}/issues/1/sub_issues", {"sub_issue_id": two.id}).status_code == 201
    assert ask.rest("POST", f"{W}/issues/1/sub_issues", {"sub_issue_id": three.id}).status_code == 201
    assert ask.rest("POST", f"{W}/issues/3/sub_issues", {"sub_issue_id": one.id}).status_code == 422
    assert ask.rest("POST", f"{W}/issues/2/sub_issues", {"sub_issue_id": three.id}).status_code == 422
    moved = {"sub_issue_id": three.id, "before_id": two.id}
    assert ask.rest("PATCH", f"{W}/issues/1/sub_issues/priority", moved).status_code == 200
    assert [each["number"] for each in ask.get(f"{W}/issues/1/sub_issues").json()] == [3, 2]
    assert ask.get(f"{W}/issues/3/parent").json()["number"] == 1
    assert ask.get(f"{W}/issues/1/parent").status_code == 404
    assert ask.rest("DELETE", f"{W}/issues/1/sub_issue", {"sub_issue_id": three.id}).status_code == 200
    dependencies = f"{W}/issues/2/dependencies/blocked_by"
    assert ask.rest("POST", dependencies, {"issue_id": three.id}).status_code == 201
    assert ask.rest("POST", dependencies, {"issue_id": three.id}).status_code == 422
    assert ask.rest("POST", dependencies, {"issue_id": two.id}).status_code == 422
    assert ask.rest("POST", f"{W}/issues/3/dependencies/blocked_by", {"issue_id": two.id}).status_code == 422
    assert ask.rest("POST", dependencies, {"issue_id": 1}).status_code == 404
    assert [each["number"] for each in ask.get(dependencies).json()] == [3]
    assert [each["number"] for each in ask.get(f"{W}/issues/3/dependencies/blocking").json()] == [2]
    summary = ask.get(f"{W}/issues/2").json()["issue_dependencies_summary"]
    assert summary == {"blocked_by": 1, "blocking": 0, "total_blocked_by": 1, "total_blocking": 0}
    three.close()
    assert ask.get(f"{W}/issues/2").json()["issue_dependencies_summary"]["blocked_by"] == 0
    assert ask.rest("DELETE", f"{dependencies}/{three.id}").status_code == 200
    assert ask.get(dependencies).json() == []


def test_a_log_is_elsewhere_and_the_token_does_not_belong_there(repo: Any, hub: FakeHub, ask: Asker) -> None:
    run = repo.check("test", "failure", log="boom\nProcess completed with exit code 1.")
    path = f"{W}/actions/jobs/{run.id}/logs"
    answer = ask.get(path)
    assert answer.status_code == 302
    place = answer.headers["Location"]
    assert place.startswith(hub.storage_url) and not place.startswith(hub.url)
    text = requests.get(place, timeout=10).text
    assert [line.partition("Z ")[2] for line in text.splitlines()] == ["boom", "Process completed with exit code 1."]
    tail = requests.get(place, headers={"Range": "bytes=-8"}, timeout=10)
    assert (tail.status_code, tail.text) == (206, "code 1.\n")
    assert requests.get(place, headers={"Authorization": "Bearer fake-token"}, timeout=10).status_code == 403
    assert len(hub.leaks) == 1
    running = repo.check("slow", "in_progress")
    place = ask.get(f"{W}/actions/jobs/{running.id}/logs").headers["Location"]
    missing = requests.get(place, timeout=10)
    assert (missing.status_code, "BlobNotFound" in missing.text) == (404, True)
    old = repo.check("old", "failure", log=None)
    assert ask.get(f"{W}/actions/jobs/{old.id}/logs").status_code == 410
    scanner = repo.check("scan", "failure", app="scanner")
    assert ask.get(f"{W}/actions/jobs/{scanner.id}/logs").status_code == 404


def test_files_are_read_as_json_and_raw(repo: Any, ask: Asker) -> None:
    repo.push("net11", "Pins", {"pins/a.props": "<a/>\n"})
    found = ask.get(f"{W}/contents/pins/a.props?ref=net11").json()
    assert base64.b64decode(found["content"]) == b"<a/>\n"
    raw = ask.get(f"{W}/contents/pins/a.props?ref=net11", Accept="application/vnd.github.raw+json")
    assert raw.content == b"<a/>\n"
    assert [one["name"] for one in ask.get(f"{W}/contents/pins?ref=net11").json()] == ["a.props"]
    assert said(ask.get(f"{W}/contents/pins/b.props?ref=net11")) == (404, "Not Found")
    assert said(ask.get(f"{W}/contents/a?ref=nope")) == (404, "No commit found for the ref nope")
    tree = ask.get(f"{W}/git/trees/net11?recursive=0").json()
    assert [one["path"] for one in tree["tree"]] == ["README.md", "pins", "pins/a.props"]
    assert ask.get(f"{W}/git/trees/nope").status_code == 404


def test_a_comparison_comes_from_git_and_its_second_page_is_small(repo: Any, ask: Asker) -> None:
    pull = repo.pull("Fix", "stoat/p/a")
    repo.push("main", "Meanwhile")
    for head in ("stoat/p/a", pull.head_oid, "acme:stoat/p/a"):
        found = ask.get(f"{W}/compare/main...{head}?per_page=1&page=2").json()
        assert (found["status"], found["ahead_by"], found["behind_by"], found["total_commits"]) == ("diverged", 1, 1, 1)
        assert "files" not in found and found["commits"] == []
    assert [one["filename"] for one in ask.get(f"{W}/compare/main...stoat/p/a").json()["files"]] == ["changes/1.txt"]
    assert ask.get(f"{W}/compare/main...nope").status_code == 404


def test_refs_outside_the_branches_are_made_moved_and_removed(repo: Any, ask: Asker) -> None:
    old = repo.side.tip("main")
    new = repo.push("main", "Next")
    made = ask.rest("POST", f"{W}/git/refs", {"ref": "refs/stoat/x", "sha": new})
    assert (made.status_code, made.json()["object"]["sha"]) == (201, new)
    assert said(ask.rest("POST", f"{W}/git/refs", {"ref": "refs/stoat/x", "sha": new})) == (
        422,
        "Reference already exists",
    )
    assert ask.rest("POST", f"{W}/git/refs", {"ref": "main", "sha": new}).status_code == 422
    assert ask.rest("PATCH", f"{W}/git/refs/stoat/x", {"sha": old}).status_code == 422
    assert ask.rest("PATCH", f"{W}/git/refs/stoat/x", {"sha": old, "force": True}).status_code == 200
    assert [one["ref"] for one in ask.get(f"{W}/git/matching-refs/stoat/").json()] == ["refs/stoat/x"]
    assert ask.rest("DELETE", f"{W}/git/refs/stoat/x").status_code == 204
    assert ask.get(f"{W}/git/ref/stoat/x").status_code == 404


def test_check_runs_of_a_branch_are_the_latest_of_each(repo: Any, ask: Asker) -> None:
    pull = repo.pull("Fix", "stoat/p/a")
    pull.check("test", "failure")
    pull.check("test", "success")
    page = ask.get(f"{W}/commits/stoat/p/a/check-runs?per_page=100").json()
    assert [(one["name"], one["conclusion"]) for one in page["check_runs"]] == [("test", "success")]
    assert ask.get(f"{W}/commits/{pull.head_oid}/check-runs?filter=all").json()["total_count"] == 2
    assert ask.get(f"{W}/commits/{pull.head_oid}/status").json()["state"] == "pending"
    assert [one["number"] for one in ask.get(f"{W}/commits/{pull.head_oid}/pulls").json()] == [1]


def test_a_run_that_is_under_way_is_brought_on_and_one_that_is_over_gets_a_successor(repo: Any, ask: Asker) -> None:
    first = repo.check("test", "queued")
    assert first.started_at is None
    assert repo.check("test", "in_progress") is first
    assert repo.check("test", "failure") is first
    assert repo.check("test", "success") is not first
    assert ask.rest("POST", f"{W}/actions/jobs/{first.id}/rerun").status_code == 201
    assert repo.checks.verdict(repo.side.tip("main")) == "pending"


def test_a_token_that_may_only_read_writes_nothing(repo: Any, ask: Asker) -> None:
    repo.issue("Lanes")
    repo.permission = "READ"
    refused = ask.rest("POST", f"{W}/issues/1/comments", {"body": "Hello"})
    assert said(refused) == (403, "Resource not accessible by personal access token")
    assert "X-Accepted-GitHub-Permissions" in refused.headers
    query = "mutation($i: CloseIssueInput!) { closeIssue(input: $i) { issue { number } } }"
    answer = ask.graphql(query, i={"issueId": repo.issues[1].node_id})
    assert answer["errors"][0]["type"] == "FORBIDDEN"
    assert repo.issues[1].open


def test_dispatches_are_kept(repo: Any, ask: Asker) -> None:
    assert ask.rest("POST", f"{W}/dispatches", {"event_type": "pack", "client_payload": {"a": 1}}).status_code == 204
    workflow = f"{W}/actions/workflows/ci.yml/dispatches"
    assert ask.rest("POST", workflow, {"ref": "main", "inputs": {"b": "2"}}).status_code == 204
    assert "workflow_run_id" in ask.rest("POST", workflow, {"ref": "main", "return_run_details": True}).json()
    assert ask.rest("POST", workflow, {"ref": "nope"}).status_code == 422
    assert repo.dispatches[:2] == [
        {"event_type": "pack", "client_payload": {"a": 1}},
        {"workflow": "ci.yml", "ref": "main", "inputs": {"b": "2"}},
    ]


def test_a_pull_request_is_opened_found_changed_and_reviewed(repo: Any, hub: FakeHub, ask: Asker) -> None:
    repo.push("topic", "Fix")
    repo.push("other", "Base")
    body = {"title": "Fix", "head": "topic", "base": "main", "draft": True}
    assert ask.rest("POST", f"{W}/pulls", body).json()["draft"] is True
    assert ask.rest("POST", f"{W}/pulls", {**body, "head": "nope"}).status_code == 422
    assert ask.rest("POST", f"{W}/pulls", {**body, "title": ""}).json()["errors"][0]["field"] == "title"
    none = ask.rest("POST", f"{W}/pulls", {**body, "head": "main"}).json()
    assert none["errors"][0]["message"] == "No commits between main and main"
    assert [one["number"] for one in ask.get(f"{W}/pulls?head=acme:topic&state=open").json()] == [1]
    assert ask.get(f"{W}/pulls?head=eve:topic").json() == []
    assert ask.rest("PATCH", f"{W}/pulls/1", {"base": "other", "title": "New"}).json()["base"]["ref"] == "other"
    assert ask.rest("POST", f"{W}/pulls/1/reviews", {"event": "APPROVE"}).status_code == 422
    assert ask.rest("POST", f"{W}/pulls/1/reviews", {"event": "COMMENT", "body": "Hm"}).json()["state"] == "COMMENTED"
    assert ask.get(f"{W}/pulls/1/merge").status_code == 404
    assert ask.rest("PATCH", f"{W}/pulls/1", {"state": "closed"}).json()["state"] == "closed"
    assert ask.rest("PATCH", f"{W}/pulls/1", {"state": "open"}).json()["state"] == "open"
    assert hub.find("acme/widgets") is repo
