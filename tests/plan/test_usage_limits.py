"""Limits of an agent's account are found in its tool's words, in every form that was seen, and in no ordinary prose."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stoat.plan.resets import After, Clock, Epoch, Resets
from stoat.plan.usage_limits import SHOWN, Said, find

ROWS: list[dict[str, Any]] = [
    json.loads(line)
    for line in (Path(__file__).parent / "data" / "usage-limits.jsonl").read_text(encoding="utf-8").splitlines()
]
LIMITS = [row for row in ROWS if row["expect"] is not None]
PROSE = [row["text"] for row in ROWS if row["expect"] is None]


def expected(said: dict[str, Any] | None) -> Resets | None:
    """The reset of a row of the data file, as the grammar gives it."""
    if said is None:
        return None
    if "epoch" in said:
        return Epoch(said["epoch"])
    if "in_seconds" in said:
        return After(said["in_seconds"])
    hour, minute = (int(part) for part in said["clock"].split(":"))
    tz = None if said["tz"] == "local" else said["tz"]
    return Clock(hour=hour, minute=minute, tz=tz, month=said.get("month"), day=said.get("day"), year=said.get("year"))


def rounded(resets: Resets | None) -> Resets | None:
    """The same, with a length of time to the millisecond."""
    return After(round(resets.seconds, 3)) if isinstance(resets, After) else resets


@pytest.mark.parametrize("row", ROWS, ids=[f"{row['tool']}: {row['text'][:50]}" for row in ROWS])
def test_every_collected_sentence_is_read_as_it_was_meant(row: dict[str, Any]) -> None:
    expect = row["expect"]
    for said in (find(row["text"], row["tool"]), find(row["text"])):
        if expect is None:
            assert said is None
        else:
            assert said is not None
            resets = rounded(said.resets)
            assert (said.kind, said.window, resets) == (expect["kind"], expect["window"], expected(expect["resets"]))


@pytest.mark.parametrize("row", LIMITS, ids=[row["text"][:50] for row in LIMITS])
def test_a_limit_is_found_below_other_output(row: dict[str, Any]) -> None:
    above = "Reading files.\n$ pytest -q\n3 passed in 0.1s\n\n"
    alone, below = find(row["text"], row["tool"]), find(above + row["text"] + "\n\n", row["tool"])
    assert below is not None and alone is not None
    assert (below.kind, below.window, below.resets) == (alone.kind, alone.window, alone.resets)


@pytest.mark.parametrize("row", LIMITS, ids=[row["text"][:50] for row in LIMITS])
def test_what_is_shown_is_one_short_line_without_a_tools_signs(row: dict[str, Any]) -> None:
    said = find(row["text"], row["tool"])
    assert said is not None
    assert 0 < len(said.text) <= SHOWN
    assert said.text[0].isalnum()
    assert "\n" not in said.text


@pytest.mark.parametrize("around", ["> {}", "- {}", "`{}`", '"{}"', "+{}", "It says: {}", "// {}", "assert x == '{}'"])
def test_a_quoted_limit_is_none(around: str) -> None:
    lines = [row["text"].strip() for row in LIMITS if "\n" not in row["text"]]
    assert [line for line in lines if find(around.format(line)) is not None] == []


@pytest.mark.parametrize(
    "text",
    [
        *PROSE,
        "You've hit your usage limit is the sentence that codex prints.",
        "You've hit your usage limit. The parser takes it from there.",
        "You've hit your fast limit · resets in 3m",
        "Context limit reached · /compact or /clear to continue",
        "Weekly limit reached by the test, as it should be.",
        "Limit reached ∙ resets 3pm",
        "usage limit reached",
        "You've used 90% of your session limit · resets 4pm (America/Chicago)",
        "You're now using extra usage · Your weekly limit resets 4pm",
        "Rate limit reached.",
        "429 Too Many Requests",
        "HTTP 429 {\"message\": \"slow down\"}",
        '{"message":"API rate limit exceeded for 203.0.113.7."}',
        '{"error": {"message": "disk quota exceeded", "code": 122}}',
        "toomanyrequests: You have reached your pull rate limit.",
        "The model is overloaded with fields; split it.",
        "Quota exceeded.",
        "write /tmp/x: Disk quota exceeded",
        '{"type":"assistant","message":{"content":[{"type":"text","text":"You\'ve hit your session limit"}]}}',
        "",
        "{",
        "{\n",
    ],
)  # fmt: skip
def test_ordinary_text_about_limits_is_none(text: str) -> None:
    assert find(text) is None


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("5-hour limit reached ∙ resets 3pm", ("usage", "5-hour", Clock(hour=15, minute=0))),
        ("You've hit your session limit · resets 12am (UTC)", ("usage", "session", Clock(hour=0, minute=0, tz="UTC"))),
        ("You've hit your session limit · resets 12:30pm", ("usage", "session", Clock(hour=12, minute=30))),
        ("You've hit your session limit · resets 4:43\u202fam", ("usage", "session", Clock(hour=4, minute=43))),
        ("You've hit your Sonnet limit · resets 16:10", ("usage", "sonnet", Clock(hour=16, minute=10))),
        ("You've hit your session limit · resets 13pm", ("usage", "session", None)),
        ("You've hit your session limit · resets 25:10", ("usage", "session", None)),
        ("You've hit your session limit · resets soon", ("usage", "session", None)),
        ("You've hit your weekly limit · resets Foo 3, 7am", ("usage", "weekly", None)),
        ("You've hit your weekly limit · resets in 2h 5m", ("usage", "weekly", After(7500))),
        ("You've hit your session limit · resets 4pm (UTC) · progress saved",
         ("usage", "session", Clock(hour=16, minute=0, tz="UTC"))),
        ("You've hit your org's monthly spend limit · ask your admin for a higher limit", ("spend", None, None)),
        ("You've hit your monthly limit", ("spend", None, None)),
        ("You're out of usage credits. See Usage in Settings", ("spend", None, None)),
        ("You’ve hit your usage limit for gpt-5.1-codex. Switch to another model now, or try again at 4:10 PM.",
         ("usage", None, Clock(hour=16, minute=10))),
        ("API Error: Repeated 529 Overloaded errors", ("overloaded", None, None)),
        ("API Error: Overloaded", ("overloaded", None, None)),
        ("usage limit reached|1762952400", ("usage", None, Epoch(1762952400))),
        ('API Error (429 {"type":"error","error":{"type":"rate_limit_error","message":"m"}}) · Retrying in 5 seconds… '
         "(attempt 3/10)", ("rate", None, None)),
        ('Error when talking to Gemini API Full report available at: /tmp/x.json _ApiError: {"error":{"code":429,'
         '"message":"m","status":"RESOURCE_EXHAUSTED"}}', ("rate", None, None)),
        ('ApiError: got status: 503 Service Unavailable. {"error":{"code":503,"message":"m","status":"UNAVAILABLE"}}',
         ("overloaded", None, None)),
        ("[API Error: Quota exceeded for quota metric 'Gemini 2.5 Pro Requests' and limit 'Gemini 2.5 Pro Requests per "
         "day per user' of service 'x']", ("usage", "daily", None)),
        ("Claude usage limit reached. Your limit will reset at Oct 6, 1pm (Europe/Warsaw).",
         ("usage", None, Clock(hour=13, minute=0, tz="Europe/Warsaw", month=10, day=6))),
        ("You've hit your limit · resets 3am (Europe/London)\n/upgrade to increase your usage limit.",
         ("usage", None, Clock(hour=3, minute=0, tz="Europe/London"))),
        ("API Error: Request rejected (429) · slow down", ("rate", None, None)),
        ("We’re currently experiencing high demand, which may cause temporary errors.", ("overloaded", None, None)),
        ("rate limit exceeded: Rate limit reached for gpt-5 in organization org-x on tokens per min (TPM): Limit 3, "
         "Used 3, Requested 1. Please try again in 2.5s. Visit https://example.invalid", ("rate", None, After(2.5))),
        ("Error when talking to Gemini API Full report available at: /tmp/x.json TerminalQuotaError: You have "
         "exhausted your daily quota on this model.", ("usage", "daily", None)),
        ("You exceeded your current quota, please check your plan and billing details.", ("spend", None, None)),
        ('API Error: 429 {"type":"error","error":{"type":"rate_limit_error","message":"Number of requ',
         ("rate", None, None)),
        ('{"error":{"type":"usage_limit_reached","message":"m","resets_at":1777936568000}}',
         ("usage", None, Epoch(1777936568))),
        ('{"error":{"type":"usage_limit_reached","resets_at":null,"resets_in_seconds":60}}',
         ("usage", None, After(60))),
        ('{"error":{"type":"usage_limit_reached","resets_at":1e400,"resets_in_seconds":-3}}', ("usage", None, None)),
        ('{"error":{"code":429,"status":"RESOURCE_EXHAUSTED","message":"You exceeded your current quota. For more '
         'information on this error, head to: https://ai.google.dev","details":[{"violations":[{"quotaId":'
         '"GenerateRequestsPerDayPerProject"}]},{"retryDelay":"34s"}]}}', ("usage", "daily", None)),
        ('{"error":{"code":429,"status":"RESOURCE_EXHAUSTED","message":"quota","details":[{"retryDelay":"34.5s"}]}}',
         ("rate", None, After(34.5))),
        ('{\n  "session_id": "s",\n  "error": {\n    "type": "Error",\n'
         '    "message": "You have exhausted your daily quota on this model.",\n    "code": 429\n  }\n}\n',
         ("usage", "daily", None)),
    ],
)  # fmt: skip
def test_other_forms_that_tools_have(text: str, said: tuple[str, str | None, Resets | None]) -> None:
    found = find(text)
    assert found is not None
    assert (found.kind, found.window, found.resets) == said


def test_the_newest_of_several_limits_is_the_one() -> None:
    older, newer = "You've hit your session limit · resets 3pm (UTC)", "You've hit your weekly limit · resets 5pm (UTC)"
    assert find(f"{older}\ntrying again\n{newer}\n") == find(newer)


def test_codex_and_gemini_mean_different_things_by_the_same_words() -> None:
    text = "You exceeded your current quota, please check your plan and billing details."
    assert [said.kind for tool in ("codex", "gemini") if (said := find(text, tool))] == ["spend", "usage"]


def test_people_are_not_shown_where_google_explains_its_quotas() -> None:
    row = next(row for row in LIMITS if row["text"].startswith("You exceeded"))
    said = find(row["text"])
    assert said is not None
    assert said.text == "You exceeded your current quota, please check your plan and billing details."


def test_control_characters_are_spelled_out() -> None:
    said = find("You've hit your session limit · \x1b[2Jresets 4pm")
    assert said is not None and "\x1b" not in said.text


def test_long_and_hostile_lines_are_read_in_no_time() -> None:
    for piece in (
        "You've hit your ",
        "try again in 1h ",
        "Attempt 1 failed: ",
        '{"error":',
        "[",
        "1h",
        '"message": "\\',
    ):
        assert find(piece * 100_000) is None
        assert find("You've hit your session limit · " + piece * 100_000) is not None


@given(st.text())
def test_any_text_is_read_without_an_error(text: str) -> None:
    assert find(text) is None or isinstance(find(text), Said)
    find("You've hit your session limit · resets " + text)
    find('{"error":{"type":"rate_limit_error","message":"' + text)


keys = st.sampled_from(["error", "type", "code", "status", "message"])
json_values = st.recursive(
    st.none() | st.booleans() | st.floats() | st.integers() | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(keys, inner),
    max_leaves=12,
)


@given(json_values, st.sampled_from(["resets_at", "resets_in_seconds", "details", "message", "code", "status"]))
def test_any_json_is_read_without_an_error(value: object, key: str) -> None:
    find(json.dumps(value))
    find(json.dumps({"error": {"type": "usage_limit_reached", key: value}}))
    find(json.dumps({"error": {"code": 429, "status": "RESOURCE_EXHAUSTED", key: value}}, indent=2))
