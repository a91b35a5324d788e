"""Agents that hang on a limit of their account: alive, with nothing else to say. They are stopped, and go on later."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from stoat import clock
from stoat.derive.wording import runner as say
from stoat.observe.agents import SeenLimit
from stoat.observe.agents.activity import hangs_on
from stoat.processes import is_alive
from stoat.runner import endings
from stoat.runner.reaping import stop_job
from stoat.runner.state import Job, Run, RunState

QUIET = 120.0
"""Seconds without a word after which an agent whose last word is a limit waits for it, and works no more."""


def unhang(run: Run, state: RunState) -> RunState:
    """The step: stop every agent that has waited for a limit for two minutes; its end is recorded as that."""
    for job in list(state.jobs.values()):
        if job.kind != "agent" or job.node in state.hung or not is_alive(job.identity):
            continue
        limit = _limit(run, state, job)
        if limit is not None:
            run.narrator.say(say.hangs(job.node, limit.text))
            stop_job(job)
            state = replace(state, hung={**state.hung, job.node: limit})
    return state


def _limit(run: Run, state: RunState, job: Job) -> SeenLimit | None:
    node = state.plan.nodes.get(job.node)
    attempt = node.attempt if node is not None else None
    if attempt is None or attempt.number != job.attempt:
        return None
    output = Path(attempt.output) if attempt.output is not None else None
    form = endings.form_of(run, attempt)
    return hangs_on(form, output, job.log, attempt.log_from, quiet=QUIET, now=clock.now())
