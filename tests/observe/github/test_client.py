"""Asking GitHub: what is sent, what is tried again, and what each refusal becomes."""

from __future__ import annotations

import json
import logging
import traceback
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from stoat import clock
from stoat.observe.github.client import Client, connect
from stoat.observe.github.trouble import (
    Absent,
    BadToken,
    Forbidden,
    GitHubTrouble,
    Limited,
    Outage,
    SchemaTrouble,
    TooLarge,
)
from tests.observe.github.asking import TOKEN, Waits, ask, ask_hub
from tests.observe.github.scripted import Reply, Sent, scripted
from tests.support.fakehub import FakeHub

QUERY = "query Viewer { viewer { login } }"


@pytest.fixture
def hub(tmp_path: Path) -> Iterator[FakeHub]:
    with FakeHub(tmp_path / "hub") as running:
        running.repository("acme/widgets")
        yield running


def graphql(body: object, status: int = 200) -> Callable[[Sent], Reply]:
    return lambda sent: Reply(status, json.dumps(body).encode())


def test_it_says_who_asks_and_shows_the_token(hub: FakeHub) -> None:
    with scripted(lambda sent: Reply()) as server:
        ask(f"{server.url}/api/v3").get("/repos/acme/widgets")
        with pytest.raises(Outage):
            ask(f"{server.url}/api/v3").graphql(QUERY)
    got, posted = server.sent[:2]
    assert got.path == "/api/v3/repos/acme/widgets" and posted.path == "/api/graphql"
    for sent in (got, posted):
        assert sent.headers["user-agent"].startswith("stoat/")
        assert sent.headers["authorization"] == f"Bearer {TOKEN}"
    assert got.headers["accept"] == "application/vnd.github+json"


