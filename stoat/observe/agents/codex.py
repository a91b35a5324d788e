"""What `codex exec --json` says: lines of a thread, its turns, and the items of them. It names no cost."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from stoat.observe.agents import Heard
from stoat.observe.agents.output import Value, session_in, string
from stoat.observe.agents.phrases import failure, joined, tool, word
from stoat.plan.usage_limits import find

TOOL = "codex"


def hear(values: Iterable[Value]) -> Heard:
    """What codex's output says, from its objects in their order."""
    heard = Heard()
    message: str | None = None
    for value in values:
        match value.get("type"):
            case "thread.started":
                heard.began, heard.session = True, session_in(value.get("thread_id"))
            case "turn.started":
                heard.began, heard.ended, heard.failed = True, False, False
                heard.limit = heard.stuck = message = None
            case "error":
                heard.stuck = find(string(value.get("message")) or "", TOOL)
            case "turn.completed":
                heard.ended, heard.final, heard.stuck = True, message, None
            case "turn.failed":
                heard.ended, heard.failed, heard.stuck = True, True, None
                heard.final = error_of(value)
                heard.limit = find(heard.final or "", TOOL)
            case "item.started" | "item.updated" | "item.completed":
                item = value.get("item")
                kind = item.get("type") if isinstance(item, dict) else None
                if isinstance(item, dict) and kind != "error":
                    heard.stuck = None
                    message = (string(item.get("text")) if kind == "agent_message" else None) or message
    return heard


def error_of(value: Value) -> str | None:
    """The message of a line's error."""
    error: Any = value.get("error")
    return string(error.get("message")) if isinstance(error, dict) else string(value.get("message"))


def told(value: Value) -> str | None:
    """What one object of the output tells a person; None where it is nothing."""
    match value.get("type"):
        case "thread.started":
            return joined("codex", value.get("thread_id"))
        case "error":
            return f"✗ {word(value.get('message'))}"
        case "turn.completed":
            return "✓ ended"
        case "turn.failed":
            return "✗ failed"
        case "item.started":
            item = value.get("item")
            return _begun(item) if isinstance(item, dict) else None
        case "item.completed":
            item = value.get("item")
            return _item(item) if isinstance(item, dict) else None
    return None


def _begun(item: Value) -> str | None:
    match item.get("type"):
        case "command_execution":
            return tool("exec", item.get("command"))
        case "mcp_tool_call":
            return tool(f"{word(item.get('server'))}.{word(item.get('tool'))}", item.get("arguments"))
    return None


def _item(item: Value) -> str | None:
    match item.get("type"):
        case "agent_message":
            return string(item.get("text"))
        case "error":
            return f"⚠ {word(item.get('message'))}"
        case "command_execution" if item.get("exit_code") not in (0, None):
            return failure(f"exit {item['exit_code']}: {word(item.get('aggregated_output'))}")
        case "mcp_tool_call" if item.get("status") == "failed":
            return failure(item.get("error") or item.get("result"))
        case "file_change":
            changes = item.get("changes")
            paths = [word(change.get("path")) for change in changes if isinstance(change, dict)] if isinstance(
                changes, list) else []  # fmt: skip
            return tool("edit", ", ".join(paths))
        case "web_search":
            return tool("search", item.get("query"))
    return None
