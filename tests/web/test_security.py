"""What the board refuses, and that nothing it shows can run."""

from __future__ import annotations

import re
from html.parser import HTMLParser

import pytest
from flask.testing import FlaskClient

from stoat.plan.ids import NodeRef
from stoat.service import plans, questions
from stoat.service.session import Session
from stoat.web import MONITOR_PORT, payloads
from stoat.web.app import PORT
from stoat.web.security import refusal

OURS = f"127.0.0.1:{PORT}"
EVERY_PATH = [
    "/", "/plans/parcels", "/plans/parcels/nodes/zones", "/api/plans", "/api/events", "/static/board.js", "/no", "//x",
    "/api//plans", "/API/plans", "/static/../api/plans", "/%61pi/plans",
]  # fmt: skip

HOSTILE = """\
schema: 1
plan: hostile
title: "<script>alert('title')</script>"
nodes:
  - id: a
    kind: change
    title: "\\"><img src=x onerror=alert(1)> '{{ 7*7 }}'"
    brief: "</div><script>alert(2)</script>\\n[x](javascript:alert(3)) \\u202egnp.exe \\u2066a\\u2069"
  - id: b
    kind: test-run-gate
    title: "' onmouseover='alert(4)"
    depends_on: [a]
    steps: [{id: s, title: "<svg onload=alert(5)>", run: "echo '</code><script>alert(6)</script>'"}]
"""


def asked(
    method: str = "GET", host: str | None = OURS, origin: str | None = None, site: str | None = None, mode: str = "",
    path: str = "/", ports: tuple[int, ...] = (PORT,),
) -> int:  # fmt: skip
    """The status with which such a request is turned away; 200 when it is not."""
    problem = refusal(method, path, host, origin, site, mode, ports)
    return problem.status if problem else 200


@pytest.mark.parametrize(
    "host", ["evil.example", f"evil.example:{PORT}", "127.0.0.1", "127.0.0.1:80", f"127.0.0.1.evil.example:{PORT}",
             f"localhost.:{PORT}", f"x@127.0.0.1:{PORT}", f"0.0.0.0:{PORT}", "", f"{OURS}\x00", f" {OURS}", None],
)  # fmt: skip
def test_another_name_for_this_machine_is_refused(host: str | None) -> None:
    assert asked(host=host) == 403


@pytest.mark.parametrize("host", [OURS, f"localhost:{PORT}", f"LOCALHOST:{PORT}", f"[::1]:{PORT}"])
def test_the_loopback_names_are_served(host: str) -> None:
    assert asked(host=host) == 200


@pytest.mark.parametrize(
    "origin", ["http://evil.example", "null", f"https://{OURS}", "http://127.0.0.1:5527", "http://127.0.0.1",
               f"http://{OURS}.evil.example", f"http://x@{OURS}", f"http://{OURS}/", OURS, "", f"http://{OURS},http://x"],
)  # fmt: skip
def test_another_origin_is_refused(origin: str) -> None:
    assert asked(origin=origin) == 403


@pytest.mark.parametrize("origin", [f"http://{OURS}", f"http://localhost:{PORT}", None])
def test_our_own_origin_is_served(origin: str | None) -> None:
    assert asked(origin=origin) == 200


@pytest.mark.parametrize("site", ["cross-site", "same-site"])
def test_another_site_may_link_here_and_may_not_embed_or_fetch(site: str) -> None:
    assert [asked(site=site, mode=mode) for mode in ("navigate", "no-cors", "cors", "")] == [200, 403, 403, 403]


@pytest.mark.parametrize("method", ["POST", "PUT", "DELETE", "PATCH", "OPTIONS", "TRACE", "CONNECT", "BREW", "get"])
def test_nothing_but_reading_exists(method: str) -> None:
    assert asked(method) == 405


WRITTEN = [("POST", "/api/ingest"), ("DELETE", "/api/runs/00000000-0000-0000-0000-000000000001")]


@pytest.mark.parametrize(("method", "path"), WRITTEN)
def test_a_test_runner_that_is_no_browser_may_write_what_it_saw(method: str, path: str) -> None:
    assert asked(method, path=path) == 200
    both = (PORT, MONITOR_PORT)
    assert asked(method, f"localhost:{MONITOR_PORT}", path=path, ports=both) == 200
    assert asked(method, f"localhost:{MONITOR_PORT}", path=path) == 403
    assert asked(method, origin=f"http://{OURS}", site="same-origin", path=path) == 200


@pytest.mark.parametrize(("method", "path"), WRITTEN)
def test_no_page_of_another_site_may_write(method: str, path: str) -> None:
    assert asked(method, host=f"evil.example:{PORT}", path=path) == 403
    for origin in ("http://evil.example", "null", "http://127.0.0.1:5527"):
        assert asked(method, origin=origin, path=path) == 403
    for site in ("cross-site", "same-site"):
        assert [asked(method, site=site, mode=mode, path=path) for mode in ("navigate", "cors", "no-cors")] == [403] * 3


