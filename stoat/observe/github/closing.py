"""Which issues the text of a pull request says that it closes, as GitHub reads such a text (pure).

What is in code (fenced, indented, inline), in a quotation or in an HTML comment says nothing.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections import defaultdict
from collections.abc import Iterator

from stoat.plan.github import Numbered
from stoat.plan.ids import is_repository

_FENCE = re.compile(r" {0,3}(?P<mark>`{3,}(?=[^`]*$)|~{3,})")
_QUOTE = re.compile(r" {0,3}>")
_COMMENT = re.compile(r" {0,3}<!--")
_INDENTED = re.compile(r"(?: {4}| {0,3}\t)")
_LIST = re.compile(r" {0,3}(?:[-+*]|\d{1,9}[.)])(?:\s|$)")
_SPECIAL = re.compile(r"`+|<!--")
_BLANK = re.compile(r"\n[ \t]*\n")
_KEYWORD = re.compile("clos|fix|resolv", re.IGNORECASE)
_CLOSES = re.compile(
    r"""(?<![\w-]) (?:close[sd]? | fix(?:e[sd])? | resolve[sd]?)
        (?: [ \t]*:[ \t]* | [ \t]+ | [ \t]*\n[ \t]* )
        (?: (?P<repo>[\w.-]+/[\w.-]+)? \# (?P<number>[1-9]\d{0,9}) (?!\w)
          | https?://(?P<host>[^/\s]+)/(?P<path>[\w.-]+/[\w.-]+)/issues/(?P<at>[1-9]\d{0,9}) (?![\w/?\#]) )""",
    re.IGNORECASE | re.VERBOSE | re.ASCII,
)


def closes(body: str, repo: str, host: str = "github.com") -> tuple[Numbered, ...]:
    """The issues that the text of a pull request in `repo` closes, each once, in the text's order.

    An address counts only where it is on `host`, where the pull request is.
    """
    if _KEYWORD.search(body) is None:
        return ()
    found = []
    for match in _CLOSES.finditer(_without_spans("\n".join(_prose(body)))):
        if match["path"] is not None:
            if match["host"].lower() == host.lower() and is_repository(match["path"]):
                found.append(Numbered(match["path"], int(match["at"])))
        elif match["repo"] is None or is_repository(match["repo"]):
            found.append(Numbered(match["repo"] or repo, int(match["number"])))
    return tuple(dict.fromkeys(found))


def _prose(body: str) -> Iterator[str]:
    """The lines that are prose; an empty one for each that is not, so that nothing reaches across it."""
    fence, comment, after_blank, in_list = "", False, True, False
    for line in body.replace("\r\n", "\n").replace("\r", "\n").split("\n"):
        prose = ""
        if fence:
            closing = line.strip()
            if closing.startswith(fence) and not closing.strip(fence[0]) and not _INDENTED.match(line):
                fence = ""
        elif comment:
            comment = "-->" not in line
        elif opened := _FENCE.match(line):
            fence = opened["mark"]
        elif _COMMENT.match(line) and "-->" not in line:
            comment = True
        elif not line.strip():
            after_blank = True
            yield ""
            continue
        elif after_blank and not in_list and _INDENTED.match(line):
            # Still code on the next line: code goes on until something else begins.
            yield ""
            continue
        elif not _QUOTE.match(line):
            prose = line
            in_list = bool(_LIST.match(line)) or (in_list and (not after_blank or line[:1] in " \t"))
        after_blank = False
        yield prose


def _without_spans(text: str) -> str:
    """The text without inline code and the comments inside its lines. Takes time in proportion to its length."""
    marks = list(_SPECIAL.finditer(text))
    runs: dict[int, list[int]] = defaultdict(list)
    for mark in marks:
        if mark[0] != "<!--":
            runs[len(mark[0])].append(mark.start())
    blanks = [match.start() for match in _BLANK.finditer(text)]
    last = text.rfind("-->")
    kept, position = [], 0
    for mark in marks:
        if mark.start() < position:
            continue
        if mark[0] == "<!--":
            # One that nothing ends is text; `last` spares looking for an end to the end of the text, again and again.
            following = text.index("-->", mark.end()) + 3 if mark.end() <= last else -1
        else:
            following = _end_of_code(mark, runs, blanks)
        if following >= 0:
            kept.append(text[position : mark.start()])
            position = following
    return " ".join([*kept, text[position:]])


def _end_of_code(mark: re.Match[str], runs: dict[int, list[int]], blanks: list[int]) -> int:
    """Where the code ends that begins at a run of backticks: after the next run as long, in the same paragraph."""
    same = runs[len(mark[0])]
    after = bisect_left(same, mark.end())
    if after == len(same):
        return -1
    blank = bisect_left(blanks, mark.end())
    if blank < len(blanks) and blanks[blank] < same[after]:
        return -1
    return same[after] + len(mark[0])
