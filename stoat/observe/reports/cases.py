"""What any report says of its tests, before it becomes wire events: a case, its attempts, its steps."""

from __future__ import annotations

import math
from collections.abc import Callable, Collection
from typing import Literal, NamedTuple

from stoat.clock import Time

Outcome = Literal["passed", "failed", "skipped", "unknown", "unfinished"]
"""How a case ended: `unknown` is neither red nor green, `unfinished` that it began and nobody saw its end."""

MAX_TEXT = 20_000
"""Characters kept of a message: enough for a stack trace, small enough for a hundred thousand of them."""
MAX_NAME = 1_000
"""Characters kept of a name."""


class Attempt(NamedTuple):
    """One execution of a case."""

    outcome: Outcome
    milliseconds: int | None = None
    message: str | None = None


class Line(NamedTuple):
    """A step of a case's last attempt. `status` is the runner's own word."""

    kind: str
    text: str
    status: str
    milliseconds: int | None = None
    message: str | None = None


class Case(NamedTuple):
    """A test as a report names it: scenario of a feature, its attempts in order (the last one decides), its steps.

    `row` says that it is one example of its scenario, and which; `spelled` gives all names that it goes by.
    """

    feature: str
    scenario: str
    attempts: tuple[Attempt, ...]
    lines: tuple[Line, ...] = ()
    row: str | None = None
    spelled: Callable[[], Collection[str]] | None = None
    at: Time | None = None

    @property
    def uid(self) -> str:
        """The name that a slice's specs go by; a test of no feature is its name alone."""
        return f"{self.feature}/{self.scenario}" if self.feature else self.scenario


class Suite(NamedTuple):
    """What a report says of the whole run: its name, and when it began where that has a time zone."""

    name: str
    started: Time | None = None


def contradiction(red: int, shown_red: int, tests: int, shown: int) -> Attempt | None:
    """What a report comes to by its own counts where it says more than it shows: failed, or undecided. Else None."""
    if red > shown_red:
        return Attempt("failed", None, f"it says that {red} failed, and shows {shown_red or 'none'} of them")
    if tests > shown:
        return Attempt("unknown", None, f"it says that it had {tests} tests, and shows {shown or 'none'} of them")
    return None


def name(written: object) -> str:
    """A name on one line, without surrounding blanks and not longer than a name may be."""
    text = " ".join(str(written).split()) if written is not None else ""
    return text if len(text) <= MAX_NAME else f"{text[: MAX_NAME - 1]}…"


def message(written: object) -> str | None:
    """A message without surrounding blank lines, cut off where it is too long; None for none."""
    if written is None:
        return None
    text = str(written)[: MAX_TEXT + 1].strip("\r\n").rstrip()
    return None if not text else text if len(text) <= MAX_TEXT else f"{text[: MAX_TEXT - 1]}…"


def milliseconds(seconds: float | None) -> int | None:
    """Seconds in whole milliseconds; None for what is no length of time."""
    if seconds is None or not math.isfinite(seconds) or not 0 <= seconds < 1e9:
        return None
    return round(seconds * 1000)
