"""Claims of running agents: renewed while the process lives; an agent whose claim is somebody else's is stopped.

What becomes of which is `derive/leases.py`.
"""

from __future__ import annotations

from stoat.clock import Time
from stoat.derive import leases
from stoat.derive.leases import Renew, RunsOn, Stop
from stoat.derive.wording import runner as say
from stoat.plan.events.base import PlanEvent
from stoat.plan.events.claims import DEFAULT_LEASE, ClaimRenewed
from stoat.plan.state import PlanState
from stoat.runner.claiming import give_back
from stoat.runner.reading import append
from stoat.runner.reaping import stop_job
from stoat.runner.state import Job, Run, RunState


def keep(run: Run, state: RunState) -> RunState:
    """The step: stop the agents that lost their claims, renew the leases of the others, in one commit."""
    for job in list(state.jobs.values()):
        if job.kind == "verify":
            continue
        match _decide(state.plan, job, state.now):
            case Stop("removed"):
                run.narrator.say(say.removed(job.node))
                stop_job(job)
            case Stop(_, holder):
                run.narrator.say(say.fenced(job.node, holder or None))
                stop_job(job)
                state = give_back(run, state, job.node, say.claim_taken())
            case RunsOn():
                run.narrator.once(("claim", job.node, job.attempt), say.claim_gone(job.node))
    return _renew(run, state)


def _decide(plan: PlanState, job: Job, now: Time) -> leases.Action:
    return leases.decide(plan.nodes.get(job.node), claim=job.claim, attempt=job.attempt, now=now)


def _renew(run: Run, state: RunState) -> RunState:
    mine = [job for job in state.jobs.values() if job.kind != "verify" and not job.ended()]

    def due(plan: PlanState, now: Time) -> list[PlanEvent]:
        return [
            ClaimRenewed(node=job.node, claim=job.claim, lease=DEFAULT_LEASE)
            for job in mine
            if isinstance(_decide(plan, job, now), Renew)
        ]

    return append(run, state, "leases of running agents are renewed", due) if due(state.plan, state.now) else state
