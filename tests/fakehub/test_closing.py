"""Which text closes which issue."""

from __future__ import annotations

import pytest

from tests.support.fakehub.closing import closed_by, mentioned_in


@pytest.mark.parametrize(
    "word", ["close", "closes", "closed", "fix", "fixes", "fixed", "resolve", "resolves", "resolved"]
)
@pytest.mark.parametrize(
    "spelled", ["{} #7", "{}: #7", "{} acme/widgets#7", "{} https://github.com/acme/widgets/issues/7", "{} GH-7"]
)
def test_a_keyword_before_an_issue_closes_it(word: str, spelled: str) -> None:
    for written in (word, word.upper(), word.title()):
        assert [named.number for named in closed_by(f"This {spelled.format(written)}.")] == [7]


@pytest.mark.parametrize(
    "text",
    [
        *("#7", "see #7", "prefixes #7", "fix lanes #7", "fixing #7", "Fixes 7", "fixes #", "Fixes#7", "hot-fix #7"),
        *("`Fixes #7`", "``Fixes #7``", "```\nFixes #7\n```", "~~~ text\nFixes #7\n~~~", "```\nFixes #7"),
        *("<!-- Fixes #7 -->", "<!--\nFixes #7", "> Fixes #7", "a\n\n    Fixes #7\n"),
    ],
)
def test_what_only_looks_like_it_closes_nothing(text: str) -> None:
    assert closed_by(text) == ()


def test_each_issue_counts_once_and_the_repository_is_kept() -> None:
    found = closed_by("Fixes #1, fixes #1 and closes other/repo#2.\r\n\r\n```\r\nFixes #3\r\n```\r\nResolves #4")
    assert [(named.repo, named.number) for named in found] == [(None, 1), ("other/repo", 2), (None, 4)]


def test_a_mention_needs_no_keyword() -> None:
    assert [named.number for named in mentioned_in("After #3 (and `#4`) comes acme/widgets#5")] == [3, 5]
