"""`stoat node …` as a process: a flag for every field, the guards, and how a node is shown."""

from __future__ import annotations

from stoat.cli.node import FLAGS
from stoat.plan.nodes import Node
from tests.support.command import Ran, Stoat


def test_there_is_a_flag_for_every_field_named_like_it(stoat: Stoat) -> None:
    assert sorted(FLAGS) == sorted(set(Node.__struct_fields__) - {"id", "kind"})
    lists = {"specs": "spec", "steps": "step", "skills": "skill"}
    assert {field: flag for field, (_, flag, _) in FLAGS.items()} == {
        field: "--" + lists.get(field, field).replace("_", "-") for field in FLAGS
    }
    help_text = stoat.ok("node", "add", "--help")
    assert [flag for _, flag, _ in FLAGS.values() if f"  {flag} " not in help_text] == []


def test_a_gate_with_everything_is_added(stoat: Stoat) -> None:
    flags = [
        *("--kind", "test-run-gate", "--title", "More suites", "--repo", "o/r", "--brief", "Look.\nTwice."),
        *("--depends-on", "parser,demo/suite", "--depends-on", "send", "--uses", "heavy", "--model", "opus"),
        *(
            "--skill",
            "testing",
            "--reverify",
            "on-branch-change",
            "--exclusive",
            "machine",
            "--discovered-from",
            "suite",
        ),
        *("--step", "build=make all", "--step", "manual", "--step-cwd", "build=src", "--step-timeout", "build=20m"),
        *("--step-env", "build:A=1=2", "--step-env", "build:B=", "--step-title", "manual=By hand"),
    ]
    assert stoat.run("node", "add", "demo/more", *flags) == Ran(0, "demo: 1 change\n  + more (test-run-gate)\n", "")
    assert stoat.ok("plan", "export", "demo").split("  - id: more\n")[1] == (
        "    kind: test-run-gate\n"
        "    title: More suites\n"
        "    repo: o/r\n"
        "    reverify: on-branch-change\n"
        "    exclusive: machine\n"
        "    uses: [heavy]\n"
        "    model: opus\n"
        "    skills: [testing]\n"
        "    brief: |\n"
        "      Look.\n"
        "      Twice.\n"
        "    steps:\n"
        "      - id: build\n"
        "        run: make all\n"
        "        cwd: src\n"
        "        env:\n"
        "          A: 1=2\n"
        "          B: ''\n"
        "        timeout: 20m\n"
        "      - id: manual\n"
        "        title: By hand\n"
        "    depends_on: [parser, suite, send]\n"
        "    discovered_from: suite\n"
    )


def test_each_other_kind_is_added_with_its_fields(stoat: Stoat) -> None:
    for node, *flags in (
        ("demo/i", "--kind", "issue", "--repo", "o/r", "--issue", "3", "--merge", "manual-review", "--agent", "cloud"),
        ("demo/q", "--kind", "pr", "--repo", "o/r", "--pr", "4"),
        ("demo/u", "--kind", "publish", "--package", "@a/b", "--version", "1.10", "--feed", "npmjs.org"),
        ("demo/v", "--kind", "publish", "--package", "@a/b", "--feed", "local", "--rehearses", "u"),
        ("demo/w", "--kind", "publish", "--package", "X", "--bump", "fix"),
        ("demo/c", "--kind", "consume", "--package", "X", "--repo", "o/r", "--manifest", "a.json", "--branch", "10.0",
         "--bumped-by", "q"),
        ("demo/s", "--kind", "slice", "--pattern", "view", "--spec", "F, with comma/S", "--assignee", "person"),
        ("demo/r", "--kind", "review"),
        ("demo/p", "--kind", "person"),
    ):  # fmt: skip
        assert stoat.run("node", "add", node, *flags).code == 0, node
    nodes = {node["id"]: node for node in stoat.json("plan", "show", "demo")["nodes"]}
    assert (nodes["u"]["version"], nodes["s"]["specs"], nodes["c"]["bumpedBy"]) == ("1.10", ["F, with comma/S"], "q")


def test_all_problems_of_a_node_are_said_at_once(stoat: Stoat) -> None:
    assert stoat.run("node", "add", "demo/x", "--kind", "slice", "--bump", "fix", "--depends-on", "parsre") == Ran(
        3,
        "",
        "`bump` does not belong to a slice node (it is for publish)\n"
        "there is no node 'parsre' in this plan (did you mean 'parser'?)\n",
    )
    assert stoat.run("node", "add", "demo/x", "--kind", "slise").err == (
        "there is no kind 'slise' (did you mean 'slice'?)\n"
    )
    assert stoat.run("node", "add", "demo/Bad Id", "--kind", "slice").code == 3
    assert stoat.run("node", "add", "demo/x", "--kind", "change", "--step-cwd", "t=src").code == 2
    assert stoat.run("node", "add", "demo/x").code == 2


def test_a_change_replaces_a_node_whole(stoat: Stoat) -> None:
    assert stoat.run("node", "change", "demo/parser", "--kind", "change", "--title", "T") == Ran(
        0, "demo: 1 change\n  ~ parser: title, brief\n", ""
    )
    assert stoat.run("node", "change", "demo/parser", "--kind", "change", "--title", "T", "--json") == Ran(
        0, '{"plan":"demo","changes":[],"warnings":[]}\n', ""
    )


def test_nodes_are_linked_unlinked_bound_and_removed(stoat: Stoat) -> None:
    assert stoat.run("node", "link", "demo/film", "--on", "bare") == Ran(
        0, "demo: 1 change\n  ~ film: waits for bare\n", ""
    )
    assert stoat.run("node", "link", "demo/parser", "--on", "demo/suite") == Ran(
        3,
        "",
        "demo/parser cannot wait for demo/suite: a cycle: parser → suite → parser\n"
        "hint: take one of these dependencies out\n",
    )
    assert stoat.run("node", "remove", "demo/bare") == Ran(
        3,
        "",
        "demo/bare cannot be removed: film depends on it\n"
        "hint: drop the dependency first: stoat node unlink demo/film --on bare\n",
    )
    assert stoat.ok("node", "unlink", "demo/film", "--on", "bare") == (
        "demo: 1 change\n  ~ film: no longer waits for bare\n"
    )
    assert stoat.ok("node", "remove", "demo/bare") == "demo: 1 change\n  - bare\n"
    assert stoat.ok("node", "bind", "demo/bug", "--issue", "9") == "demo: 1 change\n  ~ bug: bound to #9\n"
    assert stoat.run("node", "bind", "demo/bug").code == 2


def test_a_node_is_shown(stoat: Stoat) -> None:
    shown = stoat.json("node", "show", "demo/parser")
    assert (shown["plan"], shown["id"], shown["brief"], shown["dependents"]) == (
        "demo", "parser", "Write it.", [{"plan": "demo", "node": "suite"}],
    )  # fmt: skip
    text = stoat.ok("node", "show", "demo/parser")
    assert text.splitlines()[0] == "FIELD      VALUE"
    assert "unblocks   demo/suite" in text
    assert text.endswith("\n\nWrite it.\n")
    assert stoat.run("node", "show", "demo/gone").code == 3
