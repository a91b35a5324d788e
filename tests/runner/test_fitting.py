"""What a run asks of its launcher and that cannot give, refused before anything is claimed and all at once."""

from __future__ import annotations

import http.server
import os
import threading
from pathlib import Path
from typing import Any

import pytest

from stoat.derive.limits import Limits
from stoat.derive.schedule import Scope
from stoat.errors import Refused
from stoat.plan.state import PlanState
from stoat.runner import fitting
from stoat.runner.builtin import BUILT_IN, CLAUDE, CODEX
from stoat.runner.options import RunOptions
from stoat.runner.profiles import Profile
from tests.support.states import node, plan

STUB = 'echo "Error: claude native binary not installed." >&2\nexit 1\n'


@pytest.fixture
def programs(tmp_path: Path) -> Path:
    """A directory for the PATH with scripts named as the three tools, none of which may be run."""
    place = tmp_path / "bin here"
    place.mkdir()
    for name in BUILT_IN:
        program(place, name, f"#!/bin/sh\ntouch '{tmp_path}/was-run'\n")
    return place


def program(place: Path, name: str, text: str) -> None:
    (place / name).write_text(text)
    (place / name).chmod(0o755)


def tool(place: Path, name: str, says: str) -> None:
    """A tool whose start looks like a script of node's, so that it is asked for its version. `node` says it."""
    program(place, name, "#!/usr/bin/env node\n")
    program(place, "node", f"#!/bin/sh\n{says}\n")


def refusal(place: Path, asked: dict[str, Any], of: PlanState | None = None, **environ: str) -> tuple[str, str]:
    """What the run is refused with, and the hint; empty when it is not."""
    asked = {"profile": CLAUDE, **asked}
    options = RunOptions(plan="p", project=place, **asked)
    planned = of or plan("p")
    path = os.pathsep.join([str(place), "/usr/bin", "/bin"])
    try:
        fitting.check(options, planned, list(planned.nodes), {"PATH": path, **environ})
    except Refused as refused:
        return refused.message, refused.hint or ""
    return "", ""


ASKS = ("--permission-mode", "acceptEdits")
WRITES = ("-s", "workspace-write")
BARE = Profile(name="bare", command="claude", arguments=("{prompt}",))


@pytest.mark.parametrize(
    ("asked", "what", "do"),
    [
        ({"agent_args": ()}, "names no permission flag of claude", "--dangerously-skip-permissions, --permission-mode"),
        ({"agent_args": (), "profile": CODEX}, "names no permission flag of codex", "--approve-for-me"),
        ({"agent_args": (), "profile": BUILT_IN["gemini"]}, "no permission flag of gemini", "--yolo, -y"),
        ({"agent_args": ("--full-auto",), "profile": CODEX}, "--full-auto: codex no longer", "--sandbox workspace-"),
        ({"agent_args": ("-a", "never"), "profile": CODEX}, "-a: codex no longer takes it", "`codex exec` never asks"),
        ({"agent_args": ("--ask-for-approval=never", *WRITES), "profile": CODEX}, "--ask-for-approval: codex", "--san"),
        ({"limits": Limits(budget_usd=1), "agent_args": WRITES, "profile": CODEX}, "takes no budget", "budgetArg"),
        ({"limits": Limits(total_usd=1), "agent_args": WRITES, "profile": CODEX}, "codex reports no cost", "--max-min"),
        ({"lean": True, "agent_args": WRITES, "profile": CODEX}, "--lean: launcher codex has no way", "leave --lean"),
        ({"model": "m", "profile": BARE}, "--model asks for a model, and launcher bare takes none", "modelArguments"),
        ({"agent_command": "nobody", "agent_args": ASKS}, "there is no program nobody", "--agent-command"),
        ({"profile": Profile(name="t", command="./gone", arguments=("{prompt}",))}, "no program", "install it"),
    ],
)
def test_what_a_launcher_cannot_do_is_refused_with_what_to_do(
    asked: dict[str, Any], what: str, do: str, programs: Path
) -> None:
    said, hint = refusal(programs, asked)
    assert what in said and "\n" not in said
    assert do in hint


