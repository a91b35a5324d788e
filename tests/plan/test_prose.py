"""What a text calls a blocker in words, and what only looks as if it did."""

from __future__ import annotations

import time

import pytest

from stoat.plan.prose import blockers

SAYS = {
    "Blocked by: #3": [3],
    "blocked by #3, #4 and #5.": [3, 4, 5],
    "**Blocked by:** #3 (the parser), #4": [3, 4],
    "Depends on acme/other#9": ["acme/other#9"],
    "Depends on https://github.com/acme/other/issues/9 & #4": ["acme/other#9", 4],
    "This is waiting for #7; then it is easy": [7],
    "requires issue #8": [8],
    "Blocked by [#3](https://github.com/acme/widgets/issues/3)": [3],
    "## Blocked by\n\n- #3\n- [ ] #4 the lexer\n* acme/other#9\n\nDone when #77.": [3, 4, "acme/other#9"],
    "Blocked by:\n1. #3\n2. #4": [3, 4],
    "Blocked by: #3\r\n\r\nDepends on #4\r\n": [3, 4],
    "see #5. Blocked by #3, blocks #6": [3],
    "Blocked by GH-3": [3],
}
DOES_NOT = [
    "See #3.", "Blocks #3", "Not blocked by #3", "no longer depends on #3", "It isn't blocked by #3", "unblocked by #3",
    "~~Blocked by #3~~", "`Blocked by: #3`", "> Blocked by #3", "<!-- Blocked by: #3 -->", "<!-- Blocked by: #3",
    "```\nBlocked by #3\n```", "~~~text\nBlocked by #3", "  ```yaml\n  Blocked by #3\n  ```\n",
    "Depends on the parser, see #3", "Blocked by:\n\nNothing.\n- #3", "Blocked by #0", "Blocked by #99999999999",
    "text\n\n    Blocked by #3", "~~~\n```\nBlocked by #3\n~~~", "`over\nlines, Blocked by #3`", "- > Blocked by #3",
    "Blocked by #3x", "Blocked by C#7",
]  # fmt: skip


@pytest.mark.parametrize("text", SAYS)
def test_a_blocker_in_words_is_found(text: str) -> None:
    found = [at.number if at.repo == "acme/widgets" else str(at) for at in blockers(text, "acme/widgets")]
    assert sorted(str(name) for name in found) == sorted(str(name) for name in SAYS[text])


@pytest.mark.parametrize("text", DOES_NOT)
def test_what_is_not_said_or_not_live_is_no_blocker(text: str) -> None:
    assert blockers(text, "acme/widgets") == ()


def test_what_follows_a_closed_block_of_code_is_live_again() -> None:
    assert blockers("```\ncode\n```\nBlocked by #3\n~~~\n", "acme/widgets")[0].number == 3


LONG = [
    "`" * 65000, "` `` " * 13000, "~~a" * 21000, "<!--" * 16000, "> `" * 20000,
    "".join("`" * n + " " for n in range(1, 360)), "blocked by " * 6000,
    "blocked by\n" * 6000, "#1, " * 16000, "\n" * 65000,
]  # fmt: skip


@pytest.mark.parametrize("text", LONG, ids=range(len(LONG)))
def test_no_text_takes_long(text: str) -> None:
    begun = time.monotonic()
    blockers(text, "acme/widgets")
    assert time.monotonic() - begun < 1.5
