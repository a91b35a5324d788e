"""A step's command: what is executed for it, and when what ran counts as it."""

from __future__ import annotations

import shlex
import subprocess

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stoat.plan import commands, words


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
        ("make test  ", ("make", "test"), True),
        ("make test\n", ("make", "test"), True),
        ("make test # all of it", ("make", "test"), True),
        ("make test#all", ("make", "test"), False),
        ("make test#all", ("make", "test#all"), True),
        ("make test # all", ("sh", "-c", "make test"), True),
        ("make \\\n  test", ("make", "test"), True),
        ("make test\nmake lint", ("sh", "-c", "make test\n\n  make lint\n"), True),
        ("make test\nmake lint", ("make", "test", "make", "lint"), False),
        ("CI=1 make", ("sh", "-c", "CI=1  make"), True),
        ("CI=1 make", ("make",), False),
        ("make", ("sh", "-c", "CI=1 make"), False),
        ("make CI=1", ("sh", "-c", "CI=1 make"), False),
        ("a&&b", ("sh", "-c", "a && b"), True),
        ("a && b", ("a", "&&", "b"), False),
        ("a '&&' b", ("a", "&&", "b"), True),
        ("a '&&' b", ("sh", "-c", "a && b"), False),
        ("a 2>&1", ("sh", "-c", "a 2>& 1"), True),
        ("a 2>log", ("sh", "-c", "a 2 >log"), False),
        ("echo $HOME", ("sh", "-c", "echo '$HOME'"), False),
        ('echo "$HOME"', ("sh", "-c", "echo $HOME"), True),
        (r'echo "\$HOME"', ("echo", "$HOME"), True),
        (r'echo "a\b"', ("echo", r"a\b"), True),
        ("pytest -k ''", ("pytest", "-k", ""), True),
        ("pytest -k ''", ("pytest", "-k"), False),
        ("pytest ''-k", ("pytest", "-k"), True),
        ("ls *.py", ("sh", "-c", "ls '*.py'"), False),
        (r"make a\ ", ("make", "a "), True),
        ("make a\\", ("make", "a"), False),
        ("", (), True),
        ("echo 'open", ("sh", "-c", "echo 'open"), True),
        ("echo 'open", ("echo", "open"), False),
    ],
)
def test_what_ran_is_compared_word_by_word(declared: str, ran: tuple[str, ...], expected: bool) -> None:
    assert commands.same(declared, ran) is expected


@pytest.mark.parametrize(
    "command",
    [
        'printf "%s|" "a b" a\\ b',
        "printf '%s|' 'a\"b' \"a'b\"",
        r'printf "%s|" "\$x" "a\b" "\\" a\$',
        'printf "%s|" "" \'\' x""y',
        "printf '%s|' a#b '#c' #d",
        "printf '%s|' a \\\n b",
        'printf "%s|" "a\\\nb"',
    ],
)
def test_words_are_those_of_a_real_shell(command: str) -> None:
    told = subprocess.run(["sh", "-c", command], capture_output=True, text=True, check=True).stdout
    assert "".join(f"{word}|" for word in words.split(command)[2:]) == told


@given(st.lists(st.text(alphabet=st.characters(exclude_characters="\0")), min_size=1))
def test_quoting_for_a_shell_and_splitting_as_one_gives_the_same_words(argv: list[str]) -> None:
    assert words.split(shlex.join(argv)) == tuple(argv)


@given(st.text())
def test_any_text_has_words_or_is_refused(text: str) -> None:
    try:
        words.split(text)
    except ValueError:
        assert not commands.same(text, ())


@given(st.lists(st.text(min_size=1), min_size=1))
def test_a_command_always_counts_as_itself(argv: list[str]) -> None:
    declared = shlex.join(argv)
    if not commands.needs_shell(declared):
        assert commands.argv_of(declared) == tuple(argv)
    assert commands.same(declared, commands.argv_of(declared))
