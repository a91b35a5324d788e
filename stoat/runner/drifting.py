"""How the plan's branch drifts from its base, looked at every five minutes beside the poll: a remote that hangs delays
no launch. What is said of it is `derive/drift.py`."""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from queue import Empty, SimpleQueue

from stoat import clock
from stoat.derive import drift as decided
from stoat.derive.wording import drift as say
from stoat.gitstore.work import drifting
from stoat.gitstore.work.drifting import Drift
from stoat.plan.facts import DriftFact
from stoat.runner.state import Run, RunState

EVERY = 300.0
"""Seconds between two looks; there is one sooner when the plan's branch has moved."""


class Drifts:
    """The looks of one run: one at a time, each in a thread that ends with the process. `wake` is called after each."""

    def __init__(self, wake: Callable[[], None]) -> None:
        self._wake = wake
        self._going = False
        self._seen: SimpleQueue[DriftFact] = SimpleQueue()

    def ask(self, directory: Path, branch: str, base: str | None) -> bool:
        """Begin a look; False where the one before has not ended."""
        if self._going:
            return False
        self._going = True
        threading.Thread(target=self._look, args=(directory, branch, base), name="stoat-drift", daemon=True).start()
        return True

    def take(self) -> DriftFact | None:
        """What was seen since this was last asked, if anything."""
        try:
            return self._seen.get_nowait()
        except Empty:
            return None

    def _look(self, directory: Path, branch: str, base: str | None) -> None:
        try:
            self._seen.put(fact(drifting.look(directory, branch, base)))
        finally:
            self._going = False
            self._wake()


def fact(seen: Drift | drifting.Unseen) -> DriftFact:
    """What a look came to, as others are told it."""
    if isinstance(seen, drifting.Unseen):
        return DriftFact(problem=seen.why, at=clock.now())
    return DriftFact(
        behind=seen.behind, conflicts=seen.conflicts, commits=seen.commits, base=seen.base, at=clock.now()
    )  # fmt: skip


def drift(run: Run, state: RunState) -> RunState:
    """The step: take what was seen and say what is news; begin the next look when it is due. Of a resident run only,
    and of a plan with a branch."""
    ready = state.integration
    if not run.options.watch or ready is None or state.plan.header.branch != ready.place.branch:
        return replace(state, drift=None)
    branch = ready.place.branch
    seen = run.drifts.take()
    if seen is not None:
        word, told = decided.decide(state.drift_told, seen)
        state = replace(state, drift=seen, drift_told=told)
        if word is not None:
            run.narrator.say(_line(word, branch, seen))
    return _look_again(run, state, branch)


def _line(word: decided.Word, branch: str, seen: DriftFact) -> str:
    match word:
        case "conflict":
            return say.conflict_line(branch, seen)
        case "gone":
            return say.gone_line(branch, seen)
        case "unknown":
            return say.unknown_line(branch, seen.problem or "")


def _look_again(run: Run, state: RunState, branch: str) -> RunState:
    now, tip = run.monotonic(), state.plan.tip_in(run.repo)
    last = state.drift_asked
    if last is None or now >= last[0] + EVERY or tip != last[1]:
        if run.drifts.ask(run.project.directory, branch, run.options.base):
            state = replace(state, drift_asked=(now, tip))
        return state
    due = last[0] + EVERY
    return replace(state, due=due if state.due is None else min(state.due, due))
