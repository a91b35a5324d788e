"""How the real programs are started against the stand-ins of their APIs: commands, environments, homes of their own."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

from stoat import clock
from stoat.observe.agents import Ending
from stoat.observe.agents.reading import read
from stoat.processes import end_tree, identity_of
from tests.support.agent_apis import anthropic, gemini, openai
from tests.support.agent_apis.serving import serving

VARIABLE = "STOAT_REAL_AGENTS"
"""Names the directory in which `npm install` put the programs, the one with `node_modules`."""

_ROOT = os.environ.get(VARIABLE)  # asked for as tests are collected: each test has an environment without it

_CODEX = """\
model_provider = "here"
model = "gpt-5"
[model_providers.here]
name = "here"
base_url = "{address}/v1"
env_key = "HERE_KEY"
wire_api = "responses"
request_max_retries = 1
stream_max_retries = 1
"""


class Program(NamedTuple):
    """One of the programs, ready to be run."""

    form: str
    command: tuple[str, ...]
    environment: dict[str, str]
    directory: Path


def installed(name: str) -> Path | None:
    """Where a program is installed; None when the suite is not asked for, or the program not there."""
    if not _ROOT:
        return None
    modules = Path(_ROOT) / "node_modules"
    places = {
        # npm does not run its postinstall, which would put the binary in place of a stub.
        "claude": [*modules.glob("@anthropic-ai/claude-code-linux-*/claude"), modules / ".bin" / "claude"],
        "codex": [*modules.glob("@openai/codex-linux-*/vendor/*/bin/codex"), modules / ".bin" / "codex"],
        "gemini": [modules / ".bin" / "gemini"],
    }
    return next((place for place in places[name] if place.exists()), None)


@contextmanager
def claude(directory: Path, *, subscriber: bool = False) -> Iterator[Program]:
    """Claude Code as somebody with a key runs it, or as a subscriber, who alone is told of five hours and weeks."""
    with serving(anthropic.api()) as address:
        key = {"CLAUDE_CODE_OAUTH_TOKEN": "sk-ant-oat01-x"} if subscriber else {"ANTHROPIC_API_KEY": "sk-ant-x"}
        quiet = ("CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC", "DISABLE_TELEMETRY", "DISABLE_ERROR_REPORTING")
        environment = {
            **_environment(directory), **key, **dict.fromkeys((*quiet, "DISABLE_AUTOUPDATER", "IS_SANDBOX"), "1"),
            "ANTHROPIC_BASE_URL": address, "CLAUDE_CODE_MAX_RETRIES": "1",
        }  # fmt: skip
        options = ("--output-format", "stream-json", "--verbose", "--dangerously-skip-permissions")
        yield Program("claude-json", (str(installed("claude")), *options), environment, _project(directory))


@contextmanager
def codex(directory: Path) -> Iterator[Program]:
    """Codex with a provider on this machine."""
    with serving(openai.api()) as address:
        environment = {**_environment(directory), "HERE_KEY": "x"}
        settings = Path(environment["HOME"]) / ".codex"
        settings.mkdir(parents=True, exist_ok=True)
        (settings / "config.toml").write_text(_CODEX.format(address=address))
        command = (str(installed("codex")), "exec")
        yield Program("codex-jsonl", command, environment, _project(directory))


@contextmanager
def gemini_cli(directory: Path) -> Iterator[Program]:
    """The Gemini CLI with a key."""
    with serving(gemini.api()) as address:
        environment = {
            **_environment(directory), "GEMINI_API_KEY": "x", "GOOGLE_GEMINI_BASE_URL": address,
            "GEMINI_CLI_TRUST_WORKSPACE": "true",
        }  # fmt: skip
        settings = Path(environment["HOME"]) / ".gemini"
        settings.mkdir(parents=True, exist_ok=True)
        (settings / "settings.json").write_text('{"security": {"auth": {"selectedType": "gemini-api-key"}}}')
        yield Program("gemini-json", (str(installed("gemini")), "--yolo"), environment, _project(directory))


class Ran(NamedTuple):
    """A program that ended: its exit code, what is read of it, and what it wrote to stderr."""

    code: int
    ending: Ending
    errors: str


Stop = Callable[[subprocess.Popen[bytes], Path], None]
"""Ends a program early: gets the process and the file of its output."""


def run(program: Program, arguments: Sequence[str], *, stop: Stop | None = None) -> Ran:
    """Run a program to its end, which `stop` may bring about."""
    output, log = program.directory.parent / "output.jsonl", program.directory.parent / "agent.log"
    with output.open("wb") as out, log.open("wb") as errors:
        process = subprocess.Popen(
            [*program.command, *arguments], cwd=program.directory, env=program.environment, stdin=subprocess.DEVNULL,
            stdout=out, stderr=errors,
        )  # fmt: skip
        identity = identity_of(process.pid)
        assert identity is not None
        try:
            if stop is not None:
                stop(process, output)
            code = process.wait(120)
        finally:
            # What gemini starts itself again as, and what a killed claude leaves of its commands, has cut every tie.
            end_tree(identity, 1, marker=("HOME", program.environment["HOME"]))
            process.wait()
    ending = read(program.form, output, log, 0, code=code, now=clock.now())
    return Ran(code, ending, log.read_text(encoding="utf-8", errors="replace"))


def _environment(directory: Path) -> dict[str, str]:
    home = directory / "home"
    home.mkdir(exist_ok=True)
    return {"HOME": str(home), "PATH": os.environ.get("PATH", os.defpath), "TZ": "America/Chicago", "LANG": "C.UTF-8"}


def _project(directory: Path) -> Path:
    project = directory / "project"
    if not project.exists():
        project.mkdir()
        subprocess.run(["git", "init", "-q"], cwd=project, check=True)
    return project
