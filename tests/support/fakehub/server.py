"""The sockets: GitHub's API over TCP and a UNIX socket, and beside it the storage that job logs redirect to."""

from __future__ import annotations

import contextlib
import re
import socket
import socketserver
import threading
import time
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

from tests.support.fakehub.door import answered
from tests.support.fakehub.web import Answer, Asked

if TYPE_CHECKING:
    from tests.support.fakehub.hub import FakeHub

XML = '<?xml version="1.0" encoding="utf-8"?><Error><Code>{}</Code><Message>{}</Message></Error>'


class _Server(socketserver.ThreadingMixIn, socketserver.TCPServer):
    allow_reuse_address = True
    daemon_threads = True
    block_on_close = False
    request_queue_size = 128

    def __init__(self, address: Any, handler: type[BaseHTTPRequestHandler], hub: FakeHub) -> None:
        self.hub = hub
        self.open: set[socket.socket] = set()
        super().__init__(address, handler)
        self.thread = threading.Thread(target=self.serve_forever, args=(0.02,), daemon=True, name="fakehub")
        self.thread.start()

    def process_request(self, request: Any, client_address: Any) -> None:
        self.open.add(request)
        super().process_request(request, client_address or ("unix", 0))

    def shutdown_request(self, request: Any) -> None:
        self.open.discard(request)
        super().shutdown_request(request)

    def handle_error(self, request: Any, client_address: Any) -> None:
        """A client that went away is no error of the fake."""

    def stop(self) -> None:
        """Stop listening and hang up on everybody."""
        self.shutdown()
        self.server_close()
        for one in list(self.open):
            with contextlib.suppress(OSError):
                one.shutdown(socket.SHUT_RDWR)
        self.thread.join()


class _UnixServer(_Server):
    address_family = socket.AF_UNIX


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    wbufsize = -1
    disable_nagle_algorithm = True
    server: _Server

    def log_message(self, format: str, *args: Any) -> None:
        """Nothing on stderr: the journal is the log."""

    def version_string(self) -> str:
        return "github.com"

    def do_any(self) -> None:
        """Read the request, answer it."""
        length = int(self.headers.get("Content-Length") or 0)
        body = self.rfile.read(length) if length else b""
        headers = {name.lower(): value for name, value in self.headers.items()}
        host = self.headers.get("Host") or ""
        asked = Asked(self.command, self.path, headers, body, f"http://{host}")
        answer = self.answer(asked)
        if answer is None:
            self.close_connection = True
            with contextlib.suppress(OSError):
                self.connection.shutdown(socket.SHUT_RDWR)
            return
        self.give(answer)

    def give(self, answer: Answer) -> None:
        """Write an answer."""
        body = answer.encoded()
        self.send_response_only(answer.status, HTTPStatus(answer.status).phrase)
        ours = {"Server": self.version_string(), "Date": self.date_time_string(self.server.hub.clock())}
        for name, value in {**ours, **answer.headers}.items():
            self.send_header(name, value)
        if answer.status not in (204, 304):
            self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        if self.command != "HEAD" and answer.status not in (204, 304):
            self.wfile.write(body)
        self.wfile.flush()

    def answer(self, asked: Asked) -> Answer | None:
        """The answer of GitHub's API; None cuts the connection."""
        hub = self.server.hub
        slow = hub.faults.take(asked.method, asked.path, "slow")
        if slow is not None:
            time.sleep(slow.seconds)
        with hub.lock:
            return answered(hub, asked)

    do_GET = do_HEAD = do_POST = do_PUT = do_PATCH = do_DELETE = do_any


class _UnixHandler(_Handler):
    disable_nagle_algorithm = False


class _StorageHandler(_Handler):
    """Where job logs are: whoever brings GitHub's token here has leaked it, and gets 403."""

    seen: ClassVar[re.Pattern[str]] = re.compile(r"/logs/(\d+)\?sig=ok$")

    def answer(self, asked: Asked) -> Answer | None:
        hub = self.server.hub
        with hub.lock:
            fault = hub.faults.take(asked.method, asked.path, "answer", "reset")
            if fault is not None:
                return None if fault.kind == "reset" else Answer(fault.status, fault.body, dict(fault.headers))
            match = self.seen.match(asked.path)
            run = hub.runs.get(int(match[1])) if match else None
            if "authorization" in asked.headers:
                hub.leaks.append(asked.path)
                return _xml(403, "AuthenticationFailed", "Server failed to authenticate the request.")
            if run is None or run.conclusion is None:
                return _xml(404, "BlobNotFound", "The specified blob does not exist.")
            text = run.log_text().encode()
        headers = {"Content-Type": "text/plain", "Accept-Ranges": "bytes"}
        span = re.fullmatch(r"bytes=(?:(\d+)-(\d*)|-(\d+))", asked.headers.get("range", ""))
        if span is None or not text:
            return Answer(200, text, headers)
        start = int(span[1]) if span[1] else max(0, len(text) - int(span[3]))
        end = min(int(span[2]) + 1 if span[2] else len(text), len(text))
        if start >= len(text):
            return Answer(416, b"", {"Content-Range": f"bytes */{len(text)}"})
        headers["Content-Range"] = f"bytes {start}-{end - 1}/{len(text)}"
        return Answer(206, text[start:end], headers)


def _xml(status: int, code: str, message: str) -> Answer:
    return Answer(status, XML.format(code, message), {"Content-Type": "application/xml"})


class Servers:
    """Everything that listens for one FakeHub."""

    def __init__(self, hub: FakeHub, port: int, unix: Path | None) -> None:
        self._servers = [_Server(("127.0.0.1", port), _Handler, hub), _Server(("127.0.0.1", 0), _StorageHandler, hub)]
        if unix is not None:
            unix.unlink(missing_ok=True)
            self._servers.append(_UnixServer(str(unix), _UnixHandler, hub))
        self._unix = unix
        self.url, self.storage_url = (f"http://127.0.0.1:{one.server_address[1]}" for one in self._servers[:2])

    def stop(self) -> None:
        """Stop all of them."""
        for server in self._servers:
            server.stop()
        if self._unix is not None:
            self._unix.unlink(missing_ok=True)
