"""How long a question may be, and what becomes of one that nobody can be told to shorten."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stoat.errors import Refused
from stoat.plan.events.questions import LONGEST, ask, shortened
from stoat.plan.nodes import Node
from stoat.plan.state import Mark, NodeState

NODE = NodeState(spec=Node(id="parser", kind="change"), added=Mark("ada", "2026-12-01T10:00:00.000Z"))


@pytest.mark.parametrize(
    ("text", "refused"),
    [
        ("tabs?", None), ("x" * LONGEST, None),
        ("x" * (LONGEST + 1), f"{LONGEST} characters, and this one {LONGEST + 1}"),
        ("", "no question in that"), (" \n", "no question in that"),
    ],
)  # fmt: skip
def test_a_question_has_words_and_not_more_than_a_person_reads(text: str, refused: str | None) -> None:
    if refused is None:
        asked = ask(NODE, "q-1", text)
        assert (asked.node, asked.question, asked.text) == ("parser", "q-1", text)
    else:
        with pytest.raises(Refused, match=refused) as told:
            ask(NODE, "q-1", text)
        assert told.value.hint


@given(st.integers(1, 3 * LONGEST) | st.integers(LONGEST - 60, LONGEST + 60))
def test_what_cannot_be_shortened_by_its_writer_is_cut_and_says_by_how_much(length: int) -> None:
    cut = shortened("x" * length)
    assert ask(NODE, "q-1", cut).text == cut
    found = re.search(r"… \((\d+) more characters, in the agent's log\)$", cut)
    assert (length <= LONGEST) is (found is None)
    assert len(cut[: found.start()] if found else cut) + int(found[1] if found else 0) == length
