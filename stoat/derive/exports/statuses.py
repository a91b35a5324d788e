"""How a scenario ended, in the words that report formats share."""

from __future__ import annotations

from typing import Literal

from stoat.plan.monitor.scenario import FAILED, PASSES, Scenario

Status = Literal["passed", "failed", "skipped", "pending", "other"]

UNFINISHED = "unfinished"
"""The own word for a scenario that began and did not end."""

_STEPS: dict[str, Status] = {
    "passed": "passed", "ok": "passed", "success": "passed", "succeeded": "passed", "failed": "failed",
    "error": "failed", "undefined": "failed", "ambiguous": "failed", "pending": "failed", "skipped": "skipped",
    "running": "pending",
}  # fmt: skip


def of_scenario(scenario: Scenario) -> Status:
    """A scenario's last word: `pending` while it has none, `other` for what is neither red nor green."""
    if scenario.outcome is None:
        return "pending"
    return "skipped" if scenario.skipped else of_outcome(scenario.outcome)


def of_outcome(outcome: str | None) -> Status:
    """The outcome of an attempt."""
    if outcome is None:
        return "other"
    return "passed" if outcome in PASSES else "failed" if outcome == FAILED else "other"


def of_step(word: str) -> Status:
    """A step's status, from the publisher's own word for it."""
    return _STEPS.get(word.lower(), "other")
