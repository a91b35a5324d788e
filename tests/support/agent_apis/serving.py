"""An HTTP server on this machine whose answers are a function of the request."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any, NamedTuple

Body = dict[str, Any]


class Reply(NamedTuple):
    """An answer: a JSON value, or the events of a stream, each with its name and its data."""

    status: int
    body: Body | None = None
    events: tuple[tuple[str | None, Body], ...] | None = None
    headers: tuple[tuple[str, str], ...] = ()
    after: float = 0.0


Answer = Callable[[str, Body], Reply]
"""From the path of a POST and its decoded body to the reply; the path has no query."""


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: Server

    def do_POST(self) -> None:
        length = int(self.headers.get("Content-Length") or 0)
        try:
            body = json.loads(self.rfile.read(length) or b"{}")
        except ValueError:
            body = {}
        path = self.path.partition("?")[0]
        reply = self.server.answer(path, body)
        self.server.note(path, reply)
        if reply.after:
            self.server.gone.wait(reply.after)
        self._send(reply)

    def do_GET(self) -> None:
        self._send(Reply(404, {"error": {"message": "there is nothing here", "code": 404}}))

    do_HEAD = do_GET

    def _send(self, reply: Reply) -> None:
        if reply.events is None:
            kind, data = "application/json", json.dumps(reply.body).encode()
        else:
            kind = "text/event-stream"
            data = "".join(
                (f"event: {name}\n" if name else "") + f"data: {json.dumps(value)}\n\n" for name, value in reply.events
            ).encode()
        self.send_response(reply.status)
        for name, value in (("Content-Type", kind), ("Content-Length", str(len(data))), *reply.headers):
            self.send_header(name, value)
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(data)

    def log_message(self, format: str, *args: object) -> None:
        """Nothing is printed: what was asked is in the notes."""


class Server(ThreadingHTTPServer):
    """A server for one API. `log` gets a line of JSON for every request."""

    daemon_threads = True

    def __init__(self, answer: Answer, port: int = 0, log: Path | None = None) -> None:
        super().__init__(("127.0.0.1", port), _Handler)
        self.answer, self.log = answer, log
        self.gone = threading.Event()
        self._lock = threading.Lock()

    @property
    def address(self) -> str:
        """Where it listens."""
        return f"http://127.0.0.1:{self.server_address[1]}"

    def note(self, path: str, reply: Reply) -> None:
        """Write down that a request came, and with which status it was answered."""
        if self.log is not None:
            with self._lock, self.log.open("a", encoding="utf-8") as file:
                file.write(json.dumps({"at": round(time.time(), 3), "path": path, "status": reply.status}) + "\n")

    def handle_error(self, request: Any, client_address: Any) -> None:
        """A client that went away in the middle is none of our business."""


@contextmanager
def serving(answer: Answer, port: int = 0, log: Path | None = None) -> Iterator[str]:
    """A server that answers while the block runs; gives its address."""
    server = Server(answer, port, log)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True)
    thread.start()
    try:
        yield server.address
    finally:
        server.gone.set()
        server.shutdown()
        server.server_close()
        thread.join()
