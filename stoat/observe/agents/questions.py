"""The question to a person that an agent ended with."""

from __future__ import annotations

import re

from stoat.plan.markdown import live

_WORDS = "Question for a person"
_ASKS = re.compile(rf"(?P<before>[ \t]*(?:#{{1,6}} +)?(?P<mark>[*_]{{0,3}})){_WORDS}(?P<after>[*_]{{0,3}}:[*_]{{0,3}})")
_PLACE = re.compile("[ \t]*(?:#{1,6} +)?[*_]{0,3}\ue000(?P<line>[0-9]+)\ue001")


def question_of(final: str) -> str | None:
    """What an agent asks in its last message: the paragraphs that begin with `Question for a person:`; None without.

    The words may be bold, or a heading, whose question is the paragraph below it. In code, in a quotation or in the
    middle of a line they are about a question, and ask none.
    """
    lines = final.replace("\r\n", "\n").replace("\r", "\n").split("\n")
    asked = {number: found for number, line in enumerate(lines) if (found := _ASKS.match(line)) is not None}
    if not asked:
        return None
    questions = [_question(asked[number], lines[number:]) for number in _spoken(lines, asked)]
    return "\n\n".join(question for question in questions if question) or None


def _spoken(lines: list[str], asked: dict[int, re.Match[str]]) -> list[int]:
    """The numbers of the lines of `asked` that are the writer's own words. What is not loses its place there."""
    marked = list(lines)
    for number, found in asked.items():
        marked[number] = f"{found['before']}\ue000{number}\ue001{lines[number][found.end('before') + len(_WORDS) :]}"
    places = (_PLACE.match(line) for line in live("\n".join(marked)).split("\n"))
    return [number for place in places if place is not None and (number := int(place["line"])) in asked]


def _question(found: re.Match[str], lines: list[str]) -> str:
    """The text behind the words, to the end of its paragraph."""
    rest = [lines[0][found.end() :], *lines[1:]]
    if not rest[0].strip():
        below = next((at for at, line in enumerate(rest) if line.strip()), len(rest))
        rest = rest[below:]
        if rest and _ASKS.match(rest[0]) is not None:
            return ""
    length = next(
        (at for at, line in enumerate(rest) if not line.strip() or (at and _ASKS.match(line) is not None)), len(rest)
    )
    text = "\n".join(rest[:length]).strip()
    still_open = found["mark"] if not found["after"].strip(":") else ""
    return text.removesuffix(still_open).strip() if still_open else text
