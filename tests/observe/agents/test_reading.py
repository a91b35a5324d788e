"""How an agent ended is read from what the real programs printed, whole, cut off anywhere, huge or hostile."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from stoat.clock import parse
from stoat.observe.agents import Ending
from stoat.observe.agents.output import HEAD, TAIL
from stoat.observe.agents.reading import read

DATA = Path(__file__).parent / "data"
NOW = "2026-12-01T05:10:00.000Z"
FORMS = {"claude": "claude-json", "codex-": "codex-jsonl", "gemini": "gemini-json"}
RECORDED = sorted(path.name for path in DATA.iterdir() if path.suffix != ".md")
FIVE_HOURS = "You've hit your 5-hour limit · resets 1:01am (America/Chicago)"


def ending(
    tmp_path: Path, form: str, out: str | bytes | None = None, err: str = "", *, code: int | None = 1,
    now: str = NOW,
) -> Ending:  # fmt: skip
    """What is read of an agent that wrote `out` and `err`, with an older attempt before it in the log."""
    output, log = tmp_path / "agent out.jsonl", tmp_path / "agent.log"
    before = "You've hit your session limit · resets 4pm (America/Chicago)\n"
    log.write_text(before + err, encoding="utf-8")
    if out is not None:
        output.write_bytes(out if isinstance(out, bytes) else out.encode())
    return read(form, output, log, len(before.encode()), code=code, now=now)


def recorded(tmp_path: Path, name: str, *, code: int | None = 1) -> Ending:
    """What is read of a recorded output."""
    text = (DATA / name).read_text(encoding="utf-8")
    is_error = name.endswith(".stderr")
    return ending(tmp_path, FORMS[name[:6]], "" if is_error else text, text if is_error else "", code=code)


def limit_of(end: Ending) -> tuple[str, str | None] | None:
    """The kind of an ending's limit, and when it resets, to the minute."""
    return None if end.limit is None else (end.limit.kind, end.limit.resets_at and end.limit.resets_at[:16])


