"""When a run asks for GitHub to be looked at, and how long it waits for the first look."""

from __future__ import annotations

import pytest

from stoat.clock import plus
from stoat.derive.glances import AGAIN, PATIENCE, ask, awaited, needed
from stoat.plan.github import GitHubNow
from tests.support.states import attempt

BEGAN = "2026-11-30T12:00:00.000Z"
EXIT = plus(BEGAN, 600)
SETTLE = 180.0


def at(seconds: float) -> str:
    return plus(EXIT, seconds)


@pytest.mark.parametrize(
    ("exits", "now", "since"),
    [
        ([], 0, BEGAN),
        ([None], 0, BEGAN),
        ([EXIT], 1, EXIT),
        ([EXIT], SETTLE - 1, EXIT),
        ([EXIT], SETTLE, at(SETTLE)),
        ([EXIT], 9999, at(SETTLE)),
        ([EXIT, at(30)], 40, at(30)),
        ([EXIT, at(30)], SETTLE + 1, at(SETTLE)),
        ([plus(BEGAN, -3600)], 0, BEGAN),
    ],
)
def test_github_is_to_be_seen_since_the_beginning_each_exit_and_the_end_of_each_ones_time(
    exits: list[str | None], now: float, since: str
) -> None:
    attempts = [attempt(exited_at=exit) for exit in exits]
    assert needed(BEGAN, attempts, settle=SETTLE, now=at(now)) == since


AWAY = {"problem": "GitHub is away"}


@pytest.mark.parametrize(
    ("seen", "asked", "now", "asks"),
    [
        (GitHubNow(), None, 0, True),
        (GitHubNow(), at(0), 1, False),
        (GitHubNow(), at(0), AGAIN, True),
        (GitHubNow(), at(-1), 1, True),
        (GitHubNow(at=at(-1)), None, 0, True),
        (GitHubNow(at=at(0)), None, 0, False),
        (GitHubNow(at=at(5)), at(0), 9999, False),
        (GitHubNow(at=at(5), **AWAY), at(0), 6, False),  # type: ignore[arg-type]
        (GitHubNow(at=at(5), **AWAY), at(0), AGAIN, True),  # type: ignore[arg-type]
        (GitHubNow(at=at(5), again_at=at(600), **AWAY), at(0), 599, False),  # type: ignore[arg-type]
        (GitHubNow(at=at(5), again_at=at(600), **AWAY), at(0), 600, True),  # type: ignore[arg-type]
    ],
)
def test_a_look_is_asked_for_once_a_need_and_seldom_while_github_is_away(
    seen: GitHubNow, asked: str | None, now: float, asks: bool
) -> None:
    assert ask(seen, since=EXIT, asked=asked, now=at(now)) is asks


def test_a_run_waits_for_the_first_look_and_not_for_ever() -> None:
    old, new = GitHubNow(at=plus(BEGAN, -1)), GitHubNow(at=BEGAN, problem="no token")
    soon, late = plus(BEGAN, 1), plus(BEGAN, PATIENCE)
    assert [awaited(seen, began=BEGAN, now=soon) for seen in (GitHubNow(), old, new)] == [True, True, False]
    assert not awaited(GitHubNow(), began=BEGAN, now=late)
    limited = GitHubNow(at=plus(BEGAN, -1), problem="a limit", again_at=plus(BEGAN, 60))
    assert not awaited(limited, began=BEGAN, now=soon) and awaited(limited, began=BEGAN, now=plus(BEGAN, 61))
