"""The events of a posted `{"events": […]}`, each as it was written, so that a bad one costs none of the others.

A body that is strict JSON is taken apart by a decoder. Any other is taken apart by its brackets alone, whatever stands
between them and however deep it goes: whether a part of it is an event is decided for each by itself.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

import msgspec
from msgspec import Raw, Struct

from stoat.errors import UNDECODABLE

_TOKEN = re.compile(rb'"[^"\\]*+(?:\\.[^"\\]*+)*+"|["\[\]{}:,]', re.DOTALL)
"""A text, or a sign that structures; a quote alone begins a text that never ends."""
_ENDS = {b"[": b"]", b"{": b"}"}
_MOST = 500_000
"""Signs of a body that no decoder takes: about a second's work, and more than any real batch has."""
_BOM = b"\xef\xbb\xbf"
_SHAPE = 'the body is no JSON object {"events": [...]}'


class _Batch(Struct):
    events: list[Raw]


class _Sign(NamedTuple):
    """A token, how many brackets are open around it, and where it stands."""

    sign: bytes
    depth: int
    start: int
    end: int


def split_batch(body: bytes) -> list[bytes]:
    """The events of a body, each on one line, whatever they are; ValueError for what is no batch.

    Where the list of events is there twice, it is all of both.
    """
    body = body.removeprefix(_BOM)
    try:
        if body.count(b'"events"') > 1:
            raise ValueError("perhaps two lists of events")
        written = [bytes(event) for event in msgspec.json.decode(body, type=_Batch).events]
    except UNDECODABLE:
        # What strict readers refuse and others write: half a surrogate pair, NaN, nesting without end.
        written = _elements(body.decode("utf-8", "surrogateescape").encode("utf-8", "replace"))
    # A line break that is not spelled stands between tokens, or where no strict reader lets it be.
    return [event.replace(b"\n", b" ").replace(b"\r", b" ") for event in written]


def depth(text: bytes) -> int:
    """How many brackets of a JSON text are open where most are; 0 for what is none."""
    try:
        return max((sign.depth for sign in _structure(text)), default=0)
    except ValueError:
        return 0


def _elements(body: bytes) -> list[bytes]:
    """The elements of the list `events` of an object, as they stand in it."""
    elements: list[bytes] = []
    found = within = False
    key = before = b""
    begin = 0
    for sign, depth, start, end in _structure(body):
        if depth == 0 and sign != b"{":
            raise ValueError(_SHAPE)
        if depth == 1:
            if sign == b":":
                key = before
            elif key == b'"events"' and sign == b"[":
                found, within, begin = True, True, end
            elif key == b'"events"' and sign == b"{":
                raise ValueError("events is no list")
            elif sign in b",}":
                key = b""
        elif depth == 2 and within and sign in b",]":
            elements.append(body[begin:start].strip())
            begin, within = end, sign == b","
        before = sign
    if not found:
        raise ValueError(_SHAPE)
    return [element for element in elements if element]


def _structure(body: bytes) -> Iterator[_Sign]:
    """The tokens of one JSON text, as far as its brackets go; ValueError where those do not fit."""
    open_: list[bytes] = []
    over = 0
    for count, token in enumerate(_TOKEN.finditer(body)):
        sign = token.group()
        if sign == b'"' or over or count == _MOST:
            raise ValueError(_SHAPE)
        yield _Sign(sign, len(open_), token.start(), token.end())
        if sign in _ENDS:
            open_.append(sign)
        elif sign in (b"]", b"}"):
            if not open_ or _ENDS[open_.pop()] != sign:
                raise ValueError(_SHAPE)
            over = 0 if open_ else token.end()
    if not over or body[over:].strip() or body[: body.find(b"{")].strip():
        raise ValueError(_SHAPE)
