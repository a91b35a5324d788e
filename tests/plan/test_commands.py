"""A step's command: what is executed for it, and when what ran counts as it."""

from __future__ import annotations

import shlex

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stoat.plan import commands


@pytest.mark.parametrize(
    ("declared", "argv"),
    [
        ("make test", ("make", "test")),
        ("dotnet test --project 'src/My Tests'", ("dotnet", "test", "--project", "src/My Tests")),
        ('grep "a b" file', ("grep", "a b", "file")),
        (r"grep a\ b file", ("grep", "a b", "file")),
        ("echo 'a && $b | *'", ("echo", "a && $b | *")),
        (r"echo \$HOME", ("echo", "$HOME")),
        ("pytest -k a=b", ("pytest", "-k", "a=b")),
    ],
)
def test_a_plain_command_runs_without_a_shell(declared: str, argv: tuple[str, ...]) -> None:
    assert commands.argv_of(declared) == argv


@pytest.mark.parametrize(
    "declared",
    [
        "a && b",
        "a | b",
        "a; b",
        "a > out",
        "echo $HOME",
        'echo "$HOME"',
        "echo `date`",
        "ls *.py",
        "cd ~ ",
        "CI=1 make",
        "a\nb",
        "(a)",
        "a # why",
    ],
)
def test_what_needs_a_shell_gets_one(declared: str) -> None:
    assert commands.argv_of(declared) == ("sh", "-c", declared)


@pytest.mark.parametrize(
    ("declared", "ran", "expected"),
    [
        ('grep "a b" f', ("grep", "a b", "f"), True),
        (r"grep a\ b f", ("grep", "a b", "f"), True),
        ("grep 'a b' f", ("sh", "-c", 'grep "a b" f'), True),
        ("a && b", ("sh", "-c", "a && b"), True),
        ("a && b", ("bash", "-c", "a  &&  b"), True),
        ("sh -c 'a && b'", ("sh", "-c", "a && b"), True),
        ("make test", ("make", "test", "-j"), False),
        ("make test", ("make",), False),
        ("make test", ("sh", "-c", "make test; true"), False),
        ("make test", ("make test",), False),
        ("echo 'open", ("sh", "-c", "echo 'open"), True),
        ("echo 'open", ("echo", "open"), False),
    ],
)
def test_what_ran_is_compared_word_by_word(declared: str, ran: tuple[str, ...], expected: bool) -> None:
    assert commands.same(declared, ran) is expected


@given(st.lists(st.text(min_size=1), min_size=1))
def test_a_command_always_counts_as_itself(argv: list[str]) -> None:
    declared = shlex.join(argv)
    if not commands.needs_shell(declared):
        assert commands.argv_of(declared) == tuple(argv)
    assert commands.same(declared, commands.argv_of(declared))
