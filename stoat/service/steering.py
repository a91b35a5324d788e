"""Telling the runners of a plan to pause or to go on. It is a person's word, kept on the plan's stream: a command line,
the board and another terminal say it the same way.

A runner is always the one that asks: nothing here starts one. A word that nobody could hear is refused.
"""

from __future__ import annotations

from collections.abc import Callable

from stoat.clock import Time
from stoat.derive.answers import RunnerShown
from stoat.derive.wording import commands
from stoat.derive.wording import steering as say
from stoat.errors import Refused
from stoat.gitstore.log import Change
from stoat.plan import guards, streams
from stoat.plan.events import runners as rules
from stoat.plan.events.base import PlanEvent
from stoat.plan.state import PlanState, State
from stoat.service.session import Session, plan_of


def pause(session: Session, slug: str, runner: str | None = None) -> bool:
    """Keep a plan's runners from new claims until a person lets them go on; False when they are kept from them already.

    `runner` is the id of the one that is meant, where the person saw one. Refused where it, or any, cannot hear it.
    """
    return _tell(session, slug, runner, rules.pause, "pauses")


def resume(session: Session, slug: str, runner: str | None = None) -> bool:
    """Let a plan's runners go on, or begin; False when they are not paused. Refused as with `pause`."""
    return _tell(session, slug, runner, rules.resume, "resumes")


def runners(session: Session, slug: str | None = None) -> list[tuple[str, RunnerShown]]:
    """The runners on this machine with their plans, of one plan or of all. NotFound where there is no such plan."""
    if slug is not None:
        plan_of(session.state(), slug)
    plans = session.answers().plans
    return [(name, one) for name, plan in plans.items() if slug in (None, name) for one in plan.runners]


def _tell(
    session: Session, slug: str, runner: str | None, rule: Callable[[PlanState, str], PlanEvent | None], what: str
) -> bool:
    session.person()
    hearer = _hearer(session, slug, runner)

    def decide(state: State, now: Time) -> Change | None:
        plan = plan_of(state, slug)
        guards.not_archived(plan)
        event = rule(plan, hearer)
        subject = f"{slug}: {session.actor.name} {what} the runner"
        return None if event is None else Change([(streams.of_plan(slug), event)], subject)

    return bool(session.commit(decide).events)


def _hearer(session: Session, slug: str, runner: str | None) -> str:
    """The id of the runner that hears it; Refused, with the command that starts one, where none does."""
    plan_of(session.state(), slug)
    known = [one for one in session.facts().runners if one.plan == slug]
    there = [one for one in known if one.is_reachable and runner in (None, one.runner_id)]
    if there:
        return there[0].runner_id
    away = next((one for one in known if runner in (None, one.runner_id)), None)
    if away is not None and away.state == "disconnected":
        raise Refused(say.silent(away.runner_id), hint=say.wake(away.pid))
    checkout = away.checkout if away is not None else None
    raise Refused(say.nobody(slug, away.runner_id if away else runner), hint=commands.run_plan(slug, checkout))
