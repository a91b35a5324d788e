"""The only clock, and the only arithmetic on times.

A time inside Stoat is text, ISO 8601 in UTC with milliseconds and a `Z`: sorted as text it is sorted in time, so
folding and deriving 100,000 events never has to build a datetime.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta, tzinfo

Time = str
"""ISO 8601, UTC, milliseconds, `Z`: `2026-11-30T22:16:41.123Z`."""

Zone = tzinfo
"""A time zone; None in its place is the machine's own."""

_LONGEST = timedelta.max.total_seconds()
_JUST = timedelta(minutes=30)
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


def at_home(time: Time) -> str:
    """A Time to the minute on the clock of this machine, as its people read it: `16:02 CDT`, with its day when that is
    not today's: `Dec 3, 07:00 CST`."""
    there = parse(time).astimezone()
    face = f"{there:%H:%M} {there.tzname() or ''}".rstrip()
    return face if there.date() == datetime.now().astimezone().date() else f"{there:%b} {there.day}, {face}"


def plus(time: Time, seconds: float) -> Time:
    """The moment `seconds` after `time` (before it, when negative)."""
    return text(parse(time) + timedelta(seconds=seconds))


def seconds_between(earlier: Time, later: Time) -> float:
    """How many seconds after `earlier` `later` is; negative when it is before."""
    return (parse(later) - parse(earlier)).total_seconds()


def duration(written: str) -> float:
    """Seconds in `90s`, `20m`, `1h30m`, `2d` or `00:20:00` (also `1.02:00:00`, days first).

    Raises ValueError for anything else, for a duration of zero and for one beyond all times.
    """
    written = written.strip()
    if face := _CLOCK_FACE.fullmatch(written):
        days, hours, minutes, seconds = (int(part or 0) for part in face.groups())
        total: float = days * 86400 + hours * 3600 + minutes * 60 + seconds
    else:
        spans = _SPANS.findall(written)
        if not spans or "".join(number + unit for number, unit in spans) != written:
            raise ValueError(f"{written!r} is not a duration")
        total = sum(float(number) * _UNITS[unit] for number, unit in spans)
    if total <= 0:
        raise ValueError(f"{written!r} is no time at all")
    if total > _LONGEST:
        raise ValueError(f"{written[:40]!r} is not a duration that ever ends")
    return float(total)


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


def zone(name: str) -> Zone | None:
    """The time zone of that name (`America/Chicago`); None where the machine's database has none, or is missing."""
    from zoneinfo import ZoneInfo  # loaded where a tool named a zone: the store is read without it

    if name in ("UTC", "GMT"):
        return UTC
    try:
        return ZoneInfo(name)
    except (KeyError, OSError, ValueError):
        return None


def when_read(
    hour: int, minute: int, at: Zone | None, now: Time, *,
    month: int | None = None, day: int | None = None, year: int | None = None,
) -> Time | None:  # fmt: skip
    """When the clocks of a zone read what somebody at `now` said of a time to come; None where they never do.

    Without a year (a month, a day) it is the next such moment, or the one that passed within the last half hour: that
    one was meant. A reading that comes twice is the later one; one that the clocks skip is as long after the skip.
    """
    present = parse(now)
    earliest = present - _JUST
    for date in _dates(present.astimezone(at), month, day, year):
        try:
            naive = datetime(*date, hour, minute)
            moment = max(_instant(naive.replace(fold=fold), at) for fold in (0, 1))
        except (ValueError, OverflowError, OSError):
            continue
        if year is not None or moment >= earliest:
            return text(moment)
    return None


def _dates(present: datetime, month: int | None, day: int | None, year: int | None) -> Iterator[tuple[int, int, int]]:
    """The dates that may be meant, in order; some may not exist."""
    if month is None or day is None:
        for days in range(-1, 3):
            date = present + timedelta(days=days)
            yield date.year, date.month, date.day
    elif year is not None:
        yield year, month, day
    else:
        # There may be no 29 February for eight years.
        for later in range(-1, 9):
            yield present.year + later, month, day


def _instant(naive: datetime, at: Zone | None) -> datetime:
    return naive.astimezone(UTC) if at is None else naive.replace(tzinfo=at).astimezone(UTC)
