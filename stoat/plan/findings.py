"""A reviewer's findings as they are submitted: a JSON list, read whole, with every problem at once.

    [{"title": "…", "severity": "high", "file": "src/lanes.py", "line": 12, "text": "…"}, …]

`{"findings": […]}` is the same, `[]` says that nothing was found. Only `title` is needed. A text is kept to the letter.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any

from msgspec import Struct

from stoat.errors import UNDECODABLE, Invalid, Problem
from stoat.plan.review import Finding
from stoat.plan.rules.finding import did_you_mean

MOST = 200
"""Findings in one submission."""
LONGEST_FILE = 1_000_000
"""Bytes of a submission."""
LONGEST = {"id": 40, "title": 300, "severity": 40, "file": 1000, "text": 20_000}
"""Characters of each text."""

_FIELDS = ("id", "title", "severity", "file", "line", "text")
_ID = re.compile(r"[A-Za-z0-9](?:[A-Za-z0-9._-]*[A-Za-z0-9])?")
_LARGEST_LINE = 2**31 - 1
_EXAMPLE = '[{"title": "…", "severity": "high", "file": "src/a.py", "line": 12, "text": "…"}]'


class Draft(Struct, frozen=True, kw_only=True):
    """A finding as it was submitted; without an id it is given one when it is recorded."""

    title: str
    id: str | None = None
    severity: str = ""
    file: str | None = None
    line: int | None = None
    text: str = ""

    def named(self, finding_id: str) -> Finding:
        """The finding under that id."""
        return Finding(
            id=finding_id, title=self.title, severity=self.severity, file=self.file, line=self.line, text=self.text
        )


def read(data: bytes) -> tuple[Draft, ...]:
    """The findings in a submission. Invalid with everything that is wrong with it, and where."""
    drafts: list[Draft] = []
    problems = list(_read(data, drafts))
    if problems:
        raise Invalid(problems, hint=f"a submission is {_EXAMPLE}; [] says that nothing was found")
    return tuple(drafts)


def _read(data: bytes, drafts: list[Draft]) -> Iterator[Problem]:
    if len(data) > LONGEST_FILE:
        yield Problem(0, 0, f"the submission has {len(data)} bytes", f"at most {LONGEST_FILE}: shorten its texts")
        return
    doubled: list[str] = []
    try:
        document = json.loads(data.decode("utf-8-sig"), object_pairs_hook=lambda pairs: _object(pairs, doubled))
    except json.JSONDecodeError as wrong:
        yield Problem(wrong.lineno, wrong.colno, f"line {wrong.lineno}, column {wrong.colno}: {wrong.msg}", "mend it")
        return
    except UNDECODABLE as wrong:
        yield Problem(0, 0, f"this is not JSON in UTF-8: {wrong}", "")
        return
    for name in doubled:
        yield Problem(0, 0, f"{name!r} is there twice in one object", "keep one of them")
    if isinstance(document, dict) and "findings" in document:
        for name in document.keys() - {"findings"}:
            yield Problem(0, 0, f"{name!r} stands beside `findings`", "put it into a finding, or take it out")
        document = document["findings"]
    if not isinstance(document, list):
        yield Problem(0, 0, f"the submission is {_kind(document)}, not a list of findings", "write [] for none")
        return
    if len(document) > MOST:
        yield Problem(0, 0, f"there are {len(document)} findings", f"at most {MOST}: submit what matters most")
        return
    seen: set[str] = set()
    for index, item in enumerate(document, 1):
        for what, do in _finding(item, drafts, seen):
            yield Problem(0, 0, f"finding {index}: {what}", do)


def _finding(item: Any, drafts: list[Draft], seen: set[str]) -> Iterator[tuple[str, str]]:
    if not isinstance(item, dict):
        yield f"is {_kind(item)}, not an object", "write {…} with a title"
        return
    wrong = False
    for what, do in _wrong(item):
        wrong = True
        yield what, do
    own = item.get("id")
    if isinstance(own, str) and own.casefold() in seen:
        yield f"the id {own!r} is another one's already", "leave `id` out, and it is given one"
        return
    if wrong:
        return
    seen |= {own.casefold()} if own is not None else set()
    given = {name: value for name in _FIELDS if (value := item.get(name)) is not None}
    drafts.append(Draft(**given))


def _wrong(item: dict[str, Any]) -> Iterator[tuple[str, str]]:
    for name in item:
        if name not in _FIELDS:
            meant = did_you_mean(name, _FIELDS) or f"its fields are {', '.join(_FIELDS)}"
            yield f"there is no field {name!r}", meant
    for name, most in LONGEST.items():
        value = item.get(name)
        if value is None:
            continue
        if not isinstance(value, str):
            yield f"`{name}` is {_kind(value)}, not a text", "write it in quotes"
        elif len(value) > most:
            yield f"`{name}` has {len(value)} characters", f"at most {most}"
        elif any("\ud800" <= character <= "\udfff" for character in value):
            yield f"`{name}` has half of a character in it", "write the whole one"
        elif name != "text" and ("\n" in value or "\r" in value):
            yield f"`{name}` goes over more than one line", "put the rest into `text`"
        elif name == "id" and not _ID.fullmatch(value):
            yield f"{value!r} is no id", "letters, digits, '-', '_' and '.', as in f1; or leave it out"
    title = item.get("title")
    if title is None or (isinstance(title, str) and not title.strip()):
        yield "it has no title", 'write "title": "what is wrong, in one line"'
    line = item.get("line")
    if line is not None:
        if isinstance(line, bool) or not isinstance(line, int) or not 1 <= line <= _LARGEST_LINE:
            yield f"`line` is {line!r:.40}, not the number of a line", "write a number from 1 on, without quotes"
        if item.get("file") is None:
            yield "`line` is of no file", 'write "file" beside it'


def _object(pairs: list[tuple[str, Any]], doubled: list[str]) -> dict[str, Any]:
    made = dict(pairs)
    if len(made) < len(pairs):
        names = [name for name, _ in pairs]
        doubled += sorted({name for name in names if names.count(name) > 1})
    return made


def _kind(value: Any) -> str:
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "true" if value else "false"
    for kind, name in ((str, "a text"), (list, "a list"), (dict, "an object")):
        if isinstance(value, kind):
            return name
    return "a number"
