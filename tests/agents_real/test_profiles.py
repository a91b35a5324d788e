"""Every flag of every built-in launcher profile is one that the real program takes, and does what it is there for.

Run as test_real_agents.py is.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import uuid
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any

import pytest

from stoat.observe import programs
from stoat.runner.builtin import BUILT_IN, CLAUDE, CODEX, GEMINI, REFUSED_FLAGS
from stoat.runner.command_lines import Places, command_line
from stoat.runner.mcp_server import McpServer
from stoat.runner.profiles import Profile
from stoat.runner.skills import look, write_plugin
from tests.agents_real.programs import Program, claude, codex, gemini_cli, installed
from tests.agents_real.test_real_agents import needs

pytestmark = pytest.mark.slow

STARTED: dict[str, Callable[[Path], AbstractContextManager[Program]]] = {
    "claude": claude, "codex": codex, "gemini": gemini_cli,
}  # fmt: skip
POSTURES = {
    "claude": ("--dangerously-skip-permissions",), "codex": ("--sandbox", "workspace-write"), "gemini": ("--yolo",),
}  # fmt: skip
HIDDEN = {"--permission-prompt-tool", "--yolo"}
"""Flags that a program takes and its help does not name; gemini's help does name its own --yolo."""

SERVER = """
import json, os, sys
for line in sys.stdin:
    asked = json.loads(line)
    if "id" not in asked:
        continue
    if asked["method"] == "initialize":
        said = {"protocolVersion": asked["params"]["protocolVersion"], "capabilities": {"tools": {}},
                "serverInfo": {"name": "stoat", "version": os.environ["STOAT_NODE"]}}
        open(os.environ["STOAT_STORE"], "w").write(os.environ["STOAT_NODE"])
    elif asked["method"] == "tools/list":
        said = {"tools": []}
    else:
        print(json.dumps({"jsonrpc": "2.0", "id": asked["id"], "error": {"code": -32601, "message": "no"}}), flush=True)
        continue
    print(json.dumps({"jsonrpc": "2.0", "id": asked["id"], "result": said}), flush=True)
"""
every = pytest.mark.parametrize("name", [pytest.param(name, marks=needs(name)) for name in BUILT_IN])


def ran(program: Program, directory: Path, argv: Sequence[str], **more: str) -> subprocess.CompletedProcess[str]:
    """Run what a profile came to, with the environment of the real program."""
    environment = {**program.environment, **more}
    return subprocess.run(
        argv, cwd=directory, env=environment, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=120,
        check=False,
    )  # fmt: skip


def checkout(directory: Path) -> Places:
    """A checkout that is its own worktree, for what is not about places."""
    return Places(directory, *[directory / ".git"] * 3)


def worktree(directory: Path) -> Places:
    """A linked worktree beside a repository, as agents get one."""
    main, linked = directory / "project", directory / "project-n"
    for words in (
        ("init", "-q", "-b", "main"), ("config", "user.name", "Ada"), ("config", "user.email", "ada@example.invalid"),
        ("commit", "-q", "--allow-empty", "-m", "begin"), ("worktree", "add", "-q", str(linked)),
    ):  # fmt: skip
        subprocess.run(["git", *words], cwd=main, check=True)
    return Places(linked, main / ".git" / "worktrees" / "project-n", main / ".git", main / ".git")


def commits(place: Path) -> int:
    said = subprocess.run(["git", "rev-list", "--count", "HEAD"], cwd=place, capture_output=True, text=True, check=True)
    return int(said.stdout)


def session_of(name: str, output: str) -> str:
    """The session that a program says as it begins."""
    first: dict[str, Any] = json.loads(output.splitlines()[0])
    return str(first["thread_id" if name == "codex" else "session_id"])


