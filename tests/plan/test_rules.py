"""The rules of headers, nodes, steps and branch names, one by one; whole documents are in test_document."""

from __future__ import annotations

from typing import Any

import pytest

from stoat.plan.nodes import FIELDS_OF, KINDS, Header, Node, Repo, Resource, Step
from stoat.plan.rules.branches import branch_problem, plan_branch_problem
from stoat.plan.rules.finding import did_you_mean
from stoat.plan.rules.header import check_header
from stoat.plan.rules.node import check_node
from stoat.plan.validate import check_header_alone, check_one, doubts

HEADER = Header(plan="p", repos={"a": Repo("o/a")}, resources={"pg": Resource(1)})
VALUES: dict[str, Any] = {
    "agent": "cloud", "assignee": "person", "branch": "net11", "brief": "x", "bump": "minor", "bumped_by": "n",
    "depends_on": ("m",), "discovered_from": "n", "exclusive": "machine", "feed": "npmjs.org", "issue": 1,
    "manifest": "a/b.json", "merge": "manual-review", "model": "opus", "package": "X", "pattern": "view", "pr": 1,
    "rehearses": "n", "repo": "a", "reverify": "on-branch-change", "skills": ("s",), "specs": ("F/S",),
    "steps": (Step(id="t"),), "title": "x", "uses": ("pg",), "version": "1.0",
}  # fmt: skip
NEEDED: dict[str, dict[str, Any]] = {
    "publish": {"package": "X", "bump": "fix"},
    "consume": {"package": "X", "repo": "a"},
}


def said(node: Node, header: Header = HEADER) -> list[tuple[str, str]]:
    """What is wrong with a node: (field, what)."""
    return [(".".join(map(str, found.path)), found.what) for found in check_node(node, header)]


def test_every_field_is_taken_by_its_kinds_and_refused_by_all_others() -> None:
    for kind in KINDS:
        for field, value in VALUES.items():
            node = Node(**{"id": "n", "kind": kind, **NEEDED.get(kind, {}), field: value})
            foreign = [found for found in said(node) if "does not belong" in found[1]]
            expected = [] if kind in FIELDS_OF[field] else [(field, f"`{field}` does not belong to a {kind} node")]
            assert foreign == expected
    assert {*VALUES, "id", "kind"} == set(FIELDS_OF) == set(Node.__struct_fields__)


@pytest.mark.parametrize(
    ("fields", "wrong"),
    [
        ({"bump": "fix"}, []),
        ({"version": "1.10"}, []),
        ({"rehearses": "real", "feed": "local"}, []),
        ({"feed": "local"}, []),
        ({}, [("version", "nothing says which version it is")]),
        ({"feed": "npmjs.org"}, [("version", "nothing says which version it is")]),
        ({"bump": "fix", "version": "1"}, [("version", "`bump` and `version` both say which version it is")]),
        ({"version": "1", "rehearses": "r"}, [("rehearses", "`version` and `rehearses` both say which version it is")]),
        ({"version": "^1.2"}, [("version", "'^1.2' is not an exact version")]),
        ({"bump": "fix", "feed": "no feed"}, [("feed", "'no feed' is not a feed's name")]),
    ],
)
def test_a_publish_says_its_version_in_one_way(fields: dict[str, Any], wrong: list[tuple[str, str]]) -> None:
    assert said(Node(id="n", kind="publish", package="X", **fields)) == wrong


