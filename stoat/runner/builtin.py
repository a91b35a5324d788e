"""The launcher profiles that Stoat brings along, each flag of them tried with the program it is for.

Tried with Claude Code 2.1.332, codex-cli 0.171.0 and gemini 0.61.0; `tests/agents_real` tries them again.
"""

from __future__ import annotations

from collections.abc import Mapping

from stoat.runner.profiles import OPTIONS, PROMPT, Profile

CLAUDE = Profile(
    name="claude",
    command="claude",
    # The prompt comes first: --mcp-config and --allowedTools take every word that follows them for one of theirs.
    # stream-json says the session at once, and when a limit is over as a number; `json` prints nothing before the end.
    arguments=("-p", PROMPT, "--output-format", "stream-json", "--verbose"),
    model_arguments=("--model", "{model}"),
    budget_arguments=("--max-budget-usd", "{budget}"),
    session_arguments=("--session-id", "{session}"),
    resume_arguments=("--resume", "{session}"),
    mcp_arguments=("--mcp-config", "{mcp}"),
    lean_arguments=("--strict-mcp-config", "--setting-sources", "project,local"),
    skill_arguments=("--plugin-dir", "{skills}"),
    posture_flags=(
        "--dangerously-skip-permissions", "--permission-mode", "--permission-prompt-tool", "--permission-prompts",
        "--allowedTools", "--allowed-tools", "--disallowedTools", "--disallowed-tools",
    ),
    default_model="claude-sonnet-5-5",
    result="claude-json",
)  # fmt: skip

# Its sandbox writes in the worktree only, and a commit is made in two directories elsewhere: the worktree's own git
# directory, and the one that all worktrees share. What an agent tells Stoat goes into the store.
# A login shell would read /etc/profile, which sets PATH anew on many systems: the `stoat` that the runner puts in front
# would not be found.
_CODEX = (
    "exec", "--json", "-c", "allow_login_shell=false", "--add-dir", "{gitdir}", "--add-dir", "{commondir}",
    "--add-dir", "{store}",
)  # fmt: skip

CODEX = Profile(
    name="codex",
    command="codex",
    arguments=(*_CODEX, PROMPT),
    model_arguments=("-m", "{model}"),
    # `resume` itself takes neither --sandbox nor --add-dir: what goes before it counts for it.
    resume_arguments=(*_CODEX, OPTIONS, "resume", "{session}", PROMPT),
    mcp_arguments=("-c", "mcp_servers.stoat={mcptoml}"),
    posture_flags=(
        "--sandbox", "-s", "--dangerously-bypass-approvals-and-sandbox", "--yolo", "--approve-for-me",
    ),
    result="codex-jsonl",
)  # fmt: skip

GEMINI = Profile(
    name="gemini",
    command="gemini",
    # A worktree is new, so nobody has trusted it yet, and without a terminal gemini ends there with code 55.
    arguments=("--prompt", PROMPT, "--output-format", "stream-json", "--skip-trust"),
    model_arguments=("--model", "{model}"),
    session_arguments=("--session-id", "{session}"),
    resume_arguments=("--resume", "{session}"),
    posture_flags=("--yolo", "-y", "--approval-mode"),
    result="gemini-json",
)

BUILT_IN: Mapping[str, Profile] = {profile.name: profile for profile in (CLAUDE, CODEX, GEMINI)}

REFUSED_FLAGS: Mapping[str, Mapping[str, str]] = {
    CODEX.name: {
        "--full-auto": "choose --sandbox workspace-write, which is what it stood for, or --approve-for-me",
        "--ask-for-approval": "leave it out: `codex exec` never asks; choose what it may write with --sandbox",
        "-a": "leave it out: `codex exec` never asks; choose what it may write with --sandbox",
    },
}
"""Permission flags of earlier versions that a tool ends with an error on today, and what to choose instead."""

SINCE: Mapping[str, Mapping[str, tuple[int, int, int]]] = {
    CLAUDE.name: {"--max-budget-usd": (2, 0, 30)},
    CODEX.name: {},
    GEMINI.name: {"--session-id": (0, 41, 0)},
}
"""The versions in which tools learned a flag that the profiles above use: the one before was seen to refuse it."""


def is_built_in(profile: Profile) -> bool:
    """Whether it is one of these, and not a user's own of the same name."""
    return BUILT_IN.get(profile.name) == profile
