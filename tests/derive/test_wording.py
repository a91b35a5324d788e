"""All sentences live in wording/: what decides builds none, and every event has one."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

import stoat.derive
from stoat.derive.holds import Hold
from stoat.derive.wording import authoring, events, runner, text
from stoat.derive.wording.readiness import way_around
from stoat.plan.events import FAMILIES
from stoat.plan.events.plans import LeadReleased, LeadTaken
from stoat.plan.fold import EVENT_TYPES

DERIVE = Path(stoat.derive.__file__).parent
# What exports is a document in somebody else's format, and no sentence of ours; nor is a pattern with a blank in it.
NONE_OF_OURS = {"integration", "limits", "layout", "private", "schedule"}
DECIDING = [
    file
    for file in sorted(DERIVE.rglob("*.py"))
    if not {"wording", "exports"} & set(file.parts) and file.stem not in NONE_OF_OURS
]


def sentences(tree: ast.Module) -> list[str]:
    """The text that a module's code builds: f-strings, and strings with a blank in them. Docstrings are none."""
    documentation = {
        id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
    }
    found = []
    for node in ast.walk(tree):
        if isinstance(node, ast.JoinedStr):
            found.append(ast.unparse(node))
        elif isinstance(node, ast.Constant) and isinstance(node.value, str) and " " in node.value.strip():
            found += [] if id(node) in documentation else [node.value]
    return found


@pytest.mark.parametrize("file", DECIDING, ids=lambda file: str(file.relative_to(DERIVE)))
def test_what_decides_builds_no_sentence(file: Path) -> None:
    assert sentences(ast.parse(file.read_text(encoding="utf-8"))) == []


def test_every_event_type_has_a_sentence_of_its_own() -> None:
    assert set(EVENT_TYPES.values()) <= set(events._SENTENCES)


def test_every_change_of_a_plans_document_is_told_as_a_subject_and_as_a_line() -> None:
    leading = {LeadTaken, LeadReleased}
    families = (FAMILIES["plans"], FAMILIES["authoring"], FAMILIES["issues"])
    authored = [event for family in families for event in family if event not in leading]
    any_words = {"node": "n", "kind": "change", "fields": ["title", "brief"], "number": 7, "on": "m"}
    for event in authored:
        change = {"type": event.__struct_config__.tag, **any_words}  # type: ignore[attr-defined]
        assert authoring.subject([change]) and authoring.line(change), event
    assert len(authoring._WORDS) == len(authored)
    changed = {"type": "node_changed", **any_words}
    assert authoring.line(changed) == "~ n: title, brief"
    assert authoring.subject([changed] * 3) == "changes n, changes n, changes n"
    assert authoring.subject([changed] * 4) == "changes n and makes 3 more changes"


def test_lists_are_cut_and_counted() -> None:
    assert text.listed([]) == ""
    assert text.listed(["a", "b", "c"]) == "a, b, c"
    assert text.listed(["a", "b", "c", "d"]) == "a, b, c and 1 more"
    assert text.quoted(["a", "b"]) == "`a`, `b`"
    assert (text.counted(1, "step"), text.counted(2, "step"), text.counted(0, "step")) == (
        "1 step",
        "2 steps",
        "0 steps",
    )


def test_a_moment_is_told_to_the_minute() -> None:
    assert text.moment("2026-11-30T22:16:41.123Z") == "2026-11-30 22:16Z"


def test_a_long_circle_is_cut_in_its_middle() -> None:
    assert way_around(["a", "b"]) == "a → b → a"
    assert way_around(list("abcdefg")) == "a → b → c → … → g → a"


def test_when_a_limit_is_over_is_told_in_utc_since_others_read_it_too() -> None:
    hold = Hold("a", "limited", "2026-11-30T22:02:00.000Z")
    assert runner.why_held(hold, "p") == "waits for a limit of its account — goes on at 2026-11-30 22:02Z"


def bodies(file: Path) -> dict[str, str]:
    """What each function of a module does, without its docstring, by where it is."""
    tree = ast.parse(file.read_text(encoding="utf-8"))
    return {
        f"{file.stem}.{node.name}": ast.unparse(ast.Module([*node.body[1:]], []))
        for node in tree.body
        if isinstance(node, ast.FunctionDef) and not node.name.startswith("_")
    }


def test_no_two_sentences_are_one() -> None:
    found: dict[str, list[str]] = {}
    for file in sorted((DERIVE / "wording").glob("*.py")):
        for name, body in bodies(file).items():
            found.setdefault(body, []).append(name)
    assert [names for names in found.values() if len(names) > 1] == []


def test_every_private_sentence_is_used() -> None:
    for file in sorted((DERIVE / "wording").glob("*.py")):
        tree = ast.parse(file.read_text(encoding="utf-8"))
        private = {node.name for node in tree.body if isinstance(node, ast.FunctionDef) and node.name.startswith("_")}
        assert private <= {node.id for node in ast.walk(tree) if isinstance(node, ast.Name)}
