"""Which issues a text closes, as GitHub reads it: closing keywords and mentions, outside code, quotes and comments."""

from __future__ import annotations

import re
from typing import NamedTuple

_FENCED = re.compile(r"^ {0,3}(`{3,}|~{3,})[^\n]*\n.*?(?:^ {0,3}\1[`~]*[ \t]*$|\Z)", re.MULTILINE | re.DOTALL)
_COMMENT = re.compile(r"<!--.*?(?:-->|\Z)", re.DOTALL)
_INLINE = re.compile(r"(`+)(?!`).+?(?<!`)\1(?!`)", re.DOTALL)
_QUOTED = re.compile(r"^ {0,3}>.*$", re.MULTILINE)
_INDENTED = re.compile(r"(?:\A|(?<=\n\n))(?:(?: {4}|\t).*(?:\n|\Z))+")
_ISSUE = (
    r"(?:(?P<repo>[A-Za-z0-9][\w.-]*/[\w.-]+)?\#(?P<number>\d+)"
    r"|https?://[^/\s]+/(?P<url_repo>[\w.-]+/[\w.-]+)/(?:issues|pull)/(?P<url_number>\d+)"
    r"|GH-(?P<gh>\d+))\b"
)
_CLOSES = re.compile(rf"(?<![\w-])(?:close[sd]?|fix(?:es|ed)?|resolve[sd]?)(?:\s*:\s*|\s+){_ISSUE}", re.IGNORECASE)
_MENTIONS = re.compile(rf"(?<![\w/]){_ISSUE}", re.IGNORECASE)


class Named(NamedTuple):
    """An issue as a text names it; `repo` is None where the text leaves the repository out."""

    repo: str | None
    number: int


def prose(text: str) -> str:
    """The text without fenced, indented and inline code, block quotes and HTML comments."""
    text = text.replace("\r\n", "\n")
    for pattern in (_FENCED, _COMMENT, _QUOTED, _INDENTED, _INLINE):
        text = pattern.sub(" ", text)
    return text


def closed_by(text: str) -> tuple[Named, ...]:
    """The issues that the text closes by a keyword, each once, in its order."""
    return _named(_CLOSES, prose(text))


def mentioned_in(text: str) -> tuple[Named, ...]:
    """The issues and pull requests that the text mentions at all, each once, in its order."""
    return _named(_MENTIONS, prose(text))


def _named(pattern: re.Pattern[str], text: str) -> tuple[Named, ...]:
    found = []
    for match in pattern.finditer(text):
        number = match["number"] or match["url_number"] or match["gh"]
        found.append(Named(match["repo"] or match["url_repo"], int(number)))
    return tuple(dict.fromkeys(found))
