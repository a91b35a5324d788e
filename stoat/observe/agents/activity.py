"""What a running agent said last and how long ago, and whether it hangs on a limit of its account."""

from __future__ import annotations

import contextlib
from pathlib import Path
from typing import NamedTuple

from stoat.clock import Time, plus, seconds_between, since_epoch
from stoat.observe.agents import SeenLimit
from stoat.observe.agents.output import tail
from stoat.observe.agents.reading import hear, seen
from stoat.observe.agents.telling import told
from stoat.plan.usage_limits import find, shown

_LAST = 64 * 1024
_LAST_LINES = 5
_HANGING = frozenset({"usage", "rate", "spend"})


class LastWords(NamedTuple):
    """The newest thing that an agent's tool said, as text, the seconds since then, and the file it is in."""

    text: str
    age: float
    file: Path


def last_words(form: str, output: Path | None, log: Path, log_from: int, *, now: Time) -> LastWords | None:
    """The newest thing that a running agent's tool said on either of its outputs; None while it has said nothing.

    `form` and the files are those of `reading.read`.
    """
    files = [(log, log_from)] if output is None else [(output, 0), (log, log_from)]
    newest: tuple[Time, str, Path] | None = None
    for path, start in files:
        text = _last_line(form if path is output else "none", tail(path, start, _LAST))
        at = _written(path)
        if text is not None and at is not None and (newest is None or at > newest[0]):
            newest = at, text, path
    if newest is None:
        return None
    return LastWords(newest[1], max(0.0, seconds_between(newest[0], now)), newest[2])


def hangs_on(form: str, output: Path | None, log: Path, log_from: int, *, quiet: float, now: Time) -> SeenLimit | None:
    """The limit that a running agent waits on: the newest that it said is about one and `quiet` seconds old; else None.

    A service that is overloaded is not the account's: the tool goes on trying, and may.
    """
    if any(at is not None and seconds_between(at, now) < quiet for at in (_written(output or log), _written(log))):
        return None  # most agents are at work, and their files need not be read
    words = last_words(form, output, log, log_from, now=now)
    if words is None or words.age < quiet:
        return None
    source, start = (log, log_from) if output is None else (output, 0)
    errors = tail(log, log_from, _LAST) if words.file == log else ""
    heard = hear(form, source, _recent(source, start), errors)
    if heard is not None:
        said = None if heard.ended else heard.stuck
    else:
        said = find("\n".join(_lines(tail(source, start, _LAST))[-_LAST_LINES:]))
    return seen(said, plus(now, -words.age)) if said is not None and said.kind in _HANGING else None


def _written(path: Path) -> Time | None:
    """When a file was last written to."""
    with contextlib.suppress(OSError, ValueError, OverflowError):
        return since_epoch(path.stat().st_mtime)
    return None


def _last_line(form: str, text: str) -> str | None:
    """The newest line of a file that tells something."""
    for line in reversed(_lines(text)):
        words = line if form == "none" else told(form, line.encode())
        if words is not None:
            return shown(words)
    return None


def _recent(path: Path, start: int) -> int:
    """From where on a file is read of which only the end matters."""
    try:
        return max(start, path.stat().st_size - _LAST)
    except OSError:
        return start


def _lines(text: str) -> list[str]:
    """The lines that say something; JSON may hold every other line break of Unicode as it is."""
    return [line for line in text.split("\n") if line.strip()]
