"""Reading where the plan stands, and appending what the runner did: the two ways in which it meets the store."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import NamedTuple

from stoat import clock
from stoat.clock import Time
from stoat.derive.answers import Answers, PlanAnswer
from stoat.derive.wording import runner as say
from stoat.errors import NotFound
from stoat.gitstore.log import Change
from stoat.observe.github.now import read_now
from stoat.observe.live import read_runners
from stoat.plan import streams
from stoat.plan.events.base import PlanEvent
from stoat.plan.github import GitHubNow
from stoat.plan.state import PlanState, State
from stoat.runner.state import Run, RunState
from stoat.service import spool
from stoat.service.session import plan_of


class _Seen(NamedTuple):
    """What one look gives: fields of RunState, by their names."""

    state: State
    plan: PlanState
    answers: Answers
    answer: PlanAnswer
    now: Time
    github: GitHubNow
    others: frozenset[str]


def begin(run: Run) -> RunState:
    """The first state of a run. NotFound when there is no such plan."""
    seen = _look(run)
    return RunState(**seen._asdict(), spent_before=seen.plan.spent_usd or 0.0)


def read(run: Run, state: RunState) -> RunState:
    """The step: what the ref says now, and what follows from it. NotFound once the plan is purged.

    Results of gates that could not be recorded when they came are recorded first.
    """
    for problem in spool.deliver(run.session.store):
        run.narrator.once(("spool", problem), say.warning(problem))
    return again(run, state)


def again(run: Run, state: RunState) -> RunState:
    """The same state of the run on what the ref says now."""
    return replace(state, **_look(run)._asdict())


def _look(run: Run) -> _Seen:
    now = clock.now()
    # Before the state: a sweep records its news first, so that what it saw by then is in the state that is read next.
    github = read_now(run.session.store.common)
    answers = run.session.answers(now)
    folded = run.session.state()
    plan = plan_of(folded, run.plan)
    answer = answers.plans.get(run.plan)
    if answer is None:
        raise NotFound(f"plan {run.plan} is no longer shown", hint="stoat status")
    runners = read_runners(run.session.store.common)
    others = frozenset(fact.runner_id for fact in runners if fact.state != "gone") - {run.runner_id}
    return _Seen(folded, plan, answers, answer, now, github, others)


def append(
    run: Run, state: RunState, subject: str, decide: Callable[[PlanState, Time], Sequence[PlanEvent]],
    guard: Callable[[State, Time], None] | None = None,
) -> RunState:  # fmt: skip
    """Append the events that `decide` gives on the newest state of the plan, as one commit; then read again.

    No events, no commit. `subject` is what happened, without the plan's name. Refused comes from `decide`, or from
    `guard`, which sees the whole state that the commit will land on.
    """

    def change(folded: State, now: Time) -> Change | None:
        if guard is not None:
            guard(folded, now)
        events = decide(plan_of(folded, run.plan), now)
        stream = streams.of_plan(run.plan)
        return Change([(stream, event) for event in events], f"{run.plan}: {subject}") if events else None

    run.session.commit(change)
    return again(run, state)
