"""What the lines of an agent's log are made of, whatever its tool: calls, what failed, words; each cut to a length."""

from __future__ import annotations

from typing import Any

from stoat.observe.agents.output import string
from stoat.plan.usage_limits import shown

_SHORT = 160
_FIRST_ARGUMENTS = (
    "command", "cmd", "file_path", "path", "absolute_path", "pattern", "query", "url", "skill", "description", "prompt",
)  # fmt: skip


def tool(name: Any, arguments: Any) -> str:
    """A tool that is called, with the argument that says most of what it is to do."""
    return f"→ {tool_words(name, arguments)}"


def tool_words(name: Any, arguments: Any) -> str:
    """A tool with the argument that says most of what it is to do."""
    if isinstance(arguments, dict):
        named = (arguments[key] for key in _FIRST_ARGUMENTS if isinstance(arguments.get(key), str))
        rest = (argument for argument in arguments.values() if isinstance(argument, str))
        arguments = next(named, next(rest, ""))
    short = _cut(word(arguments)) if arguments else ""
    return f"{word(name)}: {short}" if short else word(name)


def failure(what: Any) -> str:
    """What a tool that was called failed with, in whatever shape it comes."""
    if isinstance(what, list):
        what = " ".join(word(block.get("text")) for block in what if isinstance(block, dict))
    elif isinstance(what, dict):
        what = message_of(what)
    return f"  ✗ {_cut(word(what))}"


def message_of(error: Any) -> str:
    """The message of an error, in whatever shape it comes."""
    return word(error.get("message")) if isinstance(error, dict) else word(error)


def joined(*parts: Any) -> str:
    """The parts that there are, in one line."""
    return " · ".join(_cut(text) for part in parts if (text := word(part)))


def word(value: Any) -> str:
    """A text or a number within a line; empty for anything else."""
    if isinstance(value, int | float) and not isinstance(value, bool) and abs(value) < 1e15:
        return str(value)
    return string(value) or ""


def _cut(text: str) -> str:
    line = shown(text[: 4 * _SHORT])
    return line if len(line) <= _SHORT else line[: _SHORT - 1] + "…"