@pytest.mark.parametrize(
    ("name", "code", "usd", "turns", "failed", "interrupted", "limit"),
    [
        ("claude-332-done.json", 0, 0.012, 2, False, False, None),
        ("claude-332-done.array.json", 0, 0.012, 2, False, False, None),
        ("claude-332-done.stream.jsonl", 0, 0.012, 2, False, False, None),
        ("claude-332-question.stream.jsonl", 0, 0.006, 1, False, False, None),
        ("claude-332-denied.json", 0, 0.012, 2, False, False, None),
        ("claude-332-session-first.stream.jsonl", 0, 0.012, 2, False, False, None),
        ("claude-332-session-resumed.stream.jsonl", 0, 0.018, 1, False, False, None),
        ("claude-332-five-hour.json", 1, 0.0, 1, True, False, ("usage", "2026-12-01T07:01")),
        ("claude-332-five-hour.stream.jsonl", 1, 0.0, 1, True, False, ("usage", "2026-12-01T07:01")),
        ("claude-332-limit-in-the-middle.stream.jsonl", 1, 0.003, 2, True, False, ("usage", "2026-12-01T07:01")),
        ("claude-332-weekly.stream.jsonl", 1, 0.0, 1, True, False, ("usage", "2026-12-04T07:01")),
        ("claude-332-opus.json", 1, 0.0, 1, True, False, ("usage", "2026-12-04T07:01")),
        ("claude-332-rate.stream.jsonl", 1, 0.0, 1, True, False, ("rate", None)),
        ("claude-332-throttled.stream.jsonl", 1, 0.0, 1, True, False, ("rate", None)),
        ("claude-332-overloaded.stream.jsonl", 1, 0.0, 1, True, False, ("overloaded", None)),
        ("claude-332-credit.stream.jsonl", 1, 0.0, 1, True, False, ("spend", None)),
        ("claude-332-budget.stream.jsonl", 1, 1.8, 1, True, False, None),
        ("claude-332-turns.json", 1, 0.012, 3, True, False, None),
        ("claude-332-auth.json", 1, 0.0, 1, True, False, None),
        ("claude-332-no-session.stderr", 1, None, 0, True, False, None),
        ("claude-332-no-session.stream.jsonl", 1, None, 0, True, False, None),
        ("claude-332-sigint-in-a-tool.json", 0, 0.006, 3, True, True, None),
        ("claude-332-sigint-in-a-tool.stream.jsonl", 0, 0.006, 3, True, True, None),
        ("claude-332-sigint-in-a-request.stream.jsonl", 0, None, 0, False, True, None),
        ("claude-332-sigterm.stream.jsonl", 143, None, 0, False, True, None),
        ("claude-332-sigkill.stream.jsonl", -9, None, 0, False, True, None),
        ("claude-197-done.json", 0, 0.0075, 1, False, False, None),
        ("claude-197-done.stream.jsonl", 0, 0.015, 2, False, False, None),
        ("claude-197-session-resumed.stream.jsonl", 0, 0.0075, 1, False, False, None),
        ("claude-197-session-limit.json", 1, 0.0, 1, True, False, ("usage", "2026-12-01T07:19")),
        ("claude-197-session-limit.stream.jsonl", 1, 0.0, 1, True, False, ("usage", "2026-12-01T07:19")),
        ("claude-197-weekly.json", 1, 0.0, 1, True, False, ("usage", "2026-12-04T07:19")),
        ("claude-197-overloaded.json", 1, 0.0, 1, True, False, ("overloaded", None)),
        ("codex-171-done.jsonl", 0, None, 0, False, False, None),
        ("codex-171-question.jsonl", 0, None, 0, False, False, None),
        ("codex-171-session-resumed.jsonl", 0, None, 0, False, False, None),
        ("codex-171-usage-no-reset.jsonl", 1, None, 0, True, False, ("usage", None)),
        ("codex-171-quota.jsonl", 1, None, 0, True, False, ("spend", None)),
        ("codex-171-rate.jsonl", 1, None, 0, True, False, ("rate", None)),
        ("codex-171-rate-in-stream.jsonl", 1, None, 0, True, False, ("rate", "2026-12-01T05:10")),
        ("codex-171-at-capacity.jsonl", 1, None, 0, True, False, ("overloaded", None)),
        ("codex-171-server.jsonl", 1, None, 0, True, False, ("overloaded", None)),
        ("codex-171-auth.jsonl", 1, None, 0, True, False, None),
        ("codex-171-bad-request.jsonl", 1, None, 0, True, False, None),
        ("codex-171-context-full.jsonl", 1, None, 0, True, False, None),
        ("codex-171-not-included.jsonl", 1, None, 0, True, False, None),
        ("codex-171-no-session.stderr", 1, None, 0, True, False, None),
        ("codex-171-bad-flag.stderr", 2, None, 0, True, False, None),
        ("codex-171-sigint.jsonl", 1, None, 0, False, True, None),
        ("codex-171-sigterm.jsonl", 143, None, 0, False, True, None),
        ("gemini-61-done.json", 0, None, 0, False, False, None),
        ("gemini-61-done.stream.jsonl", 0, None, 0, False, False, None),
        ("gemini-61-question.json", 0, None, 0, False, False, None),
        ("gemini-61-bad.stderr", 144, None, 0, True, False, None),
        ("gemini-61-bad.stream.jsonl", 144, None, 0, True, False, None),
        ("gemini-61-auth.stderr", 144, None, 0, True, False, None),
        ("gemini-61-daily.stderr", 173, None, 0, True, False, ("usage", None)),
        ("gemini-61-daily.stream.jsonl", 173, None, 0, True, False, ("usage", None)),
        ("gemini-61-retry-long.stderr", 173, None, 0, True, False, ("usage", "2026-12-01T05:15")),
        ("gemini-61-no-session.stderr", 42, None, 0, True, False, None),
        ("gemini-61-exhausted-retrying.stderr", 137, None, 0, False, True, ("rate", None)),
        ("gemini-61-minute-retrying.stderr", 137, None, 0, False, True, ("usage", "2026-12-01T05:10")),
        ("gemini-61-unavailable-retrying.stderr", 137, None, 0, False, True, ("overloaded", None)),
        ("gemini-61-exhausted-retrying.stream.jsonl", 137, None, 0, False, True, None),
    ],
)  # fmt: skip
def test_every_outcome_that_was_recorded(
    tmp_path: Path, name: str, code: int, usd: float | None, turns: int, failed: bool, interrupted: bool,
    limit: tuple[str, str | None] | None,
) -> None:  # fmt: skip
    end = recorded(tmp_path, name, code=code)
    assert end.usd == (None if usd is None else pytest.approx(usd))
    assert (end.turns, end.failed, end.interrupted, limit_of(end)) == (turns, failed, interrupted, limit)


