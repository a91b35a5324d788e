"""When a process looks at GitHub by itself: every row of the table, and how long it keeps away."""

from __future__ import annotations

from typing import Any

import pytest

from stoat.clock import plus
from stoat.derive.sweeps import LEAST, LONGEST, Sweeps, due, pause
from stoat.plan.github import GitHubNow

AT = "2026-11-30T12:00:00.000Z"
PERIOD = 60.0


def ago(seconds: float) -> str:
    return plus(AT, -seconds)


def look(seconds: float | None, **more: Any) -> GitHubNow:
    """The last look, so many seconds ago; None: there was none."""
    return GitHubNow(at=ago(seconds) if seconds is not None else None, **more)


WAITS = {"problem": "a limit", "again_at": plus(AT, 1)}
OVER = {"problem": "a limit", "again_at": AT}
FAILED = {"problem": "no token"}
FRESH = look(10)

CASES: dict[str, tuple[GitHubNow, dict[str, Any], bool]] = {
    "nobody ever looked": (GitHubNow(), {}, True),
    "nobody ever looked, and it pauses": (GitHubNow(), {"paused": True}, False),
    "somebody just looked": (FRESH, {}, False),
    "somebody just looked, and a plan names something new": (FRESH, {"new": True}, True),
    "… and it pauses": (FRESH, {"new": True, "paused": True}, False),
    "asked since": (FRESH, {"asked": ago(5)}, True),
    "asked since, and it pauses": (FRESH, {"asked": ago(5), "paused": True}, True),
    "asked before that look": (FRESH, {"asked": ago(11)}, False),
    "asked, and nobody ever looked": (GitHubNow(), {"asked": AT, "paused": True}, True),
    "the last look failed": (look(10, **FAILED), {}, True),
    "the last look failed, and it pauses": (look(10, **FAILED), {"paused": True}, False),
    "a limit": (look(10, **WAITS), {}, False),
    "a limit, and it was asked": (look(10, **WAITS), {"asked": ago(5)}, False),
    "a limit, and something new": (look(10, **WAITS), {"new": True}, False),
    "a limit, long ago": (look(9999, **WAITS), {}, False),
    "a limit that is over": (look(10, **OVER), {}, True),
    "a limit that is over, and it pauses": (look(10, **OVER), {"paused": True}, False),
    "a limit that is over, asked and pausing": (look(10, **OVER), {"paused": True, "asked": ago(5)}, True),
    "its own, not a period ago": (look(59), {"mine": ago(59)}, False),
    "its own, a period ago": (look(60), {"mine": ago(60)}, True),
    "its own, a period ago, and it pauses": (look(60), {"mine": ago(60), "paused": True}, False),
    "another one's, a period ago": (look(60), {"mine": ago(150)}, False),
    "another one's, not quite a quarter more": (look(74), {}, False),
    "another one's, a quarter more": (look(75), {}, True),
    "one that lies ahead": (look(-1), {}, True),
}


@pytest.mark.parametrize("name", CASES)
def test_every_row(name: str) -> None:
    seen, own, expected = CASES[name]
    assert due(seen, Sweeps(period=PERIOD, **own), sought=True, at=AT) is expected


@pytest.mark.parametrize("own", [{}, {"asked": AT}, {"new": True}, {"paused": True}])
def test_where_nothing_hangs_on_github_only_what_is_kept_of_it_is_a_reason(own: dict[str, Any]) -> None:
    assert not due(GitHubNow(), Sweeps(period=PERIOD, **own), sought=False, at=AT)
    assert due(look(1, **WAITS), Sweeps(period=PERIOD, **own), sought=False, at=AT)


def test_it_comes_back_ever_later_while_nothing_can_be_read() -> None:
    assert [pause(PERIOD, failures) for failures in range(6)] == [LEAST, 60, 120, 240, LONGEST, LONGEST]
    assert pause(PERIOD, 10_000) == LONGEST
    assert (pause(0.05, 0), pause(0.05, 1)) == (0.05, 0.05)
    assert pause(3600, 5) == 3600
