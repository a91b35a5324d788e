"""The JSON values that a tool wrote to a file, in bounded memory: it may be huge, cut off, torn or no text at all."""

from __future__ import annotations

import contextlib
import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from stoat.errors import UNDECODABLE

HEAD = 1024 * 1024
"""Bytes from the beginning of an output in which a tool names its session."""

TAIL = 8 * 1024 * 1024
"""Bytes at the end of an output in which it says how it ended."""

Value = dict[str, Any]

_TRIES = 1000
"""Places looked at from the end of a long array for the beginning of its last object."""

_SESSION = re.compile(r"[A-Za-z0-9._][A-Za-z0-9._-]{0,127}")
_SEPARATOR = re.compile(r"[\s,]*(?=[^\s,\]])")
_DECODER = json.JSONDecoder()


def values(path: Path, start: int = 0) -> Iterator[Value]:
    """The JSON objects of a file from byte `start` on: one a line, or those of one array, or one laid out over lines.

    Of a large file those at its beginning and at its end. What is no object is passed over; a file that cannot be read
    has none.
    """
    try:
        with path.open("rb") as file:
            size = file.seek(0, 2)
            file.seek(min(start, size))
            if size - start <= HEAD + TAIL:
                yield from _of_text(file.read(HEAD + TAIL))
                return
            head = file.read(HEAD)
            file.seek(size - TAIL)
            ending = file.read(TAIL)
            if head.startswith(b"["):
                yield from _of_array(head.decode("utf-8", "replace"))
                yield from _last_of_array(ending.decode("utf-8", "replace"))
            else:
                yield from _of_lines(head.splitlines()[:-1])
                yield from _of_lines(ending.splitlines()[1:])
    except OSError:
        return


def tail(path: Path, start: int, limit: int = 64 * 1024) -> str:
    """The last `limit` bytes of what a file has from byte `start` on, as text; empty when it cannot be read."""
    try:
        with path.open("rb") as file:
            size = file.seek(0, 2)
            file.seek(max(min(start, size), size - limit))
            return file.read(limit).decode("utf-8", "replace")
    except OSError:
        return ""


def string(value: Any) -> str | None:
    """A text of an output that can be written again (half a surrogate cannot); None for anything else."""
    return value.encode("utf-8", "replace").decode("utf-8") if isinstance(value, str) else None


def session_in(value: Any) -> str | None:
    """The session that a tool names, where it is one that can be handed back to it; None for anything else.

    It comes from outside and becomes a word of an argument list: no flag may be made of it.
    """
    return value if isinstance(value, str) and _SESSION.fullmatch(value) is not None else None


def value_in(line: bytes) -> Value | None:
    """The JSON object that a line is, or None."""
    if not line.lstrip().startswith(b"{"):
        return None
    try:
        written = json.loads(line.decode("utf-8", "replace"))
    except UNDECODABLE:
        return None
    return written if isinstance(written, dict) else None


def _of_text(text: bytes) -> Iterator[Value]:
    if text.startswith(b"["):
        yield from _of_array(text.decode("utf-8", "replace"))
        return
    lines = text.splitlines()
    if lines and lines[0].strip() == b"{" and (whole := value_in(text)) is not None:
        yield whole
        return
    yield from _of_lines(lines)


def _of_lines(lines: list[bytes]) -> Iterator[Value]:
    for line in lines:
        value = value_in(line)
        if value is not None:
            yield value


def _of_array(text: str) -> Iterator[Value]:
    """The objects of an array, as far as it goes."""
    at = 1
    while (found := _SEPARATOR.match(text, at)) is not None:
        try:
            value, at = _DECODER.raw_decode(text, found.end())
        except UNDECODABLE:
            return
        if isinstance(value, dict):
            yield value


def _last_of_array(text: str) -> Iterator[Value]:
    """The last object of an array of which `text` is the end."""
    end = text.rstrip().removesuffix("]").rstrip()
    at = len(end)
    for _ in range(_TRIES):
        at = end.rfind(",{", 0, at)
        if at < 0:
            return
        with contextlib.suppress(*UNDECODABLE):
            value = json.loads(end[at + 1 :])
            if isinstance(value, dict):
                yield value
                return
