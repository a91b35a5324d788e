"""Whether an MCP server is at an address: what real ones say, and all that others may."""

from __future__ import annotations

import http.server
import json
import threading
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from stoat.observe.hosts import why_no_mcp

GREETING = {"jsonrpc": "2.0", "id": 1, "result": {"protocolVersion": "2025-11-25", "capabilities": {}}}
NONE = "what answers there does not speak MCP"
JSON, HTML, STREAM = "application/json", "text/html", "text/event-stream"

CASES: dict[str, tuple[int, str, bytes, str | None]] = {
    "a server": (200, JSON, json.dumps(GREETING).encode(), None),
    "a server that answers as a stream": (
        200, STREAM, b": hello\r\nevent: message\r\ndata: %b\r\n\r\n" % json.dumps(GREETING).encode(), None,
    ),
    "a page": (200, HTML, b"<!doctype html>", NONE), "nothing": (200, HTML, b"", NONE),
    "JSON that is no answer": (200, JSON, b'{"status": "ok"}', NONE), "a list": (200, JSON, b"[1]", NONE),
    "JSON-RPC of another kind": (200, JSON, b'{"jsonrpc": "2.0", "id": 1, "result": 3}', NONE),
    "an error": (200, JSON, b'{"jsonrpc": "2.0", "id": 1, "error": {"code": -32601, "message": "no"}}', NONE),
    "an answer to another": (200, JSON, json.dumps({**GREETING, "id": 2}).encode(), NONE),
    "a stream of something else": (200, STREAM, b"data: 1\n\ndata: {}\n\n", NONE),
    "no UTF-8": (200, JSON, b"\xff\xfe\x00", NONE), "nested deeply": (200, JSON, b"[" * 100_000, NONE),
    "a place that takes no POST": (405, HTML, b"", "it answers 405"),
    "no such page": (404, HTML, b"", "it answers 404"),
    "a page that wants another form": (400, HTML, b"", "it answers 400"),
    "none to take": (406, HTML, b"", "it answers 406"),
    "trouble": (500, HTML, b"", "it answers 500"),
}  # fmt: skip

Serve = Callable[[int, str, bytes], str]


@pytest.fixture
def serve() -> Iterator[tuple[Serve, list[dict[str, Any]]]]:
    """Starts a server that answers each POST alike, and what it was asked; gives its address."""
    asked: list[dict[str, Any]] = []
    begun: list[tuple[http.server.HTTPServer, threading.Thread]] = []

    def start(status: int, kind: str, body: bytes) -> str:
        class Answering(http.server.BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                asked.append(json.loads(self.rfile.read(int(self.headers["Content-Length"]))))
                self.send_response(status)
                self.send_header("Content-Type", kind)
                self.end_headers()
                self.wfile.write(body)

            def log_message(self, *words: object) -> None:
                """Says nothing."""

        server = http.server.HTTPServer(("127.0.0.1", 0), Answering)
        thread = threading.Thread(target=server.serve_forever, args=(0.01,))
        thread.start()
        begun.append((server, thread))
        return f"http://127.0.0.1:{server.server_port}/api/mcp?profile=worker"

    yield start, asked
    for server, thread in begun:
        server.shutdown()
        thread.join()
        server.server_close()


@pytest.mark.parametrize("name", CASES)
def test_only_what_greets_as_an_mcp_server_is_one(serve: tuple[Serve, list[dict[str, Any]]], name: str) -> None:
    status, kind, body, why = CASES[name]
    start, asked = serve
    assert why_no_mcp(start(status, kind, body)) == why
    assert [one["method"] for one in asked] == ["initialize"]


def test_an_address_where_nobody_is_does_not_answer() -> None:
    assert (why_no_mcp("http://127.0.0.1:1/") or "").startswith("it does not answer")
    assert (why_no_mcp("http://[::1") or "").startswith("it does not answer")
