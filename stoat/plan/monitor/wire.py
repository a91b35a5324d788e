"""Wire events as they come: JSON objects from publishers of any age, read field by field and never refused for one.

A field that is absent, null or of another shape than the contract's reads as None. Unknown fields are left alone.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any

import msgspec

from stoat import clock
from stoat.clock import Time
from stoat.errors import UNDECODABLE
from stoat.plan.monitor.batches import depth

Event = Mapping[str, Any]
"""A wire event: a decoded JSON object."""

Lane = int | str
Outcomes = int | dict[str, Any] | list[Any] | None

_RUN_ID = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,127}")
_UUID = re.compile(r"[0-9A-Fa-f]{8}(-[0-9A-Fa-f]{4}){3}-[0-9A-Fa-f]{12}")
_LARGEST = 2**53
_DIGITS = 18
"""Digits of a whole number that is read as one: those of 64 bits."""

MAX_DEPTH = 100
"""Levels of lists and objects in an event."""


class Unfit(ValueError):
    """Why what somebody sent is no event."""


def decode(line: bytes) -> dict[str, Any] | None:
    """An event from its line; None for what is none, as `read` tells."""
    try:
        return read(line)
    except Unfit:
        return None


def read(line: bytes) -> dict[str, Any]:
    """An event from its line. Unfit, with the reason, for what is no JSON object with a type and the id of a run, and
    for what is nested so deep that not every reader of it would get through."""
    if line.count(b"[") + line.count(b"{") > MAX_DEPTH and depth(line) > MAX_DEPTH:
        raise Unfit(f"it is nested deeper than {MAX_DEPTH} levels")
    try:
        event = msgspec.json.decode(line)
    except UNDECODABLE:
        try:
            event = _scrubbed(_LENIENT.decode(line.decode("utf-8", "surrogateescape").strip()))
        except UNDECODABLE:
            raise Unfit("it is no JSON") from None
    if not isinstance(event, dict) or run_of(event) is None:
        raise Unfit("it is no object with a type and a runId")
    return event


def is_run_id(text: str) -> bool:
    """Whether this may name a run, and so its archive: letters, digits, dots, dashes, at most 128, no dot first."""
    return _RUN_ID.fullmatch(text) is not None


def run_id(text: str) -> str:
    """A run's id as runs are known by it: a UUID in lower case, anything else as written."""
    return text.lower() if _UUID.fullmatch(text) else text


def run_of(event: object) -> str | None:
    """The run that an event belongs to; None for what is no event: no object, no type, or no id that names a run."""
    if not isinstance(event, Mapping) or not isinstance(event.get("type"), str):
        return None
    written = event.get("runId")
    return run_id(written) if isinstance(written, str) and is_run_id(written) else None


def text(event: Event, field: str) -> str | None:
    """A text field."""
    value = event.get(field)
    return value if isinstance(value, str) else None


def whole(event: Event, field: str) -> int | None:
    """A number field as a whole number: milliseconds and counts; what is finer is rounded."""
    value = event.get(field)
    if isinstance(value, bool) or not isinstance(value, int | float) or not -_LARGEST <= value <= _LARGEST:
        return None
    return round(value)


def flag(event: Event, field: str, otherwise: bool | None) -> bool | None:
    """A yes or no, `otherwise` where it is neither."""
    value = event.get(field)
    return value if isinstance(value, bool) else otherwise


def moment(event: Event, field: str) -> Time | None:
    """A time field, in UTC; one that names no time zone is taken for UTC."""
    value = event.get(field)
    if not isinstance(value, str):
        return None
    for written in (value, value + "Z"):
        try:
            return clock.text(clock.parse(written))
        except (ValueError, OverflowError):
            continue
    return None


def texts(event: Event, field: str) -> tuple[str, ...]:
    """A list of texts; what is none of them is left out."""
    value = event.get(field)
    return tuple(item for item in value if isinstance(item, str)) if isinstance(value, list) else ()


def objects(event: Event, field: str) -> tuple[dict[str, Any], ...] | None:
    """A list of objects; None where there is no list."""
    value = event.get(field)
    return tuple(item for item in value if isinstance(item, dict)) if isinstance(value, list) else None


def outcomes(event: Event) -> Outcomes:
    """What a lane's pass came to, as it was said: how many there are, or each by its scenario."""
    value = event.get("outcomes")
    return value if isinstance(value, dict | list) else whole(event, "outcomes")


def lane(event: Event) -> Lane | None:
    """The lane that an event names, by number or by name."""
    value = event.get("lane")
    return value if isinstance(value, str) else whole(event, "lane")


def _number(digits: str) -> int | float:
    return int(digits) if len(digits) <= _DIGITS else float(digits)


_LENIENT = json.JSONDecoder(parse_int=_number, strict=False)
"""Takes what strict readers refuse and others write: NaN, half a surrogate pair, a number of any length."""


def _scrubbed(value: Any) -> Any:
    """The same without half surrogate pairs, which no text may hold that is to be shown or written."""
    match value:
        case str():
            return value.encode("utf-8", "replace").decode()
        case list():
            return [_scrubbed(item) for item in value]
        case dict():
            return {_scrubbed(key): _scrubbed(item) for key, item in value.items()}
    return value
