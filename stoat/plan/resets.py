"""When a limit resets, in the words of agents' tools: a clock's reading, a moment, or a length of time (pure)."""

from __future__ import annotations

import re
from collections.abc import Iterator

from msgspec import Struct


class Clock(Struct, frozen=True, kw_only=True):
    """What a clock will read: `tz` is a zone's name, None the machine's own; without a date, the next such time."""

    hour: int
    minute: int
    tz: str | None = None
    month: int | None = None
    day: int | None = None
    year: int | None = None


class Epoch(Struct, frozen=True):
    """Seconds since 1970 began."""

    seconds: float


class After(Struct, frozen=True):
    """So many seconds from when it was said."""

    seconds: float


Resets = Clock | Epoch | After

_MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
_READING = re.compile(
    r"(?:(?P<month>[A-Za-z]{3,9})\.? (?P<day>\d{1,2})(?:st|nd|rd|th)?(?:, ?(?P<year>\d{4}))?(?:,| at)? )?"
    r"(?P<hour>\d{1,2})(?::(?P<minute>[0-5]\d))?(?:\s?(?P<half>[AaPp])\.?[Mm]\b\.?)?"
    r"(?:\s*\((?P<tz>[A-Za-z][\w/+-]*)\))?"
)
_UNITS = {"d": 86400.0, "h": 3600.0, "m": 60.0, "s": 1.0, "ms": 0.001}
_PART = (
    r"(?P<number>\d{1,9}(?:\.\d{1,12})?)\s?"
    r"(?P<unit>ms|d(?:ays?)?|h(?:(?:ou)?rs?)?|m(?:in(?:ute)?s?)?|s(?:ec(?:ond)?s?)?)(?![A-Za-z])"
)
_PARTS = re.compile(_PART)
_LENGTH = re.compile(re.sub(r"\?P<\w+>", "?:", rf"(?:{_PART}(?:,? (?:and )?)?)+"))

# What introduces each of them. A sentence may have several (“or try again at 4:10 PM”).
_AT = re.compile(r"(?:\bresets?|\btry again)(?: at| on)?\s+(?=[A-Za-z]{3,9}\.? \d|\d)", re.IGNORECASE)
_IN = re.compile(r"(?:\bresets?|\btry again|\bretry)(?: in| after)\s+(?=\d)", re.IGNORECASE)
_MOMENT = re.compile(r"\|(?P<seconds>\d{9,13})\b")
_MILLISECONDS = 1e11


def resets_in(words: str) -> Resets | None:
    """When the limit that `words` speak of resets; None when they do not say it, or not in a form that is known.

    Of several lengths of time the longest counts: to wait is better than to be turned away again.
    """
    if moment := _MOMENT.search(words):
        return epoch(float(moment["seconds"]))
    lengths = [length for found in _IN.finditer(words) if (length := _length(words, found.end())) is not None]
    if lengths:
        return After(max(lengths))
    return next((clock for found in _AT.finditer(words) if (clock := _clock(words, found.end())) is not None), None)


def epoch(number: float) -> Epoch:
    """A moment of an API, which counts seconds or milliseconds."""
    return Epoch(number / 1000 if number > _MILLISECONDS else number)


def length(words: str) -> After | None:
    """A length of time that is all of `words` (`34.07s`, `4h28m20s`), or None."""
    found = _LENGTH.fullmatch(words.strip())
    return None if found is None else After(sum(_seconds(found[0])))


def _length(words: str, at: int) -> float | None:
    found = _LENGTH.match(words, at)
    return None if found is None else sum(_seconds(found[0]))


def _seconds(written: str) -> Iterator[float]:
    for part in _PARTS.finditer(written):
        unit = part["unit"]
        yield float(part["number"]) * _UNITS[unit if unit == "ms" else unit[0]]


def _clock(words: str, at: int) -> Clock | None:
    found = _READING.match(words, at)
    if found is None or not (found["half"] or found["minute"]):
        return None
    hour, minute = int(found["hour"]), int(found["minute"] or 0)
    if found["half"]:
        if not 1 <= hour <= 12:
            return None
        hour = hour % 12 + (12 if found["half"] in "Pp" else 0)
    if hour > 23:
        return None
    if found["month"] is None:
        return Clock(hour=hour, minute=minute, tz=found["tz"])
    name = found["month"][:3].lower()
    if name not in _MONTHS or not 1 <= int(found["day"]) <= 31:
        return None
    year = int(found["year"]) if found["year"] else None
    return Clock(
        hour=hour, minute=minute, tz=found["tz"], month=_MONTHS.index(name) + 1, day=int(found["day"]), year=year
    )
