"""A web server that answers what a test says, for what the fake GitHub never does; it keeps what it was sent."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, NamedTuple


class Sent(NamedTuple):
    """A request as it came: `headers` by lower-case name."""

    method: str
    path: str
    headers: Mapping[str, str]
    body: bytes


class Reply(NamedTuple):
    """What to answer. `length` is a Content-Length that is not the body's."""

    status: int = 200
    body: bytes = b"{}"
    headers: Mapping[str, str] = {}
    length: int | None = None


class Scripted(NamedTuple):
    """The running server: its address, and what it was sent."""

    url: str
    sent: list[Sent]


@contextmanager
def scripted(answer: Callable[[Sent], Reply]) -> Iterator[Scripted]:
    """A server on a free port of 127.0.0.1 while the `with` lasts."""
    sent: list[Sent] = []

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"
        disable_nagle_algorithm = True

        def do_any(self) -> None:
            body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
            asked = Sent(self.command, self.path, {k.lower(): v for k, v in self.headers.items()}, body)
            sent.append(asked)
            reply = answer(asked)
            self.send_response(reply.status)
            for name, value in reply.headers.items():
                self.send_header(name, value)
            self.send_header("Content-Length", str(len(reply.body) if reply.length is None else reply.length))
            self.end_headers()
            self.wfile.write(reply.body)
            self.close_connection = reply.length is not None

        do_GET = do_POST = do_any

        def log_message(self, format: str, *args: Any) -> None:
            """Nothing: the test looks at `sent`."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    thread = threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True)
    thread.start()
    try:
        yield Scripted(f"http://127.0.0.1:{server.server_port}", sent)
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
