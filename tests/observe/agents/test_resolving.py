"""What a tool said of a reset comes to a moment, or to none where nobody could say which."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stoat.clock import seconds_between, zone
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
