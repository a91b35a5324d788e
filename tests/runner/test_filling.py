"""{ident} and the other placeholders."""

from __future__ import annotations

import re
import shlex
import subprocess
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stoat.runner.filling import fill, fill_arguments, fill_shell, ident, values

SLUGS = st.from_regex(r"[a-z0-9]+(-[a-z0-9]+){0,3}", fullmatch=True).filter(lambda text: len(text) <= 100)
NODES = st.from_regex(r"[a-z0-9]([a-z0-9._-]{0,80}[a-z0-9])?", fullmatch=True)
IDENTIFIER = re.compile(r"[a-z][a-z0-9_]{0,62}")


@given(st.tuples(SLUGS, NODES), st.tuples(SLUGS, NODES))
def test_an_ident_is_an_identifier_of_sql_and_never_the_same_for_two_nodes(
    one: tuple[str, str], other: tuple[str, str]
) -> None:
    assert IDENTIFIER.fullmatch(ident(*one))
    assert (ident(*one) == ident(*other)) == (one == other)


@pytest.mark.parametrize(
    "alike",
    [
        [("p", "a-b"), ("p", "a_b"), ("p", "a.b"), ("p-a", "b"), ("p", "a--b")],
        [("p1-a", "b"), ("p1", "a-b")],
        [("p", "x" * 80), ("p", "x" * 79 + "y"), ("p", "x" * 81)],
        [("x" * 62, "y"), ("x" * 54, "y"), ("x" * 90, "y")],
        [("1", "a"), ("n-1", "a"), ("n", "1-a")],
    ],
    ids=["signs", "the border", "long nodes", "long plans", "leading digits"],
)
def test_names_that_fold_alike_stay_apart(alike: list[tuple[str, str]]) -> None:
    folded = [ident(*pair) for pair in alike]
    assert len(set(folded)) == len(alike)
    assert all(IDENTIFIER.fullmatch(one) for one in folded)


def test_a_plain_name_stays_readable_and_an_ident_never_changes() -> None:
    assert ident("pay", "parser") == "pay_parser"
    assert ident("my-plan", "gate.1").startswith("my_plan_gate_1__")
    assert ident("my-plan", "gate.1") == ident("my-plan", "gate.1")


def test_what_is_filled_in_is_not_looked_at_again() -> None:
    assert fill("{node}:{plan}:{other}", {"node": "{plan}", "plan": "p"}) == "{plan}:p:{other}"


def test_specs_become_one_argument_each() -> None:
    filled = values("p", "n", Path("/w t"))
    words = fill_arguments(("run", "{specs}", "--in={worktree}", "x{specs}"), filled, ["A/b c", "A/d"])
    assert words == ("run", "A/b c", "A/d", "--in=/w t", "x{specs}")


HOSTILE = st.text(st.characters(blacklist_characters="\0", blacklist_categories=("Cs",)), max_size=20)


@given(HOSTILE)
def test_a_value_stays_one_word_of_the_shell_wherever_it_is_put(value: str) -> None:
    command = """printf '%s\\0' {worktree} "{worktree}" '{worktree}' a{worktree}"""
    ran = subprocess.run(["sh", "-c", fill_shell(command, {"worktree": value})], capture_output=True, check=True)
    expected = [value, value, value, "a" + value]
    assert ran.stdout.decode().split("\0")[:-1] == expected


def test_the_documented_setup_command_stays_as_it_is() -> None:
    command = "psql -d postgres -c 'create schema if not exists {ident}'"
    filled = fill_shell(command, {"ident": "p_n"})
    assert shlex.split(filled)[-1] == "create schema if not exists p_n"
