"""What an agent's own tool said as it ended, and what of it is recorded with its exit."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from stoat import clock
from stoat.clock import Time, seconds_between
from stoat.derive.wording import attempts as say
from stoat.derive.wording import runner as tell
from stoat.observe.agents import Ending, SeenLimit, reading
from stoat.plan.events.attempts import AttemptExited, AttemptJudged, AttemptLimited, CostReported
from stoat.plan.events.base import PlanEvent
from stoat.plan.state import Attempt, PlanState
from stoat.runner.claiming import released
from stoat.runner.profiles import Result
from stoat.runner.reading import append
from stoat.runner.state import Run, RunState

_SIGNALLED = 128
"""Exit codes above are those of a signal."""


def form_of(run: Run, attempt: Attempt) -> Result:
    """The form of output of the attempt's tool; none where another launcher started it: that one's may be any."""
    return run.options.profile.result if attempt.launcher == run.options.profile.name else "none"


def said(run: Run, attempt: Attempt, code: int | None) -> Ending:
    """What the attempt's agent said of its end; `code` is its exit code where that is known."""
    output = Path(attempt.output) if attempt.output is not None else None
    form = form_of(run, attempt)
    return reading.read(form, output, Path(attempt.log), attempt.log_from, code=code, now=clock.now())


def record(
    run: Run, state: RunState, node: str, attempt: Attempt, *, code: int | None = None, ending: Ending,
) -> RunState:  # fmt: skip
    """Record that the node's attempt is over, what it cost, what limit stopped it, and the end of its claim, at once.

    `code` is its exit code, None where nobody can know it.
    """
    form, hung = form_of(run, attempt), state.hung.get(node)

    def decide(plan: PlanState, now: Time) -> list[PlanEvent]:
        fresh = plan.nodes.get(node)
        if fresh is None or fresh.attempt is None or fresh.attempt.number != attempt.number:
            return []
        told: list[PlanEvent] = []
        if fresh.attempt.exited_at is None:
            told = _events(plan, node, fresh.attempt, ending, code=code, now=now, form=form, hung=hung)
        return [*told, *released(plan, node, attempt.claim)]

    state = append(run, state, f"attempt {attempt.number} on {node} exited", decide)
    judged = state.plan.nodes[node].attempt if node in state.plan.nodes else None
    if judged is not None and judged.number == attempt.number and judged.outcome == "given-back":
        run.narrator.say(tell.given_back(node, attempt.number, judged.detail or ""))
    return replace(state, hung={name: limit for name, limit in state.hung.items() if name != node})


def _events(
    plan: PlanState, node: str, attempt: Attempt, ending: Ending, *, code: int | None, now: Time, form: Result,
    hung: SeenLimit | None,
) -> list[PlanEvent]:  # fmt: skip
    cost, number = _cost(plan, node, ending), attempt.number
    told: list[PlanEvent] = [
        AttemptExited(
            node=node, attempt=number, exit_code=code,
            seconds=seconds_between(attempt.started, now) if code is not None else None,
            session=ending.session if attempt.session is None else None,
            unpriced=cost is None and form == "claude-json" and not _found_no_session(attempt, ending, code),
            cut_off=(ending.interrupted and _began(attempt, ending)) or (code is not None and code > _SIGNALLED),
        )
    ]  # fmt: skip
    told += [cost] if cost is not None else []
    limit = ending.limit or hung
    if limit is not None:
        limited = AttemptLimited(node=node, attempt=number, kind=limit.kind, text=limit.text, resets_at=limit.resets_at)
        told.append(limited)
    elif _found_no_session(attempt, ending, code):
        told.append(AttemptJudged(node=node, attempt=number, outcome="given-back", detail=say.SESSION_GONE))
    return told


def _began(attempt: Attempt, ending: Ending) -> bool:
    """Whether there was an agent at all, as far as anybody saw: its process, or a word of its tool."""
    return attempt.process is not None or ending.session is not None


def _cost(plan: PlanState, node: str, ending: Ending) -> CostReported | None:
    """The cost of this attempt alone: a tool that counts the whole session has counted earlier attempts before."""
    if ending.usd is None:
        return None
    before = plan.session_usd.get(ending.session or "", 0.0) if ending.cumulative else 0.0
    return CostReported(
        node=node, usd=max(0.0, ending.usd - before), turns=ending.turns, session=ending.session,
        session_usd=ending.usd if ending.cumulative and ending.session is not None else None,
    )  # fmt: skip


def _found_no_session(attempt: Attempt, ending: Ending, code: int | None) -> bool:
    """Whether the agent was to go on in a session, and its tool ended badly before it said in which one it is."""
    return attempt.resumes and attempt.output is not None and ending.session is None and code not in (0, None)
