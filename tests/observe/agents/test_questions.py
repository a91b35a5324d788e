"""The question an agent ended with is the paragraph of its own that begins with the agreed words."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stoat.observe.agents.questions import question_of


@pytest.mark.parametrize(
    ("final", "question"),
    [
        ("Question for a person: three or five?", "three or five?"),
        ("I looked.\n\nQuestion for a person: three or five?\n\nBoth work.", "three or five?"),
        ("I looked.\nQuestion for a person: three\nor five?\n", "three\nor five?"),
        ("Done.\r\n\r\nQuestion for a person: three?\r\nOr five?\r\n\r\nBye", "three?\nOr five?"),
        ("**Question for a person:** three or five?", "three or five?"),
        ("**Question for a person**: three or five?", "three or five?"),
        ("**Question for a person: three or five?**", "three or five?"),
        ("*Question for a person: is `x*y` meant?*", "is `x*y` meant?"),
        ("__Question for a person:__ three", "three"),
        ("## Question for a person:\n\nThree or five?\nSay which.\n\nThanks.", "Three or five?\nSay which."),
        ("**Question for a person:**\n\n- three\n- five\n\nThanks.", "- three\n- five"),
        ("Question for a person: one?\n\nQuestion for a person: two?", "one?\n\ntwo?"),
        ("Question for a person: one?\nQuestion for a person: two?", "one?\n\ntwo?"),
        ("`a\nb` and so on\nQuestion for a person: three?", "three?"),
        ("   Question for a person: three?", "three?"),
        ("```\nQuestion for a person: not this\n```\n\nQuestion for a person: this", "this"),
    ],
)
def test_what_is_asked(final: str, question: str) -> None:
    assert question_of(final) == question


@pytest.mark.parametrize(
    "final",
    [
        "",
        "All done.",
        "End with a paragraph that starts with Question for a person: and your question.",
        "```\nQuestion for a person: three?\n```",
        "~~~text\nQuestion for a person: three?",
        "> Question for a person: three?",
        "`Question for a person:` three?",
        "<!-- \nQuestion for a person: three?\n-->",
        "    Question for a person: three?",
        "question for a person: three?",
        "Question for a person three?",
        "Question for a person:",
        "Question for a person:   \n\n  \n",
        "**Question for a person:**",
    ],
)
def test_what_asks_nothing(final: str) -> None:
    assert question_of(final) is None


@given(st.text(alphabet=st.sampled_from("Qa :*#`>~\n\t-1.<!\ue000\ue001")), st.text(max_size=20))
def test_any_text_is_read_without_an_error(around: str, question: str) -> None:
    question_of(around)
    asked = question_of(f"{around}\n\nQuestion for a person: {question}")
    assert asked is None or isinstance(asked, str)
