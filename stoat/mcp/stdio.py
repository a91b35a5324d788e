"""MCP over standard input and output: a JSON message a line, several calls at once, until the input closes.

What is read and written are private copies of the two streams. Their places are taken by nothing and by standard error,
so that neither a stray print nor a command that is started reaches the wire.
"""

from __future__ import annotations

import contextlib
import fcntl
import os
import select
import sys
import threading
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import msgspec
from mcp_types import jsonrpc as codes

from stoat.errors import UNDECODABLE, Unreachable
from stoat.mcp.outbox import Outbox
from stoat.mcp.protocol import Endpoint, Message, Peer, Wrong, checked, failure, handshake, peer_of
from stoat.mcp.tool import Waiting

LONGEST_LINE = 4 * 1024 * 1024
"""Bytes of a message; a longer one is answered with an error and stepped over."""
MOST_CALLS = 64
"""Calls at the same time: each has a thread."""
_PIECE = 65536


class Times(NamedTuple):
    """Seconds: how long a waiting tool waits where it can give signs of life, and where it cannot; how often it gives
    them; how long calls may take to end once the input is closed.

    Claude Code and Gemini give a call up that is silent for a minute.
    """

    patience: float = 20 * 60.0
    silent: float = 50.0
    beat: float = 20.0
    ending: float = 10.0


@dataclass
class _Going:
    """A call that goes on: its waiting, whether its client gave it up, and its signs of life."""

    request: Message
    token: str | int | None
    waiting: Waiting = field(default_factory=Waiting)
    over: threading.Event = field(default_factory=threading.Event)
    cancelled: bool = False
    beats: int = 0
    words: str = "at work"


class Server:
    """An endpoint on a pair of file descriptors. `run` ends when the input does, or when nobody reads the output."""

    def __init__(self, endpoint: Endpoint, source: int, sink: int, times: Times | None = None) -> None:
        self._endpoint = endpoint
        self._source = source
        self._times = times or Times()
        self._peer = Peer()
        self._going: dict[tuple[type, Any], _Going] = {}
        self._lock = threading.Lock()
        self._wake = os.pipe()
        self._gone = False
        self._outbox = Outbox(sink, self._lost)

    def run(self) -> None:
        """Take messages until the input ends; calls that still go on then may end, and those that wait stop waiting."""
        try:
            threads = self._serve()
            until = time.monotonic() + self._times.ending
            for thread in threads:
                thread.join(max(0.0, until - time.monotonic()))
            self._outbox.close(max(0.0, until - time.monotonic()))
        finally:
            self._outbox.close(0.0)

    def _serve(self) -> list[threading.Thread]:
        """Take messages until the input ends; gives the threads of the calls that may still go on."""
        threads: list[threading.Thread] = []
        try:
            for line in self._lines():
                thread = self._take(line)
                if thread is not None:
                    threads = [one for one in threads if one.is_alive()]
                    threads.append(thread)
        finally:
            with self._lock:
                for going in self._going.values():
                    going.waiting.stopped.set()
        return threads

    def _lines(self) -> Iterator[bytes | None]:
        """The lines of the input, None for one that is too long; a last one without a line end counts."""
        pending = bytearray()
        skipping = False
        while not self._gone:
            if self._wake[0] in select.select([self._source, self._wake[0]], [], [])[0]:
                return
            piece = os.read(self._source, _PIECE)
            *whole, rest = (piece or b"\n").split(b"\n")
            for end in whole:
                pending += end
                if skipping or len(pending) > LONGEST_LINE:
                    yield None
                elif pending:
                    yield bytes(pending)
                pending.clear()
                skipping = False
            pending += rest
            if len(pending) > LONGEST_LINE:
                pending.clear()
                skipping = True
            if not piece:
                return

    def _take(self, line: bytes | None) -> threading.Thread | None:
        """Deal with one line; gives the thread of the call that it began."""
        document: Any = None
        try:
            document = _decoded(line)
            if document is _BLANK:
                return None
            message = checked(document)
            if "method" not in message:
                return None
            if "id" in message:
                return self._request(message)
            if message["method"] == "notifications/cancelled":
                self._cancel(message.get("params", {}).get("requestId"))
        except Wrong as wrong:
            self._write(failure(_id_of(document), wrong.code, wrong.message, wrong.data))
        return None

    def _request(self, request: Message) -> threading.Thread | None:
        peer = peer_of(request, self._peer)
        if request["method"] == "initialize" and not peer.modern:
            peer = handshake(request)
            answer = self._endpoint.answer(request, peer)
            if "result" in answer:
                self._peer = peer
            self._write(answer)
            return None
        tool = self._endpoint.tool_of(request)
        if tool is None:
            self._write(self._endpoint.answer(request, peer))
            return None
        return self._begin(request, peer, waits=tool.waits)

    def _begin(self, request: Message, peer: Peer, *, waits: bool) -> threading.Thread:
        going = _Going(request, _token_of(request) if waits else None)
        if going.token is not None:
            going.waiting.tell = lambda words: self._say(going, words)
        going.waiting.seconds = self._times.silent if going.token is None else self._times.patience
        key = _key(request["id"])
        with self._lock:
            if key in self._going:
                raise Wrong(codes.INVALID_REQUEST, "a request with this id is going on")
            if len(self._going) >= MOST_CALLS:
                raise Wrong(codes.INVALID_REQUEST, f"{MOST_CALLS} calls are going on: wait for one of them to end")
            self._going[key] = going
        thread = threading.Thread(target=self._call, args=(going, peer), name="stoat-mcp-call", daemon=True)
        thread.start()
        if going.token is not None:
            threading.Thread(target=self._beat, args=(going,), name="stoat-mcp-beat", daemon=True).start()
        return thread

    def _call(self, going: _Going, peer: Peer) -> None:
        answer = self._endpoint.answer(going.request, peer, going.waiting)
        with self._lock:
            going.over.set()
            del self._going[_key(going.request["id"])]
            cancelled = going.cancelled
        if not cancelled:
            self._write(answer)

    def _cancel(self, request_id: Any) -> None:
        """A client gave a call up: what waits stops waiting, and nothing more is said of it."""
        with self._lock:
            going = self._going.get(_key(request_id)) if isinstance(request_id, int | str) else None
            if going is not None:
                going.cancelled = True
                going.waiting.stopped.set()

    def _beat(self, going: _Going) -> None:
        while not going.over.wait(self._times.beat):
            self._say(going, going.words)

    def _say(self, going: _Going, words: str) -> None:
        """Give a sign of life of a call; there is none once it is over, nor to a client that does not read."""
        with self._lock:
            if going.over.is_set() or going.cancelled:
                return
            going.words = words
            if self._outbox.unread:
                return
            going.beats += 1
            params = {"progressToken": going.token, "progress": going.beats, "message": words}
            self._write({"jsonrpc": "2.0", "method": "notifications/progress", "params": params})

    def _write(self, message: Message) -> None:
        self._outbox.put(msgspec.json.encode(message) + b"\n")

    def _lost(self) -> None:
        self._gone = True
        os.write(self._wake[1], b"\0")