@pytest.mark.parametrize(
    ("fields", "wrong"),
    [
        ({"specs": ("Feature/Scenario", "A/b/c")}, []),
        ({"specs": ("F/S", "F/", "/S", "F")}, [
            ("specs.1", "'F/' is not a spec"), ("specs.2", "'/S' is not a spec"), ("specs.3", "'F' is not a spec"),
        ]),
        ({"pattern": "queue"}, [("pattern", "'queue' is no pattern")]),
        ({"repo": "b"}, [("repo", "'b' is no repository of the plan")]),
        ({"repo": "o/b"}, []),
        ({"uses": ("pg", "heavy")}, []),
        ({"uses": ("redis",)}, [("uses.0", "there is no resource 'redis'")]),
        ({"title": "a\nb"}, [("title", "`title` goes over more than one line")]),
        ({"model": "a b"}, [("model", "`model` has white space in it: 'a b'")]),
        ({"agent": "cloud", "assignee": "person"},
         [("agent", "`agent: cloud` and `assignee: person` exclude each other")]),
    ],
)  # fmt: skip
def test_a_slice_is_checked(fields: dict[str, Any], wrong: list[tuple[str, str]]) -> None:
    assert said(Node(id="n", kind="slice", **fields)) == wrong


@pytest.mark.parametrize("cwd", ["src", "src/a b", ".", "a..b"])
def test_a_step_may_run_in_a_directory_of_the_repository(cwd: str) -> None:
    assert said(Node(id="n", kind="change", steps=(Step(id="t", cwd=cwd),))) == []


@pytest.mark.parametrize("cwd", ["..", "a/../b", "/etc", "~/x", "C:/x", "a\\b", "../x"])
def test_no_step_climbs_out_of_the_repository(cwd: str) -> None:
    (wrong,) = said(Node(id="n", kind="change", steps=(Step(id="t", cwd=cwd),)))
    assert wrong[0] == "steps.0.cwd"


@pytest.mark.parametrize("name", ["BOBCAT_RUN_TAG", "bobcat_run_tag", "1A", "A-B", "A B", "", "A=B"])
def test_a_steps_variables_have_names_that_are_ones_and_not_the_tag(name: str) -> None:
    (wrong,) = said(Node(id="n", kind="test-run-gate", steps=(Step(id="t", env={name: "x"}),)))
    assert wrong[0] == f"steps.0.env.{name}"


@pytest.mark.parametrize("timeout", ["20m", "90s", "1h30m", "00:20:00"])
def test_a_timeout_is_a_duration(timeout: str) -> None:
    assert said(Node(id="n", kind="change", steps=(Step(id="t", timeout=timeout),))) == []


@pytest.mark.parametrize("timeout", ["20", "soon", "0s", "1:2", "-1m"])
def test_anything_else_is_no_timeout(timeout: str) -> None:
    (wrong,) = said(Node(id="n", kind="change", steps=(Step(id="t", timeout=timeout),)))
    assert wrong[0] == "steps.0.timeout"


@pytest.mark.parametrize("command", ["", "  ", "\n"])
def test_a_step_without_a_command_leaves_run_out(command: str) -> None:
    assert said(Node(id="n", kind="change", steps=(Step(id="t", run=command),))) == [
        ("steps.0.run", "the step's command is empty")
    ]


NEVER = [
    *("main", "Main", "MAIN", "master", "trunk", "develop", "HEAD", "head", "refs/heads/main", "heads/main"),
    *("origin/main", "ORIGIN/Main", "refs/remotes/origin/main", "remotes/origin/master", "upstream/develop"),
    *("stoat", "stoat/state", "Stoat/p", "stoat/p/n", "refs/heads/stoat/x", "refs/heads/mine", "origin/mine"),
    *(
        "a b",
        "a..b",
        "a~b",
        "a^b",
        "a:b",
        "a?b",
        "a*b",
        "a[b",
        "a\\b",
        "/a",
        "a/",
        "a//b",
        ".a",
        "a/.b",
        "a.",
        "a.lock",
    ),
    *("FETCH_HEAD", "origin/HEAD", "a" * 40, "B" * 64),
    *("a/b.lock/c", "@", "a@{b", "-a", "a\x07", "a\n"),
]


@pytest.mark.parametrize("name", NEVER)
def test_no_plan_lands_on_a_default_branch_or_in_the_way_of_nodes_or_on_what_git_refuses(name: str) -> None:
    assert plan_branch_problem(name) is not None