@pytest.mark.parametrize(
    "asked",
    [
        {"agent_args": ASKS}, {"agent_args": ("--permission-mode=auto",)}, {"agent_args": (), "allow_prompting": True},
        {"agent_args": ASKS, "limits": Limits(budget_usd=1, total_usd=5), "lean": True, "model": "m"},
        {"agent_args": ASKS, "limits": Limits(total_usd=5)}, {"agent_args": WRITES, "profile": CODEX, "model": "m"},
        {"agent_args": ("--sandbox=read-only",), "profile": CODEX}, {"profile": BARE},
        {"agent_args": ("-y",), "profile": BUILT_IN["gemini"]},
    ],
)  # fmt: skip
def test_what_a_launcher_can_do_is_not(asked: dict[str, Any], programs: Path) -> None:
    assert refusal(programs, asked) == ("", "")
    assert not (programs.parent / "was-run").exists()  # a person's own script is not asked for a version


def test_everything_is_said_at_once(programs: Path) -> None:
    limits = Limits(budget_usd=1, total_usd=5)
    said, hint = refusal(
        programs, {"profile": CODEX, "lean": True, "limits": limits, "agent_command": "nobody", "agent_args": ()}
    )
    assert [line.split(":")[0] for line in said.splitlines()] == [
        "--agent-args names no permission flag of codex", "--budget-usd", "--lean", "launcher codex",
    ]  # fmt: skip
    assert len(hint.splitlines()) == 4


@pytest.mark.parametrize(("skip", "named", "refused"), [((), "a", True), (("a",), "", False), (("b",), "a", True)])
def test_a_node_that_asks_for_a_model_counts_where_it_is_in_scope(
    skip: tuple[str, ...], named: str, refused: bool, programs: Path
) -> None:
    nodes = plan("p", node("a", spec={"model": "big"}), node("b"), node("c", "person"))
    said, hint = refusal(programs, {"profile": BARE, "scope": Scope(skip=frozenset(skip))}, nodes)
    assert said == (f"node {named} asks for big, and launcher bare takes no model" if refused else "")
    assert ("--skip a" in hint) is refused


def test_a_node_that_is_done_asks_for_nothing(programs: Path) -> None:
    options = RunOptions(plan="p", project=programs, profile=BARE)
    environ = {"PATH": str(programs)}
    fitting.check(options, plan("p", node("a", spec={"model": "big"})), [], environ)


def test_a_plan_that_asks_for_a_model_counts(programs: Path) -> None:
    assert refusal(programs, {"profile": BARE}, plan("p", header={"model": "m"}))[0].startswith(
        "the plan asks for a model"
    )


def test_a_tool_that_was_not_installed_whole_is_refused_with_what_installs_it(programs: Path) -> None:
    (programs.parent / "package" / "bin").mkdir(parents=True)
    program(programs.parent / "package" / "bin", "claude.exe", STUB)
    (programs / "claude").unlink()
    (programs / "claude").symlink_to(programs.parent / "package" / "bin" / "claude.exe")
    said, hint = refusal(programs, {"agent_args": ASKS})
    assert "only says that the tool is not installed" in said
    assert f"node {programs.parent / 'package' / 'install.cjs'}" in hint


@pytest.mark.parametrize(
    ("says", "asked", "refused"),
    [
        ("echo '2.0.29 (Claude Code)'", {"limits": Limits(budget_usd=1)}, "--max-budget-usd came with 2.0.30"),
        ("echo '2.0.29 (Claude Code)'", {}, ""),
        ("echo '2.0.30 (Claude Code)'", {"limits": Limits(budget_usd=1)}, ""),
        ("echo something else", {"limits": Limits(budget_usd=1)}, ""),
        ("echo '1.0.0'; exit 1", {"limits": Limits(budget_usd=1)}, ""),
        ("echo", {}, ""),
        ("echo 0.40.0", {"profile": BUILT_IN["gemini"], "agent_args": ("-y",)}, "--session-id came with 0.41.0"),
        ("echo 0.41.0", {"profile": BUILT_IN["gemini"], "agent_args": ("-y",)}, ""),
    ],
)
def test_a_version_that_does_not_know_a_flag_is_refused_and_an_unknown_one_is_not(
    says: str, asked: dict[str, Any], refused: str, programs: Path
) -> None:
    for name in BUILT_IN:
        tool(programs, name, says)
    said, hint = refusal(programs, {"agent_args": ASKS, **asked})
    assert (refused in said and bool(said)) if refused else said == ""
    assert ("bring it up to date" in hint) is bool(refused)


