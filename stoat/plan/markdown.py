"""What of a Markdown text is its writer's own prose (pure, in time proportional to the text's length).

What is in code (fenced, indented, inline), in a quotation or in a comment is about the words, not with them. Blocks
are told apart as CommonMark does it, lists in lists included. One thing is not as there: a line without a mark below a
quotation, which a page shows as the quotation's, counts as prose.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections import defaultdict
from collections.abc import Iterator
from typing import NamedTuple

_TAB = 4
"""Columns to a tab, and of indentation before a line is code."""
_FENCE = re.compile(r"`{3,}(?=[^`]*$)|~{3,}")
_ITEM = re.compile(r"(?:[-+*]|(?P<number>\d{1,9})[.)])(?= |$)")
_HEADING = re.compile(r"#{1,6}(?: |$)")
_RULES = "-*_"
_UNDERLINE = re.compile(r"(?:=+|-+) *$")
_SPECIAL = re.compile(r"\\.|`+|<!--(?:-?>)?", re.DOTALL)
_SPACES = re.compile(" *")
_TICKS = re.compile(r"`+")
_END = "-->"


class _Line(NamedTuple):
    """A line of prose, empty where it is none; `begins` when it is not the same paragraph as the line before."""

    text: str
    begins: bool


def live(text: str) -> str:
    """The prose of a Markdown text: every line has its place, and what is not prose is blank."""
    lines, breaks, at = [], [], 0
    for line in _lines(text.replace("\r\n", "\n").replace("\r", "\n")):
        if line.begins:
            breaks.append(at)
        lines.append(line.text)
        at += len(line.text) + 1
    return _without_spans("\n".join(lines), breaks)


def _lines(text: str) -> Iterator[_Line]:
    blocks = _Blocks()
    return (blocks.read(line) for line in text.split("\n"))


class _Blocks:
    """The block that a line is in, given all lines before it."""

    def __init__(self) -> None:
        self._items: list[int] = []  # the columns where the text of the open list items begins, each further in
        self._fence = ""
        self._comment = False
        self._paragraph = False
        self._bare = False  # whether the line before was a list item's mark and nothing else

    def read(self, line: str) -> _Line:
        """The next line, as far as it is prose."""
        wide = line.expandtabs(_TAB)
        indent = len(wide) - len(wide.lstrip(" "))
        bare, self._bare = self._bare, False
        if indent == len(wide):
            self._leave(len(self._items) - bare)
            return _NOTHING
        inside = bisect_right(self._items, indent)
        if self._fence or self._comment:
            if inside == len(self._items):
                return self._within(line, wide, indent)
            self._fence, self._comment = "", False
        return self._outside(line, wide, indent, inside)

    def _within(self, line: str, wide: str, indent: int) -> _Line:
        """A line of a fenced block or of a comment."""
        if self._comment:
            _, ended, rest = line.partition(_END)
            self._comment = not ended
            return _Line(rest, True)
        closing = wide.strip(" ")
        if indent - self._base(len(self._items)) < _TAB and closing.startswith(self._fence):
            self._fence = self._fence if closing.strip(self._fence[0]) else ""
        return _NOTHING

    def _outside(self, line: str, wide: str, at: int, inside: int) -> _Line:
        """A line that begins in column `at`, in the first `inside` of the open items if it does not go on with more."""
        begins = False
        while at - self._base(inside) < _TAB and (item := self._item(wide, at, inside)) is not None:
            self._leave(inside)
            text = _text_from(wide, item.end())
            far = text == len(wide) or text - item.end() > _TAB
            self._items.append(item.end() + 1 if far else text)
            at, inside, begins = text, len(self._items), True
            if at == len(wide):
                self._bare = True
                return _NOTHING
        if at - self._base(inside) >= _TAB:
            if self._paragraph:
                return _Line(line, begins)
            self._leave(inside)
            return _NOTHING
        fence = _FENCE.match(wide, at)
        if fence is not None or wide.startswith(">", at):
            self._leave(inside)
            self._fence = fence[0] if fence is not None else ""
            return _NOTHING
        if wide.startswith("<!--", at):
            self._leave(inside)
            self._comment = _END not in wide[at:]
            return _NOTHING if self._comment else _Line(line, True)
        if _HEADING.match(wide, at) or _is_rule(wide, at):
            self._leave(inside)
            return _Line(line, True)
        if not self._paragraph:
            self._leave(inside)
            self._paragraph, begins = True, True
        elif inside == len(self._items) and _UNDERLINE.match(wide, at):
            self._paragraph = False
        return _Line(line, begins)

    def _item(self, wide: str, at: int, inside: int) -> re.Match[str] | None:
        """The mark of a list item in column `at`."""
        found = _ITEM.match(wide, at)
        if found is None or _is_rule(wide, at):
            return None
        # In the middle of a paragraph most numbers are numbers, and a lone mark is an underline or nothing.
        weak = _text_from(wide, found.end()) == len(wide) or int(found["number"] or "1") != 1
        return None if weak and self._paragraph and inside == len(self._items) else found

    def _leave(self, inside: int) -> None:
        """End the paragraph and all items but the first so many."""
        del self._items[inside:]
        self._paragraph = False

    def _base(self, inside: int) -> int:
        return self._items[inside - 1] if inside else 0


_NOTHING = _Line("", True)


def _text_from(wide: str, at: int) -> int:
    """The column of the first character from `at` on that is no space."""
    spaces = _SPACES.match(wide, at)
    return spaces.end() if spaces is not None else at


def _is_rule(wide: str, at: int) -> bool:
    """Whether there is a line across the page: three or more of one mark and nothing else."""
    mark = wide[at]
    if mark not in _RULES or wide[-1] not in (mark, " ") or len(wide.rstrip(f"{mark} ")) > at:
        return False
    return wide.count(mark, at) >= 3


def _without_spans(text: str, breaks: list[int]) -> str:
    """The text without inline code and comments, which end in the paragraph that they begin in or are none."""
    runs: dict[int, list[int]] = defaultdict(list)
    for run in _TICKS.finditer(text):
        runs[run.end() - run.start()].append(run.start())
    ends = [found.start() for found in re.finditer(_END, text)]
    kept, done, at = [], 0, 0
    while (mark := _SPECIAL.search(text, at)) is not None:
        at = mark.end()
        if mark[0].startswith("\\"):
            continue
        if mark[0].endswith(">"):
            following = at
        elif mark[0] == "<!--":
            following = _next(ends, at, breaks, len(_END))
        else:
            following = _next(runs[len(mark[0])], at, breaks, len(mark[0]))
        if following:
            kept.append(text[done : mark.start()])
            done = at = following
    return " ".join([*kept, text[done:]])


def _next(places: list[int], at: int, breaks: list[int], length: int) -> int:
    """Where the first of `places` from `at` on ends, if it is in the same paragraph; else 0."""
    found, end = bisect_left(places, at), bisect_left(breaks, at)
    if found == len(places) or (end < len(breaks) and breaks[end] <= places[found]):
        return 0
    return places[found] + length
