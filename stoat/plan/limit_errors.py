"""Errors of the model APIs, as their JSON says them: which limit of the account one is (pure).

Tools print such an error whole, on one line after a status (`API Error: 429 {…}`), as a line of an event stream, or
laid out over several lines.
"""

from __future__ import annotations

import json
import re
from typing import Any, NamedTuple

from stoat.errors import UNDECODABLE
from stoat.plan.resets import After, Resets, epoch, length
from stoat.plan.state import LimitKind


class Told(NamedTuple):
    """An error in JSON: the limit that it is by its structure (None: not by that), its own name for it, its message."""

    kind: LimitKind | None
    name: str
    message: str
    window: str | None = None
    resets: Resets | None = None


_TYPES: dict[str, LimitKind] = {
    "billing_error": "spend",
    "insufficient_quota": "spend",
    "overloaded_error": "overloaded",
    "rate_limit_error": "rate",
    "rate_limit_exceeded": "rate",
    "server_is_overloaded": "overloaded",
    "slow_down": "overloaded",
    "usage_limit_reached": "usage",
}
_GOOGLE: dict[tuple[Any, Any], LimitKind] = {
    (429, "RESOURCE_EXHAUSTED"): "rate",
    (503, "UNAVAILABLE"): "overloaded",
}

_BEFORE = re.compile(
    r"[\s■✕✖✗⎿🖐⚠●\[]*(?:data: *|(?:ERROR|[Ee]rror|API Error|stream error): *)*(?:API Error \()?"
    r"(?:(?:unexpected status )?\d{3}\b[\w ]*:? *)?"
    r"|(?:(?:Attempt \d+ failed|Error when talking to)[^{]*\b)?_?ApiError: [^{]*"
)
_CUT_OFF = re.compile(r'"type": ?"(?P<type>[a-z_]+)"')
_MESSAGE = re.compile(r'\s*"message": ?(?P<text>"(?:[^"\\]|\\.)*")')
_CUT_MESSAGE = re.compile(r'"message": ?(?P<text>"(?:[^"\\]|\\.)*"?)')
_LARGEST = 1e15
_DECODER = json.JSONDecoder()


def error_in(line: str) -> Told | None:
    """The error that a line is, after a tool's prefixes; None where it is no JSON, or none of an error."""
    if (fragment := _MESSAGE.match(line)) is not None:
        return Told(None, "", _text(fragment["text"]))
    at = line.find("{")
    if at < 0 or _BEFORE.fullmatch(line, 0, at) is None:
        return None
    try:
        written, _ = _DECODER.raw_decode(line, at)
    except UNDECODABLE:
        return _cut_off(line[at:])
    return error(written)


def laid_out(text: str) -> Told | None:
    """The error in the JSON over several lines that `text` ends with; None where it ends with none."""
    begins = text.rfind("\n{\n") + 1
    if "\n" not in text or not text.startswith("{\n", begins):
        return None
    try:
        return error(json.loads(text[begins:]))
    except UNDECODABLE:
        return None


def error(written: Any) -> Told | None:
    """The error that a decoded JSON value is, of whatever API; None where it has none."""
    found = written.get("error") if isinstance(written, dict) else None
    if isinstance(found, str):
        return Told(None, "", found)
    if not isinstance(found, dict):
        return None
    message = found["message"] if isinstance(found.get("message"), str) else ""
    if message.lstrip().startswith("{") and (inner := error_in(message)) is not None and inner.kind is not None:
        return inner
    for key in ("type", "code"):
        name = found.get(key)
        if isinstance(name, str) and name in _TYPES:
            return Told(_TYPES[name], name, message, None, _reset(found))
    code, status = found.get("code"), found.get("status")
    if isinstance(code, int) and isinstance(status, str) and (code, status) in _GOOGLE:
        window, resets = _details(found.get("details"))
        return Told(_GOOGLE[code, status], status, message, window, resets)
    return Told(None, "", message)


def _reset(error: dict[str, Any]) -> Resets | None:
    at, seconds = _number(error.get("resets_at")), _number(error.get("resets_in_seconds"))
    if at is not None:
        return epoch(at)
    return None if seconds is None else After(seconds)


def _number(written: Any) -> float | None:
    is_number = isinstance(written, int | float) and not isinstance(written, bool) and 0 < written < _LARGEST
    return float(written) if is_number else None


def _details(details: Any) -> tuple[str | None, Resets | None]:
    """The window and the reset of a Google error. What is counted by the day does not come back when it says."""
    entries = _objects(details)
    if any("PerDay" in str(found.get("quotaId")) for entry in entries for found in _objects(entry.get("violations"))):
        return "daily", None
    delays = [entry["retryDelay"] for entry in entries if isinstance(entry.get("retryDelay"), str)]
    return None, next((found for delay in delays if (found := length(delay)) is not None), None)


def _objects(written: Any) -> list[dict[str, Any]]:
    return [entry for entry in written if isinstance(entry, dict)] if isinstance(written, list) else []


def _cut_off(text: str) -> Told | None:
    """An error whose JSON does not end: by its types, with as much of its message as there is."""
    kinds = [found["type"] for found in _CUT_OFF.finditer(text) if found["type"] in _TYPES]
    if not kinds:
        return None
    message = _CUT_MESSAGE.search(text)
    return Told(_TYPES[kinds[0]], kinds[0], _text(message["text"]) if message is not None else "")


def _text(quoted: str) -> str:
    try:
        return str(json.loads(quoted if quoted.endswith('"') and len(quoted) > 1 else quoted + '"'))
    except UNDECODABLE:
        return quoted.strip('"')