@pytest.mark.parametrize(
    ("name", "final"),
    [
        ("claude-332-done.json", "Created hello.txt and committed it."),
        ("claude-332-done.stream.jsonl", "Created hello.txt and committed it."),
        ("claude-332-five-hour.stream.jsonl", FIVE_HOURS),
        ("claude-332-budget.stream.jsonl", "Reached maximum budget ($0.5)"),
        ("claude-332-turns.json", "Reached maximum number of turns (2)"),
        ("claude-332-auth.json", "Invalid API key · Fix external API key"),
        ("claude-332-sigint-in-a-tool.json", None),
        ("claude-332-sigterm.stream.jsonl", None),
        ("codex-171-done.jsonl", "Created hello.txt and committed it."),
        ("codex-171-at-capacity.jsonl", "Selected model is at capacity. Please try a different model."),
        ("codex-171-sigterm.jsonl", None),
        ("gemini-61-done.json", "Created hello.txt and committed it."),
        ("gemini-61-done.stream.jsonl", "Created hello.txt and committed it."),
        ("gemini-61-daily.stderr", "You have exhausted your daily quota on this model."),
    ],
)
def test_the_last_message_is_the_agents_own_or_the_error(tmp_path: Path, name: str, final: str | None) -> None:
    assert recorded(tmp_path, name).final == final


@pytest.mark.parametrize("name", [name for name in RECORDED if not name.endswith(".stderr") and "no-se" not in name])
def test_the_session_is_named_even_where_the_tool_was_killed(tmp_path: Path, name: str) -> None:
    session = recorded(tmp_path, name).session
    assert session is not None and session in (DATA / name).read_text(encoding="utf-8")


def test_a_session_that_is_gone_is_not_named(tmp_path: Path) -> None:
    for tool in ("claude-332", "codex-171", "gemini-61"):
        assert recorded(tmp_path, f"{tool}-no-session.stderr").session is None
    assert recorded(tmp_path, "claude-332-no-session.stream.jsonl").session is None


def test_names_of_refused_tools_are_given_once(tmp_path: Path) -> None:
    denials = [{"tool_name": "Write"}, {"tool_name": "Bash"}, {"tool_name": "Write"}, {}, 3, {"tool_name": 4}]
    result = {"type": "result", "is_error": False, "result": "", "permission_denials": denials}
    assert ending(tmp_path, "claude-json", json.dumps(result), code=0).denied == ("Write", "Bash")
    assert recorded(tmp_path, "claude-332-denied.json").denied == ("Write",)


