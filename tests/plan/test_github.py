"""How an issue or a pull request is named in text, and read back."""

from __future__ import annotations

import pytest

from stoat.plan.github import Numbered, numbered


def test_a_name_is_read_as_it_is_written() -> None:
    at = Numbered("Acme/widgets.js", 12)
    assert str(at) == "Acme/widgets.js#12" and numbered(str(at)) == at


@pytest.mark.parametrize(
    "text",
    [
        "", "#12", "12", "o/r", "o/r#", "o/r#0", "o/r#-1", "o/r#1a", "o/r#١", "o/r#1 ", "r#1", "a/b/c#1", "o/r.git#1",
        "o/..#1", "o/r#" + "9" * 5000,
    ],
)  # fmt: skip
def test_any_other_text_names_none(text: str) -> None:
    assert numbered(text) is None
