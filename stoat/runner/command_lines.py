"""The argument list of an agent: a profile's lists, each with its placeholder filled where there is a value for it."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from stoat.runner.filling import fill
from stoat.runner.mcp_server import McpServer
from stoat.runner.profiles import OPTIONS, PROMPT, Profile

_INCLUDES = re.compile(r"(?<!\\)@(?=[^ \t\n\r,;!?()\[\]{}])")
"""What the Gemini CLI would read as a file to put into the prompt, wherever in the prompt it stands."""


class Places(NamedTuple):
    """Where an agent works: its worktree, that one's own git directory, the one shared by all, and the store's."""

    worktree: Path
    git_dir: Path
    common_dir: Path
    store: Path


def command_line(
    profile: Profile, *, prompt: str, places: Places, extra: Sequence[str] = (),
    command: str | None = None, model: str | None = None, budget: float | None = None, session: str | None = None,
    resume: bool = False, mcp: McpServer | None = None, skills: Path | None = None, lean: bool = False,
) -> list[str]:  # fmt: skip
    """The argument list that starts an agent: no shell sees it, and the prompt is within one argument.

    `command` stands in for the profile's; `extra` are --agent-args. `budget` is in dollars. With `resume` the agent
    goes on in `session`, for which the profile has to have resume_arguments.
    """
    going_on = profile.resume_arguments if resume else ()
    whole = any(PROMPT in word for word in going_on)
    words = going_on if whole else profile.arguments
    filled = {"prompt": _INCLUDES.sub(r"\\@", prompt) if profile.result == "gemini-json" else prompt}
    if places is not None:
        filled |= {
            "worktree": str(places.worktree), "gitdir": str(places.git_dir), "commondir": str(places.common_dir),
            "store": str(places.store),
        }  # fmt: skip
    if mcp is not None:
        filled |= {"mcptoml": mcp.toml}
    options = list(profile.lean_arguments) if lean else []
    for name, value, more in (
        ("model", model, profile.model_arguments),
        ("budget", None if budget is None else f"{budget:g}", profile.budget_arguments),
        ("session", session, () if whole else going_on or profile.session_arguments),
        ("mcp", None if mcp is None else mcp.json, profile.mcp_arguments),
        ("skills", None if skills is None else str(skills), profile.skill_arguments),
    ):
        if value is not None:
            filled[name] = value
            options += more
    at = words.index(OPTIONS) if OPTIONS in words else len(words)
    before, after = words[:at], words[at + 1 :]
    return [
        command or profile.command,
        *(_filled(word, filled) for word in (*before, *options)),
        *extra,
        *(_filled(word, filled) for word in after),
    ]


def _filled(word: str, filled: dict[str, str]) -> str:
    """The word, filled. A prompt that begins with a hyphen would be read as a flag, so that a line break goes first."""
    text = fill(word, filled)
    return f"\n{text}" if word.startswith(PROMPT) and text.startswith("-") else text
