"""What goes wrong on purpose."""

from __future__ import annotations

import json
import time

import pytest
import requests

from tests.fakehub.conftest import Asker
from tests.support.fakehub import FakeHub, Repository

W = "/repos/acme/widgets"
QUERY = """{ r0: repository(owner: "acme", name: "widgets") {
    name i1: issue(number: 1) { number title } i2: issue(number: 2) { number } } }"""


@pytest.fixture(autouse=True)
def repo(hub: FakeHub) -> Repository:
    """acme/widgets with two issues."""
    repo = hub.repository("acme/widgets")
    repo.issue("One")
    repo.issue("Two")
    return repo


def test_the_next_requests_fail_and_then_no_more(hub: FakeHub, ask: Asker) -> None:
    hub.faults.next(502, path="/graphql", times=2)
    assert ask.get("/user").status_code == 200
    assert [ask.rest("POST", "/graphql", {"query": QUERY}).status_code for _ in range(3)] == [502, 502, 200]
    hub.faults.html(503, times=hub.faults.EVER)
    page = ask.get("/user")
    assert (page.status_code, page.headers["Content-Type"]) == (503, "text/html")
    hub.faults.clear()
    assert ask.get("/user").status_code == 200


def test_what_was_asked_can_be_done_although_the_answer_is_an_error(hub: FakeHub, ask: Asker, repo: Repository) -> None:
    hub.faults.next(502, method="PATCH", after_effect=True)
    assert ask.rest("PATCH", f"{W}/issues/1", {"state": "closed"}).status_code == 502
    assert not repo.issues[1].open
    hub.faults.reset(path="issues/2", after_effect=True)
    with pytest.raises(requests.ConnectionError):
        ask.rest("PATCH", f"{W}/issues/2", {"state": "closed"})
    assert not repo.issues[2].open
    assert [request.status for request in hub.writes()] == [502, 0]


def test_a_connection_breaks_off(hub: FakeHub, ask: Asker) -> None:
    hub.faults.reset("/user")
    with pytest.raises(requests.ConnectionError):
        ask.get("/user")
    assert ask.get("/user").status_code == 200
    assert [request.status for request in hub.journal] == [0, 200]


def test_an_answer_takes_its_time(hub: FakeHub, ask: Asker) -> None:
    hub.faults.slow(0.2, "/user")
    began = time.monotonic()
    ask.get("/user")
    assert time.monotonic() - began >= 0.2


def test_json_breaks_off(hub: FakeHub, ask: Asker) -> None:
    hub.faults.truncated(f"{W}$")
    response = ask.get(W)
    assert response.status_code == 200
    with pytest.raises(json.JSONDecodeError):
        json.loads(response.text)


def test_limits(hub: FakeHub, ask: Asker) -> None:
    hub.faults.rate_limit("/user", reset_in=90)
    primary = ask.get("/user")
    assert (primary.status_code, primary.headers["X-RateLimit-Remaining"]) == (403, "0")
    assert 80 < int(primary.headers["X-RateLimit-Reset"]) - time.time() <= 91
    hub.faults.rate_limit("/graphql")
    answer = ask.rest("POST", "/graphql", {"query": QUERY})
    assert (answer.status_code, answer.json()["errors"][0]["type"]) == (200, "RATE_LIMITED")
    assert answer.headers["X-RateLimit-Remaining"] == "0"
    hub.faults.secondary(retry_after=7, status=429)
    secondary = ask.rest("POST", "/graphql", {"query": QUERY})
    assert (secondary.status_code, secondary.headers["Retry-After"]) == (429, "7")
    assert "secondary rate limit" in secondary.json()["message"]
    hub.faults.secondary(retry_after=None)
    assert "Retry-After" not in ask.get("/user").headers
    assert ask.get("/user").status_code == 200


def test_part_of_a_query_fails(hub: FakeHub, ask: Asker) -> None:
    hub.faults.partial(("r0", "i1"), "FORBIDDEN")
    answer = ask.graphql(QUERY)
    assert answer["data"]["r0"] == {"name": "widgets", "i1": None, "i2": {"number": 2}}
    assert [(one["type"], one["path"]) for one in answer["errors"]] == [("FORBIDDEN", ["r0", "i1"])]
    assert "errors" not in ask.graphql(QUERY)
    hub.faults.partial("Issue.title", None)
    answer = ask.graphql(QUERY)
    assert answer["data"]["r0"]["i1"] is None
    assert "type" not in answer["errors"][0]