@pytest.mark.parametrize(
    ("method", "path"),
    [("POST", "/api/ingest/"), ("POST", "/api/ingest/x"), ("POST", "/api/runs/x"), ("PUT", "/api/ingest"),
     ("DELETE", "/api/runs"), ("DELETE", "/api/runs/"), ("DELETE", "/api/runs/x/export"), ("DELETE", "/api/plans/p"),
     ("POST", "/api/plans"), ("delete", "/api/runs/x"), ("POST", "/API/ingest"), ("POST", "//api/ingest")],
)  # fmt: skip
def test_nothing_else_is_written(method: str, path: str) -> None:
    assert asked(method, path=path) == 405


def test_no_spelling_of_a_path_goes_around_the_guard(client: FlaskClient) -> None:
    for path in EVERY_PATH:
        rebound = client.get(path, base_url=f"http://evil.example:{PORT}")
        assert (rebound.status_code, rebound.content_type) == (403, "application/problem+json"), path
        assert client.get(path, headers={"Origin": "http://evil.example"}).status_code == 403, path
        written = client.post(path)
        assert (written.status_code, written.headers["Allow"]) == (405, "GET, HEAD"), path


def test_every_answer_carries_the_headers_that_keep_text_from_running(client: FlaskClient) -> None:
    answers = [client.get(path) for path in (*EVERY_PATH, "/static/board.css", "/api/no")]
    for answer in [*answers, client.get("/", base_url="http://evil.example")]:
        answer.close()
        headers = answer.headers
        policy = headers["Content-Security-Policy"]
        assert "default-src 'none'" in policy and "frame-ancestors 'none'" in policy
        assert re.search(r"script-src 'self'(;|$)", policy)
        assert headers["X-Content-Type-Options"] == "nosniff"
        assert headers["X-Frame-Options"] == "DENY"
        assert headers["Cross-Origin-Resource-Policy"] == "same-origin"
        assert not [name for name, _ in headers if name.lower().startswith("access-control")]
        assert "Set-Cookie" not in headers


class Reading(HTMLParser):
    """The tags and attributes of a page as a browser would see them, and its text."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.text = ""
        self.feed(html)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))

    def handle_data(self, data: str) -> None:
        self.text += data


def test_hostile_text_stays_text(client: FlaskClient, session: Session) -> None:
    plans.import_document(session, HOSTILE)
    questions.ask(session, NodeRef("hostile", "a"), "<script>alert(7)</script>")
    for path in (
        "/", "/plans/hostile", "/plans/hostile?parts=a,b", "/plans/hostile/nodes/a", "/plans/hostile/nodes/b",
        "/plans/<script>alert(9)</script>", "/plans/hostile/nodes/<img src=x onerror=alert(9)>",
    ):  # fmt: skip
        page = Reading(client.get(path).text)
        for tag, attributes in page.tags:
            assert not [name for name in attributes if name.startswith("on")], path
            assert tag != "script" or attributes == {"src": "/static/board.js", "defer": None}, path
            assert "javascript:" not in (attributes.get("href") or ""), path
            assert tag != "img" or attributes["src"] == "/static/icon.svg", path
            assert tag not in ("style", "iframe", "object", "base", "form"), path
        assert "\u202e" not in page.text and "\u2066" not in page.text, path


def test_hostile_text_is_shown_as_it_was_written(client: FlaskClient, session: Session) -> None:
    plans.import_document(session, HOSTILE)
    text = Reading(client.get("/plans/hostile/nodes/a").text).text
    assert "\"><img src=x onerror=alert(1)> '{{ 7*7 }}'" in text
    assert "</div><script>alert(2)</script>\n[x](javascript:alert(3)) \\u202egnp.exe" in text


@pytest.mark.parametrize("address", ["https://example.org/x?y#z", "http://localhost:8080"])
def test_web_addresses_are_links(address: str) -> None:
    assert payloads.link(address) == address


@pytest.mark.parametrize(
    "address",
    ["javascript:alert(1)", "JavaScript:alert(1)", "data:text/html,x", "//evil.example", "/x", "https://", "ftp://x",
     "http:example.org", " https://example.org", "https://a@evil.example", "https://a b", "java\nscript:x", "", None],
)  # fmt: skip
def test_anything_else_is_not_a_link(address: str | None) -> None:
    assert payloads.link(address) is None


def test_signs_become_icons_and_the_rest_stays_text() -> None:
    assert payloads.signed("<b>✋\u202e</b>") == (
        '&lt;b&gt;<i class="icon icon-you" aria-hidden="true"></i>\\u202e&lt;/b&gt;'
    )


def test_only_our_own_files_are_served(client: FlaskClient) -> None:
    for path in ("/static/../app.py", "/static/%2e%2e/app.py", "/static/..%2fapp.py", "/static/icons/../../app.py"):
        assert client.get(path).status_code == 404, path