GREETING = b'{"jsonrpc": "2.0", "id": 1, "result": {"protocolVersion": "2025-11-25"}}'


@pytest.mark.parametrize(("body", "why"), [(GREETING, None), (b"<html>", "does not speak MCP")])
def test_a_host_that_serves_no_tools_is_refused(body: bytes, why: str | None, programs: Path) -> None:
    class Answering(http.server.BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            asked.append(self.path)
            self.rfile.read(int(self.headers["Content-Length"]))
            self.send_response(200)
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *words: object) -> None:
            """Says nothing."""

    asked: list[str] = []
    with http.server.HTTPServer(("127.0.0.1", 0), Answering) as server:
        thread = threading.Thread(target=server.serve_forever, args=(0.01,))
        thread.start()
        url = f"http://127.0.0.1:{server.server_port}/"
        try:
            said, hint = refusal(programs, {"agent_args": ASKS, "url": url})
            assert refusal(programs, {"profile": BARE, "url": url}) == ("", "")  # it takes no server
        finally:
            server.shutdown()
            thread.join()
    assert asked == ["/api/mcp?profile=worker"]
    assert (why or "") in said and bool(said) is bool(why)
    assert "leave --url out" in hint or why is None
    said, _ = refusal(programs, {"agent_args": ASKS, "url": url})
    assert "it does not answer" in said


BYPASS = ("--dangerously-skip-permissions",)


@pytest.mark.skipif(os.geteuid() != 0, reason="only root is refused by Claude Code")
@pytest.mark.parametrize(
    ("agent_args", "environ", "agent_env", "refused"),
    [
        (BYPASS, {}, (), True),
        (("--permission-mode", "bypassPermissions"), {}, (), True),
        (("--permission-mode=bypassPermissions",), {}, (), True),
        (("--allow-dangerously-skip-permissions", *ASKS), {}, (), True),
        (ASKS, {}, (), False),
        (BYPASS, {"IS_SANDBOX": "1"}, (), False),
        (BYPASS, {"IS_SANDBOX": "true"}, (), True),
        (BYPASS, {"CLAUDE_CODE_BUBBLEWRAP": "1"}, (), False),
        (BYPASS, {}, (("IS_SANDBOX", "1"),), False),
        (BYPASS, {"IS_SANDBOX": "1"}, (("IS_SANDBOX", "0"),), True),
    ],
)
def test_bypassing_permissions_as_root_needs_a_sandbox_that_is_said(
    agent_args: tuple[str, ...], environ: dict[str, str], agent_env: tuple[tuple[str, str], ...], refused: bool,
    programs: Path,
) -> None:  # fmt: skip
    asked = {"agent_args": agent_args, "agent_env": agent_env}
    assert refusal(programs, asked, **environ) == ("", "")  # of a wrapper nobody knows
    tool(programs, "claude", "echo '2.1.332 (Claude Code)'")
    said, hint = refusal(programs, asked, **environ)
    assert ("for root" in said) is refused
    assert ("IS_SANDBOX=1" in hint) is refused


@pytest.mark.parametrize(
    ("profile", "agent_args", "denied"),
    [
        (CLAUDE, ASKS, True), (CLAUDE, ("--allowedTools", "Bash,Edit"), True), (CLAUDE, BYPASS, False),
        (CLAUDE, ("--allowedTools", "Bash", "mcp__stoat"), False), (CLAUDE, ("--allowedTools=mcp__stoat__*",), False),
        (CODEX, WRITES, False), (BARE, (), False),
    ],
)  # fmt: skip
def test_a_posture_that_denies_our_tools_is_known(profile: Profile, agent_args: tuple[str, ...], denied: bool) -> None:
    options = RunOptions(plan="p", project=Path(), profile=profile, agent_args=agent_args)
    assert fitting.denies_our_tools(options) is denied
