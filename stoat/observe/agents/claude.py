"""What Claude Code says in `--output-format json` (with `--verbose` as well) and `stream-json`, of 2.1.197 and later.

An error says `"subtype":"success"` like everything else: `is_error` tells. Where it is false nothing is a limit.
"""

from __future__ import annotations

import contextlib
import textwrap
from collections.abc import Iterable
from typing import Any

from stoat.clock import moment, since_epoch
from stoat.observe.agents import Heard
from stoat.observe.agents.output import Value, session_in, string
from stoat.observe.agents.phrases import failure, joined, tool, tool_words, word
from stoat.plan.resets import Epoch, Resets, epoch
from stoat.plan.state import LimitKind
from stoat.plan.usage_limits import Said, find, shown

TOOL = "claude"
_CUMULATIVE_SINCE = (2, 1, 277)
_WINDOWS = {
    "five_hour": "5-hour",
    "seven_day": "weekly",
    "seven_day_opus": "opus",
    "seven_day_sonnet": "sonnet",
}
_STATUSES: dict[Any, LimitKind] = {429: "rate", 503: "overloaded", 529: "overloaded"}
_MOST_DOLLARS = 1e6
_NO_SESSION = "No conversation found with session ID"


def hear(values: Iterable[Value]) -> Heard:
    """What Claude Code's output says, from its objects in their order."""
    heard, rejected = Heard(), None
    for value in values:
        heard.session = session_in(value.get("session_id")) or heard.session
        match value.get("type"):
            case "system" if value.get("subtype") == "init":
                heard.began, heard.ended, heard.limit, heard.stuck = True, False, None, None
                heard.version = string(value.get("claude_code_version"))
            case "system" if value.get("subtype") == "api_retry":
                heard.stuck = _retry(value)
            case "rate_limit_event":
                rejected = _rejected(value.get("rate_limit_info"))
                heard.stuck = rejected or heard.stuck
            case "assistant" if value.get("is_api_error_message") is True:
                heard.stuck = _limit(value, _message(value), rejected)
            case "assistant" | "user":
                heard.stuck = rejected = None
            case "result":
                _end(heard, value, rejected)
    return heard


def is_cumulative(version: str | None) -> bool:
    """Whether this version's `total_cost_usd` is that of the whole session, resumed ones included.

    Of an unknown version that is assumed: all of them do it since 2.1.277.
    """
    try:
        return version is None or tuple(int(part) for part in version.split(".")[:3]) >= _CUMULATIVE_SINCE
    except ValueError:
        return True


def _end(heard: Heard, value: Value, rejected: Said | None) -> None:
    errors = value.get("errors")
    listed = "; ".join(error for error in errors if isinstance(error, str)) if isinstance(errors, list) else ""
    heard.ended, heard.failed, heard.stuck = True, value.get("is_error") is True, None
    heard.aborted = str(value.get("terminal_reason")).startswith("aborted")
    heard.final = string(value.get("result")) or (None if heard.aborted else string(listed)) or None
    heard.usd = _dollars(value.get("total_cost_usd", value.get("cost_usd")))
    turns = value.get("num_turns")
    heard.turns = turns if isinstance(turns, int) and not isinstance(turns, bool) and 0 <= turns < 1e9 else 0
    heard.denied = _denied(value.get("permission_denials"))
    heard.limit = _limit(value, heard.final or "", rejected) if heard.failed else None
    if listed.startswith(_NO_SESSION):
        heard.session = heard.usd = None  # it echoes the session that it was asked for


def _limit(value: Value, text: str, rejected: Said | None) -> Said | None:
    """The limit that an error is: by what the tool calls it, by its words, by the status of the API's answer."""
    said = find(text, TOOL)
    if value.get("api_error") == "usage_limit_reached" and (said is None or said.kind not in ("usage", "spend")):
        said = Said("usage", shown(text) or "usage limit reached")
    if said is None:
        kind = _STATUSES.get(value.get("api_error_status")) if _is_whole(value.get("api_error_status")) else None
        return Said(kind, shown(text) or f"API error {value['api_error_status']}") if kind is not None else None
    if said.kind == "usage" and rejected is not None:
        return said._replace(window=said.window or rejected.window, resets=rejected.resets or said.resets)
    return said


def _rejected(info: Any) -> Said | None:
    """The limit in a `rate_limit_event` that turns requests away; None in one that lets them pass."""
    if not isinstance(info, dict) or info.get("status") != "rejected" or info.get("isUsingOverage") is True:
        return None
    kind, at = info.get("rateLimitType"), info.get("resetsAt")
    window = _WINDOWS.get(kind) if isinstance(kind, str) else None
    resets: Resets | None = epoch(float(at)) if isinstance(at, int) and 0 < at < 1e15 else None
    return Said("usage", f"requests are turned away by the {window or 'usage'} limit", window, resets)


