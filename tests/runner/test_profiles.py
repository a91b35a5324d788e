"""launchers.json, posture, and the argument list of an agent."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from stoat.errors import Invalid, Refused
from stoat.runner.builtin import BUILT_IN
from stoat.runner.command_lines import Places, command_line
from stoat.runner.launchers import choose, has_posture, split_arguments
from stoat.runner.launchers_file import read
from stoat.runner.profiles import Profile

AIDER: dict[str, Any] = {
    "name": "aider", "command": "aider", "arguments": ["--message", "{prompt}", "--yes"],
    "modelArguments": ["--model", "{model}"], "postureFlags": ["--yes"],
}  # fmt: skip


def written(place: Path, *profiles: object) -> Path:
    place.parent.mkdir(parents=True, exist_ok=True)
    place.write_text(json.dumps(list(profiles)), encoding="utf-8")
    return place


def test_the_documented_profile_is_read(tmp_path: Path) -> None:
    profile = choose("aider", written(tmp_path / "l.json", AIDER), tmp_path)
    assert profile == Profile(
        name="aider", command="aider", arguments=("--message", "{prompt}", "--yes"),
        model_arguments=("--model", "{model}"), posture_flags=("--yes",),
    )  # fmt: skip


def test_the_users_own_file_is_read_where_none_is_named(tmp_path: Path) -> None:
    written(tmp_path / ".stoat" / "launchers.json", AIDER)
    assert choose("aider", None, tmp_path).command == "aider"


def test_a_users_profile_may_have_the_name_of_a_built_in_one(tmp_path: Path) -> None:
    assert choose("claude", written(tmp_path / "l.json", {**AIDER, "name": "claude"}), tmp_path).command == "aider"


@pytest.mark.parametrize("name", ["claude", "codex", "gemini"])
def test_a_built_in_launcher_is_there_with_the_users_own_beside_it(name: str, tmp_path: Path) -> None:
    assert choose(name, None, tmp_path) == BUILT_IN[name]
    assert choose(name, written(tmp_path / "l.json", AIDER), tmp_path) == BUILT_IN[name]


def test_a_built_in_profile_is_one_that_a_user_could_have_written(tmp_path: Path) -> None:
    place = tmp_path / "l.json"
    place.write_bytes(msgspec.json.encode(list(BUILT_IN.values())))
    assert read(place) == BUILT_IN


def test_an_unknown_launcher_and_a_missing_file_are_refused(tmp_path: Path) -> None:
    with pytest.raises(Refused, match=r"no launcher 'adier'.*aider"):
        choose("adier", written(tmp_path / "l.json", AIDER), tmp_path)
    with pytest.raises(Refused, match="no launchers file"):
        choose("aider", tmp_path / "none.json", tmp_path)


def test_a_cloud_profile_is_no_launcher(tmp_path: Path) -> None:
    with pytest.raises(Refused, match="cloud"):
        choose("aider", written(tmp_path / "l.json", {**AIDER, "cloud": True}), tmp_path)


def test_all_problems_of_a_file_are_said_at_once(tmp_path: Path) -> None:
    place = written(
        tmp_path / "l.json", AIDER, AIDER, "no object", {"name": "b", "command": "b", "arguments": ["x"]},
        {"name": "c", "command": 7, "arguments": "{prompt}", "result": "xml", "cloud": "yes", "colour": "red"},
        {"name": "d", "command": "d", "arguments": ["{prompt}"], "modelArguments": ["--model"]},
        {"name": "e\x1b[31m", "command": "e", "arguments": ["{prompt}\0"]},
    )  # fmt: skip
    with pytest.raises(Invalid) as invalid:
        read(place)
    said = "\n".join(str(problem) for problem in invalid.value.problems)
    for words in (
        "profile 2 (aider): its name is taken", "profile 3: it is not an object",
        "profile 4 (b): arguments has no {prompt}",
        "profile 5 (c): unknown field 'colour'", "profile 5 (c): command is not a text",
        "profile 5 (c): arguments is not a list of texts", "profile 5 (c): result is none of",
        "profile 5 (c): cloud is not true or false", "profile 6 (d): modelArguments has no {model}",
        "name has characters that cannot be shown", "arguments has a NUL, which no program can be given",
    ):  # fmt: skip
        assert words in said


@pytest.mark.parametrize("text", ["", "{", '{"name": "x"}', "\xff", "[" * 5000])
def test_a_file_that_is_no_list_is_refused(text: str, tmp_path: Path) -> None:
    place = tmp_path / "l.json"
    place.write_text(text, encoding="latin-1")
    with pytest.raises(Invalid, match=r"JSON|list"):
        read(place)


PLACES = Places(*map(Path, ("/w/n", "/w/p/.git/worktrees/n", "/w/p/.git", "/w/store.git")))
FULL = Profile(
    name="t", command="tool", arguments=("-p", "{prompt}"), model_arguments=("--model", "{model}"),
    budget_arguments=("--max={budget}",), session_arguments=("--session", "{session}"),
)  # fmt: skip


@given(st.text())
def test_the_prompt_is_one_argument_and_nothing_in_it_is_filled(text: str) -> None:
    prompt = text + "{model} {session} $(touch x) 'a\" {prompt}"
    argv = command_line(FULL, prompt=prompt, places=PLACES, model="m", session="s", extra=("--yes",))
    told = f"\n{prompt}" if prompt.startswith("-") else prompt
    assert argv == ["tool", "-p", told, "--model", "m", "--session", "s", "--yes"]


def test_what_has_no_value_is_left_out() -> None:
    assert command_line(FULL, prompt="p", places=PLACES) == ["tool", "-p", "p"]
    dear = command_line(FULL, prompt="p", places=PLACES, budget=2.5, command="/other tool")
    assert dear == ["/other tool", "-p", "p", "--max=2.5"]


@pytest.mark.parametrize(
    ("flags", "extra", "enough"),
    [
        ((), (), True), (("--yes",), (), False), (("--yes",), ("--yes",), True), (("--mode",), ("--mode=auto",), True),
        (("--mode",), ("--model", "x"), False), (("-s",), ("-sread-only",), True), (("-s",), ("--search",), False),
    ],
)  # fmt: skip
def test_a_posture_is_one_of_the_profiles_own_flags(
    flags: tuple[str, ...], extra: tuple[str, ...], enough: bool
) -> None:
    profile = Profile(name="t", command="t", arguments=("{prompt}",), posture_flags=flags)
    assert has_posture(profile, extra) is enough


def test_a_flag_in_the_profiles_own_arguments_is_a_posture() -> None:
    assert has_posture(Profile(name="t", command="t", arguments=("{prompt}", "--yes"), posture_flags=("--yes",)), ())


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ('--allowedTools "Bash(dotnet:*),Bash(git:*)"', ("--allowedTools", "Bash(dotnet:*),Bash(git:*)")),
        ("a '' \"\"", ("a", "", "")),
        (r"a\ b", ("a b",)),
        ("", ()),
    ],
)
def test_arguments_are_split_as_a_shell_would(text: str, words: tuple[str, ...]) -> None:
    assert split_arguments("--agent-args", text) == words


@pytest.mark.parametrize("text", ['"open', "'open", "a \\"])
def test_an_unterminated_quote_is_refused(text: str) -> None:
    with pytest.raises(Refused, match="--agent-args"):
        split_arguments("--agent-args", text)
