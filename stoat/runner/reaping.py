"""Processes that ended: an agent's claim is released whatever its exit code, a setup leads to its agent, a
verification to its verdict. The gate is the verdict, not the process."""

from __future__ import annotations

from dataclasses import replace

from stoat.clock import Time, seconds_between
from stoat.derive.wording import runner as say
from stoat.plan.events.attempts import AttemptExited, CostReported
from stoat.plan.events.base import PlanEvent
from stoat.plan.state import PlanState
from stoat.processes import end_tree
from stoat.runner import agents, workspace
from stoat.runner.claiming import released
from stoat.runner.reading import append
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
            return record_exit(run, state, job)
        case "setup":
            return _set_up(run, state, job)
        case "verify":
            return _verified(run, state, job)


def record_exit(run: Run, state: RunState, job: Job) -> RunState:
    """Record that an agent exited, what it cost, and the end of its claim, in one commit."""
    code = job.code()
    cost = agents.cost_of(run.options.profile, job.log, job.log_from)

    def decide(plan: PlanState, now: Time) -> list[PlanEvent]:
        node = plan.nodes.get(job.node)
        if node is None or node.attempt is None or node.attempt.number != job.attempt:
            return []
        events: list[PlanEvent] = []
        if node.attempt.exited_at is None:
            lasted = seconds_between(node.attempt.started, now)
            events.append(AttemptExited(node=job.node, attempt=job.attempt, exit_code=code, seconds=lasted))
            # Of an agent that an earlier runner started it is not known where in the log its output begins.
            if cost is not None and (job.process is not None or cost.session == node.attempt.session is not None):
                events.append(CostReported(node=job.node, usd=cost.usd, turns=cost.turns, session=cost.session))
        return [*events, *released(plan, job.node, job.claim)]

    state = append(run, state, f"attempt {job.attempt} on {job.node} exited", decide)
    spent = (state.plan.spent_usd or 0.0) - state.spent_before
    run.narrator.say(say.exited(job.node, code, spent))
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
    """End a job's process with everything that it started; the job stays until it is reaped."""
    end_tree(job.identity, grace, marker=(agents.CLAIM, job.claim))