@pytest.mark.parametrize(
    ("written", "cumulative"),
    [
        ("2.1.332", True), ("2.1.278", True), ("2.1.277", True), ("2.1.276", False), ("2.1.197", False),
        ("2.0.999", False), ("3.0.0", True), (None, True), ("2.1.x", True), ("1.0.128", False),
    ],
)  # fmt: skip
def test_whether_a_cost_is_the_whole_sessions_depends_on_the_version(
    tmp_path: Path, written: str | None, cumulative: bool
) -> None:
    lines = [{"type": "system", "subtype": "init", "session_id": "s", "claude_code_version": written}]
    result = {"type": "result", "is_error": False, "result": "x", "total_cost_usd": 1.5, "session_id": "s"}
    text = "\n".join(json.dumps(line) for line in [*lines, result])
    assert ending(tmp_path, "claude-json", text).cumulative is cumulative


def test_without_a_cost_nothing_is_cumulative(tmp_path: Path) -> None:
    assert not recorded(tmp_path, "claude-332-sigterm.stream.jsonl").cumulative
    assert not recorded(tmp_path, "codex-171-done.jsonl").cumulative


@pytest.mark.parametrize("usd", [-1, 1e6, "3", True, None, [1]])
def test_a_cost_that_is_none_is_not_taken(tmp_path: Path, usd: object) -> None:
    text = json.dumps({"type": "result", "is_error": False, "total_cost_usd": usd, "num_turns": usd})
    end = ending(tmp_path, "claude-json", text, code=0)
    assert end.usd is None and end.turns in (0, 1_000_000)


def test_a_result_that_is_no_error_is_never_a_limit(tmp_path: Path) -> None:
    for text in (FIVE_HOURS, 'API Error: 429 {"type":"error","error":{"type":"rate_limit_error","message":"m"}}'):
        result = {"type": "result", "subtype": "success", "is_error": False, "result": text, "api_error_status": 429}
        assert ending(tmp_path, "claude-json", json.dumps(result), text, code=0).limit is None
        lines = [{"type": "turn.started"}, {"type": "item.completed", "item": {"type": "agent_message", "text": text}}]
        lines.append({"type": "turn.completed"})
        assert (
            ending(tmp_path, "codex-jsonl", "\n".join(json.dumps(line) for line in lines), text, code=0).limit is None
        )
        gemini = json.dumps({"session_id": "s", "response": text, "stats": {}}, indent=2)
        assert ending(tmp_path, "gemini-json", gemini, text, code=0).limit is None


def test_a_limit_that_the_tool_got_over_is_none(tmp_path: Path) -> None:
    lines = (DATA / "claude-332-limit-in-the-middle.stream.jsonl").read_text(encoding="utf-8").splitlines()
    done = (DATA / "claude-332-done.stream.jsonl").read_text(encoding="utf-8").splitlines()
    assert ending(tmp_path, "claude-json", "\n".join([*lines[:-1], *done[1:]]), code=0).limit is None
    killed_later = "\n".join([*lines[:-1], *done[1:-1]])
    assert ending(tmp_path, "claude-json", killed_later, code=-9).limit is None


def test_a_tool_killed_while_it_waits_on_a_limit_was_limited(tmp_path: Path) -> None:
    lines = (DATA / "claude-332-five-hour.stream.jsonl").read_text(encoding="utf-8").splitlines()
    end = ending(tmp_path, "claude-json", "\n".join(lines[:2]), code=-9)
    assert (limit_of(end), end.interrupted) == (("usage", "2026-12-01T07:01"), True)
    retrying = (DATA / "claude-332-rate.stream.jsonl").read_text(encoding="utf-8").splitlines()
    assert limit_of(ending(tmp_path, "claude-json", "\n".join(retrying[:2]), code=-9)) == ("rate", None)
    codex = (DATA / "codex-171-rate-in-stream.jsonl").read_text(encoding="utf-8").splitlines()
    assert limit_of(ending(tmp_path, "codex-jsonl", "\n".join(codex[:4]), code=143)) == ("rate", "2026-12-01T05:10")


def test_an_epoch_in_the_stream_counts_before_the_words(tmp_path: Path) -> None:
    text = (DATA / "claude-332-five-hour.stream.jsonl").read_text(encoding="utf-8")
    end = ending(tmp_path, "claude-json", text.replace("(America/Chicago)", "(Nowhere/Land)"))
    assert limit_of(end) == ("usage", "2026-12-01T07:01")


