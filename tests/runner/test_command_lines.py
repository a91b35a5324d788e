"""The whole argument list of an agent, for each built-in profile and everything that can be asked of it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from stoat.runner.builtin import BUILT_IN, CLAUDE, CODEX, GEMINI
from stoat.runner.command_lines import Places, command_line
from stoat.runner.mcp_server import McpServer
from stoat.runner.profiles import Profile

PLACES = Places(Path("/w/app-n"), Path("/w/app/.git/worktrees/app-n"), Path("/w/app/.git"), Path("/w/store.git"))
SERVER = McpServer("/bin/stoat", ("mcp", "--profile", "worker"), {"STOAT_NODE": "n"})
JSON = json.dumps(
    {
        "mcpServers": {
            "stoat": {
                "type": "stdio", "command": "/bin/stoat", "args": ["mcp", "--profile", "worker"],
                "env": {"STOAT_NODE": "n"}, "alwaysLoad": True,
            }
        }
    }
)  # fmt: skip
TOML = (
    'mcp_servers.stoat={command="/bin/stoat",args=["mcp","--profile","worker"],env={STOAT_NODE="n"},'
    'default_tools_approval_mode="approve",required=true,startup_timeout_sec=120,tool_timeout_sec=3600}'
)
CLAUDE_BARE = ["claude", "-p", "do it", "--output-format", "stream-json", "--verbose"]
WRITABLE = [
    "--add-dir", "/w/app/.git/worktrees/app-n", "--add-dir", "/w/app/.git", "--add-dir", "/w/store.git",
]  # fmt: skip
CODEX_ON = ["codex", "exec", "--json", "-c", "allow_login_shell=false", *WRITABLE]
CODEX_BARE = [*CODEX_ON, "do it"]
GEMINI_BARE = ["gemini", "--prompt", "do it", "--output-format", "stream-json", "--skip-trust"]

TABLE: list[tuple[str, dict[str, Any], list[str]]] = [
    ("claude", {}, CLAUDE_BARE),
    ("claude", {"model": "m"}, [*CLAUDE_BARE, "--model", "m"]),
    ("claude", {"budget": 2.5}, [*CLAUDE_BARE, "--max-budget-usd", "2.5"]),
    ("claude", {"session": "u"}, [*CLAUDE_BARE, "--session-id", "u"]),
    ("claude", {"session": "u", "resume": True}, [*CLAUDE_BARE, "--resume", "u"]),
    ("claude", {"mcp": SERVER}, [*CLAUDE_BARE, "--mcp-config", JSON]),
    ("claude", {"lean": True}, [*CLAUDE_BARE, "--strict-mcp-config", "--setting-sources", "project,local"]),
    ("claude", {"skills": Path("/s k")}, [*CLAUDE_BARE, "--plugin-dir", "/s k"]),
    ("claude", {"extra": ("--permission-mode", "auto")}, [*CLAUDE_BARE, "--permission-mode", "auto"]),
    (
        "claude",
        {"model": "m", "budget": 1.0, "session": "u", "mcp": SERVER, "lean": True, "skills": Path("/s"),
         "extra": ("--dangerously-skip-permissions",)},
        [*CLAUDE_BARE, "--strict-mcp-config", "--setting-sources", "project,local", "--model", "m",
         "--max-budget-usd", "1", "--session-id", "u", "--mcp-config", JSON, "--plugin-dir", "/s",
         "--dangerously-skip-permissions"],
    ),
    ("codex", {}, CODEX_BARE),
    ("codex", {"model": "m"}, [*CODEX_BARE, "-m", "m"]),
    ("codex", {"session": "u", "resume": True}, [*CODEX_ON, "resume", "u", "do it"]),
    ("codex", {"mcp": SERVER}, [*CODEX_BARE, "-c", TOML]),
    ("codex", {"extra": ("-s", "workspace-write")}, [*CODEX_BARE, "-s", "workspace-write"]),
    (
        "codex",
        {"model": "m", "session": "u", "resume": True, "mcp": SERVER, "extra": ("--approve-for-me",)},
        [*CODEX_ON, "-m", "m", "-c", TOML, "--approve-for-me", "resume", "u", "do it"],
    ),
    ("gemini", {}, GEMINI_BARE),
    ("gemini", {"model": "m"}, [*GEMINI_BARE, "--model", "m"]),
    ("gemini", {"session": "u"}, [*GEMINI_BARE, "--session-id", "u"]),
    ("gemini", {"session": "u", "resume": True}, [*GEMINI_BARE, "--resume", "u"]),
    ("gemini", {"extra": ("--yolo",)}, [*GEMINI_BARE, "--yolo"]),
    (
        "gemini",
        {"model": "m", "session": "u", "extra": ("--approval-mode", "yolo")},
        [*GEMINI_BARE, "--model", "m", "--session-id", "u", "--approval-mode", "yolo"],
    ),
]  # fmt: skip


@pytest.mark.parametrize(("name", "asked", "expected"), TABLE)
def test_what_is_asked_of_a_built_in_profile_is_its_argument_list(
    name: str, asked: dict[str, Any], expected: list[str]
) -> None:
    assert command_line(BUILT_IN[name], prompt="do it", places=PLACES, **asked) == expected


def test_every_list_of_every_built_in_profile_is_in_the_table() -> None:
    asked = {(name, option) for name, options, _ in TABLE for option in options}
    has = {
        (profile.name, option)
        for profile in BUILT_IN.values()
        for option, words in (
            ("model", profile.model_arguments), ("budget", profile.budget_arguments),
            ("session", profile.session_arguments), ("resume", profile.resume_arguments),
            ("mcp", profile.mcp_arguments), ("lean", profile.lean_arguments), ("skills", profile.skill_arguments),
        )
        if words
    }  # fmt: skip
    assert has <= asked


@pytest.mark.parametrize("profile", BUILT_IN.values(), ids=BUILT_IN)
@pytest.mark.parametrize("prompt", ["-h", "--help me", "- a list\n- of things"])
def test_a_prompt_that_looks_like_a_flag_is_none(profile: Profile, prompt: str) -> None:
    argv = command_line(profile, prompt=prompt, places=PLACES)
    assert f"\n{prompt}" in argv and prompt not in argv


@pytest.mark.parametrize(
    ("prompt", "given"),
    [
        ("see @README.md and a@a", r"see \@README.md and a\@a"),
        ('@"a b" @../x @\u2028x', '\\@"a b" \\@../x \\@\u2028x'),
        (r"as it is: \@x, @ x, @, (@)", r"as it is: \@x, @ x, @, (@)"),
    ],
)
def test_gemini_reads_no_file_because_a_prompt_names_it(prompt: str, given: str) -> None:
    assert command_line(GEMINI, prompt=prompt, places=PLACES)[2] == given
    assert command_line(CLAUDE, prompt=prompt, places=PLACES)[2] == prompt


def test_another_program_stands_in_for_the_profiles_own() -> None:
    assert command_line(CLAUDE, prompt="do it", places=PLACES, command="/my/claude") == ["/my/claude", *CLAUDE_BARE[1:]]


def test_resume_arguments_with_the_prompt_are_the_whole_line_and_others_are_added() -> None:
    added = Profile(
        name="t", command="t", arguments=("-p", "{prompt}"), session_arguments=("--id", "{session}"),
        resume_arguments=("--go-on", "{session}"),
    )  # fmt: skip
    whole = Profile(
        name="t", command="t", arguments=("-p", "{prompt}"), session_arguments=("--id", "{session}"),
        resume_arguments=("resume", "{options}", "{session}", "{prompt}"), model_arguments=("-m", "{model}"),
    )  # fmt: skip
    asked: dict[str, Any] = {"prompt": "x", "places": PLACES, "session": "u", "extra": ("--yes",)}
    assert command_line(added, **asked) == ["t", "-p", "x", "--id", "u", "--yes"]
    assert command_line(added, **asked, resume=True) == ["t", "-p", "x", "--go-on", "u", "--yes"]
    assert command_line(whole, **asked, model="m") == ["t", "-p", "x", "-m", "m", "--id", "u", "--yes"]
    assert command_line(whole, **asked, model="m", resume=True) == ["t", "resume", "-m", "m", "--yes", "u", "x"]


def test_places_are_filled_in_any_list() -> None:
    profile = Profile(name="t", command="t", arguments=("{worktree}", "--x={gitdir}:{commondir}:{store}", "{prompt}"))
    argv = command_line(profile, prompt="{store}", places=PLACES)
    assert argv == ["t", "/w/app-n", "--x=/w/app/.git/worktrees/app-n:/w/app/.git:/w/store.git", "{store}"]


def test_codex_may_write_where_a_commit_in_a_worktree_is_made() -> None:
    for resume in (False, True):
        argv = command_line(CODEX, prompt="x", places=PLACES, session="u", resume=resume)
        given = [argv[index + 1] for index, word in enumerate(argv) if word == "--add-dir"]
        assert given == [str(PLACES.git_dir), str(PLACES.common_dir), str(PLACES.store)]
