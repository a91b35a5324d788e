"""What a pull request's text closes."""

from __future__ import annotations

import itertools
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stoat.observe.github.closing import closes
from stoat.plan.github import Numbered

KEYWORDS = ("close", "closes", "closed", "fix", "fixes", "fixed", "resolve", "resolves", "resolved")
TWELVE = (Numbered("acme/widgets", 12),)


def closed(body: str) -> tuple[Numbered, ...]:
    return closes(body, "acme/widgets")


@pytest.mark.parametrize("keyword", KEYWORDS)
def test_every_keyword_closes_in_any_case_with_or_without_a_colon_and_in_every_form(keyword: str) -> None:
    words = (keyword, keyword.upper(), keyword.title())
    forms = ("#12", "acme/widgets#12", "https://github.com/acme/widgets/issues/12")
    for word, between, form in itertools.product(words, (" ", ": ", ":", "  ", " : ", "\n"), forms):
        assert closed(f"It {word}{between}{form}.") == TWELVE, (word, between, form)


@pytest.mark.parametrize(
    "body",
    [
        "see #12",
        "#12",
        "fixing #12",
        "prefixes #12",
        "hot-fixes #12",
        "Fixes acme/#12",
        "Fixes #0",
        "Fixes #12abc",
        "Fixes #99999999999",
        "Fixes https://github.com/acme/widgets/pull/12",
        "Fixes https://github.example/acme/widgets/issues/12",
        "Fixes https://github.com/acme/widgets/issues/12/events",
        "Fixes https://github.com/acme/widgets/issues/12#issuecomment-1",
        "Fixes\n\n#12",
        "`Fixes #12`",
        "``a ` Fixes #12``",
        "`over\nlines Fixes #12`",
        "```\nFixes #12\n```",
        "~~~text\nFixes #12\n~~~",
        "```\nFixes #12",
        "```\n~~~\nFixes #12\n```",
        "````\n```\nFixes #12\n````",
        "> Fixes #12",
        "   > Fixes #12",
        ">> Fixes #12",
        "<!-- Fixes #12 -->",
        "a <!-- Fixes #12 --> b",
        "<!--\nFixes #12\n-->",
        "<!--\n\n```\n\nFixes #12 -->",
        "<!-- Fixes #12",
        "    Fixes #12",
        "text\n\n\tFixes #12",
        "- item\n\n      ```\n      Fixes #12\n      ```",
        "- > Fixes #12",
        "text\n\n    code\n    Fixes #12",
        "Fixes acme/widgets/x#12x",
    ],
)
def test_what_is_no_closing_word_or_is_code_a_quotation_or_a_comment_says_nothing(body: str) -> None:
    assert closed(body) == ()


@pytest.mark.parametrize(
    "body",
    [
        "- item\n\n    Fixes #12",
        "text\n    Fixes #12",
        "```\ncode\n```\nFixes #12",
        "- item\n  ```\n  code\nFixes #12",
        "<!-- note\n--> Fixes #12",
        "> quoted\n\nFixes #12",
        "<!-- note -->\nFixes #12",
        "<!--\nnote\n-->\nFixes #12",
        "a ` b\n\nFixes #12 ` c",
        "(fixes #12)",
        "**Fixes #12**",
        "Fixes #12, #13",
        "Fixes <!-- the issue's number --> #12",
        "Fixes #12\r\nthanks",
        "```inline``` Fixes #12",
        "Fixes ACME/widgets#12".replace("ACME", "acme"),
        "Fixes HTTPS://GITHUB.COM/acme/widgets/issues/12",
    ],
)
def test_what_stands_in_prose_counts(body: str) -> None:
    assert closed(body) == TWELVE


def test_each_issue_is_given_once_in_the_order_of_the_text() -> None:
    body = "Fixes #3, closes other/repo#7, resolves #3 and fixes #1"
    assert closed(body) == (Numbered("acme/widgets", 3), Numbered("other/repo", 7), Numbered("acme/widgets", 1))


def test_on_an_enterprise_server_its_own_addresses_count() -> None:
    body = "Fixes https://ghe.example:8443/acme/widgets/issues/12"
    assert closes(body, "acme/widgets", "ghe.example:8443") == TWELVE
    assert closes(body, "acme/widgets") == ()


@given(st.text(alphabet="`~>#<!-- \n\tFixes12ac/", max_size=200))
def test_any_text_is_read(body: str) -> None:
    assert all(one.number > 0 for one in closed(body))


@given(st.text(max_size=100))
def test_whatever_stands_in_a_fence_says_nothing(text: str) -> None:
    fence = "`" * (max((len(run) for run in text.replace("\n", " ").split(" ")), default=0) + 3)
    assert closed(f"{fence}\n{text}\nFixes #12\n{fence}") == ()


def test_a_long_text_made_to_be_slow_is_read_at_once() -> None:
    began = time.process_time()
    for body in (
        "`" * 65_000,
        "".join("`" * n + " " for n in range(1, 360)),
        "a<!--" * 60_000,
        "fixes " * 11_000,
        "\n>" * 30_000,
    ):
        closed(f"fixes {body}")
    assert time.process_time() - began < 1.5
