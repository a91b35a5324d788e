"""The file in which users write launcher profiles, of agents on this machine and in the cloud: launchers.json."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, get_args

import msgspec

from stoat.errors import UNDECODABLE, Invalid, Problem, Refused
from stoat.runner.cloud.engines import ENGINES
from stoat.runner.profiles import Profile, Result

HINT = "its shape is in docs/runner.md, “Launchers”"

_LISTS = (
    "arguments", "modelArguments", "budgetArguments", "sessionArguments", "resumeArguments", "mcpArguments",
    "leanArguments", "skillArguments", "postureFlags",
)  # fmt: skip
_WORDS = ("name", "command", "defaultModel", "result")

_HOLES: Mapping[str, tuple[str, ...]] = {
    "arguments": ("prompt",), "modelArguments": ("model",), "budgetArguments": ("budget",),
    "sessionArguments": ("session",), "resumeArguments": ("session",), "mcpArguments": ("mcp", "mcptoml"),
    "skillArguments": ("skills",),
}  # fmt: skip
"""What each list is for: one of these placeholders has to stand in it."""


def users_own(file: Path | None, home: Path) -> tuple[Path, dict[str, Profile]]:
    """The profiles of `file`, or else of ~/.stoat/launchers.json under `home` where there is one, and which file it is.

    Refused where `file` is not there; Invalid with everything that is wrong with it.
    """
    place = file or home / ".stoat" / "launchers.json"
    if file is not None and not file.is_file():
        raise Refused(f"there is no launchers file {file}", hint=HINT)
    return place, read(place) if place.is_file() else {}


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
        elif isinstance(value, str) and not value.isprintable():
            wrong.append(f"{key} has characters that cannot be shown")
    for key in _LISTS:
        value = entry.get(key, [])
        if not (isinstance(value, list) and all(isinstance(word, str) for word in value)):
            wrong.append(f"{key} is not a list of texts")
        elif any("\0" in word for word in value):
            wrong.append(f"{key} has a NUL, which no program can be given")
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
