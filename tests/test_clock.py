"""Times are text that sorts, and durations read as people write them."""

from __future__ import annotations

import os
import subprocess
import sys
import time
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
    "written",
    [
        "",
        "20",
        "m",
        "20x",
        "20m nonsense",
        "-5m",
        "0s",
        "00:00:00",
        "1:2",
        "00:60:00",
        "20 m",
        f"{'9' * 400}h",
        f"{'9' * 400}.00:00:01",
    ],
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


CHICAGO = clock.zone("America/Chicago")


@pytest.mark.parametrize(
    ("now", "said", "when"),
    [
        ("2026-11-30T21:13:00Z", (16, 0), "2026-11-30T22:00:00.000Z"),
        ("2026-11-30T22:00:00Z", (16, 0), "2026-11-30T22:00:00.000Z"),
        ("2026-11-30T22:30:00Z", (16, 0), "2026-11-30T22:00:00.000Z"),
        ("2026-11-30T22:30:01Z", (16, 0), "2026-12-01T22:00:00.000Z"),
        ("2026-12-01T05:50:00Z", (0, 10), "2026-12-01T06:10:00.000Z"),
        ("2026-12-01T06:10:00Z", (23, 50), "2026-12-01T05:50:00.000Z"),
        # 8 March 2026: 01:59 CST is followed by 03:00 CDT; 1 November 2026: 01:59 CDT by 01:00 CST.
        ("2026-03-08T07:00:00Z", (2, 30), "2026-03-08T08:30:00.000Z"),
        ("2026-03-08T07:00:00Z", (3, 0), "2026-03-08T08:00:00.000Z"),
        ("2026-11-01T05:00:00Z", (1, 30), "2026-11-01T07:30:00.000Z"),
        ("2026-11-01T06:45:00Z", (1, 30), "2026-11-01T07:30:00.000Z"),
        ("2026-11-01T07:45:00Z", (1, 30), "2026-11-01T07:30:00.000Z"),
        ("2026-10-31T20:00:00Z", (15, 30), "2026-10-31T20:30:00.000Z"),
        ("2026-11-01T02:00:00Z", (7, 0), "2026-11-01T13:00:00.000Z"),
    ],
)  # fmt: skip
def test_a_clock_that_was_named_reads_so_next_or_just_did(now: str, said: tuple[int, int], when: str) -> None:
    assert clock.when_read(*said, CHICAGO, now) == when


@pytest.mark.parametrize(
    ("now", "month", "day", "year", "when"),
    [
        ("2026-11-30T21:13:00Z", 12, 3, None, "2026-12-03T13:00:00.000Z"),
        ("2026-12-03T13:30:00Z", 12, 3, None, "2026-12-03T13:00:00.000Z"),
        ("2026-12-03T13:30:01Z", 12, 3, None, "2027-12-03T13:00:00.000Z"),
        ("2026-12-31T13:00:00Z", 1, 2, None, "2027-01-02T13:00:00.000Z"),
        ("2027-01-01T06:10:00Z", 12, 31, None, "2027-12-31T13:00:00.000Z"),
        ("2026-11-30T21:13:00Z", 2, 29, None, "2028-02-29T13:00:00.000Z"),
        ("2026-11-30T21:13:00Z", 2, 30, None, None),
        ("2026-11-30T21:13:00Z", 9, 29, 2026, "2026-09-29T12:00:00.000Z"),
        ("2026-11-30T21:13:00Z", 2, 29, 2027, None),
    ],
)  # fmt: skip
def test_a_date_without_a_year_is_the_next_such(now: str, month: int, day: int, year: int | None, when: str) -> None:
    assert clock.when_read(7, 0, CHICAGO, now, month=month, day=day, year=year) == when


zones = st.sampled_from(
    ["UTC", "America/Chicago", "America/St_Johns", "Asia/Kathmandu", "Asia/Kolkata", "Australia/Lord_Howe",
     "Europe/London", "Pacific/Apia", "Pacific/Auckland", "Pacific/Kiritimati"]
)  # fmt: skip
recent = st.datetimes(min_value=datetime(2024, 1, 1), max_value=datetime(2040, 1, 1), timezones=st.just(UTC))


@given(recent, st.integers(0, 23), st.integers(0, 59), zones)
def test_a_named_clock_is_found_in_any_zone_at_any_time(now: datetime, hour: int, minute: int, name: str) -> None:
    zone = clock.zone(name)
    found = clock.when_read(hour, minute, zone, clock.text(now))
    assert found is not None
    wait = clock.parse(found) - clock.parse(clock.text(now))
    assert timedelta(minutes=-30) <= wait <= timedelta(hours=25)
    reading = clock.parse(found).astimezone(zone)
    skipped = reading.replace(tzinfo=None, hour=hour, minute=minute, fold=0).replace(tzinfo=zone)
    is_there = skipped.astimezone(UTC).astimezone(zone).replace(tzinfo=None) == skipped.replace(tzinfo=None)
    assert (reading.hour, reading.minute) == (hour, minute) or not is_there


def test_the_machines_own_zone_is_meant_by_none(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TZ", "America/Chicago")
    time.tzset()
    try:
        assert clock.when_read(16, 0, None, "2026-11-30T21:13:00Z") == "2026-11-30T22:00:00.000Z"
        assert clock.when_read(1, 30, None, "2026-11-01T05:00:00Z") == "2026-11-01T07:30:00.000Z"
    finally:
        monkeypatch.undo()
        time.tzset()


@pytest.mark.parametrize("name", ["", "Nowhere/Land", "../../etc/passwd", "/etc/localtime", "America", "a\x00b", "Ö/x"])
def test_a_zone_that_is_none_is_not_guessed(name: str) -> None:
    assert clock.zone(name) is None


def test_without_a_database_of_zones_only_utc_is_known() -> None:
    script = (
        "import sys, zoneinfo; sys.modules['tzdata'] = None; zoneinfo.reset_tzpath([]); from stoat import clock; "
        "print(clock.zone('Asia/Tokyo'), clock.zone('UTC'))"
    )
    environ = {"PYTHONPATH": os.pathsep.join(sys.path), "PATH": os.defpath}
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True, env=environ)
    assert done.stdout.split() == ["None", "UTC"]
