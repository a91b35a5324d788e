"""The codec of a stream's files: how segments are named and bounded, and where one line ends and the next begins."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

BOUND = 32 * 1024
"""Bytes from which on a segment is closed.

Every append writes its stream's last segment anew and lists all of them in a tree: a larger bound makes the first
dearer, a smaller one the second. With this one an append to a plan of 100,000 events costs what it does to a small
one (`make bench` shows both).
"""

_NAME = re.compile(rb"(\d{6,})\.jsonl")
_BOM = b"\xef\xbb\xbf"


class Lines(NamedTuple):
    """The lines of (a part of) a segment, with what is wrong with their ends: (index of the line, what)."""

    lines: list[bytes]
    oddities: list[tuple[int, str]]


def name(number: int) -> bytes:
    """The file name of a stream's segment; the first is number 1."""
    return b"%06d.jsonl" % number


def number(file_name: bytes) -> int | None:
    """The number of the segment with that file name; None for a file that is not a segment."""
    found = _NAME.fullmatch(file_name)
    return int(found[1]) if found else None


def split(data: bytes) -> Lines:
    """Cut a segment into lines, without their ends and without empty ones.

    A last line that was never ended is given too: whether it is whole shows when it is decoded.
    """
    lines: list[bytes] = []
    oddities: list[tuple[int, str]] = []
    if data.startswith(_BOM):
        data = data[len(_BOM) :]
        oddities.append((0, "begins with a byte order mark"))
    pieces = data.split(b"\n")
    if pieces[-1].strip():
        oddities.append((sum(1 for piece in pieces[:-1] if piece.strip()), "is not ended"))
    if b"\r" in data:
        pieces = [piece.removesuffix(b"\r") for piece in pieces]
        oddities.append((0, "or a later one ends in CR LF"))
    lines.extend(piece for piece in pieces if piece.strip())
    return Lines(lines, oddities)


def extend(last: int, content: bytes, lines: Sequence[bytes]) -> list[tuple[int, bytes]]:
    """The segments that appending `lines` writes: (number, whole content), the last one still open.

    `last` and `content` are the stream's last segment, 0 and nothing when it has none. What is there is kept byte
    for byte; a last line without an end gets one.
    """
    written: list[tuple[int, bytes]] = []
    current, pieces, size = last or 1, [content], len(content)
    if content and not content.endswith(b"\n"):
        pieces.append(b"\n")
        size += 1
    fresh = False
    for line in lines:
        if size >= BOUND:
            if fresh:
                written.append((current, b"".join(pieces)))
            current, pieces, size = current + 1, [], 0
        pieces += (line, b"\n")
        size += len(line) + 1
        fresh = True
    if fresh:
        written.append((current, b"".join(pieces)))
    return written
