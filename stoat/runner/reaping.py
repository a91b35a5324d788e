"""Processes that ended: an agent's claim is released whatever its exit code, a setup leads to its agent, a
verification to its verdict. The gate is the verdict, not the process."""

from __future__ import annotations

from dataclasses import replace

from stoat.derive.wording import runner as say
from stoat.processes import end_tree, interrupt
from stoat.runner import agents, endings, transcribing, workspace
from stoat.runner.starting import setup_failed, start_agent
from stoat.runner.state import Job, Run, RunState, Verification


def reap(run: Run, state: RunState) -> RunState:
    """The step: take every ended process off the jobs, and record what that means."""
    for job in list(state.jobs.values()):
        if job.ended():
            state = _reaped(run, state, job)
    return state


def _reaped(run: Run, state: RunState, job: Job) -> RunState:
    state = replace(state, jobs={node: other for node, other in state.jobs.items() if node != job.node})
    match job.kind:
        case "agent":
            return _exited(run, state, job)
        case "setup":
            return _set_up(run, state, job)
        case "verify":
            return _verified(run, state, job)


def _exited(run: Run, state: RunState, job: Job) -> RunState:
    """Record that an agent exited, and say so."""
    transcribing.finish(run, state, job)
    node, code = state.plan.nodes.get(job.node), job.code()
    attempt = node.attempt if node is not None else None
    if attempt is None or attempt.number != job.attempt:
        return state
    ending = endings.said(run, attempt, code)
    state = endings.record(run, state, job.node, attempt, code=code, ending=ending)
    spent = (state.plan.spent_usd or 0.0) - state.spent_before
    run.narrator.say(
        say.exited(job.node, code, spent, at_least=state.plan.spent_at_least, interrupted=ending.interrupted)
    )
    if ending.denied:
        run.narrator.say(say.denied(job.node, ending.denied))
    return state


def _set_up(run: Run, state: RunState, job: Job) -> RunState:
    code = job.code()
    if code != 0:
        return setup_failed(run, state, job.node, code, job.log)
    workspace.mark_set_up(job.worktree)
    node = state.plan.nodes.get(job.node)
    attempt = node.attempt if node is not None else None
    if attempt is None or attempt.claim != job.claim or attempt.outcome is not None:
        return state
    return start_agent(run, state, job.offer)


def _verified(run: Run, state: RunState, job: Job) -> RunState:
    code = job.code()
    passed = code == 0
    if not passed:
        run.narrator.say(say.verified_red(job.node, code, workspace.shown(job.log, run.home)))
    return replace(state, verified={**state.verified, job.node: Verification(job.commit, passed)})


def stop_job(job: Job, grace: float = 5.0) -> None:
    """End a job's process with everything that it started; the job stays until it is reaped.

    An agent is asked first, as by Ctrl-C. What it started is ended in any case: its tools run in sessions of their own.
    """
    if job.kind == "agent":
        interrupt(job.identity, grace)
    end_tree(job.identity, grace, marker=(agents.CLAIM, job.claim))
