"""The shape of a launcher profile: how an agent of some tool is started."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal

from msgspec import Struct

Result = Literal["claude-json", "codex-jsonl", "gemini-json", "none"]

PROMPT = "{prompt}"
OPTIONS = "{options}"
"""The word of `arguments` or `resumeArguments` in whose place the other lists and --agent-args go; else at the end."""


class Profile(Struct, frozen=True, rename="camel", kw_only=True):
    """How to start one tool. Each list is left out where its placeholder has no value; `{prompt}` is in `arguments`.

    `resume_arguments` stand in for `session_arguments` where a session goes on, and for `arguments` as well where the
    prompt is in them.
    """

    name: str
    command: str
    arguments: tuple[str, ...]
    model_arguments: tuple[str, ...] = ()
    budget_arguments: tuple[str, ...] = ()
    session_arguments: tuple[str, ...] = ()
    resume_arguments: tuple[str, ...] = ()
    mcp_arguments: tuple[str, ...] = ()
    lean_arguments: tuple[str, ...] = ()
    skill_arguments: tuple[str, ...] = ()
    posture_flags: tuple[str, ...] = ()
    default_model: str | None = None
    result: Result = "none"
    cloud: bool = False
    parameters: Mapping[str, str] = {}
