"""Google's generateContent API, as far as the Gemini CLI uses it (`GOOGLE_GEMINI_BASE_URL`)."""

from __future__ import annotations

import json
import time
from typing import Any

from tests.support.agent_apis.scripts import Limits, Message, Turn, turn_of
from tests.support.agent_apis.serving import Answer, Body, Reply

_TYPE = "type.googleapis.com/google.rpc."
_QUOTA = (
    "You exceeded your current quota, please check your plan and billing details. For more information on this error, "
    "head to: https://ai.google.dev/gemini-api/docs/rate-limits.\n* Quota exceeded for metric: "
    "generativelanguage.googleapis.com/generate_content_free_tier_requests, limit: 10\nPlease retry in {}s."
)
_ROUTE = {"reasoning": "x", "model_choice": "flash", "complexity_reasoning": "x", "complexity_score": 1}


def api() -> Answer:
    """A new API, whose limits nobody has met yet."""
    limits = Limits()

    def answer(path: str, body: Body) -> Reply:
        model, _, verb = path.rpartition("/")[2].partition(":")
        if verb == "countTokens":
            return Reply(200, {"totalTokens": 100})
        if verb not in ("generateContent", "streamGenerateContent"):
            return _error(404, "NOT_FOUND", "not found")
        if not body.get("tools") and verb == "generateContent":
            # Which model is to be taken is asked for beside the conversation, without tools.
            return _content({"text": json.dumps(_ROUTE)}, model, verb)
        turn = turn_of(_messages(body), limits)
        return _refusal(turn) or _content(turn, model, verb)

    return answer


def _messages(body: Body) -> list[Message]:
    return [
        Message(one.get("role") == "model", "\n".join(part.get("text", "") for part in one.get("parts", [])))
        for one in body.get("contents", [])
    ]


def _refusal(turn: Turn) -> Reply | None:
    if error := turn.get("error"):
        return _error(error["status"], error.get("type", "INVALID_ARGUMENT"), error["message"])
    match turn.get("limit"):
        case "usage":
            # The CLI waits by itself for less than five minutes, and gives up at once on more and on a day's quota.
            seconds = max(0, turn["until"] - int(time.time())) if "until" in turn else 0
            period = "Minute" if 0 < seconds < 86400 else "Day"
            failure: Body = {
                "@type": f"{_TYPE}QuotaFailure",
                "violations": [{"quotaId": f"GenerateRequestsPer{period}PerProjectPerModel-FreeTier"}],
            }
            retry: Body = {"@type": f"{_TYPE}RetryInfo", "retryDelay": f"{seconds}s"}
            return _error(429, "RESOURCE_EXHAUSTED", _QUOTA.format(seconds), [failure, retry])
        case "rate":
            return _error(429, "RESOURCE_EXHAUSTED", "Resource has been exhausted (e.g. check quota).")
        case "overloaded":
            return _error(503, "UNAVAILABLE", "The model is overloaded. Please try again later.")
    return None


def _error(code: int, status: str, message: str, details: list[Body] | None = None) -> Reply:
    return Reply(code, {"error": {"code": code, "message": message, "status": status, "details": details or []}})


def _content(turn: Turn, model: str, verb: str) -> Reply:
    parts: list[dict[str, Any]] = [{"text": turn["text"]}] if "text" in turn else []
    call = _call(turn)
    if call is not None:
        parts.append({"functionCall": {"name": call[0], "args": call[1]}})
    used = turn.get("usage", {})
    sent, received = used.get("input", 1000), used.get("output", 100)
    answer = {
        "candidates": [{"content": {"role": "model", "parts": parts}, "finishReason": "STOP", "index": 0}],
        "usageMetadata": {
            "promptTokenCount": sent, "candidatesTokenCount": received, "totalTokenCount": sent + received,
        },
        "modelVersion": model,
    }  # fmt: skip
    after = float(turn.get("hang", 0))
    return Reply(200, events=((None, answer),), after=after) if verb.startswith("stream") else Reply(200, answer)


def _call(turn: Turn) -> tuple[str, Any] | None:
    if "shell" in turn:
        return "run_shell_command", {"command": turn["shell"], "description": "run it"}
    if "mcp" in turn:
        return f"mcp_stoat_{turn['mcp']}", turn.get("input", {})
    return (turn["tool"], turn.get("input", {})) if "tool" in turn else None