@every
def test_each_flag_is_in_the_programs_own_help(name: str) -> None:
    profile, program = BUILT_IN[name], str(installed(name))
    helps = [[program, "--help"]] if name != "codex" else [[program, "exec", "--help"]]
    text = "".join(subprocess.run(words, capture_output=True, text=True, check=True).stdout for words in helps)
    flags = {
        word
        for words in (
            profile.arguments, profile.model_arguments, profile.budget_arguments, profile.session_arguments,
            profile.resume_arguments, profile.mcp_arguments, profile.lean_arguments, profile.skill_arguments,
            profile.posture_flags,
        )
        for word in words
        if word.startswith("-")
    }  # fmt: skip
    known = {word.strip(",") for word in text.split()}
    assert {flag for flag in flags if flag not in known} <= HIDDEN


@every
def test_a_worker_commits_in_its_worktree_and_goes_on_in_its_session(name: str, tmp_path: Path) -> None:
    profile, told = BUILT_IN[name], tmp_path / "told by the server"
    model = {"claude": "claude-sonnet-5-5", "codex": "gpt-5", "gemini": "gemini-3-pro"}[name]
    server = McpServer(sys.executable, ("-c", SERVER), {"STOAT_NODE": "n é'\"", "STOAT_STORE": str(told)})
    with STARTED[name](tmp_path) as program:
        places = worktree(tmp_path)
        asked: dict[str, Any] = {
            "places": places, "extra": POSTURES[name], "command": str(installed(name)), "model": model,
            "budget": 5.0 if profile.budget_arguments else None, "mcp": server if profile.mcp_arguments else None,
        }  # fmt: skip
        preset = str(uuid.uuid4()) if profile.session_arguments else None
        # The prompt begins with a hyphen, and the worktree is one that nobody has trusted.
        argv = command_line(profile, prompt="- MOCK:commit", session=preset, **asked)
        first = ran(program, places.worktree, argv, GEMINI_CLI_TRUST_WORKSPACE="")
        assert (first.returncode, commits(places.worktree)) == (0, 2), first
        session = session_of(name, first.stdout)
        assert preset in (None, session)
        again = command_line(profile, prompt="MOCK:commit", session=session, resume=True, **asked)
        second = ran(program, places.worktree, again, GEMINI_CLI_TRUST_WORKSPACE="")
        assert (second.returncode, commits(places.worktree)) == (0, 3), second
        assert session_of(name, second.stdout) == session
    if profile.mcp_arguments:
        assert told.read_text() == server.environment["STOAT_NODE"]
    assert commits(places.common_dir.parent) == 1


@every
def test_the_commands_of_a_worker_find_the_stoat_of_its_runner(name: str, tmp_path: Path) -> None:
    place = tmp_path / "the runner's bin"
    place.mkdir()
    (place / "stoat").write_text('#!/bin/sh\necho "$STOAT_NODE" > found\n')
    (place / "stoat").chmod(0o755)
    with STARTED[name](tmp_path) as program:
        places = worktree(tmp_path)
        prompt = 'MOCK-SCRIPT:[{"shell": "stoat"}, {"text": "Done."}]'
        more = {"model": "gpt-5"} if name == "codex" else {}
        argv = command_line(
            BUILT_IN[name], prompt=prompt, places=places, extra=POSTURES[name], command=str(installed(name)), **more
        )
        path = os.pathsep.join([str(place), program.environment["PATH"]])
        done = ran(program, places.worktree, argv, PATH=path, STOAT_NODE="n", SHLVL="1")
    assert (places.worktree / "found").read_text() == "n\n", done


