"""What a person sees, with no script at work."""

from __future__ import annotations

import re

import pytest
from flask.testing import FlaskClient

from stoat.gitstore.log import Change
from stoat.plan.events.evidence import RunLost, RunRecorded, RunStarted
from stoat.plan.ids import NodeRef
from stoat.service import claims, decisions, plans, questions
from stoat.service.session import Session


def test_the_front_page_lists_the_plans_with_how_far_they_are(client: FlaskClient, session: Session) -> None:
    decisions.done(session, NodeRef("rates", "publish"))
    page = client.get("/").text
    assert "Parcels learns to price by zone" in page and 'href="/plans/parcels"' in page
    assert "<b>0</b> of 5 done" in page and "<b>1</b> of 1 done" in page


def test_an_archived_plan_is_folded_away(client: FlaskClient, session: Session) -> None:
    plans.archive(session, "rates")
    page = client.get("/").text
    assert "1 archived" in page
    assert page.index("archived-fold") < page.index('href="/plans/rates"')


def test_what_needs_a_person_stands_with_the_command_that_settles_it(client: FlaskClient) -> None:
    for path in ("/", "/plans/parcels", "/plans/parcels/nodes/zones"):
        assert "stoat approve parcels/zones" in client.get(path).text


def test_a_plan_shows_a_card_for_every_node(client: FlaskClient) -> None:
    page = client.get("/plans/parcels").text
    for name in ("zones", "weights", "price", "suite", "tell"):
        assert page.count(f'id="node-{name}"') == 1
        assert f'href="/plans/parcels/nodes/{name}"' in page


def test_cards_come_in_the_order_of_their_dependencies(client: FlaskClient) -> None:
    page = client.get("/plans/parcels").text
    columns = [set(re.findall(r'id="node-([^"]+)"', part)) for part in page.split('<ol class="column"')[1:]]
    assert columns == [{"zones", "weights"}, {"price", "rates/publish"}, {"suite"}, {"tell"}]


def test_a_node_of_another_plan_is_a_stub_that_leads_there(client: FlaskClient) -> None:
    page = client.get("/plans/parcels").text
    assert 'href="/plans/rates/nodes/publish"' in page


def test_a_line_is_drawn_for_every_dependency(client: FlaskClient) -> None:
    page = client.get("/plans/parcels").text
    lines = set(re.findall(r'data-from="([^"]+)" data-to="([^"]+)"', page))
    assert lines == {
        ("zones", "price"), ("weights", "price"), ("price", "suite"), ("rates/publish", "suite"), ("suite", "tell"),
    }  # fmt: skip


def test_a_dependency_that_is_done_is_drawn_as_met(client: FlaskClient, session: Session) -> None:
    decisions.done(session, NodeRef("rates", "publish"))
    page = client.get("/plans/parcels").text
    assert re.search(r'data-from="rates/publish" data-to="suite" class="met"', page)


def test_a_card_says_who_holds_the_node(client: FlaskClient, session: Session) -> None:
    decisions.approve(session, [NodeRef("parcels", "weights")])
    claims.claim(session, "parcels", "weights", holder="claude-7", lease=600)
    card = client.get("/plans/parcels?parts=weights").text
    assert "claude-7" in card and 'data-class="moving"' in card


def test_parts_are_the_same_html_as_in_the_whole_page(client: FlaskClient) -> None:
    page = client.get("/plans/parcels").text
    parts = client.get("/plans/parcels?parts=zones,rates/publish,no-such").text
    for part in ("article id=.node-zones.*?</article>", "id=.node-rates/publish.*?</a>", "div id=.plan-head.*?</div>"):
        found = re.search(part, page, re.DOTALL)
        assert found and found[0] in parts
    assert 'id="node-price"' not in parts and 'id="graph"' not in parts


def test_a_node_page_shows_the_units_of_a_step_and_a_run_that_was_lost(client: FlaskClient, session: Session) -> None:
    common = {"node": "suite", "source": "bobcat", "machine": "m", "step": "unit"}
    events = [
        RunStarted(run="r-1", unit="a.net9", **common),
        RunRecorded(run="r-1", unit="a.net9", state="passed", passed=3, **common),
        RunStarted(run="r-2", unit="b.net9", **common),
        RunLost(node="suite", run="r-2", why="it went quiet"),
        RunRecorded(run="r-3", unit="c.net9", state="failed", passed=1, failed=2, **common),
    ]
    session.store.append(lambda state, now: Change([("plans/parcels", one) for one in events], "runs"), session.actor)
    page = client.get("/plans/parcels/nodes/suite").text
    units = page.split('<ul class="units">')[1].split("</ul>")[0]
    assert [name in units for name in ("a.net9", "b.net9", "c.net9")] == [True] * 3
    assert "failed (2 of 3 tests)" in units and "never finished (it went quiet)" in units
    assert "<b class=\"step-pending\">lost</b> <bdi>unit b.net9</bdi>" in page
    assert "step unit failed (2 of 3 tests) in unit c.net9" in client.get("/plans/parcels?parts=suite").text


def test_a_node_page_has_the_brief_the_steps_the_neighbours_and_the_history(
    client: FlaskClient, session: Session
) -> None:
    decisions.note(session, "parcels", "suite", "look at the flaky one")
    assert "Keep the public signature." in client.get("/plans/parcels/nodes/zones").text
    page = client.get("/plans/parcels/nodes/suite").text
    assert "stoat gate exec parcels/suite --step build -- make build" in page
    for name in ("parcels/nodes/price", "rates/nodes/publish", "parcels/nodes/tell"):
        assert f'href="/plans/{name}"' in page
    assert "look at the flaky one" in page


def test_an_open_question_shows_with_the_command_that_answers_it(client: FlaskClient, session: Session) -> None:
    asked = questions.ask(session, NodeRef("parcels", "zones"), "tabs or spaces?")
    page = client.get("/plans/parcels/nodes/zones").text
    assert "tabs or spaces?" in page and f"stoat answer {asked.id}" in page


@pytest.mark.parametrize("path", ["/plans/none", "/plans/parcels/nodes/none", "/no-page"])
def test_what_is_not_there_is_said_on_a_page(client: FlaskClient, path: str) -> None:
    answer = client.get(path)
    assert answer.status_code == 404
    assert answer.content_type.startswith("text/html") and 'href="/"' in answer.text


def test_a_page_is_always_asked_for_anew(client: FlaskClient) -> None:
    assert client.get("/plans/parcels").headers["Cache-Control"] == "no-cache"


def test_an_answer_to_head_has_no_body(client: FlaskClient) -> None:
    answer = client.head("/plans/parcels")
    assert (answer.status_code, answer.data) == (200, b"")


def test_a_plan_without_nodes_says_how_to_add_one(client: FlaskClient, session: Session) -> None:
    plans.import_document(session, "schema: 1\nplan: bare\ntitle: Bare\nnodes: []\n")
    assert "stoat node add bare/NODE" in client.get("/plans/bare").text
