"""A running agent's newest words and their age, and whether it hangs on a limit."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from stoat.clock import parse, plus
from stoat.observe.agents.activity import hangs_on, last_words

DATA = Path(__file__).parent / "data"
SAID = "2026-12-01T05:01:03.000Z"
FORMS = {"claude": "claude-json", "codex-": "codex-jsonl", "gemini": "gemini-json", "plain:": "none"}


def agent(tmp_path: Path, *, out: bytes = b"", err: bytes = b"", out_age: float = 0, err_age: float = 0) -> list[Path]:
    """The output and the log of an agent, written so many seconds before `SAID`."""
    output, log = tmp_path / "out.jsonl", tmp_path / "agent.log"
    for path, text, age in ((output, out, out_age), (log, b"of an earlier attempt\n" + err, err_age)):
        path.write_bytes(text)
        at = parse(plus(SAID, -age)).timestamp()
        os.utime(path, (at, at))
    return [output, log]


START = len(b"of an earlier attempt\n")


def lines(name: str, count: int | None = None) -> bytes:
    """The first lines of a recorded output."""
    return b"".join((DATA / name).read_bytes().splitlines(keepends=True)[:count])


def test_an_agent_that_said_nothing_has_no_last_words(tmp_path: Path) -> None:
    output, log = agent(tmp_path)
    assert last_words("claude-json", output, log, START, now=SAID) is None
    assert last_words("claude-json", tmp_path / "a", tmp_path / "b", 0, now=SAID) is None
    assert hangs_on("claude-json", output, log, START, quiet=0, now=SAID) is None


def test_the_newest_of_both_outputs_counts(tmp_path: Path) -> None:
    working = lines("claude-332-done.stream.jsonl", 2)
    output, log = agent(tmp_path, out=working, err=b"a warning\n", err_age=60)
    words = last_words("claude-json", output, log, START, now=plus(SAID, 30))
    assert words == ("I will create the file and commit it.", 30, output)
    output, log = agent(tmp_path, out=working, err=b"a warning\n\n", out_age=60)
    assert last_words("claude-json", output, log, START, now=plus(SAID, 30)) == ("a warning", 30, log)
    assert last_words("none", None, log, START, now=plus(SAID, 5)) == ("a warning", 5, log)


def test_noise_is_not_the_last_word(tmp_path: Path) -> None:
    noise = b'{"type":"rate_limit_event","rate_limit_info":{"status":"allowed"}}\n{"type":"sys'
    output, log = agent(tmp_path, out=lines("claude-332-done.stream.jsonl", 2) + noise)
    words = last_words("claude-json", output, log, START, now=SAID)
    assert words is not None and words.text == "I will create the file and commit it."


def test_a_line_separator_within_a_text_tears_no_line(tmp_path: Path) -> None:
    said = {"type": "assistant", "message": {"content": [{"type": "text", "text": "one\u2028two\x85three"}]}}
    output, log = agent(tmp_path, out=json.dumps(said, ensure_ascii=False).encode() + b"\n")
    words = last_words("claude-json", output, log, START, now=SAID)
    assert words is not None and "one" in words.text and "three" in words.text


@pytest.mark.parametrize(
    ("name", "count", "hangs"),
    [
        ("claude-332-rate.stream.jsonl", 2, "rate"),
        ("claude-332-rate.stream.jsonl", 3, "rate"),
        ("claude-332-rate.stream.jsonl", 4, None),
        ("claude-332-five-hour.stream.jsonl", 2, "usage"),
        ("claude-332-five-hour.stream.jsonl", 3, "usage"),
        ("claude-332-five-hour.stream.jsonl", None, None),
        ("claude-332-overloaded.stream.jsonl", 2, None),
        ("claude-332-done.stream.jsonl", 3, None),
        ("codex-171-rate-in-stream.jsonl", 4, "rate"),
        ("codex-171-rate-in-stream.jsonl", 3, None),
        ("codex-171-done.jsonl", 4, None),
    ],
)
def test_a_limit_that_is_the_newest_thing_said_is_hung_on(
    tmp_path: Path, name: str, count: int | None, hangs: str | None
) -> None:
    output, log = agent(tmp_path, out=lines(name, count))
    form = FORMS[name[:6]]
    assert hangs_on(form, output, log, START, quiet=120, now=plus(SAID, 119)) is None
    limit = hangs_on(form, output, log, START, quiet=120, now=plus(SAID, 120))
    assert (limit and limit.kind) == hangs


def test_a_reset_is_counted_from_the_words_and_not_from_the_look(tmp_path: Path) -> None:
    output, log = agent(tmp_path, out=lines("codex-171-rate-in-stream.jsonl", 4))
    limit = hangs_on("codex-jsonl", output, log, START, quiet=120, now=plus(SAID, 600))
    assert limit is not None and limit.resets_at == plus(SAID, 2.5)


@pytest.mark.parametrize(
    ("name", "hangs"),
    [
        ("gemini-61-exhausted-retrying.stderr", "rate"),
        ("gemini-61-minute-retrying.stderr", "usage"),
        ("gemini-61-unavailable-retrying.stderr", None),
        ("gemini-61-daily.stderr", None),
    ],
)
def test_gemini_tries_again_on_its_other_output(tmp_path: Path, name: str, hangs: str | None) -> None:
    output, log = agent(tmp_path, out=lines("gemini-61-exhausted-retrying.stream.jsonl"), err=lines(name), out_age=300)
    limit = hangs_on("gemini-json", output, log, START, quiet=120, now=plus(SAID, 200))
    assert (limit and limit.kind) == hangs


def test_an_older_limit_on_the_other_output_is_over(tmp_path: Path) -> None:
    retrying = lines("gemini-61-exhausted-retrying.stderr")
    output, log = agent(tmp_path, out=lines("gemini-61-done.stream.jsonl", 4), err=retrying, err_age=60)
    assert hangs_on("gemini-json", output, log, START, quiet=120, now=plus(SAID, 200)) is None
    # The log is also where people are told what came on the first output.
    output, log = agent(tmp_path, out=lines("gemini-61-done.stream.jsonl", 4), err=retrying + "→ run it\n".encode())
    assert hangs_on("gemini-json", output, log, START, quiet=120, now=plus(SAID, 200)) is None


def test_of_a_tool_without_json_the_last_lines_count(tmp_path: Path) -> None:
    said = b"You've hit your session limit \xc2\xb7 resets 4pm (UTC)\n"
    for text, hangs in ((said, True), (said + b"one\n" * 4, True), (said + b"one\n" * 5, False), (b"one\n", False)):
        _, log = agent(tmp_path, err=text)
        assert (hangs_on("none", None, log, START, quiet=120, now=plus(SAID, 200)) is not None) == hangs


def test_only_the_end_of_a_long_output_is_read(tmp_path: Path) -> None:
    working = lines("claude-332-done.stream.jsonl", 4)
    output, log = agent(tmp_path, out=working * 5_000 + lines("claude-332-five-hour.stream.jsonl", 2)[-400:])
    limit = hangs_on("claude-json", output, log, START, quiet=120, now=plus(SAID, 200))
    assert limit is not None and limit.resets_at == "2026-12-01T07:01:03.000Z"
