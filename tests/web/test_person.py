"""The person's link, and what its session may decide: pausing a plan's runners and letting them go on."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from flask import Flask
from flask.testing import FlaskClient

from stoat.observe.live import Live, announce
from stoat.plan.facts import RunnerFact
from stoat.service import steering
from stoat.service.session import Session
from stoat.web.person import EXTENSION, Door
from tests.support.command import Stoat
from tests.web.conftest import AtTheLink, serving
from tests.web.test_board import opened

if TYPE_CHECKING:
    from playwright.sync_api import Page

PAUSE = "/api/plans/parcels/pause"


def runner_of(session: Session, **fields: Any) -> Live:
    """A runner of the plan `parcels`, alive as long as this test."""
    given = {"runner_id": "r-1", "plan": "parcels", "host": "box", "checkout": "/code/x", "state": "waiting",
             "parallel": 2, "since": "2026-11-30T11:00:00.000Z", **fields}  # fmt: skip
    return announce(session.store.common, "runner", "parcels", RunnerFact(**given))


@pytest.fixture
def runner(session: Session) -> Iterator[Live]:
    live = runner_of(session)
    yield live
    live.close()


def link(app: Flask) -> str:
    found = app.extensions[EXTENSION]
    assert isinstance(found, Door)
    return "/" + found.path


@pytest.fixture
def person(app: Flask, client: FlaskClient) -> FlaskClient:
    assert client.get(link(app)).status_code == 303
    return client


def paused(session: Session) -> bool:
    plan = session.state().plan("parcels")
    assert plan is not None
    return plan.paused is not None


def test_who_opened_the_link_pauses_and_resumes(person: FlaskClient, session: Session, runner: Live) -> None:
    assert person.post(PAUSE, json={"runner": "r-1"}).json == {"plan": "parcels", "paused": True, "changed": True}
    assert paused(session)
    assert person.post(PAUSE).json == {"plan": "parcels", "paused": True, "changed": False}
    assert person.delete(PAUSE).json == {"plan": "parcels", "paused": False, "changed": True}
    assert not paused(session)


def test_nobody_else_does(client: FlaskClient, session: Session, runner: Live) -> None:
    for method in (client.post, client.delete):
        answer = method(PAUSE)
        assert answer.status_code == 403 and "person's link" in answer.json["hint"]  # type: ignore[index]
    client.set_cookie("stoat-5526", "guess", domain="127.0.0.1")
    assert client.post(PAUSE).status_code == 403
    assert client.get("/person/guess").status_code == 403
    assert not paused(session)


def test_another_sites_page_cannot_even_in_the_persons_browser(
    person: FlaskClient, session: Session, runner: Live
) -> None:
    for headers in ({"Origin": "http://evil.example"}, {"Origin": "null"}, {"Sec-Fetch-Site": "cross-site"},
                    {"Sec-Fetch-Site": "same-site", "Sec-Fetch-Mode": "navigate"}):  # fmt: skip
        assert person.post(PAUSE, headers=headers).status_code == 403
    assert not paused(session)


def test_the_cookie_is_for_no_script_and_no_other_site(app: Flask, client: FlaskClient) -> None:
    said = client.get(link(app)).headers["Set-Cookie"]
    assert "HttpOnly" in said and "SameSite=Strict" in said and said.startswith("stoat-5526=")


def test_a_command_to_a_runner_that_is_gone_is_refused(person: FlaskClient, session: Session) -> None:
    answer = person.post(PAUSE)
    assert (answer.status_code, answer.json["hint"]) == (409, "stoat run-plan parcels CHECKOUT --watch")  # type: ignore[index]
    with_one = runner_of(session)
    answer = person.post(PAUSE, json={"runner": "r-0"})
    assert answer.status_code == 409 and "runner r-0 of plan parcels is gone" in answer.json["detail"]  # type: ignore[index]
    with_one.close()
    assert not paused(session)


def test_a_board_that_an_agent_started_lets_nobody_decide(
    session: Session, runner: Live, monkeypatch: pytest.MonkeyPatch
) -> None:
    from stoat.service.session import open_session
    from stoat.web.app import create_app

    monkeypatch.setenv("STOAT_AGENT", "bot")
    app = create_app(open_session(session.directory))
    app.test_client_class = AtTheLink
    client = app.test_client()
    client.get(link(app))
    assert client.post(PAUSE).status_code == 403 and not paused(session)


def test_the_panel_has_no_button_that_could_not_work(app: Flask, client: FlaskClient, session: Session) -> None:
    page = client.get("/plans/parcels").text
    assert "stoat run-plan parcels CHECKOUT --watch" in page and "data-steer" not in page
    live = runner_of(session)
    app.extensions["stoat"].refresh()
    page = client.get("/plans/parcels").text
    assert "stoat pause parcels" in page and "data-steer" not in page  # not the person's session
    client.get(link(app))
    page = client.get("/plans/parcels").text
    assert 'data-method="POST"' in page and "stoat run-plan" not in page.partition('id="graph"')[0]
    live.close()


def test_the_panel_says_what_a_runner_does_and_what_it_waits_for(
    app: Flask, client: FlaskClient, session: Session
) -> None:
    live = runner_of(session, state="limited", limited=("zones",), limited_until="2026-11-30T22:02:00.000Z",
                     running={"weights": 1})  # fmt: skip
    app.extensions["stoat"].refresh()
    page = client.get("/plans/parcels").text
    shown = '<time datetime="2026-11-30T22:02:00.000Z">2026-11-30 22:02Z</time>'
    assert f"<bdi>paused for a usage limit — resumes at {shown} (zones)</bdi>" in page
    assert "<span>1 of 2 at work</span>" in page and "/plans/parcels/nodes/weights" in page
    live.close()


def test_the_persons_link_is_printed(stoat_store: Path) -> None:
    process = Stoat(stoat_store).start("serve", "--port", "0", "--no-monitor", "--no-sweep")
    assert process.stdout is not None
    lines = [process.stdout.readline().decode() for _ in range(2)]
    process.terminate()
    process.wait(20)
    assert lines[1].startswith("to steer from it, open: http://127.0.0.1:") and "/person/" in lines[1]


@pytest.fixture
def stoat_store(session: Session) -> Path:
    return session.directory


@pytest.mark.browser
def test_a_pause_in_the_page_shows_at_the_command_line_and_its_end_in_the_page(page: Page, session: Session) -> None:
    stoat = Stoat(session.directory)
    # A runner's live file is held by a process of its own, as a runner's is.
    held = subprocess.Popen([sys.executable, "-c", HOLDS, str(session.store.common)], stdout=subprocess.PIPE)
    assert held.stdout is not None and held.stdout.readline()
    board = serving(session.directory)
    try:
        with board as address:
            page.goto(board.server.persons_url)
            opened(page, f"{address}/plans/parcels")
            page.evaluate("window.same = true")
            page.click("text=Pause")
            page.wait_for_selector("#plan-runner button:text('Start')")
            (shown,) = stoat.json("runners", "parcels")["runners"]
            assert (shown["state"], shown["paused"]["by"]) == ("paused", session.actor.name)
            assert stoat.ok("resume", "parcels") == "parcels goes on\n"
            page.wait_for_selector("#plan-runner button:text('Pause')")
            held.kill()
            held.wait(20)
            page.wait_for_selector("#plan-runner >> text=gone")
            assert page.query_selector("#plan-runner button[data-steer]") is None
            assert "stoat run-plan parcels /code/x --watch" in page.inner_text("#plan-runner")
            assert page.evaluate("window.same") is True
    finally:
        held.kill()
        held.wait(20)


HOLDS = """
import sys, time, pathlib
from stoat.observe.live import announce
from stoat.plan.facts import RunnerFact
fact = RunnerFact(runner_id="r-1", plan="parcels", host="box", checkout="/code/x", state="waiting", parallel=2)
live = announce(pathlib.Path(sys.argv[1]), "runner", "parcels", fact)
print("up", flush=True)
time.sleep(120)
"""


def test_a_pause_is_said_in_the_activity(session: Session, runner: Live) -> None:
    assert steering.pause(session, "parcels") and not steering.pause(session, "parcels")
    assert "paused the plan's runners" in Stoat(session.directory).ok("log", "parcels")
