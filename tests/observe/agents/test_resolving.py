"""What a tool said of a reset comes to a moment, or to none where nobody could say which."""

from __future__ import annotations

import json
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stoat.clock import parse, seconds_between, text, zone
from stoat.observe.agents.resolving import resolve
from stoat.plan.resets import After, Clock, Epoch, Resets
from stoat.plan.usage_limits import find

NOW = "2026-11-30T21:13:00.000Z"
DATA = Path(__file__).parents[2] / "plan" / "data" / "usage-limits.jsonl"
ROWS: list[dict[str, Any]] = [
    row
    for line in DATA.read_text(encoding="utf-8").splitlines()
    if (row := json.loads(line))["expect"] is not None and row["expect"]["resets_at"] is not None
]


@pytest.mark.parametrize("row", ROWS, ids=[row["text"][:50] for row in ROWS])
def test_every_collected_reset_is_at_its_moment(row: dict[str, Any]) -> None:
    said = find(row["text"], row["tool"])
    assert said is not None
    found = resolve(said.resets, row["now"], zone(row["local_tz"]))
    assert found is not None
    assert abs(seconds_between(found, row["expect"]["resets_at"])) < 0.002


@pytest.mark.parametrize(
    "resets",
    [
        None,
        Clock(hour=16, minute=0, tz="Nowhere/Land"),
        Clock(hour=16, minute=0, tz="../../etc/passwd"),
        Clock(hour=7, minute=0, month=2, day=30),
        Clock(hour=7, minute=0, month=2, day=29, year=2027),
        Clock(hour=7, minute=0, month=1, day=1, year=0),
        Epoch(1e15),
        Epoch(float("nan")),
        After(1e15),
        After(float("inf")),
    ],
)
def test_what_comes_to_no_moment_is_none(resets: Resets | None) -> None:
    assert resolve(resets, NOW) is None


@given(st.builds(Epoch, st.floats()) | st.builds(After, st.floats()))
def test_no_number_is_an_error(resets: Resets) -> None:
    resolve(resets, NOW)


@given(
    st.builds(
        Clock,
        hour=st.integers(0, 23),
        minute=st.integers(0, 59),
        tz=st.none() | st.text(max_size=30),
        month=st.none() | st.integers(1, 12),
        day=st.none() | st.integers(1, 31),
        year=st.none() | st.integers(0, 9999),
    )
)
def test_no_clock_is_an_error(resets: Clock) -> None:
    resolve(resets, NOW)
    resolve(resets, "9999-12-31T23:59:59.000Z")


ZONES = st.sampled_from(
    ["UTC", "America/Chicago", "America/St_Johns", "America/Sao_Paulo", "Asia/Kathmandu", "Asia/Tokyo",
     "Australia/Lord_Howe", "Europe/London", "Europe/Warsaw", "Pacific/Auckland", "Pacific/Kiritimati"]
)  # fmt: skip
MOMENTS = st.datetimes(min_value=datetime(2025, 1, 1), max_value=datetime(2035, 1, 1), timezones=st.just(UTC))


def as_claude_says_it(reset: datetime, present: datetime, zone_name: str) -> str:
    """The sentence of Claude Code: without a date within a day, with the year only if it is another one."""
    there = reset.astimezone(zone(zone_name))
    hour = there.hour % 12 or 12
    when = f"{hour}:{there.minute:02d}" if there.minute else str(hour)
    when += "am" if there.hour < 12 else "pm"
    if reset - present > timedelta(hours=24):
        year = f", {there.year}" if there.year != present.astimezone(zone(zone_name)).year else ""
        when = f"{there:%b} {there.day}{year}, {when}"
    return f"You've hit your weekly limit · resets {when} ({zone_name})"


def as_codex_says_it(reset: datetime, present: datetime, zone_name: str) -> str:
    """The sentence of codex: the local clock, and the date unless it is today's."""
    there = reset.astimezone(zone(zone_name))
    when = f"{there.hour % 12 or 12}:{there.minute:02d} {'AM' if there.hour < 12 else 'PM'}"
    if there.date() != present.astimezone(zone(zone_name)).date():
        suffix = "th" if 11 <= there.day <= 13 else {1: "st", 2: "nd", 3: "rd"}.get(there.day % 10, "th")
        when = f"{there:%b} {there.day}{suffix}, {there.year} {when}"
    return f"You’ve hit your usage limit. Upgrade to Pro (https://example.invalid), or try again at {when}."


@pytest.mark.parametrize("says", [as_claude_says_it, as_codex_says_it])
@given(MOMENTS, st.timedeltas(min_value=timedelta(minutes=1), max_value=timedelta(days=7)), ZONES)
def test_a_reset_within_a_week_is_found_from_the_words_alone(
    says: Callable[[datetime, datetime, str], str], present: datetime, wait: timedelta, zone_name: str
) -> None:
    present = present.replace(microsecond=0)
    reset = (present + wait).replace(second=0, microsecond=0)
    said = find(says(reset, present, zone_name))
    assert said is not None and said.kind == "usage"
    found = resolve(said.resets, text(present), zone(zone_name))
    assert found is not None
    # Where clocks go back within the wait the words mean two moments, and the later one is waited for.
    twice = (
        reset.astimezone(zone(zone_name)).utcoffset()
        != (reset + timedelta(hours=1)).astimezone(zone(zone_name)).utcoffset()
    )
    late = parse(found) - reset
    assert late == timedelta(0) or (twice and timedelta(0) < late <= timedelta(hours=1)) or _just_past(reset, present)


def _just_past(reset: datetime, present: datetime) -> bool:
    """Whether a clock a day ahead reads what it read within the last half hour."""
    return timedelta(hours=23) <= reset - present <= timedelta(hours=25)
