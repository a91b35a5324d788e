"""What a person tells the runners of a plan: to start nothing more, and to go on.

It is said of the plan and holds until a person says otherwise, for runners that start later as well. That it is a
person who says it, and that somebody is there to hear it, is the service's to see.
"""

from __future__ import annotations

from stoat.plan.events.base import PlanEvent
from stoat.plan.state import Mark, PlanState


class RunnerPaused(PlanEvent, tag="runner_paused", frozen=True):
    """The plan's runners take no new claims; agents at work finish. `runner` is the one that it was said to."""

    runner: str

    def fold(self, plan: PlanState) -> None:
        """Hold the plan."""
        plan.paused = Mark(self.by.name, self.at)


class RunnerResumed(PlanEvent, tag="runner_resumed", frozen=True):
    """They take claims again. `runner` is the one that it was said to."""

    runner: str

    def fold(self, plan: PlanState) -> None:
        """Let the plan go on."""
        plan.paused = None


def pause(plan: PlanState, runner: str) -> RunnerPaused | None:
    """Pause a plan's runners; None when they are paused."""
    return RunnerPaused(runner=runner) if plan.paused is None else None


def resume(plan: PlanState, runner: str) -> RunnerResumed | None:
    """Let a plan's runners go on; None when they do."""
    return RunnerResumed(runner=runner) if plan.paused is not None else None
