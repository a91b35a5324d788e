"""Launcher profiles: how an agent of some tool is started, read from launchers.json, turned into an argument list."""

from __future__ import annotations

import shlex
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Literal, get_args

import msgspec
from msgspec import Struct

from stoat.errors import UNDECODABLE, Invalid, Problem, Refused
from stoat.runner.filling import fill

BUILT_IN = ("claude", "codex", "gemini")
"""Names that are kept for the profiles Stoat will bring along; a user's own profile may have one all the same."""

Result = Literal["claude-json", "codex-jsonl", "gemini-json", "none"]

_LISTS = (
    "arguments", "modelArguments", "budgetArguments", "sessionArguments", "resumeArguments", "mcpArguments",
    "leanArguments", "skillArguments", "postureFlags",
)  # fmt: skip
_WORDS = ("name", "command", "defaultModel", "result")
_HINT = "its shape is in docs/runner.md, “Launchers”"


class Profile(Struct, frozen=True, rename="camel", kw_only=True):
    """How to start one tool. Each list is left out where its placeholder has no value; `{prompt}` is in `arguments`."""

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


def choose(name: str, file: Path | None, home: Path) -> Profile:
    """The profile of that name, of `file` or else of ~/.stoat/launchers.json under `home`.

    Invalid with everything that is wrong with the file; Refused where there is no such profile.
    """
    place = file or home / ".stoat" / "launchers.json"
    if file is not None and not file.is_file():
        raise Refused(f"there is no launchers file {file}", hint=_HINT)
    profiles = read(place) if place.is_file() else {}
    if name in profiles:
        profile = profiles[name]
        if profile.cloud:
            raise Refused(
                f"launcher {name} starts cloud agents, which no worktree of this machine is for",
                hint="name a launcher without \"cloud\": true; --cloud-launcher comes with a later version",
            )
        return profile
    known = f" (there: {', '.join(profiles)})" if profiles else ""
    if name in BUILT_IN:
        raise Refused(
            f"the built-in launcher {name} comes with a later version",
            hint=f"give your own profile with --launcher NAME --launchers FILE{known}; {_HINT}",
        )
    raise Refused(f"there is no launcher {name!r} in {place}{known}", hint=_HINT)


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
            profiles[entry["name"]] = msgspec.convert(entry, Profile)
    if problems:
        raise _invalid(place, problems)
    return profiles


def _invalid(place: Path, problems: Sequence[str]) -> Invalid:
    return Invalid([Problem(0, 0, f"{place}: {what}", "") for what in problems], hint=_HINT)


def _problems(entry: Any) -> list[str]:
    if not isinstance(entry, dict):
        return ["it is not an object"]
    wrong = [f"unknown field {key!r}" for key in entry if key not in (*_LISTS, *_WORDS, "cloud")]
    wrong += [f"{key} is missing" for key in ("name", "command", "arguments") if key not in entry]
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
    return wrong or _holes_missing(entry)


def _holes_missing(entry: Mapping[str, Any]) -> list[str]:
    wanted = {
        "arguments": "prompt", "modelArguments": "model", "budgetArguments": "budget", "sessionArguments": "session",
    }  # fmt: skip
    return [
        f"{key} has no {{{hole}}}"
        for key, hole in wanted.items()
        if key in entry and not any(f"{{{hole}}}" in word for word in entry[key])
    ]


def command_line(
    profile: Profile, *, prompt: str, extra: Sequence[str] = (), command: str | None = None,
    model: str | None = None, budget: float | None = None, session: str | None = None,
) -> list[str]:  # fmt: skip
    """The argument list that starts an agent: no shell sees it, and the prompt is within one argument.

    `command` stands in for the profile's; `extra` are --agent-args, at the end.
    """
    filled = {"prompt": prompt}
    words = list(profile.arguments)
    for name, value, more in (
        ("model", model, profile.model_arguments),
        ("budget", None if budget is None else f"{budget:g}", profile.budget_arguments),
        ("session", session, profile.session_arguments),
    ):
        if value is not None:
            filled[name] = value
            words += more
    return [command or profile.command, *(fill(word, filled) for word in words), *extra]


def has_posture(profile: Profile, extra: Sequence[str]) -> bool:
    """Whether one of the profile's permission flags was chosen; a profile that names none has nothing to ask."""
    given = [*profile.arguments, *extra]
    return not profile.posture_flags or any(
        word == flag or word.startswith(f"{flag}=") for word in given for flag in profile.posture_flags
    )


def split_arguments(flag: str, text: str) -> tuple[str, ...]:
    """A flag's value split as a shell would; Refused with an unterminated quote."""
    try:
        return tuple(shlex.split(text))
    except ValueError as problem:
        raise Refused(
            f"{flag} cannot be split into arguments: {str(problem).lower()}",
            hint="close every quote, or escape it with a backslash",
        ) from problem
