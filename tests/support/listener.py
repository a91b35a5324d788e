"""A monitor that listens: what a publisher of test runs meets over HTTP, with the ways in which it can be unwell."""

from __future__ import annotations

import json
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import TracebackType
from typing import Any


class Listener:
    """Real HTTP on this machine: `events` are what was posted, `batches` how many each post had, `asked` every path.

    `ping` and `ingest` are the statuses that it answers with; from the post number `fails_from` on it answers 500.
    `store` is what it says that it serves. With `mute` it accepts connections and never answers.
    """

    def __init__(
        self, *, ping: int = 200, ingest: int = 202, fails_from: int | None = None, mute: bool = False,
        store: str | None = None,
    ) -> None:  # fmt: skip
        self.ping, self.ingest, self.fails_from = ping, ingest, fails_from
        self.events: list[dict[str, Any]] = []
        self.batches: list[int] = []
        self.asked: list[str] = []
        self.over = threading.Event()
        listener = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_GET(self) -> None:
                listener.asked.append(self.path)
                if mute:
                    listener.over.wait(30)
                said = {"tool": "listener", "version": "1"} | ({"store": store} if store is not None else {})
                self.answer(listener.ping, json.dumps(said).encode())

            def do_POST(self) -> None:
                listener.asked.append(self.path)
                body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
                fails = listener.fails_from is not None and len(listener.batches) >= listener.fails_from
                listener.batches.append(len(body["events"]))
                if not fails:
                    listener.events += body["events"]
                self.answer(500 if fails else listener.ingest, b"")

            def answer(self, status: int, body: bytes) -> None:
                self.send_response(status)
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

            def log_message(self, format: str, *args: object) -> None:
                pass

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.server.daemon_threads = True
        self.url = f"http://127.0.0.1:{self.server.server_port}"
        self.thread = threading.Thread(target=self.server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)

    def of(self, type: str) -> list[dict[str, Any]]:
        """The events of one type, in their order."""
        return [event for event in self.events if event["type"] == type]

    def __enter__(self) -> Listener:
        self.thread.start()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self.over.set()
        self.server.shutdown()
        self.server.server_close()
        self.thread.join()