@pytest.mark.parametrize("how", ["resource_limits", "502", "504"])
def test_a_query_that_is_too_much_work(hub: FakeHub, ask: Asker, how: str) -> None:
    hub.faults.heavy(1, how)  # type: ignore[arg-type]
    response = ask.rest("POST", "/graphql", {"query": QUERY})
    if how == "resource_limits":
        assert response.json()["data"]["r0"]["i1"] == {"number": 1, "title": "One"}
        assert response.json()["data"]["r0"]["i2"] is None
        assert response.json()["errors"][0]["type"] == "RESOURCE_LIMITS_EXCEEDED"
    else:
        assert response.status_code == int(how)
    small = '{ repository(owner: "acme", name: "widgets") { issue(number: 1) { number } } }'
    assert ask.data(small)


def test_a_page_cannot_be_had(hub: FakeHub, ask: Asker, repo: Repository) -> None:
    for number in range(3, 8):
        repo.issue(f"Issue {number}")
    hub.faults.missing_page("/issues", page=2)
    first = ask.get(f"{W}/issues?per_page=3")
    assert ask.session.get(first.links["next"]["url"], timeout=10).status_code == 404
    assert ask.session.get(first.links["next"]["url"], timeout=10).status_code == 200
    hub.faults.no_next("/issues")
    assert "next" not in ask.get(f"{W}/issues?per_page=3").links


def test_a_repository_is_blocked_wants_single_sign_on_or_is_out_of_reach(hub: FakeHub, ask: Asker) -> None:
    hub.repository("acme/other").issue("Fine")
    hub.faults.blocked("acme/widgets")
    blocked = ask.get(f"{W}/issues/1")
    assert (blocked.status_code, blocked.json()["message"]) == (451, "Repository access blocked")
    hub.faults.sso("acme/widgets")
    assert ask.get(W).headers["X-GitHub-SSO"].startswith("required; url=")
    error = ask.graphql(QUERY)["errors"][0]
    assert (error["type"], error["path"], error["extensions"]["saml_failure"]) == ("FORBIDDEN", ["r0"], True)
    hub.faults.forbidden("acme/widgets", "checks=read")
    refused = ask.get(W)
    assert (refused.status_code, refused.headers["X-Accepted-GitHub-Permissions"]) == (403, "checks=read")
    assert ask.get("/repos/acme/other/issues/1").status_code == 200
    hub.faults.forbidden("acme/widgets", "checks=read", path="/check-runs")
    assert ask.get(f"{W}/commits/main/check-runs").status_code == 403
    assert ask.get(f"{W}/issues/1").status_code == 200
    assert "errors" not in ask.graphql(QUERY)


def test_it_goes_away_and_comes_back_where_it_was(hub: FakeHub, ask: Asker) -> None:
    url = hub.url
    hub.stop()
    with pytest.raises(requests.ConnectionError):
        ask.get("/user")
    hub.start()
    assert hub.url == url
    assert ask.get("/user").status_code == 200


def test_a_change_shows_late(hub: FakeHub, ask: Asker, repo: Repository) -> None:
    pull = repo.pull("Fix", "a", body="Fixes #1")
    hub.faults.lag(2)
    assert ask.rest("PUT", f"{W}/pulls/{pull.number}/merge", {}).status_code == 200
    query = f'{{ repository(owner: "acme", name: "widgets") {{ pullRequest(number: {pull.number}) {{ merged }} }} }}'
    merged = [ask.data(query)["repository"]["pullRequest"]["merged"] for _ in range(3)]
    assert merged == [False, False, True]
    assert [ask.get(f"{W}/issues/1").json()["state"] for _ in range(3)] == ["open", "open", "closed"]


def test_checks_come_in_any_order(hub: FakeHub, ask: Asker, repo: Repository) -> None:
    for number in range(20):
        repo.check(f"test {number}", "success")
    hub.faults.shuffle()
    path = f"{W}/commits/main/check-runs?per_page=100"
    names = [[one["name"] for one in ask.get(path).json()["check_runs"]] for _ in range(2)]
    assert names[0] != names[1]
    assert sorted(names[0]) == sorted(names[1])


def test_the_journal_says_what_was_asked(hub: FakeHub, ask: Asker) -> None:
    ask.graphql("query Sweep { viewer { login } }")
    ask.graphql('mutation { closeIssue(input: {issueId: "x"}) { issue { number } } }')
    ask.rest("POST", f"{W}/issues", {"title": "Three"})
    ask.get("/user")
    shown = [(one.method, one.kind, one.write, one.operation, one.status) for one in hub.journal]
    assert shown == [
        ("POST", "graphql", False, "Sweep", 200),
        ("POST", "graphql", True, "closeIssue", 200),
        ("POST", "rest", True, "", 201),
        ("GET", "rest", False, "", 200),
    ]
    assert hub.journal[2].body == {"title": "Three"}
    assert len(hub.writes()) == 2
