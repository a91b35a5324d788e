"""What workers are started with, seen through whole runs: what is said of it, and what each of them gets."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest

from stoat.runner import builtin
from tests.runner.conftest import World

ONE = "nodes: [{id: a, kind: change}]"
ARGV = "tell('argv', __import__('json').dumps(sys.argv[2:])); commit(NODE)"
FULL: dict[str, Any] = {
    "modelArguments": ["--model", "{model}"], "leanArguments": ["--bare"], "skillArguments": ["--skills", "{skills}"],
    "mcpArguments": ["--mcp", "{mcp}"],
}  # fmt: skip


def argv_of(world: World, node: str) -> list[str]:
    """The arguments that the node's agent got after its prompt."""
    told = next(words for words in world.told() if words[1] == node and words[4] == "argv")
    given: list[str] = json.loads(" ".join(told[5:]))
    return given


@pytest.mark.parametrize(
    ("header", "fields", "given", "banner", "line"),
    [
        ("", {"defaultModel": "d"}, {}, "workers ask for d unless the plan or a node names one", "· d ·"),
        ("model: p\n", {"defaultModel": "d"}, {}, "workers ask for p unless a node names another", "· p ·"),
        ("model: p\n", {}, {"model": "r"}, "workers ask for r unless a node names another", "· r ·"),
        ("", {}, {"lean": True}, "whose own setting decides the model · lean", "decides the model · lean ·"),
        ("", {"defaultModel": "d"}, {"lean": True}, "names one · lean", "· d · lean ·"),
    ],
)  # fmt: skip
def test_the_model_and_lean_are_said_at_start_and_on_each_launch_line(
    header: str, fields: dict[str, Any], given: dict[str, Any], banner: str, line: str, world: World
) -> None:
    world.plan(f"{header}{ONE}")
    world.profile_as(**FULL, **fields)
    assert world.run(**given) == 0
    assert world.said("workers", banner)
    assert world.said("→ attempt 1 on 'a'", line)


def test_a_tool_that_takes_no_model_has_nothing_said_of_one(world: World) -> None:
    world.plan(ONE)
    assert world.run() == 0
    assert world.said("workers run on scripted")[0].endswith(")")
    assert world.said("→ attempt 1 on 'a' · scripted · from")


def test_each_worker_is_handed_a_server_that_serves_its_own_node(world: World) -> None:
    world.plan("nodes: [{id: a, kind: change}, {id: b, kind: change}]")
    world.profile_as(**FULL)
    for node in "ab":
        world.agent(node, ARGV)
    assert world.run() == 0
    for node in "ab":
        flag, value = argv_of(world, node)
        server = json.loads(value)["mcpServers"]["stoat"]
        assert (flag, server["args"]) == ("--mcp", ["mcp", "--profile", "worker"])
        assert os.access(server["command"], os.X_OK)
        assert {name: server["env"][name] for name in ("STOAT_PLAN", "STOAT_NODE", "STOAT_AGENT", "STOAT_CLAIM")} == {
            "STOAT_PLAN": "p", "STOAT_NODE": node, "STOAT_AGENT": "stoat-runner",
            "STOAT_CLAIM": world.node(node).attempt.claim,  # type: ignore[union-attr]
        }  # fmt: skip


def test_a_lean_worker_gets_the_skills_that_are_installed_and_is_told_their_names_there(world: World) -> None:
    home = Path.home()  # the test's own
    (home / ".claude" / "skills" / "tdd").mkdir(parents=True)
    (home / ".claude" / "skills" / "tdd" / "SKILL.md").write_text("---\nname: tdd\ndescription: x\n---\n")
    world.plan("skills: [tdd, gone]\nnodes: [{id: a, kind: change}]")
    world.profile_as(**FULL)
    world.agent("a", ARGV + "; tell('told', 'stoat:tdd' in PROMPT.splitlines() and 'gone' in PROMPT.splitlines())")
    assert world.run(lean=True) == 0
    plugin = home / ".stoat" / "worker-skills" / "p"
    assert argv_of(world, "a")[0] == "--bare" and argv_of(world, "a")[-2:] == ["--skills", str(plugin)]
    assert [entry.name for entry in (plugin / "skills").iterdir()] == ["tdd"]
    assert [words[5] for words in world.told() if words[4] == "told"] == ["True"]
    assert world.said("1 skill of the plan is not installed in", ".claude/skills: gone")


def test_a_posture_that_denies_our_tools_is_said_once(world: World) -> None:
    world.plan("nodes: [{id: a, kind: change}, {id: b, kind: change}]")
    world.profile_as(**FULL, result="claude-json", postureFlags=["--allowedTools"])
    assert world.run(agent_args=("--allowedTools", "Bash")) == 0
    assert len(world.said("denies agents the tools of Stoat's MCP server", "mcp__stoat")) == 1
    world.lines.clear()
    world.run(agent_args=("--allowedTools", "Bash,mcp__stoat"))
    assert not world.said("denies agents")


def test_an_address_that_a_launcher_has_no_use_for_is_said(world: World) -> None:
    world.plan(ONE)
    assert world.run(url="http://127.0.0.1:1") == 0
    assert world.said("--url is not used: scripted takes no MCP server")


def test_the_claude_on_the_path_is_started_with_everything_it_needs(world: World) -> None:
    """The built-in profile as a person runs it, with a program of that name that plays Claude Code."""
    world.plan(f"branch: i\n{ONE}")
    bin_directory = world.place / "bin"
    bin_directory.mkdir()
    place = bin_directory / "claude"
    place.write_text(
        "#!/bin/sh\n"
        'printf "%s\\n" "$@" > "$TOLD-argv"\n'
        "echo x > a.txt && git add a.txt && git commit -q -m work\n"
        'echo \'{"type":"result","is_error":false,"result":"Done.","session_id":"s","total_cost_usd":0.5}\'\n'
    )
    place.chmod(0o755)
    world.environ["PATH"] = f"{bin_directory}{os.pathsep}{world.environ['PATH']}"
    world.profile = builtin.CLAUDE
    assert world.run(agent_args=("--dangerously-skip-permissions",), limits={"budget_usd": 2}) == 0
    lines = Path(f"{world.told_at}-argv").read_text().splitlines()
    end = lines.index("--output-format")
    session = world.node("a").attempt.session  # type: ignore[union-attr]
    assert lines[0] == "-p" and lines[1].startswith("You work")
    assert lines[end : end + 10] == [
        "--output-format", "stream-json", "--verbose", "--model", "claude-sonnet-5-5", "--max-budget-usd", "2",
        "--session-id", session, "--mcp-config",
    ]  # fmt: skip
    assert lines[-1] == "--dangerously-skip-permissions"
    assert world.node("a").spent_usd == 0.5
    assert world.statuses() == {"a": "done"}
