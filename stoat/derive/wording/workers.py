"""What a run's workers are started with, in words: on the run's banner, on every launch line, and what is amiss."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

from stoat.derive.wording.text import counted, listed

Asked = Literal["run", "plan", "profile"]
"""Who names the model of a run's workers: --model, the plan's header, or the launcher's profile."""


def banner(launcher: str, command: str, model: str | None, asked: Asked, *, chooses: bool, lean: bool) -> str:
    """What the run's agents are started with; `model` is None where nobody names one, and `chooses` says whether the
    tool has a setting of its own for it."""
    if model is None:
        said = f"workers run on {launcher} ({command})" + (", whose own setting decides the model" if chooses else "")
    else:
        other = "the plan or a node names one" if asked == "profile" else "a node names another"
        said = f"workers ask for {model} unless {other}"
    return f"{said} · lean" if lean else said


def tool(launcher: str, model: str | None, *, of_node: bool, chooses: bool, lean: bool) -> str:
    """What one agent is started with, on its launch line."""
    if model is None:
        said = f"{launcher}, its own setting decides the model" if chooses else launcher
    else:
        said = f"{model} (node)" if of_node else model
    return f"{said} · lean" if lean else said


def takes_no_model(model: str, launcher: str) -> str:
    """The node asks for what its launcher cannot give, as a fragment."""
    return f"it asks for {model}, and {launcher} takes no model"


def skills_missing(names: Sequence[str], place: str) -> str:
    """Skills that the plan names and nobody has installed."""
    many = "are" if len(names) > 1 else "is"
    return f"⚠ {counted(len(names), 'skill')} of the plan {many} not installed in {place}: {listed(names, 10)}"


def tools_not_allowed() -> str:
    """The chosen posture denies our MCP tools."""
    return (
        "⚠ with this permission posture Claude Code denies agents the tools of Stoat's MCP server, unless a setting "
        'allows them: add --allowedTools "mcp__stoat" to --agent-args'
    )


def takes_no_server(launcher: str) -> str:
    """--url is for tools that take an MCP server."""
    return f"⚠ --url is not used: {launcher} takes no MCP server, so that its agents ask with the stoat command"
