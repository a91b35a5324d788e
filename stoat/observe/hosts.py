"""Whether a Stoat host serves MCP at its address: agents whose tools are nowhere would only find out one by one."""

from __future__ import annotations

import http.client
import json
import time
import urllib.error
import urllib.request
from collections.abc import Iterable
from typing import Any

from stoat.errors import UNDECODABLE

_SECONDS = 10.0
_LONGEST = 1024 * 1024
"""Bytes of an answer that are read."""

_HELLO = {
    "jsonrpc": "2.0", "id": 1, "method": "initialize",
    "params": {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "stoat", "version": "1"}},
}  # fmt: skip
_HEADERS = {"Content-Type": "application/json", "Accept": "application/json, text/event-stream"}


def why_no_mcp(address: str) -> str | None:
    """Why there is no MCP server at that address, in a few words; None where there is one.

    It is greeted as a client does. Any page may answer, and only such a server says which revision it speaks.
    """
    try:
        request = urllib.request.Request(address, json.dumps(_HELLO).encode(), _HEADERS)
        with urllib.request.urlopen(request, timeout=_SECONDS) as answered:
            streamed = answered.headers.get_content_type() == "text/event-stream"
            greeted = _greeting(answered) if streamed else _is_greeting(answered.read(_LONGEST))
    except urllib.error.HTTPError as refused:
        refused.close()
        return f"it answers {refused.code}"
    except (OSError, ValueError, http.client.HTTPException) as problem:
        return f"it does not answer: {getattr(problem, 'reason', problem)}"
    return None if greeted else "what answers there does not speak MCP"


def _greeting(stream: Iterable[bytes]) -> bool:
    """Whether an event of the stream is the greeting; who says nothing else either is not listened to for ever."""
    until, size = time.monotonic() + _SECONDS, 0
    for line in stream:
        size += len(line)
        if line.startswith(b"data:") and _is_greeting(line.removeprefix(b"data:")):
            return True
        if size > _LONGEST or time.monotonic() > until:
            break
    return False


def _is_greeting(data: bytes) -> bool:
    try:
        answer: Any = json.loads(data)
    except UNDECODABLE:
        return False
    if not isinstance(answer, dict) or answer.get("jsonrpc") != "2.0" or answer.get("id") != _HELLO["id"]:
        return False
    result = answer.get("result")
    return isinstance(result, dict) and isinstance(result.get("protocolVersion"), str)
