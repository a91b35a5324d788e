"""How long GitHub wants to be left alone."""

from __future__ import annotations

import time
from datetime import UTC, datetime

import pytest

from stoat.observe.github.limits import backoff, of_graphql, of_response

NOW = datetime(2026, 12, 1, 12, 0, tzinfo=UTC)
RESET = str(int(NOW.timestamp()) + 90)


@pytest.mark.parametrize(
    ("status", "headers", "message", "seconds"),
    [
        (403, {"retry-after": "7"}, "", 7),
        (429, {"retry-after": "7"}, "", 7),
        (403, {"retry-after": "7", "x-ratelimit-remaining": "0", "x-ratelimit-reset": RESET}, "", 7),
        (403, {"x-ratelimit-remaining": "0", "x-ratelimit-reset": RESET}, "API rate limit exceeded", 91),
        (429, {"x-ratelimit-remaining": "0", "x-ratelimit-reset": RESET}, "", 91),
        (403, {"x-ratelimit-remaining": "0", "x-ratelimit-reset": "1"}, "", 1),
        (403, {"x-ratelimit-remaining": "0", "x-ratelimit-reset": "9" * 40}, "", 24 * 3600),
        (403, {"x-ratelimit-remaining": "0", "x-ratelimit-reset": "soon"}, "", 60),
        (403, {"x-ratelimit-remaining": "12"}, "You have exceeded a secondary rate limit.", 60),
        (429, {}, "", 60),
        (403, {"retry-after": "Tue, 01 Dec 2026"}, "You have exceeded a secondary rate limit.", 60),
        (403, {"x-ratelimit-remaining": "12"}, "Resource not accessible by personal access token", None),
        (403, {}, "", None),
        (401, {"retry-after": "7"}, "", None),
        (200, {"x-ratelimit-remaining": "0", "x-ratelimit-reset": RESET}, "", None),
        (503, {"retry-after": "7"}, "", None),
    ],
)
def test_a_refusal_says_how_long(status: int, headers: dict[str, str], message: str, seconds: float | None) -> None:
    limit = of_response(status, headers, message, NOW)
    assert (limit.seconds if limit else None) == seconds


@pytest.mark.parametrize("twice", [False, True])
def test_githubs_own_clock_counts_when_ours_is_wrong(twice: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TZ", "Asia/Kolkata")
    time.tzset()
    date = "Tue, 01 Dec 2026 12:01:00 GMT"
    headers = {"x-ratelimit-remaining": "0", "x-ratelimit-reset": RESET, "date": f"{date}, {date}" if twice else date}
    limit = of_response(403, headers, "", datetime(2020, 1, 1, tzinfo=UTC))
    monkeypatch.undo()
    time.tzset()
    assert limit is not None and limit.seconds == 31


def test_a_limit_that_does_not_say_for_how_long_is_waited_for_longer_each_time() -> None:
    found = [of_response(429, {}, "", NOW, attempt) for attempt in range(3)]
    assert [limit.seconds for limit in found if limit] == [60, 120, 240]


def test_a_limit_of_graphql_names_its_resource() -> None:
    limit = of_graphql({"x-ratelimit-reset": RESET, "x-ratelimit-resource": "graphql"}, NOW)
    assert limit == (91, "GitHub's rate limit (graphql)")


def test_waiting_after_an_outage_grows_to_a_bound() -> None:
    waits = [backoff(attempt) for attempt in range(10)]
    assert waits == sorted(waits) and waits[-1] <= 10