@pytest.mark.parametrize(("status", "kind"), [(429, "rate"), (503, "overloaded"), (529, "overloaded"), (500, None),
                                              (401, None), (True, None), ("429", None), (None, None)])  # fmt: skip
def test_an_error_without_known_words_goes_by_its_status(tmp_path: Path, status: object, kind: str | None) -> None:
    result = {"type": "result", "is_error": True, "result": "Something new", "api_error_status": status}
    limit = ending(tmp_path, "claude-json", json.dumps(result)).limit
    assert (limit and limit.kind) == kind


def test_a_limit_that_claude_only_names_is_one(tmp_path: Path) -> None:
    result = {"type": "result", "is_error": True, "result": "New words for it", "api_error": "usage_limit_reached"}
    limit = ending(tmp_path, "claude-json", json.dumps({**result, "api_error_status": 429})).limit
    assert limit is not None and (limit.kind, limit.text) == ("usage", "New words for it")


@pytest.mark.parametrize("form", FORMS.values())
@pytest.mark.parametrize(
    ("code", "failed", "interrupted"),
    [(0, False, True), (None, False, True), (-15, False, True), (143, False, True), (130, False, True),
     (137, False, True), (1, True, False), (2, True, False), (127, True, False)],
)  # fmt: skip
def test_an_exit_without_a_word_is_no_success(
    tmp_path: Path, form: str, code: int | None, failed: bool, interrupted: bool
) -> None:
    end = ending(tmp_path, form, "", code=code)
    assert (end.failed, end.interrupted, end.final, end.usd, end.limit) == (failed, interrupted, None, None, None)


def test_where_nothing_was_written_nothing_is_read(tmp_path: Path) -> None:
    for form in (*FORMS.values(), "none"):
        end = read(form, tmp_path / "none.jsonl", tmp_path / "none.log", 0, code=0, now=NOW)
        assert end == Ending(interrupted=form != "none")
        assert read(form, tmp_path, tmp_path, 0, code=0, now=NOW) == end
        assert read(form, None, tmp_path / "none.log", 77, code=0, now=NOW) == end


def test_an_output_that_went_to_the_log_is_read_from_where_the_attempt_began(tmp_path: Path) -> None:
    log = tmp_path / "agent.log"
    earlier = (DATA / "claude-332-five-hour.stream.jsonl").read_bytes()
    log.write_bytes(earlier + b"a warning\n" + (DATA / "claude-332-done.stream.jsonl").read_bytes())
    end = read("claude-json", None, log, len(earlier), code=0, now=NOW)
    assert (end.limit, end.usd, end.failed) == (None, 0.012, False)


@pytest.mark.parametrize(
    ("text", "code", "limit"),
    [
        ("working\nYou've hit your session limit · resets 4pm (UTC)\n", 1, ("usage", "2026-12-01T16:00")),
        ("working\nYou've hit your session limit · resets 4pm (UTC)\n", 0, ("usage", "2026-12-01T16:00")),
        ("You've hit your session limit · resets 4pm (UTC)\n" + "went on\n" * 10, 0, None),
        ("You've hit your session limit · resets 4pm (UTC)\n" + "  at stack\n" * 20, 1, ("usage", "2026-12-01T16:00")),
        ("You've hit your session limit · resets 4pm (UTC)\n" + "went on\n" * 50, 1, None),
        ("Question for a person: which?\n", 0, None),
        ('{"type":"result","is_error":false,"result":"x","total_cost_usd":3}\n', 0, None),
        ("", 1, None),
    ],
)
def test_of_a_tool_without_json_only_a_limit_is_read(
    tmp_path: Path, text: str, code: int, limit: tuple[str, str] | None
) -> None:
    end = ending(tmp_path, "none", text, code=code)
    assert limit_of(end) == limit
    assert end == Ending(limit=end.limit)
    log = tmp_path / "only.log"
    log.write_text(text)
    assert limit_of(read("none", None, log, 0, code=code, now=NOW)) == limit


