"""What the board shows of GitHub: a node's text, pull requests on cards, when it was looked at, icons."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from html.parser import HTMLParser
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from flask import Flask
from flask.testing import FlaskClient

from stoat.gitstore.log import Change
from stoat.observe.github.now import keep_now
from stoat.plan.events.base import Actor
from stoat.plan.events.github import IssueSeen, PullSeen, RepositorySeen
from stoat.plan.github import GitHubNow, Issue, Link, Pull
from stoat.plan.github import Repository as Seen
from stoat.service import decisions, icons, plans
from stoat.service.session import Session
from stoat.web import api, pages
from tests.support.command import Stoat
from tests.support.fakehub import FakeHub, Repository

if TYPE_CHECKING:
    from playwright.sync_api import Page

LANES = """
schema: 1
plan: lanes
title: Lanes
nodes:
  - {id: bug, kind: issue, repo: acme/widgets, issue: 7}
  - {id: film, kind: person}
"""
SVG = b'<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>'
PNG = b"\x89PNG\r\n\x1a\n0000"


@pytest.fixture
def hub(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, session: Session) -> Iterator[FakeHub]:
    """The GitHub that this process is pointed at, and a plan about an issue on it."""
    plans.import_document(session, LANES)
    with FakeHub(tmp_path / "hub") as hub:
        hub.repository("acme/widgets")
        monkeypatch.setenv("STOAT_GITHUB_API", hub.url)
        monkeypatch.setenv("GH_TOKEN", hub.token)
        yield hub


@pytest.fixture
def widgets(hub: FakeHub) -> Repository:
    """acme/widgets, with issue 7."""
    repo = hub.repositories["acme/widgets"]
    repo.issue("Fix lanes", number=7, body="They *drift*.")
    return repo


def record(session: Session, *events: IssueSeen | PullSeen | RepositorySeen) -> None:
    """Put on record what a sweep would have seen of acme/widgets."""
    entries = [("github/acme/widgets", event) for event in events]
    session.store.append(lambda state, now: Change(entries, "github: seen"), Actor("github-sweep", "observer"))


def test_rest_gives_the_document_of_the_command_line(
    client: FlaskClient, session: Session, widgets: Repository
) -> None:
    by_rest = client.get("/api/plans/lanes/nodes/bug").get_json()
    assert by_rest["github"]["issue"]["title"] == "Fix lanes"
    assert by_rest == Stoat(session.directory).json("node", "show", "lanes/bug")
    assert client.get("/api/plans/lanes/nodes/film").get_json()["github"] is None


def test_rest_can_be_asked_without_github(client: FlaskClient, hub: FakeHub) -> None:
    shown = client.get("/api/plans/lanes/nodes/bug?github=0").get_json()
    assert (shown["id"], shown["github"], shown["githubProblem"], hub.journal) == ("bug", None, None, [])


def test_rest_waits_for_github_only_so_long(
    client: FlaskClient, widgets: Repository, hub: FakeHub, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(api, "TEXT_SECONDS", 0.05)
    hub.faults.slow(0.5)
    shown = client.get("/api/plans/lanes/nodes/bug").get_json()
    assert shown["githubProblem"]["why"].startswith("GitHub has not answered")


def test_the_node_page_asks_nothing_and_leads_to_the_text(client: FlaskClient, hub: FakeHub) -> None:
    page = client.get("/plans/lanes/nodes/bug").text
    assert 'data-fetch="/plans/lanes/nodes/bug/github"' in page and hub.journal == []
    assert "data-fetch" not in client.get("/plans/lanes/nodes/film").text


def test_the_text_is_a_page_of_its_own(client: FlaskClient, widgets: Repository) -> None:
    pull = widgets.pull("Mend lanes", head="ada/mend", number=8, body="Fixes #7")
    pull.check("test", "failure", app="circleci", title="1 failed", summary="See <b>below</b>.")
    page = client.get("/plans/lanes/nodes/bug/github").text
    for said in (
        "They *drift*.",
        "open · by ada",
        "✕ test: 1 failed",
        "See &lt;b&gt;below&lt;/b&gt;.",
        "+1 −0 in 1 file",
    ):
        assert said in page
    assert 'href="https://github.com/acme/widgets/pull/8"' in page
    assert "has nothing on GitHub" in client.get("/plans/lanes/nodes/film/github").text


def test_why_the_text_is_missing_is_on_its_page(
    client: FlaskClient, hub: FakeHub, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(pages, "TEXT_SECONDS", 5.0)
    monkeypatch.delenv("GH_TOKEN")
    answer = client.get("/plans/lanes/nodes/bug/github")
    assert answer.status_code == 200 and "GitHub&#39;s text is not shown: there is no token" in answer.text


class Tags(HTMLParser):
    """Every tag of a page, with its attributes."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.found: list[tuple[str, dict[str, str | None]]] = []
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Remember it."""
        self.found.append((tag, dict(attrs)))


def test_hostile_text_is_text(client: FlaskClient, hub: FakeHub) -> None:
    evil = "'\"></pre><script>alert(1)</script><img src=x onerror=alert(2)>\u202egnp"
    repo = hub.repositories["acme/widgets"]
    repo.issue(evil, number=7, body=evil, labels=(evil,)).comment("cleo", evil)
    pull = repo.pull(evil, head="ada/mend", number=8, body=f"{evil} Fixes #7")
    pull.check(
        evil, "failure", app="circleci", title=evil, summary=evil, annotations=[evil], details_url="javascript:alert(3)"
    )
    page = client.get("/plans/lanes/nodes/bug/github").text
    tags = Tags(page).found
    assert [attrs.get("src") for tag, attrs in tags if tag == "script"] == ["/static/board.js"]
    assert not [attrs for _, attrs in tags if any(name.startswith("on") for name in attrs)]
    assert not [attrs for _, attrs in tags if (attrs.get("href") or "").startswith("javascript")]
    assert "\u202e" not in page


def test_a_plan_says_when_github_was_looked_at_and_what_is_in_the_way(
    app: Flask, client: FlaskClient, session: Session, hub: FakeHub
) -> None:
    assert "GitHub was not looked at yet" in client.get("/plans/lanes").text
    assert "GitHub" not in client.get("/plans/parcels").text
    watch = app.extensions["stoat"]
    before = watch.view().version
    at, again = "2026-12-01T10:00:00.000Z", "2026-12-01T10:20:00.000Z"
    keep_now(session.store.common, GitHubNow(at=at))
    watch.refresh()
    assert f'GitHub last looked at <time datetime="{at}">' in client.get("/plans/lanes").text
    assert [(change.plan, change.nodes) for change in watch.changes(before)[1]] == [("lanes", ())]
    keep_now(session.store.common, GitHubNow(at=at, problem="<no> token", fix="gh auth login", again_at=again))
    watch.refresh()
    page = client.get("/plans/lanes").text
    assert "GitHub cannot be read" in page and "&lt;no&gt; token (gh auth login)" in page
    assert f'looked at again <time datetime="{again}">' in page


def test_an_icon_is_served_as_an_image_that_can_do_nothing(client: FlaskClient, session: Session, hub: FakeHub) -> None:
    repo = hub.repositories["acme/widgets"]
    repo.push("main", "Icons", {"docs/public/favicon.svg": SVG, "favicon.png": PNG, "samples/favicon.ico": b"x"})
    assert (
        '<span class="repo-icon letter" aria-hidden="true" title="acme/widgets">W</span>'
        in client.get("/plans/lanes").text
    )
    record(session, RepositorySeen(repository=Seen(name="acme/widgets", default_branch="main")))
    assert (icons.refresh(session, os.environ), icons.refresh(session, os.environ)) == (2, 0)
    answer = client.get("/icons/Acme/widgets")
    assert (answer.data, answer.content_type) == (SVG, "image/svg+xml")
    assert answer.headers["X-Content-Type-Options"] == "nosniff"
    assert "sandbox" in answer.headers.getlist("Content-Security-Policy")[0]
    assert 'src="/icons/acme/widgets?v=' in client.get("/plans/lanes").text
    assert client.get("/icons/acme/gadgets").status_code == 404


def test_a_card_has_a_line_for_each_pull_request(client: FlaskClient, session: Session, hub: FakeHub) -> None:
    common = {"head": "a" * 40, "head_branch": "stoat/lanes/bug", "base": "main", "title": "<b>"}
    web = "https://github.com/acme/widgets"
    links = (Link("acme/widgets", 8, "closes"), Link("acme/widgets", 9, "closes"))
    red = {"mergeable": "conflicting", "ci": "failed", "failing": ("test",)}
    record(
        session,
        IssueSeen(issue=Issue(number=7, url=f"{web}/issues/7", title="Fix", open=True, pulls=links)),
        PullSeen(pull=Pull(number=8, url=f"{web}/pull/8", state="open", **red, **common)),
        PullSeen(pull=Pull(number=9, url="javascript:alert(1)", state="closed", **common)),
    )
    page = client.get("/plans/lanes").text
    assert '<a href="https://github.com/acme/widgets/pull/8" rel="noreferrer noopener"><bdi>#8</bdi></a>' in page
    assert "open · conflicts with main · CI ✕ 1 failed (test)" in page
    assert "closed without merging" in page and 'href="javascript' not in page
    table = Stoat(session.directory).ok("status", "lanes")
    assert "  #8 open · conflicts with main · CI ✕ 1 failed (test)\n" in table
    assert json.loads(Stoat(session.directory).ok("status", "lanes", "--json"))["nodes"][0]["prs"][0]["number"] == 8


@pytest.mark.browser
def test_the_node_page_fills_the_text_in_and_cards_keep_their_shape(
    page: Page, served: str, session: Session, widgets: Repository
) -> None:
    pull = widgets.pull("Mend lanes", head="ada/mend", number=8, body="Fixes #7")
    pull.check("test", "failure", app="circleci", title="1 failed", summary="x " * 400)
    said: list[str] = []
    page.on("console", lambda message: said.append(message.text))
    page.set_viewport_size({"width": 390, "height": 800})
    page.goto(f"{served}/plans/lanes/nodes/bug")
    page.wait_for_selector("#node-github >> text=They *drift*.")
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
    decisions.note(session, "lanes", "bug", "a word about it")
    page.wait_for_selector("text=a word about it")
    assert page.is_visible("#node-github >> text=They *drift*.") and said == []
