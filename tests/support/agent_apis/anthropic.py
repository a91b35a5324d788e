"""Anthropic's Messages API, as far as Claude Code uses it (`ANTHROPIC_BASE_URL`)."""

from __future__ import annotations

import itertools
import json
from typing import Any

from tests.support.agent_apis.scripts import Limits, Message, Turn, turn_of
from tests.support.agent_apis.serving import Answer, Body, Reply

_TURNED_AWAY = "This request would exceed your account's rate limit. Please try again later."


def api() -> Answer:
    """A new API, whose limits nobody has met yet."""
    limits, numbers = Limits(), itertools.count(1)

    def answer(path: str, body: Body) -> Reply:
        if path.endswith("/count_tokens"):
            return Reply(200, {"input_tokens": 1000})
        if not path.endswith("/messages"):
            return Reply(404, {"type": "error", "error": {"type": "not_found_error", "message": "not found"}})
        # Titles and summaries are asked for beside the conversation, without tools.
        turn = turn_of(_messages(body), limits) if body.get("tools") else {"text": "A title"}
        return _refusal(turn) or _message(turn, body, next(numbers))

    return answer


def _messages(body: Body) -> list[Message]:
    return [
        Message(message.get("role") == "assistant", _text(message.get("content")))
        for message in body.get("messages", [])
    ]


def _text(content: Any) -> str:
    if isinstance(content, str):
        return content
    return "\n".join(block.get("text", "") for block in content or [] if block.get("type") == "text")


def _refusal(turn: Turn) -> Reply | None:
    if error := turn.get("error"):
        return _error(error["status"], error.get("type", "api_error"), error["message"])
    match turn.get("limit"):
        case "usage":
            claim = turn.get("window", "five_hour")
            unified = {"status": "rejected", "reset": str(turn.get("until", "")), "representative-claim": claim}
            headers = [(f"anthropic-ratelimit-unified-{name}", value) for name, value in unified.items() if value]
            return _error(429, "rate_limit_error", _TURNED_AWAY, [("x-should-retry", "false"), *headers])
        case "rate":
            return _error(429, "rate_limit_error", _TURNED_AWAY, [("retry-after", "1")])
        case "overloaded":
            return _error(529, "overloaded_error", "Overloaded")
        case "spend":
            return _error(400, "invalid_request_error", "Your credit balance is too low to access the Anthropic API.")
    return None


def _error(status: int, kind: str, message: str, headers: list[tuple[str, str]] | None = None) -> Reply:
    body = {"type": "error", "error": {"type": kind, "message": message}}
    return Reply(status, body, headers=tuple(headers or []))


def _message(turn: Turn, body: Body, number: int) -> Reply:
    blocks: list[dict[str, Any]] = [{"type": "text", "text": turn["text"]}] if "text" in turn else []
    call = _call(turn)
    if call is not None:
        blocks.append({"type": "tool_use", "id": f"toolu_{number:024d}", "name": call[0], "input": call[1]})
    used = turn.get("usage", {})
    usage = {
        "input_tokens": used.get("input", 1000),
        "output_tokens": used.get("output", 100),
        "cache_creation_input_tokens": 0,
        "cache_read_input_tokens": 0,
    }
    message = {
        "id": f"msg_{number:024d}", "type": "message", "role": "assistant", "model": body.get("model", "model"),
        "content": blocks, "stop_reason": "tool_use" if call else "end_turn", "stop_sequence": None, "usage": usage,
    }  # fmt: skip
    after = float(turn.get("hang", 0))
    if not body.get("stream"):
        return Reply(200, message, after=after)
    return Reply(200, events=tuple((event["type"], event) for event in _stream(message)), after=after)


def _call(turn: Turn) -> tuple[str, Any] | None:
    if "shell" in turn:
        return "Bash", {"command": turn["shell"], "description": "run it"}
    if "mcp" in turn:
        return f"mcp__stoat__{turn['mcp']}", turn.get("input", {})
    return (turn["tool"], turn.get("input", {})) if "tool" in turn else None


def _stream(message: dict[str, Any]) -> list[dict[str, Any]]:
    begun = {**message, "content": [], "stop_reason": None, "usage": {**message["usage"], "output_tokens": 1}}
    events: list[dict[str, Any]] = [{"type": "message_start", "message": begun}]
    for index, block in enumerate(message["content"]):
        if block["type"] == "text":
            empty, delta = {"type": "text", "text": ""}, {"type": "text_delta", "text": block["text"]}
        else:
            empty = {**block, "input": {}}
            delta = {"type": "input_json_delta", "partial_json": json.dumps(block["input"])}
        events += [
            {"type": "content_block_start", "index": index, "content_block": empty},
            {"type": "content_block_delta", "index": index, "delta": delta},
            {"type": "content_block_stop", "index": index},
        ]
    ended = {"stop_reason": message["stop_reason"], "stop_sequence": None}
    events.append({"type": "message_delta", "delta": ended, "usage": message["usage"]})
    return [*events, {"type": "message_stop"}]
