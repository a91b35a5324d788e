"""Claims of running agents: renewed while the process lives; an agent whose claim is somebody else's is stopped.

| the node's claim is …                              | then                                                   |
|----------------------------------------------------|--------------------------------------------------------|
| ours, its lease half over                          | renewed, also after it lapsed while nobody took it     |
| another one (taken over)                           | the agent is stopped: its claim id can do nothing more |
| none, since a person restarted the node            | the agent is stopped, and the node starts afresh       |
| gone with its node, which the plan no longer has    | the agent is stopped                                   |
| none, released by whomever                         | the agent goes on, is said once, and is judged         |
"""

from __future__ import annotations

from stoat.clock import Time, seconds_between
from stoat.derive.wording import runner as say
from stoat.plan.events.base import PlanEvent
from stoat.plan.events.claims import DEFAULT_LEASE, ClaimRenewed
from stoat.plan.state import NodeState, PlanState
from stoat.runner.launching import give_back
from stoat.runner.reading import append
from stoat.runner.reaping import stop_job
from stoat.runner.state import Job, Run, RunState

_RENEW_AFTER = DEFAULT_LEASE / 2


def keep(run: Run, state: RunState) -> RunState:
    """The step: stop the agents that lost their claims, renew the leases of the others, in one commit."""
    for job in list(state.jobs.values()):
        node = state.plan.nodes.get(job.node)
        if job.kind == "verify":
            continue
        if node is None:
            run.narrator.say(say.removed(job.node))
            state = stop_job(state, job)
        elif node.claim is None and not _restarted(node, job):
            if node.attempt is not None and node.attempt.exited_at is None:
                run.narrator.once(("claim", job.node, job.attempt), say.claim_gone(job.node))
        elif node.claim is None or node.claim.id != job.claim:
            run.narrator.say(say.fenced(job.node, node.claim.holder if node.claim else None))
            state = give_back(run, stop_job(state, job), job.node, say.claim_taken())
    return _renew(run, state)


def _restarted(node: NodeState, job: Job) -> bool:
    attempt = node.attempt
    return attempt is not None and attempt.number == job.attempt and node.current_attempt is None


def _renew(run: Run, state: RunState) -> RunState:
    mine = {job.node: job.claim for job in state.jobs.values() if job.kind != "verify" and not job.ended()}
    if not _due(state.plan, mine, state.now):
        return state

    def decide(plan: PlanState, now: Time) -> list[PlanEvent]:
        return [ClaimRenewed(node=node, claim=mine[node], lease=DEFAULT_LEASE) for node in _due(plan, mine, now)]

    return append(run, state, "leases of running agents are renewed", decide)


def _due(plan: PlanState, mine: dict[str, str], now: Time) -> list[str]:
    due = []
    for node_id, claim in mine.items():
        node = plan.nodes.get(node_id)
        held = node.claim if node is not None else None
        if held is not None and held.id == claim and seconds_between(held.renewed_at, now) >= _RENEW_AFTER:
            due.append(node_id)
    return due
