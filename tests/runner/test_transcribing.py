"""What agents' tools say for programs, as it comes into the logs that people follow: whole lines, each once."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from stoat.runner import transcribing


def said(text: str) -> bytes:
    """What Claude Code prints when its agent says something."""
    return json.dumps({"type": "assistant", "message": {"content": [{"type": "text", "text": text}]}}).encode() + b"\n"


def told(directory: Path, *written: bytes, last: bool = True) -> list[str]:
    """The log of an output that is written piece by piece, and looked at after each."""
    output, log, at = directory / "out", directory / "log", 0
    log.touch()
    for number, piece in enumerate(written):
        with output.open("ab") as file:
            file.write(piece)
        before = -1
        while at > before:
            before = at
            is_last = last and number == len(written) - 1
            at = transcribing._tell("claude-json", output, log, at, whole_lines=not is_last)
    return log.read_text(encoding="utf-8").splitlines()


@pytest.mark.parametrize("size", [200, 1000])
def test_a_line_on_the_border_of_what_is_read_at_once_is_told_whole(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, size: int
) -> None:
    monkeypatch.setattr(transcribing, "_AT_ONCE", size)
    lines = [f"line {number}" for number in range(60)]
    assert told(tmp_path, b"".join(said(line) for line in lines)) == lines


def test_a_line_that_is_being_written_is_told_when_it_is_whole(tmp_path: Path) -> None:
    line = said("hello")
    assert told(tmp_path, said("first"), line[:9], line[9:], said("last")[:-1]) == ["first", "hello", "last"]


@pytest.mark.parametrize("cut", [5, 40, 300])
def test_a_line_that_is_too_long_is_told_as_far_as_it_goes_and_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, cut: int
) -> None:
    monkeypatch.setattr(transcribing, "_AT_ONCE", 120)
    long = b"warning " + b"y" * 500 + b"\n"
    written = said("first") + long[:cut], long[cut:] + said("then")
    assert told(tmp_path, *written) == ["first", "warning " + "y" * 112, "then"]
