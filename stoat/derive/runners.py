"""How a runner of a plan is shown: its state, its slots and agents, and what it has to say of the plan as a whole.

The first row that applies is its state:

| what                                                  | state        |
|-------------------------------------------------------|--------------|
| its process is dead, or it says nothing any more      | gone, disconnected |
| it stops, or waits for a usage limit                  | as it said   |
| a person paused the plan                              | paused       |
| else                                                  | as it said   |
"""

from __future__ import annotations

from typing import cast, get_args

from msgspec.structs import replace

from stoat.derive.answers import AgentShown, Decision, RunnerShown
from stoat.derive.limits import Stop, StopReason
from stoat.derive.wording import commands, drift
from stoat.derive.wording.runner import reached
from stoat.plan.facts import RunnerFact
from stoat.plan.state import Mark, PlanState


def seen(fact: RunnerFact, paused: Mark | None) -> RunnerFact:
    """The runner as it stands once the plan's pause is known, however long it takes to say so itself."""
    if paused is None or not fact.is_reachable or fact.state in ("stopping", "limited"):
        return fact
    return replace(fact, state="paused", paused_by=paused.by, paused_at=paused.at)


def none(plan: PlanState) -> RunnerShown:
    """What is shown of a plan without a runner."""
    return RunnerShown(paused=_decision(plan.paused), start=commands.run_plan(plan.slug))


def shown(fact: RunnerFact, plan: PlanState) -> RunnerShown:
    """A runner of the plan for its status document and the board's panel."""
    fact = seen(fact, plan.paused)
    there = fact.is_reachable
    paused = _decision(plan.paused)
    if paused is None and fact.state == "paused" and fact.paused_at is not None:
        paused = Decision(fact.paused_by or "", fact.paused_at)
    stopped = fact.stopped
    return RunnerShown(
        state=fact.state,
        paused=paused,
        parallel=fact.parallel,
        slots_in_use=len(fact.running) if there else 0,
        runner_id=fact.runner_id,
        host=fact.host,
        checkout=fact.checkout,
        pid=fact.pid,
        since=fact.since or None,
        running=tuple(_agent(plan, node, attempt) for node, attempt in fact.running.items()) if there else (),
        was=() if there else tuple(fact.was),
        stopped=reached(stop_of(fact)) if there and stopped is not None else None,
        drift=_drift(fact, plan.header.branch) if there else None,
        limited_until=fact.limited_until if there else None,
        limited=fact.limited if there else (),
        out_of_money=there and fact.spend is not None,
        start=_start(fact, plan.slug),
    )


def stop_of(fact: RunnerFact) -> Stop:
    """The stop condition that a runner says it reached; `other` for one that is not known here."""
    stopped = fact.stopped
    assert stopped is not None
    known = stopped.reason in get_args(StopReason)
    return Stop(cast(StopReason, stopped.reason) if known else "other", stopped.used, stopped.limit)


def _start(fact: RunnerFact, slug: str) -> str:
    """What gets it going again; a new one is refused while its process is there."""
    if fact.is_reachable:
        return ""
    return commands.wake(fact.pid) if fact.state == "disconnected" else commands.run_plan(slug, fact.checkout)


def _drift(fact: RunnerFact, branch: str | None) -> str | None:
    """How the plan's branch stands to its base, unless it has all of it."""
    seen = fact.drift
    if branch is None or seen is None or not (seen.behind or seen.conflicts or seen.problem):
        return None
    return drift.standing(branch, seen)


def _agent(plan: PlanState, node: str, number: int) -> AgentShown:
    state = plan.nodes.get(node)
    attempt = state.attempt if state is not None else None
    if attempt is None or attempt.number != number:
        return AgentShown(node, number)
    return AgentShown(node, number, attempt.started, attempt.model)


def _decision(mark: Mark | None) -> Decision | None:
    return None if mark is None else Decision(mark.by, mark.at)
