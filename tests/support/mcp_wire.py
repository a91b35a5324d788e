"""A client of `stoat mcp` that writes and reads raw lines: what the official client is too well-behaved to send."""

from __future__ import annotations

import json
import os
import select
import time
from collections.abc import Mapping
from typing import Any

MODERN = "2026-07-28"
LEGACY = ("2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25")


def meta(version: str = MODERN, **more: Any) -> dict[str, Any]:
    """The `_meta` that every request of the modern era carries."""
    return {
        "io.modelcontextprotocol/protocolVersion": version,
        "io.modelcontextprotocol/clientCapabilities": {},
        "io.modelcontextprotocol/clientInfo": {"name": "raw", "version": "1"},
        **more,
    }


def request(method: str, params: Mapping[str, Any] | None = None, *, id: Any = 1, modern: bool = True) -> Any:
    """A request of either era."""
    given = dict(params or {})
    if modern:
        given["_meta"] = meta(**given.pop("_meta", {}))
    return {"jsonrpc": "2.0", "id": id, "method": method, **({"params": given} if given else {})}


def call(tool: str, arguments: Mapping[str, Any] | None = None, *, id: Any = 1, token: Any = None) -> Any:
    """A call of a tool in the modern era."""
    given = {"name": tool, "arguments": dict(arguments or {})}
    return request("tools/call", {**given, "_meta": {} if token is None else {"progressToken": token}}, id=id)


def initialize(version: str = LEGACY[-1], id: Any = 0) -> Any:
    """The first request of an older era."""
    info = {"name": "raw", "version": "1"}
    params = {"protocolVersion": version, "capabilities": {}, "clientInfo": info}
    return request("initialize", params, id=id, modern=False)


class Wire:
    """Two file descriptors, of which one is written to and the other read, a line at a time."""

    def __init__(self, source: int, sink: int) -> None:
        self.source, self.sink = source, sink
        self._read = b""

    def raw(self, data: bytes) -> None:
        """Write bytes as they are."""
        view = memoryview(data)
        while view:
            view = view[os.write(self.sink, view) :]

    def send(self, *messages: Any) -> None:
        """Write messages, a line each."""
        self.raw(b"".join(json.dumps(message).encode() + b"\n" for message in messages))

    def line(self, seconds: float = 20) -> Any:
        """The next message; AssertionError when there is none in time, None at the end of the stream."""
        until = time.monotonic() + seconds
        while b"\n" not in self._read:
            left = until - time.monotonic()
            if left <= 0 or not select.select([self.source], [], [], left)[0]:
                raise AssertionError(f"no message within {seconds} s; so far {self._read!r}")
            piece = os.read(self.source, 65536)
            if not piece:
                return None
            self._read += piece
        line, _, self._read = self._read.partition(b"\n")
        return json.loads(line)

    def ask(self, message: Any, seconds: float = 20) -> Any:
        """Send a request and give its answer, stepping over notifications."""
        self.send(message)
        return self.answer(seconds)

    def answer(self, seconds: float = 20) -> Any:
        """The next message that is no notification."""
        while True:
            line = self.line(seconds)
            if line is None or "method" not in line:
                return line
