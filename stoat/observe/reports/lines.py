"""Files of one JSON object a line, line by line with their numbers."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from stoat.observe.reports import json_text
from stoat.observe.reports.trouble import Trouble

MAX_LINE = 32 << 20
"""Bytes of one line: a picture that a test attached has room, and no more than that is ever held."""


def read(file: Path) -> Iterator[tuple[int, bytes, bool]]:
    """(number, line, whole) of every line that is not blank; only a last line may lack its end. Trouble. OSError."""
    number = 0
    with json_text.opened(file) as source:
        while line := source.readline(MAX_LINE + 1):
            number += 1
            if len(line) > MAX_LINE:
                raise Trouble(number, 1, f"has a line of more than {MAX_LINE >> 20} MB", "no report needs that")
            if text := line.strip():
                yield number, text, line.endswith(b"\n")
    if not number:
        raise Trouble(1, 1, "is empty", "see whether the runner ended before it wrote its report")


def broken(number: int, line: bytes, whole: bool, why: Exception) -> Trouble:
    """A line that is not what it should be; the one that a kill cut through says so."""
    if not whole:
        column = len(line.decode("utf-8", "replace")) + 1
        return Trouble(number, column, "ends in the middle of a line", "it was cut off: see how the run ended")
    return Trouble(number, 1, f"is not of that format: {why}", "see --format")
