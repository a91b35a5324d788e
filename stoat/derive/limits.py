"""When a runner stops claiming: a person asked, a limit was reached. Agents already out there always finish."""

from __future__ import annotations

from typing import Literal

from msgspec import Struct

StopReason = Literal["asked", "stop-file", "budget", "cost", "time", "failures", "other"]
"""`other` is one that a runner of another version said, and that is not known here."""


class Limits(Struct, frozen=True, kw_only=True):
    """What a run was given: US dollars in all and an attempt, minutes, failed attempts in a row; None is no limit."""

    total_usd: float | None = None
    budget_usd: float | None = None
    minutes: float | None = None
    failures: int | None = None


class Spent(Struct, frozen=True, kw_only=True):
    """What the run used up: attempts launched, dollars its agents reported, minutes, failed attempts in a row."""

    launched: int = 0
    reported_usd: float = 0.0
    minutes: float = 0.0
    failures: int = 0


class Stop(Struct, frozen=True):
    """Stop claiming, and why; `used` and `limit` are in the reason's own unit."""

    reason: StopReason
    used: float = 0.0
    limit: float = 0.0


def stop(limits: Limits, spent: Spent, *, asked: bool = False, stop_file: bool = False) -> Stop | None:
    """Whether the run must start nothing more, the first reason that holds; None while it may go on.

    With a budget an attempt, the budgets handed out are what counts (a hard bound, looked at before the next one is
    handed out); without, what the agents said they cost.
    """
    if asked:
        return Stop("asked")
    if stop_file:
        return Stop("stop-file")
    if limits.failures is not None and spent.failures >= limits.failures:
        return Stop("failures", spent.failures, limits.failures)
    if limits.total_usd is not None:
        if limits.budget_usd is not None:
            # Cents: ten budgets of 0.1 are 1.0, not a little less than it.
            handed_out = round(spent.launched * limits.budget_usd, 6)
            if round(handed_out + limits.budget_usd, 6) > limits.total_usd:
                return Stop("budget", handed_out, limits.total_usd)
        elif spent.reported_usd >= limits.total_usd:
            return Stop("cost", spent.reported_usd, limits.total_usd)
    if limits.minutes is not None and spent.minutes >= limits.minutes:
        return Stop("time", spent.minutes, limits.minutes)
    return None
