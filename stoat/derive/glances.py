"""When a run asks for GitHub to be looked at before its turn, and how long it waits for the first look.

It needs GitHub to have been seen since its own beginning, since the exit of each agent on an issue, and since the end
of the time that such an attempt has to show something. One question a need; while GitHub is away, once in a while.
"""

from __future__ import annotations

from collections.abc import Iterable

from stoat.clock import Time, plus
from stoat.plan.github import GitHubNow
from stoat.plan.state import Attempt

AGAIN = 60.0
"""Seconds between two questions about the same need."""
PATIENCE = 120.0
"""Seconds after its beginning for which a run waits for the first look."""


def needed(began: Time, attempts: Iterable[Attempt], *, settle: float, now: Time) -> Time:
    """The moment since which GitHub is to have been seen. `attempts` are those on issues that are not judged; `settle`
    is in seconds after an agent's exit."""
    moments = [began]
    for attempt in attempts:
        if attempt.exited_at is not None:
            settled = plus(attempt.exited_at, settle)
            moments.append(settled if now >= settled else attempt.exited_at)
    return max(moments)


def ask(github: GitHubNow, *, since: Time, asked: Time | None, now: Time) -> bool:
    """Whether to ask for a look now. `asked` is when that was last done."""
    if github.at is not None and github.at >= since and github.problem is None:
        return False
    return asked is None or asked < since or now >= max(plus(asked, AGAIN), github.again_at or "")


def awaited(github: GitHubNow, *, began: Time, now: Time) -> bool:
    """Whether a run has to wait because nobody has looked at GitHub since it began; a limit of GitHub's keeps everybody
    away for longer than that."""
    if github.again_at is not None and now < github.again_at:
        return False
    return (github.at is None or github.at < began) and now < plus(began, PATIENCE)
