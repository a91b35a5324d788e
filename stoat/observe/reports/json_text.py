"""Large JSON files, item by item, and where they are broken.

One line of a hundred megabytes is an ordinary report in JSON, so it is not decoded whole (`ijson` reads it in pieces).
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import IO, Any

from stoat.observe.reports.cases import name
from stoat.observe.reports.trouble import Trouble

CHUNK = 1 << 16
BOM = b"\xef\xbb\xbf"
MAX_DEPTH = 100
MAX_VALUE = 16 << 20
"""Bytes of one text: a picture in a report has room, and no more than that is ever held."""

ENDS = "is not JSON: it ends before its report does"
"""What is said of a text that was cut off."""

_OPEN = {"start_map", "start_array"}
_CLOSE = {"end_map", "end_array"}


def opened(file: Path) -> IO[bytes]:
    """The file from its first character on: a byte order mark is stepped over. Trouble for UTF-16. OSError."""
    source = file.open("rb")
    begin = source.read(len(BOM))
    if begin[:2] in (b"\xff\xfe", b"\xfe\xff"):
        source.close()
        raise Trouble(1, 1, "is not JSON: it is written in UTF-16", "write it as UTF-8")
    if begin != BOM:
        source.seek(0)
    return source


def items(file: Path, prefix: str) -> Iterator[Any]:
    """All values under an ijson prefix, such as `results.tests.item`, one at a time. Trouble where it is no JSON."""
    import ijson

    yield from ijson.items(events(file), prefix)


def events(file: Path) -> Iterator[tuple[str, str, Any]]:
    """(prefix, event, value) as ijson tells them, in order. Trouble where it is no JSON, or nested deeply."""
    import ijson

    with opened(file) as source:
        try:
            yield from ijson.parse(_shallow(_Fed(source)))
        except (ijson.JSONError, ValueError) as broken:
            raise _broken(file, broken) from None


class _Fed:
    """A file being read; `since` is how much was, after the last event that came of it."""

    def __init__(self, source: IO[bytes]) -> None:
        self.since = 0
        self._read = source.read

    def read(self, size: int) -> bytes:
        """The next bytes. Trouble when so many are one value that it would fill the memory."""
        if self.since > MAX_VALUE:
            raise Trouble(0, 0, f"has a value of more than {MAX_VALUE >> 20} MB", "no report needs that")
        self.since += size
        return self._read(size)


def _shallow(source: _Fed) -> Iterator[tuple[str, Any]]:
    import ijson

    depth = 0
    for event in ijson.basic_parse(source, buf_size=CHUNK, use_float=True):
        source.since = 0
        kind = event[0]
        if kind in _OPEN:
            depth += 1
            if depth > MAX_DEPTH:
                raise Trouble(0, 0, f"is nested deeper than {MAX_DEPTH}", "no report needs that")
        elif kind in _CLOSE:
            depth -= 1
        yield event


def _broken(file: Path, broken: Exception) -> Trouble:
    if file.stat().st_size == 0:
        return Trouble(1, 1, "is not JSON: it is empty", "see whether the runner ended before it wrote its report")
    line, column, ended = _where(file)
    if ended:
        return Trouble(line, column, ENDS,
                       "it was cut off: see how the run ended, and give the whole file")  # fmt: skip
    said = broken.args[0] if broken.args else ""
    words = name((said.decode("utf-8", "replace") if isinstance(said, bytes) else str(said)).partition("\n")[0])
    return Trouble(line, column, f"is not JSON: {words}", "give the file as the runner wrote it")


def _where(file: Path) -> tuple[int, int, bool]:
    """Line and column of the first byte that no JSON text goes on with, and whether that is the end of the file."""
    good = _fed(file, CHUNK, None)
    at = good if good is None else _fed(file, 1, good)
    line, column, left = 1, 1, at
    with opened(file) as source:
        while left is None or left > 0:
            chunk = source.read(CHUNK if left is None else min(CHUNK, left))
            if not chunk:
                break
            left = None if left is None else left - len(chunk)
            newest = chunk.rfind(b"\n")
            line += chunk.count(b"\n")
            text = chunk[newest + 1 :].decode("utf-8", "replace")
            column = len(text) + (1 if newest >= 0 else column)
    return line, column, at is None


def _fed(file: Path, step: int, whole: int | None) -> int | None:
    """How many bytes a parser takes, read `step` at a time after the first `whole` ones; None when it takes all."""
    import ijson

    taken = 0
    with opened(file) as source:
        parser = ijson.basic_parse_coro(ijson.sendable_list())
        try:
            while chunk := source.read(CHUNK if whole is not None and taken < whole else step):
                parser.send(chunk)
                taken += len(chunk)
        except (ijson.JSONError, ValueError):
            return taken
    return None
