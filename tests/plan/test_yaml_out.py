"""Writing documents: byte for byte the same, and read back the same plan, whatever its texts look like."""

from __future__ import annotations

import io
from typing import Any

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from ruamel.yaml import YAML

from stoat.plan.commands import leaves_quote_open
from stoat.plan.diff import diff
from stoat.plan.document import parse
from stoat.plan.events.plans import PlanCreated
from stoat.plan.nodes import Header, Node, Repo, Resource, Step
from stoat.plan.normal import normal_header, normal_node
from stoat.plan.state import Mark, NodeState, PlanState
from stoat.plan.yaml_out import NODE_ORDER, scalar, write

HOSTILE = [
    "1.10", "yes", "No", "~", "null", "", " ", "0123", "0x1F", "1e5", "12:30:45", "2001-01-01", "true", "=", "<<", "-",
    "- a", "? a", "a: b", "a:", ":a", "#a", "a #b", "a#b", "'", '"', "it's", '"quoted"', "\\", "\\n", "[a]", "{a}",
    "a, b", "@a", "`a`", "%a", "&a", "*a", "!a", "|", ">", "|\n a", "---", "...", "ünïcödé", "😀", "\u00a0",
    "\u2028", "\ufeff", "\u202e", "tab\there", "\tx", "line\nline", "line\n\n\nline\n", "\nfirst", " first\nsecond",
    "a\n b\n  c", "a \nb",
    "# heading\n\n- x: y\n", "é" * 200, "x" * 500, "a\n\tb", "\x85", "a\u2029b", "a\n\u2028\nb", "-1", "+.5", ".inf",
]  # fmt: skip
TEXTS = st.one_of(
    st.sampled_from(HOSTILE),
    st.text(st.characters(exclude_categories=("Cs", "Cc", "Cn"), include_characters="\n\t"), max_size=40),
)
LINES = TEXTS.map(lambda text: " ".join(text.split()))
IDS = st.from_regex(r"[a-z0-9]([a-z0-9_-]{0,6}[a-z0-9])?", fullmatch=True)
NAMES = st.from_regex(r"[A-Z_a-z][A-Z_a-z0-9]{0,6}", fullmatch=True).filter(
    lambda name: name.upper() != "BOBCAT_RUN_TAG"
)
STEPS = st.builds(
    Step,
    id=IDS,
    title=st.none() | LINES,
    # A quote that nothing closes is refused when a plan is written.
    run=st.none() | TEXTS.filter(lambda text: not leaves_quote_open(text)),
    cwd=st.none() | st.sampled_from(["src", "a b/c", "1.10", "yes"]),
    env=st.dictionaries(NAMES, TEXTS, max_size=2),
    timeout=st.sampled_from([None, "20m", "00:20:00"]),
)


@st.composite
def plans(draw: st.DrawFn) -> tuple[Header, tuple[Node, ...]]:
    """A plan that is right, with texts that are not kind."""
    header = Header(
        plan="hostile",
        title=draw(st.none() | LINES),
        color=draw(st.sampled_from([None, "#3b82f6", "teal"])),
        repos={"r": Repo("o/r", draw(st.sampled_from([None, "10.0", "main", "yes"]))), "1.0": Repo("o/1.0")},
        branch=draw(st.sampled_from([None, "10.0", "no", "feature/x", "#1"])),
        resources={"yes": Resource(2, "machine"), "pg": Resource(1)},
        skills=tuple(draw(st.lists(LINES, max_size=2))),
        go_ahead=draw(st.sampled_from(["node", "plan"])),
    )
    nodes: list[Node] = []
    for node_id in draw(st.lists(IDS, unique=True, max_size=5)):
        fields: dict[str, Any] = {
            "id": node_id,
            "title": draw(st.none() | LINES),
            "brief": draw(st.none() | TEXTS),
            "depends_on": tuple(node.id for node in nodes if draw(st.booleans())),
            "skills": tuple(draw(st.lists(LINES, max_size=2))),
            "uses": draw(st.sampled_from([(), ("pg",), ("yes", "heavy")])),
        }
        kind = draw(st.sampled_from(["change", "test-run-gate", "slice", "publish", "issue", "consume"]))
        if kind in ("change", "test-run-gate"):
            fields["steps"] = tuple(draw(st.lists(STEPS, max_size=3, unique_by=lambda step: step.id)))
        elif kind == "slice":
            fields["specs"] = tuple(f"F {text}/S {text}" for text in draw(st.lists(LINES, max_size=2)))
        elif kind == "publish":
            fields |= {
                "package": "@a/b",
                "version": draw(st.sampled_from(["1.10", "3.0", "0.2.0", "1e3", "v1", "007"])),
            }
        elif kind == "issue":
            fields |= {"repo": "r", "issue": draw(st.integers(1, 2**31 - 1)), "merge": "merge-on-green"}
        else:
            fields |= {"repo": "1.0", "package": "X", "branch": "net11", "manifest": "a b/package.json"}
        nodes.append(Node(kind=kind, **fields))
    written = tuple(normal_node(node, "hostile") for node in nodes)
    assume(not any(leaves_quote_open(step.run or "") for node in written for step in node.steps))
    return normal_header(header), written


