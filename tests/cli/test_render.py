"""What is printed: text from outside made harmless, tables with nothing cut, colour only where it is wanted."""

from __future__ import annotations

import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stoat.cli import render


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("plain ünï ✓ 漢字 👩", "plain ünï ✓ 漢字 👩"),
        ("\x1b[31mred\x1b[0m", "\\u001b[31mred\\u001b[0m"),
        ("bell\x07 back\x08 del\x7f c1\x9b", "bell\\u0007 back\\u0008 del\\u007f c1\\u009b"),
        ("over\rwritten", "over\\u000dwritten"),
        ("a\u202eb\u2066c\u200bd\ufeff", "a\\u202eb\\u2066c\\u200bd\\ufeff"),
        ("no\u2060gap \U000e0041\U000e007f", "no\\u2060gap \\udb40\\udc41\\udb40\\udc7f"),
        ("\u0645\u06cc\u200c\u062e\u0648 👩\u200d💻", "\u0645\u06cc\u200c\u062e\u0648 👩\u200d💻"),
        ("line\u2028sep", "line\\u2028sep"),
        ("lone \udc80", "lone \\udc80"),
        ("two\nlines\tand", "two lines and"),
    ],
)
def test_what_a_terminal_would_obey_is_shown_instead(text: str, shown: str) -> None:
    assert render.clean(text) == shown


def test_line_ends_stay_where_several_lines_are_meant() -> None:
    assert render.clean("a\r\nb\n\tc\x1b", lines=True) == "a\nb\n\tc\\u001b"


@given(st.text())
def test_nothing_unprintable_comes_through(text: str) -> None:
    shown = render.clean(text)
    assert "\x1b" not in shown
    assert all(char >= " " and not "\x7f" <= char <= "\x9f" for char in shown)
    assert render.clean(shown) == shown


def test_a_table_in_a_pipe_has_aligned_columns_and_is_never_cut(capsys: pytest.CaptureFixture[str]) -> None:
    render.table(("node", "why"), [("a", "x" * 300), ("longer", None), (3, "y\nz")])
    assert capsys.readouterr().out == f"NODE    WHY\na       {'x' * 300}\nlonger\n3       y z\n"
    render.table(("node",), [], empty="nothing")
    assert capsys.readouterr().out == "nothing\n"


@pytest.mark.parametrize(("variables", "coloured"), [({}, True), ({"NO_COLOR": "1"}, False)])
def test_a_terminal_gets_colour_unless_it_is_unwanted(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, variables: dict[str, str], coloured: bool
) -> None:
    monkeypatch.setenv("TERM", "xterm-256color")
    monkeypatch.setenv("COLUMNS", "60")
    for name, value in variables.items():
        monkeypatch.setenv(name, value)
    monkeypatch.setattr(sys.stdout, "isatty", lambda: True)
    render.table(("node", "status", "detail"), [("[bold]a[/bold]", "failed", "word " * 30)])
    out = capsys.readouterr().out
    assert ("\x1b[1;31m" in out) is coloured
    assert "[bold]a[/bold]" in out
    assert out.count("word") == 30
