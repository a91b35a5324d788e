"""A review on the board: its findings on its page, as they were written, with the commands that decide them."""

from __future__ import annotations

import json

from flask.testing import FlaskClient

from stoat.plan.ids import NodeRef
from stoat.plan.nodes import Node
from stoat.service import nodes, reviews
from stoat.service.session import Session

FINAL = NodeRef("parcels", "final")
FOUND = [{"title": "Wrong <b>zone</b>", "severity": "high", "file": "a.py", "line": 3, "text": "<script>x</script>"}]


def test_a_review_shows_its_findings_and_what_became_of_them(client: FlaskClient, session: Session) -> None:
    nodes.add(session, "parcels", Node(id="final", kind="review"))
    page = client.get("/plans/parcels/nodes/final").get_data(as_text=True)
    assert 'id="node-review"' in page and "Round" not in page

    reviews.submit(session, FINAL, json.dumps(FOUND).encode())
    page = client.get("/plans/parcels/nodes/final").get_data(as_text=True)
    assert "Wrong &lt;b&gt;zone&lt;/b&gt;" in page and "&lt;script&gt;x&lt;/script&gt;" in page
    assert "stoat review accept parcels/final f1" in page and "a.py:3" in page

    reviews.accept(session, FINAL, "f1")
    page = client.get("/plans/parcels/nodes/final").get_data(as_text=True)
    assert "stoat review accept" not in page and 'href="/plans/parcels/nodes/final-f1"' in page
    status = client.get("/api/plans/parcels/status").get_json()
    [shown] = [node["review"] for node in status["nodes"] if node["id"] == "final"]
    assert (shown["round"], shown["open"], shown["accepted"], shown["signedOff"]) == (1, 0, 1, None)
    [finding] = client.get("/api/plans/parcels/nodes/final?github=0").get_json()["findings"]
    assert (finding["fix"], finding["text"]) == ("final-f1", FOUND[0]["text"])


def test_a_review_that_found_nothing_shows_how_it_is_signed_off(client: FlaskClient, session: Session) -> None:
    nodes.add(session, "parcels", Node(id="final", kind="review"))
    reviews.submit(session, FINAL, b"[]")
    page = client.get("/plans/parcels/nodes/final").get_data(as_text=True)
    assert "nothing found" in page and "stoat review sign-off parcels/final" in page
    reviews.sign_off(session, FINAL)
    page = client.get("/plans/parcels/nodes/final").get_data(as_text=True)
    assert "signed off by" in page and "stoat review sign-off" not in page
