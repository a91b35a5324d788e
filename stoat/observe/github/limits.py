"""GitHub's limits, read from an answer: how long to wait, and why (pure). Also how long to wait after an outage."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import NamedTuple

TRIES = 3
"""How often one question is put before GitHub counts as away, or as still limiting."""

_UNSAID = 60.0
"""Seconds to wait at least for a limit that does not say for how long; GitHub asks for a minute, and more each time."""
_LONGEST = 24 * 3600.0
_BACKOFF = (0.5, 2.0, 5.0)


class Limit(NamedTuple):
    """For how many seconds GitHub wants to be left alone, and what to tell a person."""

    seconds: float
    why: str


def of_response(status: int, headers: Mapping[str, str], message: str, now: datetime, attempt: int = 0) -> Limit | None:
    """The limit that a refusal (403 or 429) speaks of; None when it is about something else.

    `headers` has lower-case names, `message` is GitHub's sentence, `now` our clock where GitHub sends no date of its
    own, `attempt` how often in a row this was refused already.
    """
    if status not in (403, 429):
        return None
    if told := _told(headers):
        return told
    if headers.get("x-ratelimit-remaining", "").strip() == "0":
        return _primary(headers, now, attempt)
    if status == 429 or "rate limit" in message.lower() or "abuse detection" in message.lower():
        return Limit(_UNSAID * 2**attempt, "GitHub's secondary rate limit")
    return None


def of_graphql(headers: Mapping[str, str], now: datetime, attempt: int = 0) -> Limit:
    """The limit of an answer whose errors say RATE_LIMITED."""
    return _told(headers) or _primary(headers, now, attempt)


def backoff(attempt: int) -> float:
    """Seconds to wait after the given failed try (0 for the first) of something that GitHub did not answer."""
    return _BACKOFF[min(attempt, len(_BACKOFF) - 1)]


def _told(headers: Mapping[str, str]) -> Limit | None:
    seconds = headers.get("retry-after", "").strip()
    if not (seconds.isascii() and seconds.isdigit()):
        return None
    return Limit(min(float(seconds), _LONGEST), "GitHub's secondary rate limit")


def _primary(headers: Mapping[str, str], now: datetime, attempt: int) -> Limit:
    resource = headers.get("x-ratelimit-resource", "").strip()
    why = f"GitHub's rate limit ({resource})" if resource.isidentifier() else "GitHub's rate limit"
    reset = headers.get("x-ratelimit-reset", "").strip()
    if not (reset.isascii() and reset.isdigit()):
        return Limit(_UNSAID * 2**attempt, why)
    # One second more, as the reset is cut to whole seconds; by GitHub's own clock, ours may be off.
    return Limit(min(max(float(reset) - _date(headers, now).timestamp() + 1, 1.0), _LONGEST), why)


def _date(headers: Mapping[str, str], now: datetime) -> datetime:
    try:
        sent = parsedate_to_datetime(headers["date"])
    except (KeyError, ValueError, TypeError):
        return now
    # HTTP knows one time zone, also where its name cannot be read.
    return sent if sent.tzinfo is not None else sent.replace(tzinfo=UTC)
