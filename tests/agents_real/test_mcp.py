"""The real claude, codex and gemini use Stoat's tools over `stoat mcp`, and leave no server behind.

Run as test_real_agents.py is. The programs are handed the server as docs/mcp.md says; what they are to call says a
script in the prompt.
"""

from __future__ import annotations

import json
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, ExitStack
from pathlib import Path
from typing import Any

import psutil
import pytest

from tests.agents_real.programs import Program, Stop, claude, codex, gemini_cli, run
from tests.agents_real.test_real_agents import needs
from tests.support.command import Stoat
from tests.support.gitrepo import GitRepo
from tests.support.waiting import wait_until

pytestmark = pytest.mark.slow

PLAN = """\
schema: 1
plan: demo
nodes:
  - id: parser
    kind: change
"""
MINE = {"STOAT_AGENT": "box/parser", "STOAT_PLAN": "demo", "STOAT_NODE": "parser"}
SERVER = {"command": sys.executable, "args": ["-m", "stoat", "mcp", "--profile", "worker"], "env": MINE}

Prompted = Callable[[Program, str], list[str]]


def for_claude(program: Program, prompt: str) -> list[str]:
    """The arguments that hand Claude Code the server and the prompt."""
    servers = {"mcpServers": {"stoat": {"type": "stdio", **SERVER, "alwaysLoad": True}}}
    return ["-p", prompt, "--strict-mcp-config", "--mcp-config", json.dumps(servers)]


def for_codex(program: Program, prompt: str) -> list[str]:
    """The same of codex."""
    env = ",".join(f"{name}={json.dumps(value)}" for name, value in MINE.items())
    table = f"command={json.dumps(sys.executable)},args={json.dumps(SERVER['args'])},env={{{env}}}"
    table += ',default_tools_approval_mode="approve",tool_timeout_sec=1500,startup_timeout_sec=60,required=true'
    return ["--json", "--dangerously-bypass-approvals-and-sandbox", "-c", f"mcp_servers.stoat={{{table}}}", prompt]


def for_gemini(program: Program, prompt: str) -> list[str]:
    """The same of the Gemini CLI, whose server is in a file of the project."""
    settings = program.directory / ".gemini" / "settings.json"
    settings.parent.mkdir()
    settings.write_text(json.dumps({"mcpServers": {"stoat": {**SERVER, "trust": True, "timeout": 1_500_000}}}))
    return ["-o", "json", "-p", prompt]


PROGRAMS: dict[str, tuple[Callable[[Path], AbstractContextManager[Program]], Prompted]] = {
    "claude": (claude, for_claude), "codex": (codex, for_codex), "gemini": (gemini_cli, for_gemini),
}  # fmt: skip

every = pytest.mark.parametrize("name", [pytest.param(name, marks=needs(name)) for name in PROGRAMS])


@pytest.fixture
def open_program(tmp_path: Path) -> Iterator[Callable[[str], tuple[Program, Stoat, Prompted]]]:
    """Starts a program's stand-in in a project that holds a plan, and an agent on a node of it."""
    with ExitStack() as stack:

        def start(name: str) -> tuple[Program, Stoat, Prompted]:
            make, prompted = PROGRAMS[name]
            program = stack.enter_context(make(tmp_path))
            # Gemini starts itself once more otherwise, and who kills the first of them leaves the second.
            program = program._replace(environment={**program.environment, "GEMINI_CLI_NO_RELAUNCH": "true"})
            repo, stoat = GitRepo(program.directory), Stoat(program.directory)
            repo.commit({"plan.yaml": PLAN}, "Start")
            stoat.ok("init")
            stoat.ok("plan", "import", "plan.yaml")
            stoat.ok("approve", "demo/parser")
            stoat.ok("claim", "demo/parser", "--agent", "box/parser")
            return program, stoat, prompted

        yield start


def servers(directory: Path) -> list[psutil.Process]:
    """The servers that stand in a directory."""
    found = []
    for process in psutil.process_iter():
        try:
            if "mcp" in process.cmdline() and Path(process.cwd()) == directory:
                found.append(process)
        except psutil.Error:
            continue
    return found


def script(*turns: dict[str, Any]) -> str:
    return f"MOCK-SCRIPT:{json.dumps(turns)}"


@every
def test_it_reports_asks_and_hears_the_answer(name: str, open_program: Callable[[str], Any]) -> None:
    program, stoat, prompted = open_program(name)
    prompt = script(
        {"mcp": "report_node", "input": {"note": f"from {name}"}},
        {"mcp": "ask_person", "input": {"question": "tabs or spaces?"}},
        {"text": "Done."},
    )

    def answer() -> None:
        asked = wait_until(lambda: stoat.json("questions")["questions"], 90, "the question")[0]
        stoat.ok("answer", asked["id"], "spaces, the answer says")

    person = threading.Thread(target=answer)
    person.start()
    ran = run(program, prompted(program, prompt))
    person.join()
    assert (ran.code, ran.ending.final) == (0, "Done."), ran.errors
    assert stoat.json("status", "demo")["nodes"][0]["claim"]["note"] == f"from {name}"
    asked = stoat.json("questions")["questions"][0]
    assert (asked["askedBy"], asked["state"]) == ("box/parser", "answered")
    wait_until(lambda: not servers(program.directory), 20, "the end of its server")


@every
def test_the_server_ends_with_a_program_that_is_killed(name: str, open_program: Callable[[str], Any]) -> None:
    program, stoat, prompted = open_program(name)

    def kill(process: subprocess.Popen[bytes], output: Path) -> None:
        wait_until(lambda: stoat.json("questions")["questions"], 90, "the question")
        assert servers(program.directory)
        process.kill()

    stop: Stop = kill
    prompt = script({"mcp": "ask_person", "input": {"question": "tabs or spaces?"}}, {"text": "Done."})
    run(program, prompted(program, prompt), stop=stop)
    wait_until(lambda: not servers(program.directory), 20, "the end of its server")
    assert stoat.json("questions")["questions"][0]["state"] == "open"