@contextlib.contextmanager
def private_streams() -> Iterator[tuple[int, int]]:
    """Copies of standard input and output that nobody else has; until the end nothing else in this process, and no
    command that it starts, reads the one or writes to the other. Unreachable where one of them is closed."""
    sys.stdout.flush()
    try:
        source, sink = (fcntl.fcntl(stream, fcntl.F_DUPFD_CLOEXEC, 3) for stream in (0, 1))
    except OSError as closed:
        raise Unreachable("standard input or output is closed", hint="an agent's program starts this one") from closed
    nothing = os.open(os.devnull, os.O_RDWR)
    try:
        os.dup2(nothing, 0)
        try:
            os.dup2(2, 1)
        except OSError:
            os.dup2(nothing, 1)
        yield source, sink
    finally:
        sys.stdout.flush()
        os.dup2(source, 0)
        os.dup2(sink, 1)
        for each in (source, sink, nothing):
            os.close(each)


_BLANK = object()


def _decoded(line: bytes | None) -> Any:
    if line is None:
        raise Wrong(codes.PARSE_ERROR, f"the message is longer than {LONGEST_LINE} bytes")
    if not line.strip():
        return _BLANK
    try:
        return msgspec.json.decode(line)
    except UNDECODABLE:
        raise Wrong(codes.PARSE_ERROR, "the line is not JSON in UTF-8") from None


def _id_of(document: Any) -> str | int | None:
    """The id of a message that is wrong in another way."""
    found = document.get("id") if isinstance(document, dict) else None
    return found if isinstance(found, int | str) and not isinstance(found, bool) else None


def _token_of(request: Message) -> str | int | None:
    meta = request.get("params", {}).get("_meta")
    token = meta.get("progressToken") if isinstance(meta, dict) else None
    return token if isinstance(token, int | str) and not isinstance(token, bool) else None


def _key(request_id: Any) -> tuple[type, Any]:
    """1 and "1" are two ids."""
    return type(request_id), request_id
