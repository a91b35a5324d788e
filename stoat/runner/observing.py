"""What git shows of branches that nobody told the runner about: finished work that a person merged, the plan's branch
moved by someone else."""

from __future__ import annotations

from dataclasses import replace

from stoat.derive.wording import landing as say
from stoat.gitstore.work import remotes
from stoat.plan.nodes import CHANGE
from stoat.runner.reading import again
from stoat.runner.state import Run, RunState
from stoat.service import landings

FETCH_EVERY = 60.0
"""Seconds between two looks at the remote while finished work waits for a person's merge."""


def observe(run: Run, state: RunState) -> RunState:
    """The step: record what is on a branch by somebody else's doing, and where the plan's branch stands."""
    state = _fetched(run, state)
    observed = landings.observe(run.session, run.project, run.plan, run.repo)
    for node, commit in observed.reverted:
        run.narrator.once(("reverted", node), say.reverted(node, commit))
    for event in observed.landed:
        run.narrator.say(say.seen_landed(event.node, event.onto, event.tip))
    return again(run, state)


def _fetched(run: Run, state: RunState) -> RunState:
    """The remote as it is now where a change waits for a person's merge, at most once in FETCH_EVERY.

    A remote that cannot be reached has simply no news.
    """
    now = run.monotonic()
    if state.last_fetch is not None and now - state.last_fetch < FETCH_EVERY:
        return state
    waiting = landings.waiting(run.project, state.plan, run.repo)
    if not any(one.node.spec.kind == CHANGE for one in waiting):
        return state
    remotes.fetch(run.project.directory, *([run.options.base] if run.options.base else []))
    return replace(state, last_fetch=now)
