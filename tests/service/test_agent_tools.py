"""What doctor says of the coding agents on the PATH."""

from __future__ import annotations

from pathlib import Path

import pytest

from stoat.service.agent_tools import look_at_tools


def put(place: Path, name: str, text: str) -> None:
    place.mkdir(exist_ok=True)
    (place / name).write_text(text)
    (place / name).chmod(0o755)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """A directory that is all of the PATH, with a `node` that says a version for whatever it is asked to run."""
    place = tmp_path / "bin here"
    put(place, "node", "#!/bin/sh\nread -r line < /dev/null\necho 1.2.3\n")
    return place


def test_nothing_there_is_no_problem(path: Path) -> None:
    check = look_at_tools({"PATH": str(path)})
    assert (check.name, check.state, check.what) == ("agents", "ok", "none of claude, codex, gemini is on the PATH")


def test_what_is_there_is_named_with_its_version_and_a_script_of_ones_own_without(path: Path) -> None:
    put(path, "codex", "#!/usr/bin/env node\n")
    put(path, "claude", f"#!/bin/sh\ntouch '{path}/was-run'\n")
    check = look_at_tools({"PATH": f"{path}:/usr/bin:/bin"})
    assert (check.state, check.what) == ("ok", "claude, codex (1.2.3) on the PATH")
    assert not (path / "was-run").exists()


def test_one_that_was_not_installed_whole_is_warned_of(path: Path) -> None:
    put(path, "claude", 'echo "Error: claude native binary not installed." >&2\nexit 1\n')
    check = look_at_tools({"PATH": str(path)})
    assert (check.state, "claude was not installed whole" in check.what) == ("warning", True)
    assert check.do
