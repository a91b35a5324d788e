"""What people who follow a log are told of a tool's machine output: what was said and done, and nothing that acts."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stoat.observe.agents.telling import told
from stoat.plan.characters import ACTING

DATA = Path(__file__).parent / "data"
FORMS = {"claude": "claude-json", "codex-": "codex-jsonl", "gemini": "gemini-json"}


def log(name: str) -> list[str]:
    """The lines of the log that a recorded output comes to."""
    lines = (DATA / name).read_bytes().splitlines()
    return [text for line in lines if (text := told(FORMS[name[:6]], line)) is not None]


def test_claude_at_work() -> None:
    first, *rest = log("claude-332-done.stream.jsonl")
    assert first.startswith("claude · 2.1.332 · claude-opus-5-5 · ")
    assert rest == [
        "I will create the file and commit it.",
        "→ Bash: printf 'hello from the mock\\n' > hello.txt && git add hello.txt && git -c user.name=Mock -c "
        "user.email=mock@example.invalid commit -qm 'Add hello.txt' && git l…",
        "Created hello.txt and committed it.",
        "✓ ended · 2 turns · $0.01",
    ]


def test_a_result_without_a_stream_brings_its_message() -> None:
    line = (DATA / "claude-332-done.json").read_bytes()
    assert told("claude-json", line, first=True) == "✓ ended · 2 turns · $0.01\nCreated hello.txt and committed it."
    assert told("claude-json", line) == "✓ ended · 2 turns · $0.01"


def test_claude_turned_away() -> None:
    assert log("claude-332-rate.stream.jsonl")[1] == "⟳ API error 429 (rate_limit), try 1 of 1, in 1 s"
    limited = log("claude-332-five-hour.stream.jsonl")[1:]
    assert limited == [
        "✗ limit reached: 5-hour, resets 2026-12-01 07:01Z",
        "You've hit your 5-hour limit · resets 1:01am (America/Chicago)",
        "✗ failed · 1 turn · $0.00",
    ]
    assert log("claude-332-budget.stream.jsonl")[-1] == "✗ failed · 1 turn · $1.80\nReached maximum budget ($0.5)"


def test_claude_refused_a_tool() -> None:
    assert log("claude-332-denied.json") == [
        "✗ refused: Write: /home/ada/code/app/notes.txt\n✓ ended · 2 turns · $0.01"
    ]


def test_codex_at_work() -> None:
    first, *rest = log("codex-171-done.jsonl")
    assert first.startswith("codex · ")
    assert rest[0].startswith("⚠ Model metadata for `gpt-5` not found.")
    assert rest[1].startswith("→ exec: /bin/bash -lc ")
    assert rest[2:] == [
        "  ✗ exit 1: On branch master nothing to commit, working tree clean",
        "Created hello.txt and committed it.",
        "✓ ended",
    ]
    assert log("codex-171-at-capacity.jsonl")[-2:] == [
        "✗ Selected model is at capacity. Please try a different model.",
        "✗ failed",
    ]


def test_gemini_at_work() -> None:
    first, *rest = log("gemini-61-done.stream.jsonl")
    assert first.startswith("gemini · auto · ")
    assert rest[0].startswith("→ run_shell_command: printf ")
    assert rest[1:] == ["Created hello.txt and committed it.", "✓ ended"]
    assert log("gemini-61-daily.stream.jsonl")[-1].startswith("✗ failed\n[API Error: You have exhausted your daily")
    assert log("gemini-61-done.json") == ["Created hello.txt and committed it."]


@pytest.mark.parametrize(
    ("form", "value", "text"),
    [
        ("claude-json", {"type": "user", "message": {"content": [
            {"type": "tool_result", "is_error": True, "content": "no such file\nat all"}]}}, "  ✗ no such file at all"),
        ("claude-json", {"type": "user", "message": {"content": [
            {"type": "tool_result", "is_error": True, "content": [{"type": "text", "text": "boom"}]}]}}, "  ✗ boom"),
        ("claude-json", {"type": "user", "message": {"content": [
            {"type": "tool_result", "is_error": False, "content": "fine"}]}}, None),
        ("claude-json", {"type": "user", "message": {"content": "the prompt"}}, None),
        ("claude-json", {"type": "user", "message": {"content": [
            {"type": "text", "text": "[Request interrupted by user]"}]}}, "[Request interrupted by user]"),
        ("claude-json", {"type": "assistant", "message": {"content": [{"type": "thinking", "thinking": "hm"}]}}, None),
        ("claude-json", {"type": "assistant", "message": {"content": [
            {"type": "text", "text": "a"}, {"type": "tool_use", "name": "Read", "input": {"file_path": "x.py"}},
            {"type": "tool_use", "name": "Odd", "input": {"n": 1, "why": "so"}},
            {"type": "tool_use", "name": "None", "input": {}}]}}, "a\n→ Read: x.py\n→ Odd: so\n→ None"),
        ("claude-json", {"type": "assistant", "parent_tool_use_id": "toolu_1", "message": {"content": [
            {"type": "text", "text": "a\nb"}, {"type": "tool_use", "name": "Read", "input": {"file_path": "x.py"}}]}},
            "    a\n    b\n    → Read: x.py"),
        ("claude-json", {"type": "system", "subtype": "hook_started"}, None),
        ("claude-json", {"type": "rate_limit_event", "rate_limit_info": {"status": "allowed"}}, None),
        ("claude-json", {"type": "rate_limit_event", "rate_limit_info": {
            "status": "rejected", "rateLimitType": "five_hour", "isUsingOverage": True}}, None),
        ("claude-json", {"type": "rate_limit_event", "rate_limit_info": {
            "status": "rejected", "rateLimitType": "new", "resetsAt": 10**14}},
            "✗ limit reached: new, resets 5138-11-16 09:46Z"),
        ("codex-jsonl", {"type": "item.completed", "item": {"type": "command_execution", "exit_code": 2,
            "aggregated_output": "bad"}}, "  ✗ exit 2: bad"),
        ("codex-jsonl", {"type": "item.completed", "item": {"type": "command_execution", "exit_code": 0}}, None),
        ("codex-jsonl", {"type": "item.completed", "item": {"type": "reasoning", "text": "hm"}}, None),
        ("codex-jsonl", {"type": "item.completed", "item": {"type": "file_change", "changes": [
            {"path": "a.py"}, {"path": "b.py"}]}}, "→ edit: a.py, b.py"),
        ("codex-jsonl", {"type": "item.started", "item": {"type": "mcp_tool_call", "server": "stoat", "tool": "report",
            "arguments": {"text": "hello"}}}, "→ stoat.report: hello"),
        ("codex-jsonl", {"type": "item.completed", "item": {"type": "mcp_tool_call", "status": "failed",
            "error": {"message": "refused"}}}, "  ✗ refused"),
        ("gemini-json", {"type": "tool_result", "status": "error", "error": {"message": "denied"}}, "  ✗ denied"),
        ("gemini-json", {"type": "message", "role": "user", "content": "the prompt"}, None),
        ("gemini-json", {"type": "error", "message": "Loop detected"}, "⚠ Loop detected"),
        ("none", {"type": "assistant"}, None),
    ],
)  # fmt: skip
def test_what_each_line_comes_to(form: str, value: object, text: str | None) -> None:
    assert told(form, json.dumps(value).encode()) == text


@pytest.mark.parametrize(
    ("line", "text"),
    [
        (b"warning: something of the tool\n", "warning: something of the tool"),
        (b"", None),
        (b"   \n", None),
        (b'{"type":"assistant","mess', None),
        (b"}\n", None),
        (b"\xff\xfe broken\n", "\ufffd\ufffd broken"),
    ],
)
def test_what_is_no_json_is_told_as_it_is_and_torn_json_is_not(line: bytes, text: str | None) -> None:
    assert told("claude-json", line) == text


def test_nothing_acts_on_a_terminal() -> None:
    text = "red \x1b[31m, bell \x07, over\rwritten, hidden \u202e, half \ud800"
    block = [{"type": "text", "text": text}, {"type": "tool_use", "name": text, "input": {"command": text}}]
    line = json.dumps({"type": "assistant", "message": {"content": block}}).encode()
    shown = told("claude-json", line)
    assert shown is not None and ACTING.search(shown) is None and "\\u001b[31m" in shown


values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=5,
)
KEYS = [
    "subtype", "message", "rate_limit_info", "item", "error", "status", "permission_denials", "errors", "role",
    "content", "total_cost_usd", "num_turns", "retry_delay_ms", "tool_name", "parameters", "response", "result",
]  # fmt: skip
TYPES = [
    "system", "assistant", "user", "result", "rate_limit_event", "item.completed", "item.started", "init", "message",
    "tool_use", "tool_result", "error", None,
]  # fmt: skip


@given(st.sampled_from(TYPES), st.dictionaries(st.sampled_from(KEYS), values), st.sampled_from(list(FORMS.values())))
def test_any_value_is_told_without_an_error(kind: str | None, more: dict[str, object], form: str) -> None:
    for item in ({"type": kind, **more}, {"type": kind, "item": {"type": "file_change", **more}},
                 {"type": kind, "rate_limit_info": {"status": "rejected", "resetsAt": more.get("result")}},
                 {"type": kind, "message": {"content": [{"type": "tool_use", **more}]}}):  # fmt: skip
        shown = told(form, json.dumps(item).encode(), first=True)
        assert shown is None or (shown.strip() and ACTING.search(shown) is None)


@given(st.binary(), st.sampled_from([*FORMS.values(), "none"]))
def test_any_bytes_are_told_without_an_error(line: bytes, form: str) -> None:
    told(form, line)
