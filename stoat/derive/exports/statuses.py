"""How a scenario ended, in the words that report formats share."""

from __future__ import annotations

from typing import Literal, NamedTuple

from stoat.plan.monitor.run import Run
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


class Whole(NamedTuple):
    """What is to be said of a run beside its scenarios: how it ended, and why."""

    status: Status
    message: str


def of_whole(run: Run) -> Whole | None:
    """What no scenario of a run shows and who reads them alone would take for a pass; None where they tell it all."""
    if not run.finished:
        return Whole("other", "the run did not finish")
    shown = {of_scenario(one) for one in run.scenarios.values()}
    if run.verdict == "failed" and "failed" not in shown:
        code = f" (exit {run.exit_code})" if run.exit_code else ""
        return Whole("failed", f"the run failed{code}, and none of its scenarios did")
    if run.verdict == "unknown" and "passed" in shown and not shown & {"other", "pending"}:
        return Whole("other", "the run ended without a verdict")
    return None
