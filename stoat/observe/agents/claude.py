"""What Claude Code says in `--output-format json` (with `--verbose` as well) and `stream-json`, of 2.1.197 and later.

An error says `"subtype":"success"` like everything else: `is_error` tells. Where it is false nothing is a limit.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from stoat.observe.agents import Heard
from stoat.observe.agents.output import Value, session_in, string
from stoat.plan.resets import Resets, epoch
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
