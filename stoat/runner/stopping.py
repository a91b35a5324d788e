"""Whether the run may still start something: stop file, signals, limits. Nothing here ends an agent."""

from __future__ import annotations

import os
from dataclasses import replace

from stoat.derive import limits
from stoat.derive.limits import Spent
from stoat.derive.wording import runner as say
from stoat.runner.state import Run, RunState
from stoat.runner.waking import STOP_FILE


def check(run: Run, state: RunState) -> RunState:
    """The step: stop claiming when a limit is reached, and go on when a stop file has been taken away again."""
    spent = Spent(
        launched=state.launched,
        reported_usd=max(0.0, (state.plan.spent_usd or 0.0) - state.spent_before),
        minutes=(run.monotonic() - run.started) / 60,
        failures=state.failures,
    )
    stop = limits.stop(
        run.options.limits,
        spent,
        asked=run.interrupts.count > 0,
        stop_file=os.path.lexists(run.project.directory / STOP_FILE),
    )
    if stop is not None and (state.stop is None or state.stop.reason != stop.reason):
        if stop.reason == "asked":
            run.narrator.once("stop", say.interrupted(sorted(state.jobs)))
        else:
            run.narrator.once("stop", say.stopped(stop, len(state.jobs)))
    elif stop is None and state.stop is not None:
        run.narrator.forget("stop")
        run.narrator.say(say.go_on())
    if stop is not None and stop.reason == "failures":
        state = state.with_trouble("", "failures")
    since = state.stopped_at if state.stop is not None and stop is not None else state.now
    return replace(state, stop=stop, stopped_at=since)