@needs("claude")
def test_a_lean_worker_has_the_plans_skills_and_none_of_the_users(tmp_path: Path) -> None:
    with claude(tmp_path) as program:
        home = Path(program.environment["HOME"])
        for skill in ("tdd", "other"):
            place = home / ".claude" / "skills" / skill
            place.mkdir(parents=True)
            (place / "SKILL.md").write_text(f"---\nname: {skill}\ndescription: {skill}\n---\n")
        plugin = write_plugin("p", look(["tdd"], home / ".claude" / "skills", program.directory), home)
        asked: dict[str, Any] = {
            "prompt": "MOCK:text", "places": checkout(program.directory), "extra": POSTURES["claude"],
            "command": program.command[0],
        }  # fmt: skip
        seen = []
        for more in ({"lean": True, "skills": plugin}, {}):
            done = ran(program, program.directory, command_line(CLAUDE, **asked, **more))
            seen.append(set(json.loads(done.stdout.splitlines()[0])["skills"]))
    assert ("stoat:tdd" in seen[0], {"tdd", "other"} & seen[0]) == (True, set())
    assert {"tdd", "other"} <= seen[1]


@needs("claude")
@pytest.mark.skipif(os.geteuid() != 0, reason="only root is refused by Claude Code")
@pytest.mark.parametrize(
    "posture", [("--dangerously-skip-permissions",), ("--permission-mode", "bypassPermissions")], ids=" ".join
)
def test_what_is_refused_for_root_is_refused_by_claude_code(posture: tuple[str, ...], tmp_path: Path) -> None:
    with claude(tmp_path) as program:
        places = checkout(program.directory)
        argv = command_line(CLAUDE, prompt="MOCK:text", places=places, extra=posture, command=program.command[0])
        assert ran(program, program.directory, argv, IS_SANDBOX="true").returncode == 1
        assert ran(program, program.directory, argv, IS_SANDBOX="1").returncode == 0


@needs("claude")
def test_the_hidden_posture_of_claude_code_is_taken(tmp_path: Path) -> None:
    with claude(tmp_path) as program:
        extra = ("--permission-prompt-tool", "mcp__stoat__x", "--permission-prompts", "host")
        places = checkout(program.directory)
        argv = command_line(CLAUDE, prompt="MOCK:text", places=places, extra=extra, command=program.command[0])
        assert "unknown option" not in ran(program, program.directory, argv).stderr


@needs("codex")
@pytest.mark.parametrize("posture", [("-s", "read-only"), ("--yolo",), ("--approve-for-me",)], ids=" ".join)
def test_each_posture_of_codex_is_taken_with_its_directories(posture: tuple[str, ...], tmp_path: Path) -> None:
    with codex(tmp_path) as program:
        places = worktree(tmp_path)
        argv = command_line(CODEX, prompt="MOCK:text", places=places, extra=posture, command=program.command[0])
        assert ran(program, places.worktree, argv).returncode == 0


@needs("codex")
@pytest.mark.parametrize("flag", REFUSED_FLAGS["codex"])
def test_what_codex_no_longer_takes_ends_it_at_once(flag: str, tmp_path: Path) -> None:
    with codex(tmp_path) as program:
        places = worktree(tmp_path)
        argv = command_line(CODEX, prompt="MOCK:text", places=places, extra=(flag,), command=program.command[0])
        ended = ran(program, places.worktree, argv)
    assert (ended.returncode, "unexpected argument" in ended.stderr) == (2, True)


@needs("gemini")
def test_gemini_ends_in_a_directory_that_nobody_trusts(tmp_path: Path) -> None:
    with gemini_cli(tmp_path) as program:
        places = checkout(program.directory)
        argv = command_line(
            GEMINI, prompt="MOCK:text", places=places, extra=POSTURES["gemini"], command=program.command[0]
        )
        bare = [word for word in argv if word != "--skip-trust"]
        assert ran(program, program.directory, bare, GEMINI_CLI_TRUST_WORKSPACE="").returncode == 55


@every
def test_each_program_is_known_for_the_tool_and_says_its_version(name: str) -> None:
    found = programs.find(str(installed(name)), dict(os.environ))
    assert found is not None and found.is_tool and not found.is_stub
    said = programs.version(found, dict(os.environ))
    assert said is not None and said[0] > (0, 40, 0)


def test_every_profile_is_tried() -> None:
    profiles: set[Profile] = set(BUILT_IN.values())
    assert {profile.name for profile in profiles} == set(STARTED) == set(POSTURES)
