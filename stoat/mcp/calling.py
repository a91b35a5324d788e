"""Calling a tool: its arguments checked, its function run, and whatever it comes to as one result, of a bounded size.

What an agent can put right (an argument, a rule that says no, no store) is a result with `isError` that says how. What
is wrong with Stoat itself is raised.
"""

from __future__ import annotations

from typing import Any

import msgspec
from pydantic import ValidationError

from stoat.errors import StoatError
from stoat.mcp.bounding import bounded
from stoat.mcp.desk import Desk
from stoat.mcp.tool import Call, Speaker, Tool, Waiting
from stoat.service.assigned import assigned

_MOST_PROBLEMS = 20
"""Problems of arguments that are named in one result."""


def call(tool: Tool, arguments: dict[str, Any], desk: Desk, client: str, waiting: Waiting) -> dict[str, Any]:
    """The result of a tool as MCP has it: the answer as structured content and as text, or the reason and the hint."""
    try:
        given = tool.arguments.model_validate(arguments)
        agent = given.agent if isinstance(given, Speaker) else None
        with desk.session(agent, client) as session:
            answer = tool.run(Call(session, assigned(desk.environ), waiting), given)
    except ValidationError as wrong:
        return refused(_bad(tool, wrong))
    except StoatError as no:
        return refused(no.message, no.hint)
    shown = bounded(msgspec.json.decode(msgspec.json.encode(answer)))
    text = msgspec.json.encode(shown).decode()
    return {"content": [{"type": "text", "text": text}], "structuredContent": shown, "isError": False}


def refused(reason: str, hint: str | None = None) -> dict[str, Any]:
    """The result of a call that came to nothing: why, and what to do next."""
    text = f"{reason}\nhint: {hint}" if hint else reason
    return {"content": [{"type": "text", "text": text}], "isError": True}


def _bad(tool: Tool, wrong: ValidationError) -> str:
    """What is wrong with arguments, a line for each; nothing of what was given is repeated."""
    problems = wrong.errors(include_url=False, include_context=False, include_input=False)
    lines = [f"{'.'.join(map(str, one['loc'])) or 'arguments'}: {one['msg']}" for one in problems[:_MOST_PROBLEMS]]
    if len(problems) > len(lines):
        lines.append(f"… and {len(problems) - len(lines)} more")
    names = ", ".join(tool.arguments.model_json_schema(by_alias=True).get("properties", {})) or "none"
    return "\n".join([f"the arguments of {tool.name} are wrong:", *lines, f"hint: its arguments are: {names}"])
