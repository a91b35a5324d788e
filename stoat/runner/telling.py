"""What a run tells of itself after a poll: to others in its live file, and to whoever watches it on a terminal."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from msgspec.structs import replace

from stoat.derive.answers import Need, RunnerShown
from stoat.derive.holds import Hold
from stoat.derive.quota import Pause
from stoat.derive.runners import shown
from stoat.derive.troubles import Trouble
from stoat.derive.wording import runner as say
from stoat.plan.facts import HeldBack, RunnerFact, StopFact
from stoat.runner.state import Run, RunState

_FULL = frozenset({"resource", "alone", "cap"})
_NOT_NOW: frozenset[Trouble] = frozenset({"no-base", "busy", "unusable", "copy", "unreserved"})
_SHOWN = frozenset(
    {"resource", "alone", "judging", "upstream", "finished", "limited", "reserved", "cap", "scarce", "unread"}
)


class Glimpse(NamedTuple):
    """How a run stands after a poll: the runner as the board shows it, how far its plan is (`spent` in US dollars, at
    least so much where `at_least`), and what waits for a person."""

    runner: RunnerShown
    done: int
    total: int
    spent: float | None
    at_least: bool
    needs: tuple[Need, ...]


Watcher = Callable[[Glimpse], None]
"""Is told how the run stands after each poll; it must return at once."""


def fact(run: Run, state: RunState) -> RunnerFact:
    """The run as its live file says it."""
    running = {job.node: job.attempt for job in state.agents()}
    reasons = {hold.node: _held_back(hold, run.plan) for hold in state.holds if hold.reason in _SHOWN}
    failed = {node: why for node, why in state.troubles.items() if node in state.unlaunchable or why in _NOT_NOW}
    reasons |= {node: HeldBack("held", say.trouble(why)) for node, why in failed.items()}
    scarce = next((hold.what for hold in state.holds if hold.reason == "scarce"), None)
    paused, stop, limit = state.plan.paused, state.stop, _limit(state)
    prefix, landing = f"{run.plan}/", state.integration
    return replace(
        run.fact, state=_word(state), running=running, reasons=reasons, drift=state.drift,
        integration=str(landing.place.path) if landing is not None else None,
        disk=scarce if state.troubles.get("") == "disk" else None,
        paused_by=paused.by if paused is not None else None, paused_at=paused.at if paused is not None else None,
        stopped=StopFact(stop.reason, stop.used, stop.limit, state.stopped_at) if stop is not None else None,
        limited_until=limit.until if limit is not None else None,
        limited=tuple(name.removeprefix(prefix) for name in limit.nodes) if limit is not None else (),
        spend=limit.text if limit is not None and limit.kind == "spend" else None,
    )  # fmt: skip


def glimpse(said: RunnerFact, state: RunState) -> Glimpse:
    """The same for whoever watches."""
    plan, answer = state.plan, state.answer
    owed = tuple(need for need in state.answers.needs if need.plan == plan.slug)
    return Glimpse(shown(said, plan), answer.done, answer.total, plan.spent_usd, plan.spent_at_least, owed)


def _word(state: RunState) -> str:
    if state.stop is not None:
        return "stopping"
    if _limit(state) is not None:
        return "limited"
    if state.plan.paused is not None:
        return "paused"
    return "running" if state.jobs or state.pending else "waiting"


def _limit(state: RunState) -> Pause | None:
    """What keeps every agent from starting, unless that is over and nothing has been launched since."""
    return state.pause if state.pause is not None and state.now < state.pause.until else None


def _held_back(hold: Hold, plan: str) -> HeldBack:
    return HeldBack("resource" if hold.reason in _FULL else "held", say.why_held(hold, plan))
