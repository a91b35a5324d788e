"""What of a Markdown text is prose: every short text of a table, and random ones, as a CommonMark parser has them."""

from __future__ import annotations

import itertools
import re
import time
from collections.abc import Sequence

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from stoat.plan.markdown import live

LINES = (
    "", "w", "  w", "    w", "        w", "\tw", "```", "~~~", "````", "      ```", "```x", "> w",
    "<!--", "w -->", "<!--w-->w", "- w", "-", "- - w", "-     w", "1. w", "2. w", "- ```", "- > w", "# w", "---",
    "===", "`w", "``w`", "\\`w", "a <!-- w",
)  # fmt: skip
"""Kinds of lines; each `w` is a word of its own."""
FEW = ("", "w", "    w", "```", "~~~", "> w", "<!--", "w -->", "- w", "`w")

_WORD = re.compile(r"w\d+")
_PARSER = MarkdownIt("commonmark")


def text_of(lines: Sequence[str]) -> str:
    """The text of such lines, every word numbered.

    A quotation is followed by an empty line: without one the next line is the quotation's for CommonMark, not for us.
    """
    numbers = itertools.count()
    apart = [part for line in lines for part in ([line, ""] if ">" in line and "--" not in line else [line])]
    return re.sub("w", lambda _: f"w{next(numbers)}", "\n".join(apart))


def words(text: str) -> list[str]:
    """The words that a parser finds in the text and not in code, quotations and comments."""
    found: list[str] = []
    quoted = 0
    for token in _PARSER.parse(text):
        quoted += token.nesting if token.type.startswith("blockquote") else 0
        if quoted:
            continue
        if token.type == "html_block":
            found += _WORD.findall(re.sub(r"<!--.*?(?:-->|\Z)", "", token.content, flags=re.DOTALL))
        for child in token.children or ():
            found += _WORD.findall(child.content) if child.type == "text" else []
    return found


def agrees(lines: Sequence[str]) -> None:
    text = text_of(lines)
    assert _WORD.findall(live(text)) == words(text), text


@pytest.mark.parametrize("first", LINES)
def test_every_two_lines_are_read_as_commonmark_reads_them(first: str) -> None:
    for second in LINES:
        agrees([first, second])
        agrees([first, "", second])


@pytest.mark.parametrize("first", FEW)
def test_every_four_plain_lines_are_read_as_commonmark_reads_them(first: str) -> None:
    for rest in itertools.product(FEW, FEW, ("w", "    w", "```")):
        agrees([first, *rest])


@settings(max_examples=150)
@given(st.lists(st.sampled_from(LINES), max_size=9))
def test_any_lines_are_read_as_commonmark_reads_them(lines: list[str]) -> None:
    agrees(lines)


@given(st.text(alphabet="`~>#<!-- \n\r\t\\w*1.=", max_size=120))
def test_every_line_keeps_its_place_unless_a_span_reaches_over_it(text: str) -> None:
    before, after = text.replace("\r\n", "\n").replace("\r", "\n"), live(text)
    assert after.count("\n") <= before.count("\n")
    if "`" not in text and "<!--" not in text:
        assert after.count("\n") == before.count("\n")


def test_what_follows_the_end_of_a_comment_and_a_line_below_a_quotation_are_prose() -> None:
    assert live("<!--\na\n--> b") == "\n\n b"
    assert live("> a\nb") == "\nb"


LONG = (
    "`" * 65_000, "".join("`" * n + " " for n in range(1, 360)), "`` ` " * 13_000, "a<!--" * 60_000,
    "a<!--" * 20_000 + "\n\n-->", "\n>" * 30_000, "- " * 30_000, ("- " * 300 + "\n") * 100, "-->" * 20_000,
    "- - a\n" * 10_000, "\\" * 65_000, "* " * 30_000 + "a", "- " * 30_000 + "a -",
    "<!--\n" * 13_000, "_ " * 30_000 + "a", "\t" * 16_000 + "a",
)  # fmt: skip


@pytest.mark.parametrize("text", LONG, ids=range(len(LONG)))
def test_no_text_takes_long(text: str) -> None:
    began = time.process_time()
    live(text)
    assert time.process_time() - began < 0.5