def test_a_netrc_of_the_user_does_not_replace_the_token(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    netrc = tmp_path / "netrc"
    netrc.write_text("machine 127.0.0.1 login other password other\n")
    netrc.chmod(0o600)
    monkeypatch.setenv("NETRC", str(netrc))
    with scripted(lambda sent: Reply()) as server:
        ask(server.url).get("/user")
    assert server.sent[0].headers["authorization"] == f"Bearer {TOKEN}"


def test_this_machine_is_asked_without_a_proxy(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("http_proxy", "HTTP_PROXY", "all_proxy", "ALL_PROXY"):
        monkeypatch.setenv(name, "http://127.0.0.1:1")
    monkeypatch.delenv("no_proxy", raising=False)
    monkeypatch.delenv("NO_PROXY", raising=False)
    with scripted(lambda sent: Reply()) as server:
        assert ask(server.url).get("/user").status == 200


def test_the_good_part_of_an_answer_comes_with_its_errors(hub: FakeHub) -> None:
    client = ask_hub(hub)
    one = 'a: repository(owner: $owner, name: "widgets") { nameWithOwner }'
    other = 'b: repository(owner: $owner, name: "none") { id }'
    answered = client.graphql(f"query Two($owner: String!) {{ {one} {other} }}", {"owner": "acme"})
    assert answered.data == {"a": {"nameWithOwner": "acme/widgets"}, "b": None}
    assert [(error.type, error.path) for error in answered.errors] == [("NOT_FOUND", ("b",))]
    assert client.requests == 1


def test_a_question_that_github_does_not_understand_is_our_defect_and_asked_once(hub: FakeHub) -> None:
    client = ask_hub(hub)
    with pytest.raises(SchemaTrouble, match="nonsense") as caught:
        client.graphql("query Odd { viewer { nonsense } }")
    assert caught.value.fix and client.requests == 1


def test_a_wrong_token_is_said_once_with_the_fix(hub: FakeHub) -> None:
    client = ask(hub.url, token="wrong")
    for call in (lambda: client.graphql(QUERY), lambda: client.get("/user")):
        before = client.requests
        with pytest.raises(BadToken) as caught:
            call()
        assert "gh auth login" in (caught.value.fix or "") and client.requests == before + 1


@pytest.mark.parametrize("status", [500, 503])
def test_an_outage_is_tried_again_and_may_pass(hub: FakeHub, status: int) -> None:
    hub.faults.next(status=status, times=1)
    waits = Waits()
    client = connect({"STOAT_GITHUB_API": hub.url, "GH_TOKEN": hub.token}, wait=waits)
    waits_for_nothing(client)
    assert client.graphql(QUERY).data["viewer"]["login"] == "stoat-bot"
    assert client.requests == 2 and [seconds for seconds, _ in waits] == [0.5]


def waits_for_nothing(client: Client) -> None:
    """Let the time that the test's `wait` has granted count as passed."""
    client.sleep = lambda seconds: None


@pytest.mark.parametrize("trouble", ["502", "html", "truncated", "reset", "slow"])
def test_what_lasts_is_an_outage_after_a_bounded_number_of_tries(hub: FakeHub, trouble: str) -> None:
    ever = hub.faults.EVER
    match trouble:
        case "502":
            hub.faults.next(status=502, times=ever)
        case "html":
            hub.faults.html(times=ever, status=200)
        case "truncated":
            hub.faults.truncated(times=ever)
        case "reset":
            hub.faults.reset(times=ever)
        case "slow":
            hub.faults.slow(0.3, times=ever)
    client = connect({"STOAT_GITHUB_API": hub.url, "GH_TOKEN": hub.token}, wait=Waits(), timeout=0.1)
    waits_for_nothing(client)
    with pytest.raises(Outage) as caught:
        client.graphql(QUERY)
    assert client.requests == 3
    assert "127.0.0.1" in caught.value.message


def test_nobody_listening_and_a_host_without_an_address_are_outages() -> None:
    for url in ("http://127.0.0.1:1", "http://nobody.invalid"):
        client = ask(url)
        with pytest.raises(Outage, match="cannot be reached"):
            client.get("/user")


def test_a_body_that_breaks_off_is_an_outage() -> None:
    with scripted(lambda sent: Reply(body=b'{"data": {', length=4000)) as server, pytest.raises(Outage):
        ask(server.url).graphql(QUERY)


@pytest.mark.parametrize(
    ("body", "status"),
    [
        (
            {"errors": [{"type": "RESOURCE_LIMITS_EXCEEDED", "message": "Resource limits for this query exceeded."}]},
            200,
        ),
        (
            {"errors": [{"type": "MAX_NODE_LIMIT_EXCEEDED", "message": "requesting up to 1,010,000 possible nodes"}]},
            200,
        ),
        ({"data": None, "errors": [{"message": "Something went wrong while executing your query. Please"}]}, 200),
        ({}, 502),
        ({}, 504),
    ],
)
def test_what_may_be_too_much_is_given_back_at_once_to_who_can_ask_for_less(body: object, status: int) -> None:
    with scripted(graphql(body, status)) as server:
        client = ask(server.url)
        with pytest.raises(TooLarge):
            client.graphql(QUERY, divisible=True)
    assert client.requests == 1


@pytest.mark.parametrize(
    ("body", "status", "trouble"),
    [
        ({"errors": [{"type": "FORBIDDEN", "message": "no"}]}, 200, Forbidden),
        ({"errors": [{"type": "INSUFFICIENT_SCOPES", "message": "not been granted"}]}, 200, Forbidden),
        ({"message": "Resource not accessible by integration"}, 403, Forbidden),
        ({"message": "Not Found"}, 404, Absent),
        ({"message": "Problems parsing JSON"}, 400, SchemaTrouble),
        ({"errors": [{"type": "EXCESSIVE_PAGINATION", "message": "first > 100"}]}, 200, SchemaTrouble),
        (
            {"errors": [{"message": "Field 'x' doesn't exist", "extensions": {"code": "undefinedField"}}]},
            200,
            SchemaTrouble,
        ),
        ({"errors": [{"type": "INTERNAL", "message": "oh"}]}, 200, Outage),
        ([], 200, Outage),
        ({"message": "hm"}, 200, Outage),
        ({}, 301, GitHubTrouble),
    ],
)
def test_every_refusal_of_a_question_is_told_apart(body: object, status: int, trouble: type[GitHubTrouble]) -> None:
    with scripted(graphql(body, status)) as server, pytest.raises(trouble) as caught:
        ask(server.url).graphql(QUERY)
    assert type(caught.value) is trouble


def test_a_secondary_limit_is_waited_for_as_long_as_it_says(hub: FakeHub) -> None:
    hub.faults.secondary(retry_after=7)
    waits = Waits()
    client = connect({"STOAT_GITHUB_API": hub.url, "GH_TOKEN": hub.token}, wait=waits)
    waits_for_nothing(client)
    assert client.get("/repos/acme/widgets").status == 200
    assert waits == [(7.0, "GitHub's secondary rate limit")]


def test_whoever_does_not_want_to_wait_is_told_when_it_is_over(hub: FakeHub) -> None:
    hub.faults.rate_limit(reset_in=90)
    client = ask_hub(hub)
    with pytest.raises(Limited) as caught:
        client.graphql(QUERY)
    assert caught.value.again_at is not None
    assert 60 < clock.seconds_between(clock.now(), caught.value.again_at) < 120
    assert client.requests == 1


def test_a_limit_that_does_not_end_is_not_waited_for_for_ever(hub: FakeHub) -> None:
    hub.faults.secondary(retry_after=1, times=hub.faults.EVER)
    client = connect({"STOAT_GITHUB_API": hub.url, "GH_TOKEN": hub.token}, wait=Waits())
    waits_for_nothing(client)
    with pytest.raises(Limited):
        client.get("/repos/acme/widgets")
    assert client.requests == 3


def test_only_what_is_left_of_a_wait_is_waited_for() -> None:
    slept: list[float] = []
    with scripted(lambda sent: Reply(429, headers={"Retry-After": "5"})) as server:
        client = ask(server.url)
        client.sleep = slept.append
        client._wait = lambda seconds, why: True
        with pytest.raises(Limited):
            client.get("/user")
    assert all(4.5 < seconds <= 5 for seconds in slept) and len(slept) == 2


def test_what_did_not_change_costs_nothing(hub: FakeHub, tmp_path: Path) -> None:
    first = ask_hub(hub, tmp_path / "cache").get("/repos/acme/widgets")
    again = ask_hub(hub, tmp_path / "cache").get("/repos/acme/widgets")
    assert again.json() == first.json() and again.status == 200
    assert [request.etag_hit for request in hub.journal] == [False, True]


def test_another_token_and_another_kind_of_answer_are_other_questions(tmp_path: Path) -> None:
    def answer(sent: Sent) -> Reply:
        return Reply(304 if "if-none-match" in sent.headers else 200, b"", {"ETag": 'W/"1"'})

    with scripted(answer) as server:
        ask(server.url, tmp_path).get("/user")
        ask(server.url, tmp_path, token="other").get("/user")
        ask(server.url, tmp_path).get("/user", accept="application/json")
        ask(server.url, tmp_path).get("/user", tail=10)
    assert not any("if-none-match" in sent.headers for sent in server.sent)


def test_a_redirect_to_another_host_goes_without_the_token() -> None:
    with (
        scripted(lambda sent: Reply(body=b"0123456789 the log")) as storage,
        scripted(lambda sent: Reply(302, headers={"Location": f"{storage.url}/log?sig=1"})) as server,
    ):
        response = ask(server.url).get("/repos/a/b/actions/jobs/1/logs", tail=7)
    assert response.body == b"the log" and response.url.startswith(storage.url)
    assert "authorization" in server.sent[0].headers and "authorization" not in storage.sent[0].headers


def test_a_redirect_on_the_same_host_keeps_the_token_and_says_where_it_led() -> None:
    def answer(sent: Sent) -> Reply:
        moved = sent.path == "/repos/old/name"
        return Reply(301 if moved else 200, headers={"Location": "/repositories/7"} if moved else {})

    with scripted(answer) as server:
        client = ask(server.url)
        response = client.get("/repos/old/name")
    assert response.url == f"{server.url}/repositories/7" and client.requests == len(server.sent) == 2
    assert all(sent.headers["authorization"] == f"Bearer {TOKEN}" for sent in server.sent)


@pytest.mark.parametrize("target", ["/around", "ftp://elsewhere/", "file:///etc/passwd", "http://[", "//h:99999/"])
def test_a_redirect_that_leads_nowhere_is_an_outage(target: str) -> None:
    with scripted(lambda sent: Reply(302, headers={"Location": target})) as server, pytest.raises(Outage):
        ask(server.url).get("/around")
    assert len(server.sent) <= 6


def test_no_trouble_and_no_log_shows_the_token(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG)
    said: list[str] = []
    replies = [
        Reply(401),
        Reply(403, b'{"message": "no"}'),
        Reply(500),
        Reply(200, b"<html>"),
        Reply(200, b"{", length=9),
    ]
    urls = ["http://127.0.0.1:1", "http://nobody.invalid", "http://127.0.0.1:1/%zz"]
    for reply in replies:
        with scripted(lambda sent, reply=reply: reply) as server:
            said += troubles(server.url)
    for url in urls:
        said += troubles(url)
    assert said and TOKEN not in "".join(said) + caplog.text


def troubles(url: str) -> list[str]:
    """Everything that is to be read in what goes wrong: the messages, the causes, the contexts."""
    client = ask(url)
    found = [repr(client), repr(vars(client))]
    for call in (lambda: client.graphql(QUERY), lambda: client.get("/user").json()):
        try:
            call()
        except GitHubTrouble as trouble:
            error: BaseException | None = trouble
            found.append("".join(traceback.format_exception(trouble)))
            while error is not None:
                assert type(error).__module__.startswith("stoat."), error
                found.append(f"{error!r} {error.args} {vars(error)}")
                error = error.__cause__ or error.__context__
    return found


def test_a_server_that_repeats_the_token_does_not_make_it_known() -> None:
    body = f'{{"message": "no such token: {TOKEN}", "status": "401"}}'.encode()
    with scripted(lambda sent: Reply(401, body)) as server, pytest.raises(BadToken) as caught:
        ask(server.url).graphql(QUERY)
    assert TOKEN not in repr(caught.value) + caught.value.message and "no such token" in caught.value.message


def test_half_a_character_costs_that_character_only() -> None:
    body = b'{"data": {"viewer": {"login": "half \\ud800 of \\ud83d\\ude00"}}}'
    with scripted(lambda sent: Reply(body=body)) as server:
        answered = ask(server.url).graphql(QUERY)
    assert answered.data["viewer"]["login"] == "half \ufffd of \U0001f600"
