"""Reading documents: the printed examples as they stand, every problem at its place, and text kept as text."""

from __future__ import annotations

import itertools
import time
from pathlib import Path

import pytest

from stoat.errors import Invalid
from stoat.plan.document import parse, report
from stoat.plan.nodes import Node
from stoat.plan.yaml_in import decode

DOCUMENTS = Path(__file__).parent / "documents"
PRINTED = sorted(file.name for file in DOCUMENTS.glob("*.yaml") if file.name != "everything-wrong.yaml")


def problems(text: str) -> list[str]:
    """Every problem of a document, each as `LINE:COLUMN: what (what to do)`."""
    try:
        found = parse(text).all_problems({})
    except Invalid as invalid:
        found = list(invalid.problems)
    return [line.removeprefix("-:") for line in report("-", found).splitlines()]


def nodes_of(text: str) -> tuple[Node, ...]:
    document = parse(text)
    assert document.all_problems({}) == []
    return document.plan()[1]


def plan(nodes: str, header: str = "") -> str:
    return f"schema: 1\nplan: p\n{header}nodes:\n{nodes}"


@pytest.mark.parametrize("name", PRINTED)
def test_the_printed_documents_are_right_as_they_stand(name: str) -> None:
    assert problems((DOCUMENTS / name).read_text(encoding="utf-8")) == []


def test_everything_that_is_wrong_is_said_at_once_with_its_line_and_column() -> None:
    assert problems((DOCUMENTS / "everything-wrong.yaml").read_text(encoding="utf-8")) == [
        "1:9: schema 2 is not one that this Stoat reads (write `schema: 1`)",
        "2:7: 'My Plan' is not a slug: lower-case letters and digits, words joined by single hyphens (write 'my-plan')",
        "3:1: a plan has no field 'titel' (did you mean 'title'?)",
        "4:1: `color` is empty (# begins a comment: write it in quotes, color: '#3b82f6')",
        "5:9: 'fisher#120' is not an issue (write OWNER/NAME#NUMBER)",
        "6:9: 'origin/Main' is refused as a plan's branch: people merge there, not Stoat"
        " (name a branch of the plan's own, as in `branch: my-plan`)",
        "8:18: a repository has no field 'brunch' (did you mean 'branch'?)",
        "9:6: 'nope' is not a repository (write OWNER/NAME)",
        "10:3: 'c/d' is not an alias (write letters, digits, '.', '_' and '-')",
        "12:7: the resource 'pg' is a text, not a mapping (write `postgres: { capacity: 1 }`)",
        "13:7: the resource 'db' has no capacity (write `postgres: { capacity: 1 }`)",
        "16:11: there is no kind 'slise' (did you mean 'slice'?)",
        "20:5: `bump` does not belong to a slice node (it is for publish)",
        "21:13: 'X' is not a spec (write Feature/Scenario)",
        "22:18: a cycle: b → c → b (take one of these dependencies out)",
        "22:21: there is no node 'd' in this plan (add it, or take the dependency out)",
        "22:24: there is no plan 'other' (import that plan first)",
        "22:33: 'b b' is not a node (write NODE, or PLAN/NODE for a node of another plan)",
        "23:16: there is no resource 'nope' (declare it: `resources: { nope: { capacity: 1 } }`)",
        "24:5: the publish node names no package (write `package: NAME`)",
        "26:11: 'x' is no bump (write fix, minor or major)",
        "27:5: `bump` and `version` both say which version it is (keep one of them)",
        "29:9: two nodes have the id 'a' (rename one)",
        "31:12: '0123' is not a number (write 123)",
        "32:11: 'aa' is no repository of the plan (did you mean 'a'?)",
        "33:12: 'auto' is no merge (write manual-review or merge-on-green)",
        "34:5: the node has no id (write `id: my-node`)",
        "36:9: a step has no id (write `- id: tests`)",
        "37:14: '../y' climbs out with '..' (write it relative to the repository's root)",
        "38:15: BOBCAT_RUN_TAG is Stoat's to set (take it out: every run of a step gets a tag of its own)",
        "38:34: '1A' is not the name of a variable (write letters, digits and '_', no digit first)",
        "38:44: B is a list, not a text (put it in quotes)",
        "39:18: 'soon' is not a duration (write 20m, 90s, 1h30m or 00:20:00)",
        "41:13: two steps have the id 'x' (rename one)",
        "42:9: a step is a mapping, not a text (write `- id: …`)",
        "43:5: a node is a mapping, not a text (write `- id: …`)",
        "44:9: 'Up' is not a node id: lower-case letters, digits, '-', '_', '.', a letter or digit at each end"
        " (its id is a part of its branch's name)",
        "46:5: 'id' is here twice, first on line 44 (keep one of them)",
    ]


def test_every_scalar_keeps_its_source_text() -> None:
    header = "branch: 10.0\nrepos: {a: {repo: o/r, branch: 3.0}}\n"
    pack, gate = nodes_of(
        plan(
            "  - {id: 1.10, kind: publish, package: yes, version: 1.10, title: 0x1F}\n"
            "  - id: g\n    kind: test-run-gate\n    brief: true\n    steps:\n"
            "      - {id: 007, run: 012, timeout: 00:20:00, env: {A: 1.0, B: no, C: ~, D: , E: 2001-01-01}}\n",
            header,
        )
    )
    assert (pack.id, pack.package, pack.version, pack.title) == ("1.10", "yes", "1.10", "0x1F")
    assert gate.brief == "true"
    step = gate.steps[0]
    assert (step.id, step.run, step.timeout) == ("007", "012", "00:20:00")
    assert step.env == {"A": "1.0", "B": "no", "C": "~", "D": "", "E": "2001-01-01"}
    told = parse(plan("", header)).header
    assert (told.branch, told.repos["a"].branch) == ("10.0", "3.0")


