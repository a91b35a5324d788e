"""Times are text that sorts, and durations read as people write them."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta, timezone

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stoat import clock

moments = st.datetimes(min_value=datetime(1971, 1, 1), max_value=datetime(2200, 1, 1), timezones=st.just(UTC))


@given(moments, moments)
def test_times_sort_as_text_as_they_sort_in_time(one: datetime, other: datetime) -> None:
    one, other = (moment.replace(microsecond=moment.microsecond // 1000 * 1000) for moment in (one, other))
    assert (clock.text(one) < clock.text(other)) == (one < other)


@given(moments)
def test_a_time_reads_back_to_the_millisecond(moment: datetime) -> None:
    assert abs(clock.parse(clock.text(moment)) - moment) < timedelta(milliseconds=1)


def test_a_time_of_another_zone_is_written_in_utc() -> None:
    chicago = timezone(timedelta(hours=-6))
    assert clock.text(datetime(2026, 1, 1, 18, 30, tzinfo=chicago)) == "2026-01-02T00:30:00.000Z"


def test_a_time_without_a_zone_is_refused() -> None:
    with pytest.raises(ValueError, match="no time zone"):
        clock.parse("2026-01-01T00:00:00")


@pytest.mark.parametrize(
    ("written", "seconds"),
    [
        ("90s", 90), ("20m", 1200), ("1h30m", 5400), ("00:20:00", 1200), ("2d", 172800), (" 5m ", 300),
        ("1.02:00:00", 93600), ("1.5h", 5400), ("0.5s", 0.5),
    ],
)  # fmt: skip
def test_a_duration_is_read_as_people_write_it(written: str, seconds: float) -> None:
    assert clock.duration(written) == seconds


@pytest.mark.parametrize(
    "written", ["", "20", "m", "20x", "20m nonsense", "-5m", "0s", "00:00:00", "1:2", "00:60:00", "20 m"]
)
def test_anything_else_is_no_duration(written: str) -> None:
    with pytest.raises(ValueError, match=r"duration|no time"):
        clock.duration(written)


@pytest.mark.parametrize(
    ("seconds", "words"),
    [
        (0.41, "0.4s"),
        (3, "3s"),
        (9.97, "10s"),
        (59.6, "1m"),
        (1203, "20m 3s"),
        (5400, "1h 30m"),
        (90061, "1d 1h"),
        (0, "0s"),
    ],
)
def test_a_length_of_time_is_said_in_at_most_two_units(seconds: float, words: str) -> None:
    assert clock.duration_text(seconds) == words


@given(moments, st.integers(-10_000_000, 10_000_000))
def test_adding_seconds_and_taking_the_difference_agree(moment: datetime, seconds: int) -> None:
    time = clock.text(moment)
    assert clock.seconds_between(time, clock.plus(time, seconds)) == seconds


@given(moments)
def test_seconds_since_1970_and_back_is_the_same_moment(moment: datetime) -> None:
    assert clock.since_epoch(clock.parse(clock.text(moment)).timestamp()) == clock.text(moment)