def _retry(value: Value) -> Said | None:
    status, why = value.get("error_status"), string(value.get("error"))
    kind = _STATUSES.get(status) if _is_whole(status) else None
    if kind is None and why != "rate_limit":
        return None
    attempt, most = value.get("attempt"), value.get("max_retries")
    return Said(kind or "rate", shown(f"API error {status} ({why}), try {attempt} of {most}"))


def _message(value: Value) -> str:
    """The text of an assistant's message."""
    message = value.get("message")
    content = message.get("content") if isinstance(message, dict) else None
    if isinstance(content, str):
        return content
    blocks = content if isinstance(content, list) else []
    return "\n".join(text for block in blocks if isinstance(block, dict) and (text := string(block.get("text"))))


def _denied(denials: Any) -> tuple[str, ...]:
    entries = denials if isinstance(denials, list) else []
    names = (string(entry.get("tool_name")) for entry in entries if isinstance(entry, dict))
    return tuple(dict.fromkeys(name for name in names if name))


def _dollars(written: Any) -> float | None:
    if isinstance(written, bool) or not isinstance(written, int | float) or not 0 <= written < _MOST_DOLLARS:
        return None
    return float(written)


def _is_whole(written: Any) -> bool:
    return isinstance(written, int) and not isinstance(written, bool)


def told(value: Value, *, first: bool) -> str | None:
    """What one object of the output tells a person; None where it is nothing. A `first` result brings its text."""
    match value.get("type"), value.get("subtype"):
        case "system", "init":
            return joined("claude", value.get("claude_code_version"), value.get("model"), value.get("session_id"))
        case "system", "api_retry":
            wait = _seconds(value.get("retry_delay_ms"))
            return (
                f"⟳ API error {word(value.get('error_status'))} ({word(value.get('error'))}), "
                f"try {word(value.get('attempt'))} of {word(value.get('max_retries'))}{wait}"
            )
        case "rate_limit_event", _:
            return _turned_away(value.get("rate_limit_info"))
        case "assistant" | "user", _:
            message = value.get("message")
            content = message.get("content") if isinstance(message, dict) else None
            if isinstance(content, str):
                return content if value["type"] == "assistant" else None
            blocks = content if isinstance(content, list) else []
            lines = "\n".join(text for block in blocks if (text := _block(block, value["type"])) is not None)
            # An agent that the agent started speaks further in.
            return textwrap.indent(lines, "    ") if value.get("parent_tool_use_id") else lines
        case "result", _:
            return _result(value, first)
    return None


def _block(block: Any, who: str) -> str | None:
    if not isinstance(block, dict):
        return None
    match block.get("type"), who:
        case "text", "assistant":
            return string(block.get("text"))
        case "text", "user":
            text = string(block.get("text")) or ""
            return text if text.startswith("[Request interrupted") else None
        case "tool_use", _:
            return tool(block.get("name"), block.get("input"))
        case "tool_result", _ if block.get("is_error") is True:
            return failure(block.get("content"))
    return None


def _turned_away(info: Any) -> str | None:
    said, when = _rejected(info), ""
    if said is None:
        return None
    if isinstance(said.resets, Epoch):
        with contextlib.suppress(ValueError, OverflowError, OSError):
            when = f", resets {moment(since_epoch(said.resets.seconds))}"
    return f"✗ limit reached: {said.window or word(info.get('rateLimitType')) or 'usage'}{when}"


def _result(value: Value, first: bool) -> str:
    failed = value.get("is_error") is True
    usd, turns = _dollars(value.get("total_cost_usd")), value.get("num_turns")
    parts = [
        "✗ failed" if failed else "✓ ended",
        f"{turns} turn{'s' * (turns != 1)}" if isinstance(turns, int) else None,
        f"${usd:.2f}" if usd is not None else None,
    ]
    errors = value.get("errors")
    listed = [string(error) for error in errors] if isinstance(errors, list) else []
    said = string(value.get("result")) if first else None
    denied = value.get("permission_denials")
    refused = [f"✗ refused: {tool_words(entry.get('tool_name'), entry.get('tool_input'))}"
               for entry in denied if isinstance(entry, dict)] if isinstance(denied, list) else []  # fmt: skip
    return "\n".join(line for line in (*refused, " · ".join(p for p in parts if p), *listed, said) if line)


def _seconds(milliseconds: Any) -> str:
    is_number = isinstance(milliseconds, int | float) and not isinstance(milliseconds, bool)
    return f", in {milliseconds / 1000:.0f} s" if is_number and 0 <= milliseconds < 1e9 else ""
