"""Waiting for one of GitHub's limits, as every command that asks GitHub does."""

from __future__ import annotations

from stoat.cli import render

_LONGEST = 300.0
"""Seconds: GitHub's short limits are over by then; for the hourly one nobody sits in front of a terminal."""


def wait(seconds: float, why: str) -> bool:
    """Whether to wait for a limit: not for ever, and said when it takes a while."""
    from stoat.derive.wording import sweep as say

    if seconds > _LONGEST:
        return False
    if seconds >= 1:
        render.tell(say.waiting(why, seconds))
    return True
