"""The two parsers: whatever the quick one takes, the other one reads alike, place for place."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from ruamel.yaml.error import YAMLError

from stoat.errors import Problem
from stoat.plan.yaml_in import _READ_APART, Mapping, Scalar, Sequence, Tree, _Builder, _events, _Stop, _Unlike, read

DOCUMENTS = sorted((Path(__file__).parent / "documents").glob("*.yaml"))
PIECES = st.sampled_from(
    [
        *(
            "a",
            "ü",
            "😀",
            "1.10",
            " ",
            "  ",
            "\n",
            "\n  ",
            "\n- ",
            ": ",
            ":",
            "- ",
            "#",
            " #",
            "'",
            '"',
            "[",
            "]",
            "{",
            "}",
        ),
        *(
            ", ",
            "|\n  ",
            ">\n  ",
            "|-\n  ",
            "&a ",
            "*a",
            "!t ",
            "? ",
            "---\n",
            "...\n",
            "%",
            "@",
            "\\x41",
            "\\n",
            "~",
            "<<",
        ),
    ]
)


def shown(tree: Tree | None) -> object:
    """A tree without the places of what is empty: nothing stands there to point at."""
    match tree:
        case Scalar(text="", plain=True):
            return "nothing"
        case Sequence():
            return (tree.line, tree.column, [shown(item) for item in tree.items])
        case Mapping():
            return (
                tree.line,
                tree.column,
                {key: (place, shown(value)) for key, (place, value) in tree.entries.items() if key},
            )
        case _:
            return tree


def parsed(text: str, *, pure: bool) -> tuple[Tree | None, list[Problem]] | None:
    """What one parser makes of a text; None when it does not take it."""
    problems: list[Problem] = []
    try:
        return _Builder(problems, plain=not pure).build(_events(text, pure=pure)), problems
    except _Stop:
        return None, problems
    except (YAMLError, _Unlike):
        return None


@pytest.mark.parametrize("file", DOCUMENTS, ids=lambda file: file.name)
def test_both_parsers_read_documents_alike(file: Path) -> None:
    text = file.read_text(encoding="utf-8")
    assert parsed(text, pure=False) == parsed(text, pure=True)


@settings(deadline=None)
@given(st.lists(PIECES, max_size=12).map("".join))
def test_what_the_quick_parser_takes_both_read_alike(text: str) -> None:
    assume(_READ_APART.search(text) is None)
    quick, reference = parsed(text, pure=False), parsed(text, pure=True)
    # Of what it does not take, the reference parser says what is wrong; it also refuses some that the quick one takes.
    if quick is not None and reference is not None:
        assert shown(quick[0]) == shown(reference[0])
        assert [problem.what for problem in quick[1]] == [problem.what for problem in reference[1]]


@settings(deadline=None)
@given(st.text(max_size=60))
def test_any_text_at_all_gives_a_tree_or_problems(text: str) -> None:
    tree, problems = read(text)
    assert tree is not None or problems


@pytest.mark.parametrize("text", ["a: 1\n...\n...\n", "---\n...\n...\n", "a: 1\n... # end\n\n...\n"])
def test_two_ends_of_a_document_read_the_same_with_and_without_the_quick_parser(text: str) -> None:
    assert read(text) == parsed(text, pure=True)
    assert [problem.what for problem in read(text)[1]] == ["a second document begins here"]
