"""Creating an issue: sent once whatever happens, and every answer one of four values; and finding it by its mark."""

from __future__ import annotations

import json

import pytest

from stoat.clock import now
from stoat.observe.github.marked import find_marked
from stoat.observe.github.trouble import GitHubTrouble, Incomplete
from stoat.observe.github.writing import Declined, Later, Lost, Made, Written, create_issue
from tests.observe.github.asking import TOKEN
from tests.observe.github.scripted import Reply, scripted
from tests.support.fakehub import FakeHub, Repository

MARK = "<!-- stoat p/fix i-1 -->"


def environ(hub: FakeHub) -> dict[str, str]:
    return {"STOAT_GITHUB_API": hub.url, "GH_TOKEN": hub.token}


def create(hub: FakeHub) -> Written:
    return create_issue(environ(hub), "acme/widgets", "Fix lanes", f"They cross.\n\n{MARK}")


def scripted_answer(reply: Reply) -> tuple[Written, int]:
    with scripted(lambda sent: reply) as server:
        made = create_issue({"STOAT_GITHUB_API": server.url, "GH_TOKEN": TOKEN}, "acme/widgets", "t", "b")
        return made, len(server.sent)


def test_an_issue_is_made_with_its_title_and_text(hub: FakeHub, repo: Repository) -> None:
    made = create(hub)
    assert isinstance(made, Made)
    issue = repo.issues[made.number]
    assert (issue.title, issue.body) == ("Fix lanes", f"They cross.\n\n{MARK}")
    assert len(hub.writes()) == 1


def test_an_answer_that_does_not_come_is_lost_and_nothing_is_sent_again(hub: FakeHub, repo: Repository) -> None:
    hub.faults.reset("issues", after_effect=True)
    assert isinstance(create(hub), Lost)
    hub.faults.next(502, "issues", after_effect=True)
    assert isinstance(create(hub), Lost)
    hub.faults.truncated("issues")
    assert isinstance(create(hub), Lost)
    assert len(repo.issues) >= 3


@pytest.mark.parametrize(
    ("status", "what", "fix"),
    [
        (401, "does not accept the token", "gh auth login"),
        (403, "refuses", "permission to write issues"),
        (404, "no such repository", "permission to write issues"),
        (410, "Issues are disabled", "turn issues on"),
        (422, "does not take it", "title and brief"),
        (301, "elsewhere", "present name"),
        (418, "refuses", "by hand"),
    ],
)
def test_a_no_of_githubs_says_why_and_what_to_do(status: int, what: str, fix: str) -> None:
    body = json.dumps({"message": "Issues are disabled for this repo"}).encode()
    headers = {"Location": "/elsewhere"} if status == 301 else {}
    made, sent = scripted_answer(Reply(status, body, headers))
    assert isinstance(made, Declined)
    assert what in made.why and fix in made.fix
    assert sent == 1


@pytest.mark.parametrize(
    ("reply", "seconds"),
    [
        (Reply(403, b'{"message": "secondary rate limit"}', {"Retry-After": "7"}), 7),
        (Reply(403, b'{"message": "You have exceeded a secondary rate limit"}'), 60),
        (Reply(429, b"{}"), 60),
    ],
)
def test_a_limit_says_how_long_and_nothing_was_made(reply: Reply, seconds: float) -> None:
    made, sent = scripted_answer(reply)
    assert isinstance(made, Later) and made.seconds == seconds
    assert sent == 1


@pytest.mark.parametrize(
    "reply",
    [Reply(201, b"<html>"), Reply(201, b'{"number": "x"}'), Reply(201, b"[]"), Reply(500, b""), Reply(204, b"")],
)
def test_what_says_neither_yes_nor_no_is_lost(reply: Reply) -> None:
    assert isinstance(scripted_answer(reply)[0], Lost)


def test_without_a_token_nothing_is_sent() -> None:
    with scripted(lambda sent: Reply()) as server:
        made = create_issue({"STOAT_GITHUB_API": server.url, "PATH": ""}, "acme/widgets", "t", "b")
        assert isinstance(made, Declined) and "gh auth login" in made.fix
        assert server.sent == []


def test_no_sentence_holds_the_token() -> None:
    body = json.dumps({"message": f"bad {TOKEN}"}).encode()
    for status in (401, 403, 404, 410, 422, 500):
        made, _ = scripted_answer(Reply(status, body))
        assert TOKEN not in repr(made)


def test_an_issue_is_found_by_its_mark_also_when_it_is_closed(hub: FakeHub, repo: Repository) -> None:
    began = now()
    assert find_marked(environ(hub), "acme/widgets", MARK, began) is None
    repo.issue("Another", body=f"{MARK} is quoted here")
    made = create(hub)
    assert isinstance(made, Made)
    repo.issue("A copy", body=f"x\n\n{MARK}")
    assert find_marked(environ(hub), "acme/widgets", MARK, began) == made.number
    repo.issues[made.number].close()
    assert find_marked(environ(hub), "acme/widgets", MARK, began) == made.number
    assert find_marked(environ(hub), "acme/widgets", MARK.replace("i-1", "i-2"), began) is None


@pytest.mark.parametrize("body", [f"{MARK}\r\n\r\n- [x] added by a person", f"x\n\n  {MARK}  \nmore\n"])
def test_an_issue_to_whose_text_somebody_added_is_found(repo: Repository, hub: FakeHub, body: str) -> None:
    began = now()
    number = repo.issue("Edited", body=body).number
    assert find_marked(environ(hub), "acme/widgets", MARK, began) == number


@pytest.mark.parametrize("number", [None, "7"])
def test_a_marked_issue_whose_number_cannot_be_read_is_not_passed_over(number: object) -> None:
    listed = json.dumps([{"number": number, "body": MARK}]).encode()
    with scripted(lambda sent: Reply(200, listed)) as server, pytest.raises(GitHubTrouble):
        find_marked({"STOAT_GITHUB_API": server.url, "GH_TOKEN": TOKEN}, "acme/widgets", MARK, now())


def test_an_issue_on_a_later_page_is_found(hub: FakeHub, repo: Repository) -> None:
    began = now()
    made = create(hub)
    for number in range(120):
        repo.issue(f"Another {number}")
    assert isinstance(made, Made)
    assert find_marked(environ(hub), "acme/widgets", MARK, began) == made.number


def test_a_look_that_cannot_see_is_no_look(hub: FakeHub, repo: Repository) -> None:
    hub.faults.next(410, "issues", times=5, body={"message": "Issues are disabled for this repo"})
    with pytest.raises(GitHubTrouble):
        find_marked(environ(hub), "acme/widgets", MARK, now())
    full = json.dumps([{"number": number, "body": ""} for number in range(100)]).encode()
    with scripted(lambda sent: Reply(200, full)) as server, pytest.raises(Incomplete):
        find_marked({"STOAT_GITHUB_API": server.url, "GH_TOKEN": TOKEN}, "acme/widgets", MARK, now())
