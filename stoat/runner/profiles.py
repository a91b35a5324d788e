"""The shape of a launcher profile: how an agent of some tool is started; and the file in which users write them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Literal, get_args

import msgspec
from msgspec import Struct

from stoat.errors import UNDECODABLE, Invalid, Problem
from stoat.runner.cloud.engines import ENGINES

Result = Literal["claude-json", "codex-jsonl", "gemini-json", "none"]

_LISTS = (
    "arguments", "modelArguments", "budgetArguments", "sessionArguments", "resumeArguments", "mcpArguments",
    "leanArguments", "skillArguments", "postureFlags",
)  # fmt: skip
_WORDS = ("name", "command", "defaultModel", "result")
HINT = "its shape is in docs/runner.md, “Launchers”"

_HOLES: Mapping[str, tuple[str, ...]] = {
    "arguments": ("prompt",), "modelArguments": ("model",), "budgetArguments": ("budget",),
    "sessionArguments": ("session",), "resumeArguments": ("session",), "mcpArguments": ("mcp", "mcptoml"),
    "skillArguments": ("skills",),
}  # fmt: skip
"""What each list is for: one of these placeholders has to stand in it."""

PROMPT = "{prompt}"
OPTIONS = "{options}"
"""The word of `arguments` or `resumeArguments` in whose place the other lists and --agent-args go; else at the end."""


class Profile(Struct, frozen=True, rename="camel", kw_only=True):
    """How to start one tool. Each list is left out where its placeholder has no value; `{prompt}` is in `arguments`.

    `resume_arguments` stand in for `session_arguments` where a session goes on, and for `arguments` as well where the
    prompt is in them.
    """

    name: str
    command: str
    arguments: tuple[str, ...]
    model_arguments: tuple[str, ...] = ()
    budget_arguments: tuple[str, ...] = ()
    session_arguments: tuple[str, ...] = ()
    resume_arguments: tuple[str, ...] = ()
    mcp_arguments: tuple[str, ...] = ()
    lean_arguments: tuple[str, ...] = ()
    skill_arguments: tuple[str, ...] = ()
    posture_flags: tuple[str, ...] = ()
    default_model: str | None = None
    result: Result = "none"
    cloud: bool = False
    parameters: Mapping[str, str] = {}


def read(place: Path) -> dict[str, Profile]:
    """The profiles of a launchers file by name; Invalid with all of its problems."""
    try:
        written = msgspec.json.decode(place.read_bytes())
    except (OSError, *UNDECODABLE) as problem:
        raise _invalid(place, [f"it cannot be read as JSON: {problem}"]) from problem
    if not isinstance(written, list):
        raise _invalid(place, ["it is not a list of profiles"])
    problems: list[str] = []
    profiles: dict[str, Profile] = {}
    for number, entry in enumerate(written, 1):
        wrong = _problems(entry)
        name = entry.get("name") if isinstance(entry, dict) else None
        where = f"profile {number}" + (f" ({name})" if isinstance(name, str) else "")
        if isinstance(name, str) and name in profiles:
            wrong.append("its name is taken by an earlier one")
        problems.extend(f"{where}: {what}" for what in wrong)
        if not wrong:
            profiles[entry["name"]] = msgspec.convert({"command": "", "arguments": [], **entry}, Profile)
    if problems:
        raise _invalid(place, problems)
    return profiles


def _invalid(place: Path, problems: Sequence[str]) -> Invalid:
    return Invalid([Problem(0, 0, f"{place}: {what}", "") for what in problems], hint=HINT)


def _problems(entry: Any) -> list[str]:
    if not isinstance(entry, dict):
        return ["it is not an object"]
    wrong = [f"unknown field {key!r}" for key in entry if key not in (*_LISTS, *_WORDS, "cloud", "parameters")]
    engine = entry.get("cloud") is True and entry.get("name") in ENGINES and "command" not in entry
    needed = ("name",) if engine else ("name", "command", "arguments")
    wrong += [f"{key} is missing" for key in needed if key not in entry]
    given = entry.get("parameters", {})
    if not (isinstance(given, dict) and all(isinstance(value, str) for value in given.values())):
        wrong.append("parameters is not an object of texts")
    elif given and not engine:
        wrong.append(f"parameters are for the cloud launchers {', '.join(ENGINES)} without a command of their own")
    for key in _WORDS:
        value = entry.get(key, "x")
        if not (isinstance(value, str) and value) and not (key == "defaultModel" and value is None):
            wrong.append(f"{key} is not a text")
    for key in _LISTS:
        value = entry.get(key, [])
        if not (isinstance(value, list) and all(isinstance(word, str) for word in value)):
            wrong.append(f"{key} is not a list of texts")
    if not isinstance(entry.get("cloud", False), bool):
        wrong.append("cloud is not true or false")
    if isinstance(entry.get("result"), str) and entry["result"] not in get_args(Result):
        wrong.append(f"result is none of {', '.join(get_args(Result))}")
    return wrong or ([] if engine else _holes_missing(entry))


def _holes_missing(entry: Mapping[str, Any]) -> list[str]:
    return [
        f"{key} has no {' or '.join(f'{{{hole}}}' for hole in holes)}"
        for key, holes in _HOLES.items()
        if (entry.get(key) or key == "arguments")
        and not any(f"{{{hole}}}" in word for word in entry[key] for hole in holes)
    ]
