"""What the text of an issue says about other issues, where nothing but words says it.

Only live text counts: what is in code, in a quotation, in a comment or struck out is about the words, not with them.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from stoat.plan.github import Numbered
from stoat.plan.markdown import live

_STRUCK = re.compile(r"~~[^\n]+?~~")
_NAME = r"[A-Za-z0-9][A-Za-z0-9-]*/[A-Za-z0-9._-]+"
_REFERENCE = (
    rf"(?:https?://[^/\s]+/(?P<url>{_NAME})/issues/(?P<n1>[0-9]+)(?:#[\w-]*)?"
    rf"|(?:(?P<short>{_NAME})?#|GH-)(?P<n2>[0-9]+))(?!\w)"
)
_ONE = re.compile(_REFERENCE, re.IGNORECASE)
_SAYS = re.compile(
    r"(?<![\w-])(?:blocked (?:by|on)|depend(?:s|ent|ing)? (?:up)?on|wait(?:s|ing)? (?:for|on)|requires)(?!\w)",
    re.IGNORECASE,
)
_DENIED = re.compile(r"(?:\b(?:not|no longer|never|was|were|formerly|previously)|n['’]t) {1,3}$", re.IGNORECASE)
_BETWEEN = re.compile(r"[\s:*_\[(]*(?:(?:the )?(?:issues?|tickets?)[\s:*_\[(]*)?", re.IGNORECASE)
_JOINS = re.compile(r"\]?\)?(?:\s*\([^()\n]*\))?(?:[\s,;&/+*_\[(]|\band\b|\bor\b)*", re.IGNORECASE)
_ENDS_THERE = re.compile(r"[\s:*_]*$")
_ITEM = re.compile(r"[ \t]*(?:[-*+]|[0-9]{1,4}[.)])[ \t]+(?:\[[ xX]\][ \t]+)?")
_LARGEST_NUMBER = 2**31 - 1


def blockers(text: str, repo: str) -> tuple[Numbered, ...]:
    """The issues that an issue of `repo` calls its blockers in words: `Blocked by: #3, other/repo#4`, or as a list.

    A list counts when its heading says nothing but that. Each once, in order.
    """
    return tuple(sorted({Numbered(name or repo, number) for name, number in _said(_STRUCK.sub(" ", live(text)))}))


def _said(text: str) -> Iterator[tuple[str | None, int]]:
    lines = text.split("\n")
    for index, line in enumerate(lines):
        for says in _SAYS.finditer(line):
            if _DENIED.search(line[max(0, says.start() - 20) : says.start()]):
                continue
            if _ENDS_THERE.match(line, says.end()):
                yield from _listed(lines[index + 1 :])
            else:
                yield from _in_a_row(line, _end(_BETWEEN, line, says.end()))


def _listed(lines: list[str]) -> Iterator[tuple[str | None, int]]:
    """What the items of the list begin with that these lines begin with."""
    for line in lines:
        if not line.strip():
            continue
        item = _ITEM.match(line)
        if item is None:
            return
        yield from _in_a_row(line, _end(_BETWEEN, line, item.end()))


def _in_a_row(line: str, start: int) -> Iterator[tuple[str | None, int]]:
    """The references that stand in a row at `start`, joined by commas and the like."""
    while found := _ONE.match(line, start):
        yield from _named(found)
        start = _end(_JOINS, line, found.end())


def _named(found: re.Match[str]) -> Iterator[tuple[str | None, int]]:
    """The issue of a reference: its repository where it names one, and its number."""
    digits = found["n1"] or found["n2"]
    if len(digits) <= 10 and 1 <= (number := int(digits)) <= _LARGEST_NUMBER:
        yield found["url"] or found["short"], number


def _end(pattern: re.Pattern[str], line: str, start: int) -> int:
    found = pattern.match(line, start)
    return found.end() if found else start
