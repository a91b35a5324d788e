"""One line of a tool's machine output as text for the log that people follow: what was said, done, and what failed."""

from __future__ import annotations

import json
import re
import textwrap
from typing import Any

from stoat.clock import moment, since_epoch
from stoat.errors import UNDECODABLE
from stoat.observe.agents.output import Value, string, value_in
from stoat.plan.characters import spelled
from stoat.plan.usage_limits import shown

_SHORT = 160
_FIRST_ARGUMENTS = (
    "command", "cmd", "file_path", "path", "absolute_path", "pattern", "query", "url", "skill", "description", "prompt",
)  # fmt: skip
_RESPONSE = re.compile(rb'  "response": (?P<text>".*"),?\s*')


def told(form: str, line: bytes, *, first: bool = False) -> str | None:
    """What one line of a tool's standard output tells a person, as one or more lines; None where it is nothing.

    `first` says that nothing stood before it: a result is then all that there is, and is told with its last message.
    A line in no known form is told as it is. Nothing in it can act on a terminal.
    """
    if form == "none" or not line.strip():
        return None
    value = value_in(line)
    if value is None:
        text = _unknown(form, line)
    elif form == "claude-json":
        text = _claude(value, first)
    elif form == "codex-jsonl":
        text = _codex(value)
    else:
        text = _gemini(value)
    return spelled(text.strip("\n")) or None if text is not None and text.strip() else None


def _unknown(form: str, line: bytes) -> str | None:
    """A line that is no object: a warning of the tool, or a line of an object that is laid out over several."""
    if form == "gemini-json" and (found := _RESPONSE.fullmatch(line)) is not None:
        try:
            return string(json.loads(found["text"].decode("utf-8", "replace")))
        except UNDECODABLE:
            return None
    if line.lstrip()[:1] in (b"{", b"}", b"[", b"]", b'"'):
        return None
    return string(line.decode("utf-8", "replace"))


def _claude(value: Value, first: bool) -> str | None:
    match value.get("type"), value.get("subtype"):
        case "system", "init":
            return _joined("claude", value.get("claude_code_version"), value.get("model"), value.get("session_id"))
        case "system", "api_retry":
            wait = _seconds(value.get("retry_delay_ms"))
            return (
                f"⟳ API error {_word(value.get('error_status'))} ({_word(value.get('error'))}), "
                f"try {_word(value.get('attempt'))} of {_word(value.get('max_retries'))}{wait}"
            )
        case "rate_limit_event", _:
            return _claude_limit(value.get("rate_limit_info"))
        case "assistant" | "user", _:
            message = value.get("message")
            content = message.get("content") if isinstance(message, dict) else None
            if isinstance(content, str):
                return content if value["type"] == "assistant" else None
            blocks = content if isinstance(content, list) else []
            lines = "\n".join(text for block in blocks if (text := _claude_block(block, value["type"])) is not None)
            # An agent that the agent started speaks further in.
            return textwrap.indent(lines, "    ") if value.get("parent_tool_use_id") else lines
        case "result", _:
            return _claude_result(value, first)
    return None


def _claude_block(block: Any, who: str) -> str | None:
    if not isinstance(block, dict):
        return None
    match block.get("type"), who:
        case "text", "assistant":
            return string(block.get("text"))
        case "text", "user":
            text = string(block.get("text")) or ""
            return text if text.startswith("[Request interrupted") else None
        case "tool_use", _:
            return _tool(block.get("name"), block.get("input"))
        case "tool_result", _ if block.get("is_error") is True:
            return _failure(block.get("content"))
    return None


def _claude_limit(info: Any) -> str | None:
    if not isinstance(info, dict) or info.get("status") != "rejected":
        return None
    at = info.get("resetsAt")
    when = ""
    if isinstance(at, int | float) and 0 < at < 1e12:
        when = f", resets {moment(since_epoch(at))}" if at < 2.5e11 else ""
    return f"✗ limit reached: {_word(info.get('rateLimitType'))}{when}"


def _claude_result(value: Value, first: bool) -> str:
    failed = value.get("is_error") is True
    usd, turns = value.get("total_cost_usd"), value.get("num_turns")
    parts = [
        "✗ failed" if failed else "✓ ended",
        f"{turns} turn{'s' * (turns != 1)}" if isinstance(turns, int) else None,
        f"${usd:.2f}" if isinstance(usd, int | float) and abs(usd) < 1e9 else None,
    ]
    errors = value.get("errors")
    listed = [string(error) for error in errors] if isinstance(errors, list) else []
    said = string(value.get("result")) if first else None
    denied = value.get("permission_denials")
    refused = [f"✗ refused: {_tool_words(entry.get('tool_name'), entry.get('tool_input'))}"
               for entry in denied if isinstance(entry, dict)] if isinstance(denied, list) else []  # fmt: skip
    return "\n".join(line for line in (*refused, " · ".join(p for p in parts if p), *listed, said) if line)