def test_null_is_the_same_as_leaving_a_field_out() -> None:
    assert nodes_of(plan("  - {id: a, kind: change, title: ~, brief: null, depends_on: }\n")) == (
        Node(id="a", kind="change"),
    )


@pytest.mark.parametrize(
    ("brief", "stored"),
    [
        ("|\n      One\n      two\n", "One\ntwo"),
        ("|+\n      One   \n      two\n\n\n", "One\ntwo"),
        ('"One \\r\\ntwo\\r\\n"\n', "One\ntwo"),
        (">\n      One\n      two\n", "One two"),
        ("''\n", None),
    ],
)
def test_a_brief_is_stored_in_one_form(brief: str, stored: str | None) -> None:
    assert nodes_of(plan(f"  - id: a\n    kind: change\n    brief: {brief}"))[0].brief == stored


def test_line_ends_and_a_byte_order_mark_make_no_difference() -> None:
    text = (DOCUMENTS / "a-plan-whole.yaml").read_text(encoding="utf-8")
    plain = parse(text).plan()
    for other in (text.replace("\n", "\r\n"), text.replace("\n", "\r"), "\ufeff" + text):
        assert parse(other).all_problems({}) == []
        assert parse(other).plan() == plain
    assert decode(b"\xef\xbb\xbfschema: 1") == "schema: 1"


def test_what_is_not_utf_8_is_said_with_its_place() -> None:
    with pytest.raises(Invalid) as refused:
        decode(b"schema: 1\ntitle: \xc3\xa4\xff\n")
    assert refused.value.problems[0][:3] == (2, 9, "this is not UTF-8 text")


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "1:1: the document is empty (write `schema: 1` and a plan)"),
        ("- a\n", "1:1: this is not a plan: a plan is a mapping (begin with `schema: 1`)"),
        ("schema: 1\nplan: p\n---\nschema: 1\n", "3:1: a second document begins here (keep one plan to a file)"),
        ("a: &a [*a]\n", "1:8: *a stands for nothing that is complete before it (write it out)"),
        ("a: " + "[" * 100_000, "1:35: this is nested more than 32 levels deep (a plan needs six)"),
        ("a: {" * 100_000, "1:128: this is nested more than 32 levels deep (a plan needs six)"),
    ],
)
def test_what_is_no_plan_at_all_is_said_and_nothing_more(text: str, said: str) -> None:
    assert problems(text) == [said]


def test_a_syntax_error_has_its_place_and_what_to_do() -> None:
    (problem,) = problems("schema: 1\nplan: p\ntitle: Fisher: the next\n")
    assert problem == (
        "3:14: this is not YAML: mapping values are not allowed here (put a text that contains ': ' in quotes)"
    )


def test_a_billion_laughs_are_refused_at_once() -> None:
    letters = "abcdefghi"
    laughs = "".join(
        f"{this}: &{this} [{', '.join(['*' + before] * 9)}]\n" for before, this in itertools.pairwise(letters)
    )
    begun = time.perf_counter()
    found = problems("a: &a [lol, lol, lol, lol, lol, lol, lol, lol, lol]\n" + laughs)
    assert found == ["6:8: the aliases stand for more than 100000 values (write them out)"]
    assert time.perf_counter() - begun < 5


def test_aliases_are_read_and_merge_keys_and_tags_are_not() -> None:
    gate = "  - id: a\n    kind: test-run-gate\n    steps: &s [{id: t, run: make}]\n"
    first, second = nodes_of(plan(gate + "  - {id: b, kind: test-run-gate, steps: *s}\n"))
    assert first.steps == second.steps
    assert problems(plan("  - &a {id: a, kind: change}\n  - {<<: *a, id: b, kind: change}\n")) == [
        "5:6: merge keys are not taken (write the fields out)"
    ]
    assert problems(plan("  - {id: a, kind: change, title: !!str 3}\n")) == [
        "4:34: tags are not taken: every value is the text it is (take tag:yaml.org,2002:str out)"
    ]


def test_control_characters_are_said_wherever_they_come_from() -> None:
    assert problems(plan('  - {id: a, kind: change, title: "a\\x1b[31mb"}\n').replace("plan: p", "plan: p\x07")) == [
        "2:8: the character U+0007 cannot stand in a document (take it out)",
        "4:34: the character U+001B cannot stand in a text (take it out)",
    ]


def test_json_is_a_document_too() -> None:
    (node,) = nodes_of(
        '{"schema": 1, "plan": "p", "nodes": [{"id": "a", "kind": "change", "title": "\\ud83d\\ude00"}]}'
    )
    assert node.title == "\U0001f600"


def test_ten_thousand_nodes_are_read_in_reasonable_time() -> None:
    node = "  - id: n{0}\n    kind: change\n    title: 'Node {0}: x'\n    brief: |\n      Some text\n      more\n"
    first, *rest = range(10_000)
    text = plan(node.format(first) + "".join(f"{node.format(n)}    depends_on: [n{n - 1}]\n" for n in rest))
    begun = time.perf_counter()
    assert len(nodes_of(text)) == 10_000
    assert time.perf_counter() - begun < 20
