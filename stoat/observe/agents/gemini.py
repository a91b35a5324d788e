"""What the Gemini CLI says in `-o json` and `-o stream-json`. It names no cost, and errors of `json` on stderr only."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from typing import Any

from stoat.errors import UNDECODABLE
from stoat.observe.agents import Heard
from stoat.observe.agents.output import Value, session_in, string
from stoat.observe.agents.phrases import failure, joined, message_of, tool, word
from stoat.plan.state import LimitKind
from stoat.plan.usage_limits import Said, find, shown

TOOL = "gemini"
_CODES: dict[Any, LimitKind] = {429: "rate", 503: "overloaded"}
_LINES = 40
"""Lines that an error on stderr may take, with the stack below it."""

_RESPONSE = re.compile(rb'  "response": (?P<text>".*"),?\s*')
"""The line of `-o json`, an object over many lines, that has the answer."""

_BELOW = re.compile(r"\s|$|[})\]]|\* |Please retry|Suggested retry")
"""What a line of an error begins with that is not its first."""


def hear(values: Iterable[Value], errors: str) -> Heard:
    """What gemini's output says, from its objects in their order; `errors` is the end of what it wrote to stderr."""
    heard = Heard()
    said: list[str] = []
    for value in values:
        heard.session = session_in(value.get("session_id")) or heard.session
        match value.get("type"):
            case "init":
                heard.began, heard.ended, said = True, False, []
            case "message" if value.get("role") == "assistant":
                said.append(string(value.get("content")) or "")
            case "tool_use" | "tool_result" | "message":
                said = []
            case "result":
                heard.ended, heard.failed = True, value.get("status") != "success"
                heard.final = "".join(said) or None
                if heard.failed:
                    _fail(heard, value.get("error"))
            case None if "response" in value or "error" in value:
                _end(heard, value)
    if not heard.ended and (error := _error_object(errors)) is not None:
        heard.session = session_in(error.get("session_id")) or heard.session
        _end(heard, error)
    if not heard.ended:
        heard.stuck = find(_newest(errors), TOOL)
    return heard


def _newest(errors: str) -> str:
    """The last error of stderr, if nothing came after it: gemini tells every try, and goes on without a word."""
    lines = errors.splitlines()[-_LINES:]
    at = next((at for at in reversed(range(len(lines))) if _BELOW.match(lines[at]) is None), 0)
    return "\n".join(lines[at:])


def _end(heard: Heard, value: Value) -> None:
    heard.ended, heard.final = True, string(value.get("response"))
    heard.failed = value.get("error") is not None
    if heard.failed:
        _fail(heard, value["error"])


def _fail(heard: Heard, error: Any) -> None:
    written = error if isinstance(error, dict) else {}
    message, code = string(written.get("message")) or "", written.get("code")
    heard.final = message or heard.final
    heard.limit = find(message, TOOL)
    if heard.limit is None and isinstance(code, int) and code in _CODES:
        heard.limit = Said(_CODES[code], shown(message) or f"API error {code}")


def _error_object(errors: str) -> Value | None:
    """The object that `-o json` writes to stderr as it fails; what others wrote to the log may stand around it."""
    at = len(errors)
    while (at := errors.rfind("{\n", 0, at)) >= 0:
        if at and errors[at - 1] != "\n":
            continue
        try:
            written, _ = json.JSONDecoder().raw_decode(errors, at)
        except UNDECODABLE:
            continue
        if isinstance(written, dict) and isinstance(written.get("error"), dict) and "session_id" in written:
            return written
    return None


def told(value: Value) -> str | None:
    """What one object of the output tells a person; None where it is nothing."""
    match value.get("type"):
        case "init":
            return joined("gemini", value.get("model"), value.get("session_id"))
        case "message" if value.get("role") == "assistant":
            return string(value.get("content"))
        case "tool_use":
            return tool(value.get("tool_name"), value.get("parameters"))
        case "tool_result" if value.get("status") == "error":
            return failure(value.get("error") or value.get("output"))
        case "error":
            return f"⚠ {word(value.get('message'))}"
        case "result":
            error = value.get("error")
            failed = value.get("status") != "success"
            return f"✗ failed\n{message_of(error)}" if failed else "✓ ended"
        case None if "response" in value or "error" in value:
            return string(value.get("response")) or f"✗ {message_of(value.get('error'))}"
    return None


def told_in(line: bytes) -> str | None:
    """What a line that is no object by itself tells: the answer, in an object that is laid out over several."""
    found = _RESPONSE.fullmatch(line)
    if found is None:
        return None
    try:
        return string(json.loads(found["text"].decode("utf-8", "replace")))
    except UNDECODABLE:
        return None