def _codex(value: Value) -> str | None:
    match value.get("type"):
        case "thread.started":
            return _joined("codex", value.get("thread_id"))
        case "error":
            return f"✗ {_word(value.get('message'))}"
        case "turn.completed":
            return "✓ ended"
        case "turn.failed":
            return "✗ failed"
        case "item.started":
            item = value.get("item")
            return _codex_begins(item) if isinstance(item, dict) else None
        case "item.completed":
            item = value.get("item")
            return _codex_item(item) if isinstance(item, dict) else None
    return None


def _codex_begins(item: Value) -> str | None:
    match item.get("type"):
        case "command_execution":
            return _tool("exec", item.get("command"))
        case "mcp_tool_call":
            return _tool(f"{_word(item.get('server'))}.{_word(item.get('tool'))}", item.get("arguments"))
    return None


def _codex_item(item: Value) -> str | None:
    match item.get("type"):
        case "agent_message":
            return string(item.get("text"))
        case "error":
            return f"⚠ {_word(item.get('message'))}"
        case "command_execution" if item.get("exit_code") not in (0, None):
            return _failure(f"exit {item['exit_code']}: {_word(item.get('aggregated_output'))}")
        case "mcp_tool_call" if item.get("status") == "failed":
            return _failure(item.get("error") or item.get("result"))
        case "file_change":
            changes = item.get("changes")
            paths = [_word(change.get("path")) for change in changes if isinstance(change, dict)] if isinstance(
                changes, list) else []  # fmt: skip
            return _tool("edit", ", ".join(paths))
        case "web_search":
            return _tool("search", item.get("query"))
    return None


def _gemini(value: Value) -> str | None:
    match value.get("type"):
        case "init":
            return _joined("gemini", value.get("model"), value.get("session_id"))
        case "message" if value.get("role") == "assistant":
            return string(value.get("content"))
        case "tool_use":
            return _tool(value.get("tool_name"), value.get("parameters"))
        case "tool_result" if value.get("status") == "error":
            return _failure(value.get("error") or value.get("output"))
        case "error":
            return f"⚠ {_word(value.get('message'))}"
        case "result":
            error = value.get("error")
            failed = value.get("status") != "success"
            return f"✗ failed\n{_message(error)}" if failed else "✓ ended"
        case None if "response" in value or "error" in value:
            return string(value.get("response")) or f"✗ {_message(value.get('error'))}"
    return None


def _tool(name: Any, arguments: Any) -> str:
    return f"→ {_tool_words(name, arguments)}"


def _tool_words(name: Any, arguments: Any) -> str:
    """A tool with the argument that says most of what it is to do."""
    if isinstance(arguments, dict):
        named = (arguments[key] for key in _FIRST_ARGUMENTS if isinstance(arguments.get(key), str))
        rest = (argument for argument in arguments.values() if isinstance(argument, str))
        arguments = next(named, next(rest, ""))
    short = _cut(_word(arguments)) if arguments else ""
    return f"{_word(name)}: {short}" if short else _word(name)


def _failure(what: Any) -> str:
    if isinstance(what, list):
        what = " ".join(_word(block.get("text")) for block in what if isinstance(block, dict))
    elif isinstance(what, dict):
        what = _message(what)
    return f"  ✗ {_cut(_word(what))}"


def _message(error: Any) -> str:
    return _word(error.get("message")) if isinstance(error, dict) else _word(error)


def _seconds(milliseconds: Any) -> str:
    is_number = isinstance(milliseconds, int | float) and not isinstance(milliseconds, bool)
    return f", in {milliseconds / 1000:.0f} s" if is_number and 0 <= milliseconds < 1e9 else ""


def _joined(*parts: Any) -> str:
    return " · ".join(_cut(word) for part in parts if (word := _word(part)))


def _word(value: Any) -> str:
    """A value within a line."""
    if isinstance(value, int | float) and not isinstance(value, bool) and abs(value) < 1e15:
        return str(value)
    return string(value) or ""


def _cut(text: str) -> str:
    line = shown(text[: 4 * _SHORT])
    return line if len(line) <= _SHORT else line[: _SHORT - 1] + "…"