@pytest.mark.parametrize(
    "name", ["net11", "10.0", "feature/x", "main-2", "mainline", "users/main", "stoat-next", "ü", "fork/x"]
)
def test_any_other_branch_may_be_a_plans(name: str) -> None:
    assert plan_branch_problem(name) is None


def test_the_repositorys_real_default_branch_is_refused_too() -> None:
    assert plan_branch_problem("Stable", default="stable") is not None
    assert plan_branch_problem("origin/stable", default="stable") is not None
    assert plan_branch_problem("stable", default="main") is None


def test_the_name_of_any_remote_is_no_part_of_a_branchs_own_name() -> None:
    assert "write 'x'" in (plan_branch_problem("Fork/x", remotes=["fork"]) or "")
    assert "people merge there" in (plan_branch_problem("fork/stable", "stable", ["fork"]) or "")


def test_a_pin_may_be_read_from_main() -> None:
    assert branch_problem("main") is None
    assert branch_problem("refs/heads/main") is not None
    header = Header(plan="p", repos={"a": Repo("o/a", "main")})
    assert list(check_header(header)) == []


def test_a_header_that_lacks_what_a_node_needs_is_refused() -> None:
    nodes = {"n": Node(id="n", kind="slice", repo="b", uses=("pg",))}
    assert [found.what for found in check_header_alone(Header(plan="p"), nodes)] == [
        "n needs it: 'b' is no repository of the plan",
        "n needs it: there is no resource 'pg'",
    ]


def test_a_repository_has_one_branch_whatever_its_aliases() -> None:
    header = Header(plan="p", repos={"a": Repo("o/r", "x"), "b": Repo("O/R", "y"), "c": Repo("o/r", "x")})
    assert [(found.path, found.at_key) for found in check_header(header)] == [(("repos", "b"), True)]


def test_heavy_is_every_plans_and_a_capacity_is_at_least_one() -> None:
    header = Header(plan="p", resources={"heavy": Resource(1), "a": Resource(0), "b": Resource(1, "plan")})  # type: ignore[arg-type]
    assert [".".join(map(str, found.path)) for found in check_header(header)] == [
        "resources.heavy", "resources.a.capacity", "resources.b.scope",
    ]  # fmt: skip


def test_characters_that_a_terminal_would_obey_are_refused_in_a_node_of_its_own() -> None:
    node = Node(id="n", kind="change", title="a\x1b[31m", steps=(Step(id="t", env={"A": "\0"}),))
    assert [found.path for found in check_one(HEADER, node, {"n": node}, {})] == [
        ("title",), ("steps", 0, "env", "A"),
    ]  # fmt: skip


def test_what_is_allowed_and_probably_not_meant_is_a_warning() -> None:
    nodes = [Node(id="i", kind="issue", issue=3), Node(id="j", kind="issue"), Node(id="c", kind="consume", package="X")]
    assert doubts(nodes) == [
        "i: issue 3 of which repository? Without `repo` nobody can look it up",
        "c: the pin of which repository? Without `repo` nobody can read it",
    ]


def test_a_near_miss_is_asked_about() -> None:
    assert did_you_mean("depend_on", ("depends_on", "brief")) == "did you mean 'depends_on'?"
    assert did_you_mean("zzz", ("depends_on", "brief")) is None


@pytest.mark.parametrize("command", ["pytest -k 'a", 'make "all', "make && echo 'x\ny", "echo it's"])
def test_a_steps_command_closes_its_quotes(command: str) -> None:
    assert said(Node(id="n", kind="change", steps=(Step(id="t", run=command),))) == [
        ("steps.0.run", "a quote in the step's command is never closed")
    ]


@pytest.mark.parametrize(
    "command",
    [
        "echo 'a' \"b\"",
        "make # don't",
        "cat <<E\nit's\nE",
        "echo $'it\\'s'",
        'echo "$(echo "it\'s")"',
        "echo it\\'s",
        "a \\",
    ],
)
def test_a_quote_that_a_shell_would_find_closed_is_no_problem(command: str) -> None:
    assert said(Node(id="n", kind="change", steps=(Step(id="t", run=command),))) == []