def state_of(header: Header, nodes: tuple[Node, ...]) -> PlanState:
    mark = Mark("Ada", "2026-01-01T00:00:00.000Z")
    return PlanState(header=header, created=mark, nodes={node.id: NodeState(spec=node, added=mark) for node in nodes})


@settings(max_examples=150, deadline=None)
@given(plans())
def test_an_export_imported_back_records_nothing_and_is_the_same_to_the_byte(
    plan: tuple[Header, tuple[Node, ...]],
) -> None:
    header, nodes = plan
    text = write(header, nodes)
    document = parse(text)
    assert document.all_problems({}) == []
    assert document.plan() == (header, nodes)
    assert diff(*document.plan(), state_of(header, nodes)) == []
    assert write(*document.plan()) == text
    assert text.encode().decode() == text


@settings(deadline=None)
@given(TEXTS)
def test_any_text_read_by_any_reader_is_that_text(text: str) -> None:
    written = f"a: {scalar(text)}\n"
    for version in ("1.1", "1.2"):
        reader = YAML(typ="safe", pure=True)
        reader.version = version
        assert reader.load(io.StringIO(written)) == {"a": text}, written


@pytest.mark.parametrize(
    ("text", "written"),
    [
        ("dotnet test --project src/X -f net9.0", "dotnet test --project src/X -f net9.0"),
        ("0.2.0", "0.2.0"),
        ("1.10", "'1.10'"),
        ("Stoat's suites", "Stoat's suites"),
        ("x: y", "'x: y'"),
        ("it's: so", "'it''s: so'"),
        ("Host=localhost;Port=5433", "Host=localhost;Port=5433"),
        ("a\nb ", '"a\\nb "'),
        ("\u202eevil", '"\\u202eevil"'),
    ],
)  # fmt: skip
def test_a_text_is_in_quotes_only_where_it_needs_them(text: str, written: str) -> None:
    assert scalar(text) == written


def test_a_document_looks_as_a_person_would_write_it() -> None:
    header = Header(
        plan="p", title="A plan", repos={"a": Repo("o/a"), "b": Repo("o/b", "3.0")}, resources={"pg": Resource(1)}
    )
    gate = Node(
        id="g", kind="test-run-gate", repo="a", uses=("pg",), brief="First.\n\n- second", depends_on=("x", "q/y"),
        steps=(Step(id="t", run="make test", env={"A": "1"}, timeout="20m"), Step(id="u")),
    )  # fmt: skip
    assert write(header, (gate,)) == (
        "schema: 1\n"
        "plan: p\n"
        "title: A plan\n"
        "repos:\n"
        "  a: o/a\n"
        "  b: { repo: o/b, branch: '3.0' }\n"
        "resources:\n"
        "  pg: { capacity: 1 }\n"
        "nodes:\n"
        "  - id: g\n"
        "    kind: test-run-gate\n"
        "    repo: a\n"
        "    uses: [pg]\n"
        "    brief: |\n"
        "      First.\n"
        "\n"
        "      - second\n"
        "    steps:\n"
        "      - id: t\n"
        "        run: make test\n"
        "        env:\n"
        "          A: '1'\n"
        "        timeout: 20m\n"
        "      - id: u\n"
        "    depends_on: [x, q/y]\n"
    )
    assert write(Header(plan="p"), ()) == "schema: 1\nplan: p\nnodes: []\n"


def test_every_field_of_a_node_has_its_place_in_a_document() -> None:
    assert sorted(NODE_ORDER) == sorted(Node.__struct_fields__)


def test_decisions_are_never_written() -> None:
    mark = Mark("Ada", "2026-01-01T00:00:00.000Z")
    plan = PlanCreated(header=Header(plan="p")).begin()
    plan.nodes["a"] = NodeState(
        spec=Node(id="a", kind="change"), added=mark, go_ahead=mark, expedited=mark, cloud=mark, done=mark
    )
    assert write(plan.header, (state.spec for state in plan.nodes.values())) == (
        "schema: 1\nplan: p\nnodes:\n  - id: a\n    kind: change\n"
    )