@pytest.mark.parametrize("name", ["gemini-61-daily-text.stderr", "codex-171-usage.stderr"])
def test_a_limit_on_stderr_is_read_of_a_tool_that_prints_text(tmp_path: Path, name: str) -> None:
    text = (DATA / name).read_text(encoding="utf-8")
    log = tmp_path / "only.log"
    log.write_text(text, encoding="utf-8")
    for end in (read("none", None, log, 0, code=1, now=NOW), ending(tmp_path, "none", "", text)):
        assert end.limit is not None and end.limit.kind == "usage"


def test_a_reset_is_counted_from_when_it_was_said(tmp_path: Path) -> None:
    output, log = tmp_path / "out", tmp_path / "log"
    log.touch()
    output.write_bytes((DATA / "claude-332-five-hour.json").read_bytes())
    said = parse("2026-12-01T05:01:03Z").timestamp()
    os.utime(output, (said, said))
    end = read("claude-json", output, log, 0, code=1, now="2026-12-01T19:30:00.000Z")
    assert limit_of(end) == ("usage", "2026-12-01T07:01")


@pytest.mark.parametrize("name", [name for name in RECORDED if name.endswith(".jsonl")])
def test_an_output_cut_off_anywhere_says_no_more_than_it_had_said(tmp_path: Path, name: str) -> None:
    whole = (DATA / name).read_bytes()
    form = FORMS[name[:6]]
    for at in range(0, len(whole) - 2, max(1, len(whole) // 12)):
        end = ending(tmp_path, form, whole[:at], code=-9)
        assert end.usd is None and not end.failed and end.interrupted
        assert end.session is None or end.session.encode() in whole[:at]


def test_a_huge_output_is_read_at_both_ends(tmp_path: Path) -> None:
    lines = (DATA / "claude-332-done.stream.jsonl").read_bytes().splitlines(keepends=True)
    noise = json.dumps({"type": "user", "message": {"content": "x" * 100_000}}).encode() + b"\n"
    result = json.loads(lines[-1])
    del result["session_id"]
    middle = noise * ((HEAD + TAIL) // len(noise) + 20)
    end = ending(tmp_path, "claude-json", lines[0] + middle + json.dumps(result).encode() + b"\n", code=0)
    first = json.loads(lines[0])
    assert (end.usd, end.session, end.interrupted) == (0.012, first["session_id"], False)


def test_a_huge_array_is_read_at_both_ends(tmp_path: Path) -> None:
    lines = (DATA / "claude-332-done.stream.jsonl").read_text(encoding="utf-8").splitlines()
    noise = json.dumps({"type": "user", "message": {"content": "x,{" * 30_000}})
    middle = [noise] * ((HEAD + TAIL) // len(noise) + 20)
    end = ending(tmp_path, "claude-json", f"[{','.join([lines[0], *middle, lines[-1]])}]\n", code=0)
    assert (end.usd, end.interrupted) == (0.012, False)


def test_an_array_is_read_as_far_as_it_goes(tmp_path: Path) -> None:
    whole = (DATA / "claude-332-done.array.json").read_bytes()
    assert ending(tmp_path, "claude-json", whole[: len(whole) // 2], code=-9).session is not None
    assert ending(tmp_path, "claude-json", b"[", code=0) == Ending(interrupted=True)
    assert ending(tmp_path, "claude-json", b"[" * 100_000, code=0) == Ending(interrupted=True)


def test_what_is_no_utf8_costs_only_itself(tmp_path: Path) -> None:
    text = (DATA / "claude-332-done.stream.jsonl").read_bytes()
    end = ending(
        tmp_path, "claude-json", b"\xff\xfe\x00\n" + text.replace(b"Created", b"Cr\xe9at\xffd") + b"\xff", code=0
    )
    assert end.final == "Cr�at�d hello.txt and committed it." and end.usd == 0.012


def test_half_a_surrogate_does_not_come_through(tmp_path: Path) -> None:
    text = '{"type":"result","is_error":false,"result":"a\\ud800b","session_id":"\\udfff","total_cost_usd":1}'
    end = ending(tmp_path, "claude-json", text, code=0)
    assert (end.final, end.session) == ("a?b", None)


@pytest.mark.parametrize("form", FORMS.values())
def test_deep_json_is_passed_over(tmp_path: Path, form: str) -> None:
    deep = '{"type":"result","x":' + "[" * 100_000 + "]" * 100_000 + "}\n"
    assert ending(tmp_path, form, deep + '{"error":' * 50_000, deep + "{\n" * 1_000, code=0) == Ending(interrupted=True)


@settings(max_examples=40, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.data())
def test_shuffled_and_damaged_outputs_are_read_without_an_error(tmp_path: Path, data: st.DataObject) -> None:
    name = data.draw(st.sampled_from(RECORDED))
    lines = data.draw(st.permutations((DATA / name).read_bytes().splitlines(keepends=True)))
    text = b"".join(lines)
    for _ in range(data.draw(st.integers(0, 5))):
        at = data.draw(st.integers(0, len(text)))
        text = text[:at] + data.draw(st.binary(max_size=4)) + text[at + data.draw(st.integers(0, 4)) :]
    for form in (*FORMS.values(), "none"):
        ending(tmp_path, form, text, text.decode("utf-8", "replace"), code=data.draw(st.sampled_from([0, 1, None, -9])))


values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=6,
)
KEYS = [
    "subtype", "session_id", "claude_code_version", "is_error", "result", "errors", "total_cost_usd", "num_turns",
    "permission_denials", "api_error", "api_error_status", "rate_limit_info", "message", "is_api_error_message",
    "attempt", "error", "error_status", "item", "thread_id", "role", "content", "status", "response", "terminal_reason",
]  # fmt: skip
TYPES = [
    "system", "result", "assistant", "user", "rate_limit_event", "thread.started", "turn.failed", "turn.completed",
    "item.completed", "error", "init", "message", None,
]  # fmt: skip


@settings(max_examples=40, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    st.lists(st.tuples(st.sampled_from(TYPES), st.dictionaries(st.sampled_from(KEYS), values, max_size=6)), max_size=4)
)
def test_values_of_any_kind_in_any_place_are_no_error(
    tmp_path: Path, lines: list[tuple[str | None, dict[str, object]]]
) -> None:
    text = "\n".join(
        json.dumps({"type": kind, "subtype": "api_retry", "is_error": True, **more}) for kind, more in lines
    )
    for form in FORMS.values():
        ending(tmp_path, form, text, json.dumps({"session_id": 3, "error": dict(lines and lines[0][1])}, indent=2))


@pytest.mark.parametrize(
    ("session", "heard"),
    [
        ("019ad1f2-1111-7222-8333-444444444444", True), ("ses_A.1", True), ("x" * 128, True), ("x" * 129, False),
        ("", False), ("-p", False), ("--dangerously-skip-permissions", False), ("a b", False), ("a\n", False),
        ("a\0b", False), ("\u2028", False), ("é", False), ("$(id)", False), ("../x", False), (7, False), (None, False),
    ],
)  # fmt: skip
@pytest.mark.parametrize(
    ("form", "line"),
    [
        ("claude-json", {"type": "system", "subtype": "init", "session_id": ...}),
        ("codex-jsonl", {"type": "thread.started", "thread_id": ...}),
        ("gemini-json", {"type": "init", "session_id": ...}),
    ],
)
def test_a_session_is_one_only_where_it_can_be_handed_back(
    tmp_path: Path, form: str, line: dict[str, object], session: object, heard: bool
) -> None:
    said = json.dumps({name: session if value is ... else value for name, value in line.items()})
    assert ending(tmp_path, form, said).session == (session if heard else None)
