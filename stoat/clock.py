"""The only clock, and the only arithmetic on times.

A time inside Stoat is text, ISO 8601 in UTC with milliseconds and a `Z`: sorted as text it is sorted in time, so
folding and deriving 100,000 events never has to build a datetime.
"""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta

Time = str
"""ISO 8601, UTC, milliseconds, `Z`: `2026-11-30T22:16:41.123Z`."""

_UNITS = {"d": 86400, "h": 3600, "m": 60, "s": 1}
_SPANS = re.compile(r"(\d+(?:\.\d+)?)([dhms])")
_CLOCK_FACE = re.compile(r"(?:(\d+)\.)?(\d{1,2}):([0-5]\d):([0-5]\d)")


def now() -> Time:
    """The present moment."""
    return text(datetime.now(UTC))


def text(moment: datetime) -> Time:
    """An aware datetime as a Time; what is finer than a millisecond is cut off."""
    moment = moment.astimezone(UTC)
    return f"{moment:%Y-%m-%dT%H:%M:%S}.{moment.microsecond // 1000:03d}Z"


def since_epoch(seconds: float) -> Time:
    """The moment so many seconds after 1970 began; ValueError or OverflowError for one in no year that there is."""
    return text(datetime.fromtimestamp(seconds, UTC))


def parse(time: Time) -> datetime:
    """A Time (or any ISO 8601 text with an offset) as an aware datetime; ValueError if it is neither."""
    moment = datetime.fromisoformat(time)
    if moment.tzinfo is None:
        raise ValueError(f"{time} has no time zone")
    return moment.astimezone(UTC)


def moment(time: Time) -> str:
    """A Time to the minute, as people are told it: `2026-11-30 22:16Z`."""
    return f"{time[:10]} {time[11:16]}Z" if len(time) >= 16 else time


def plus(time: Time, seconds: float) -> Time:
    """The moment `seconds` after `time` (before it, when negative)."""
    return text(parse(time) + timedelta(seconds=seconds))


def seconds_between(earlier: Time, later: Time) -> float:
    """How many seconds after `earlier` `later` is; negative when it is before."""
    return (parse(later) - parse(earlier)).total_seconds()


def duration(written: str) -> float:
    """Seconds in `90s`, `20m`, `1h30m`, `2d` or `00:20:00` (also `1.02:00:00`, days first).

    Raises ValueError for anything else and for a duration of zero.
    """
    written = written.strip()
    if face := _CLOCK_FACE.fullmatch(written):
        days, hours, minutes, seconds = (int(part or 0) for part in face.groups())
        total = float(days * 86400 + hours * 3600 + minutes * 60 + seconds)
    else:
        spans = _SPANS.findall(written)
        if not spans or "".join(number + unit for number, unit in spans) != written:
            raise ValueError(f"{written!r} is not a duration")
        total = sum(float(number) * _UNITS[unit] for number, unit in spans)
    if total <= 0:
        raise ValueError(f"{written!r} is no time at all")
    return total


def duration_text(seconds: float) -> str:
    """A length of time for people: `20m 3s`, `1h 30m`, `0.4s`; at most two units."""
    if seconds < 10:
        return f"{seconds:.1f}s".replace(".0s", "s")
    rest = round(seconds)
    parts = []
    for unit, size in _UNITS.items():
        count, rest = divmod(rest, size)
        if count:
            parts.append(f"{count}{unit}")
    return " ".join(parts[:2])
