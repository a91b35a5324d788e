"""OpenAI's Responses API, as far as `codex exec` uses it (a `model_provider` with `wire_api = "responses"`)."""

from __future__ import annotations

import itertools
import json
import time
from typing import Any

from tests.support.agent_apis.scripts import Limits, Message, Turn, turn_of
from tests.support.agent_apis.serving import Answer, Body, Reply

_CALLS = {"function_call", "custom_tool_call", "local_shell_call"}


def api() -> Answer:
    """A new API, whose limits nobody has met yet."""
    limits, numbers = Limits(), itertools.count(1)

    def answer(path: str, body: Body) -> Reply:
        if not path.endswith("/responses"):
            return Reply(404, {"error": {"message": "not found"}})
        turn = turn_of(_messages(body), limits)
        return _refusal(turn) or _response(turn, body, next(numbers))

    return answer


def _messages(body: Body) -> list[Message]:
    items = body.get("input", [])
    return [Message(True, "") if item.get("type") in _CALLS else _message(item) for item in items if _counts(item)]


def _counts(item: Body) -> bool:
    return item.get("type") in _CALLS or item.get("role") in ("user", "assistant")


def _message(item: Body) -> Message:
    content = item.get("content")
    text = content if isinstance(content, str) else "\n".join(part.get("text", "") for part in content or [])
    return Message(item["role"] == "assistant", text)


def _refusal(turn: Turn) -> Reply | None:
    if error := turn.get("error"):
        return Reply(error["status"], {"error": {"message": error["message"], "type": error.get("type")}})
    match turn.get("limit"):
        case "usage":
            body: Body = {"type": "usage_limit_reached", "message": "The usage limit has been reached"}
            if "until" in turn:
                body |= {"resets_at": turn["until"], "resets_in_seconds": max(0, turn["until"] - int(time.time()))}
            return Reply(429, {"error": {**body, "plan_type": "plus"}})
        case "rate":
            message = "Rate limit reached for the model in organization org-x. Please try again in 11.054s."
            return Reply(429, {"error": {"type": "tokens", "code": "rate_limit_exceeded", "message": message}})
        case "spend":
            message = "You exceeded your current quota, please check your plan and billing details."
            kind = "insufficient_quota"
            return Reply(429, {"error": {"type": kind, "code": kind, "message": message}})
        case "overloaded":
            failed = {"code": "server_is_overloaded", "message": "Our servers are currently overloaded."}
            response = {"id": "resp_0", "object": "response", "status": "failed", "error": failed, "usage": None}
            return Reply(200, events=(("response.failed", {"type": "response.failed", "response": response}),))
    return None


def _response(turn: Turn, body: Body, number: int) -> Reply:
    items: list[Body] = []
    if "text" in turn:
        content = [{"type": "output_text", "text": turn["text"], "annotations": []}]
        items.append(
            {"type": "message", "id": f"msg_{number}", "role": "assistant", "status": "completed", "content": content}
        )
    if (call := _call(turn, body, number)) is not None:
        # An answer is one turn, whether it also says something or not.
        items = [call]
    used = turn.get("usage", {})
    sent, received = used.get("input", 1000), used.get("output", 100)
    usage = {
        "input_tokens": sent, "input_tokens_details": {"cached_tokens": 0}, "output_tokens": received,
        "output_tokens_details": {"reasoning_tokens": 0}, "total_tokens": sent + received,
    }  # fmt: skip
    response = {"id": f"resp_{number}", "object": "response"}
    events: list[Body] = [{"type": "response.created", "response": {**response, "status": "in_progress"}}]
    for index, item in enumerate(items):
        events.append({"type": "response.output_item.added", "output_index": index, "item": item})
        events.append({"type": "response.output_item.done", "output_index": index, "item": item})
    completed = {**response, "status": "completed", "output": items, "usage": usage}
    events.append({"type": "response.completed", "response": completed})
    return Reply(200, events=tuple((event["type"], event) for event in events), after=float(turn.get("hang", 0)))


def _call(turn: Turn, body: Body, number: int) -> Body | None:
    ids = {"id": f"fc_{number}", "call_id": f"call_{number}"}
    if "shell" in turn:
        return {**ids, **_shell(turn["shell"], _tools(body))}
    if "mcp" in turn:
        named = {"name": turn["mcp"], "namespace": "mcp__stoat"}
    elif "tool" in turn:
        named = {"name": turn["tool"]}
    else:
        return None
    return {"type": "function_call", **ids, **named, "arguments": json.dumps(turn.get("input", {}))}


def _shell(command: str, tools: set[str]) -> Body:
    """A call of whichever tool runs commands in this version."""
    known: tuple[tuple[str, Any], ...] = (
        ("exec_command", {"cmd": command}),
        ("shell_command", {"command": command}),
        ("shell", {"command": ["bash", "-lc", command]}),
    )
    for name, arguments in known:
        if name in tools:
            return {"type": "function_call", "name": name, "arguments": json.dumps(arguments)}
    script = f"const done = await tools.exec_command({{cmd: {json.dumps(command)}}}); text(done.output);"
    return {"type": "custom_tool_call", "name": "exec", "input": script}


def _tools(body: Body) -> set[str]:
    return {str(tool.get("name") or tool.get("type")) for tool in body.get("tools", [])}
