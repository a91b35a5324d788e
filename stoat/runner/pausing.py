"""A person's pause of the plan is heeded: the run says it and stays, and launching keeps to it."""

from __future__ import annotations

from stoat.derive.wording import steering
from stoat.runner.state import Run, RunState


def heed(run: Run, state: RunState) -> RunState:
    """The step: say that a person paused the plan and how to go on, or that it goes on."""
    paused = state.plan.paused
    if paused is None:
        run.narrator.settle("pause", steering.goes_on_line())
    else:
        line = steering.paused_line if run.options.watch else steering.ends_paused_line
        run.narrator.once("pause", line(run.plan, paused.by, paused.at))
    return state
