"""Wire events as they come: JSON objects from publishers of any age, read field by field and never refused for one.

A field that is absent, null or of another shape than the contract's reads as None. Unknown fields are left alone.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any

import msgspec
from msgspec import Raw, Struct

from stoat import clock
from stoat.clock import Time
from stoat.errors import UNDECODABLE

Event = Mapping[str, Any]
"""A wire event: a decoded JSON object."""

Lane = int | str

_RUN_ID = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,127}")
_UUID = re.compile(r"[0-9A-Fa-f]{8}(-[0-9A-Fa-f]{4}){3}-[0-9A-Fa-f]{12}")
_LARGEST = 2**53


class _Batch(Struct):
    events: list[Raw]


def split_batch(body: bytes) -> list[bytes]:
    """The events of a posted `{"events": […]}`, each as it was written, on one line. ValueError for anything else."""
    try:
        written = [bytes(event) for event in msgspec.json.decode(body, type=_Batch).events]
    except UNDECODABLE:
        # What strict readers refuse and others write: half a surrogate pair, NaN. Nobody's run is lost over that.
        try:
            events = json.loads(body.decode("utf-8", "replace"))["events"]
        except (KeyError, TypeError, *UNDECODABLE) as problem:
            raise ValueError('the body is no JSON object {"events": [...]}') from problem
        if not isinstance(events, list):
            raise ValueError("events is no list") from None
        written = [json.dumps(event, separators=(",", ":")).encode() for event in events]
    # A line break can only stand between tokens here: within a text JSON spells it.
    return [event.replace(b"\n", b" ").replace(b"\r", b" ") for event in written]


def decode(line: bytes) -> dict[str, Any] | None:
    """An event from its line; None for what is no JSON object with a type and the id of a run."""
    try:
        event = msgspec.json.decode(line)
    except UNDECODABLE:
        try:
            event = _scrubbed(json.loads(line.decode("utf-8", "replace")))
        except UNDECODABLE:
            return None
    return event if isinstance(event, dict) and run_of(event) is not None else None


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


def lane(event: Event) -> Lane | None:
    """The lane that an event names, by number or by name."""
    value = event.get("lane")
    return value if isinstance(value, str) else whole(event, "lane")


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
