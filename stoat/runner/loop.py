"""The poll: a list of steps, each taking and returning the state of the run; and when a run is over.

Between two polls the runner sleeps until the ref moves, an agent exits, a stop file appears or a signal comes.
"""

from __future__ import annotations

import contextlib
import signal
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace

from stoat.derive.troubles import Trouble
from stoat.derive.wording import landing
from stoat.derive.wording import runner as say
from stoat.errors import INTERRUPTED, NotFound, StoatError, Unreachable
from stoat.gitstore.porcelain import GitFailed
from stoat.gitstore.work import remotes
from stoat.runner.adopting import adopt
from stoat.runner.announcing import announce
from stoat.runner.beginning import finish, start
from stoat.runner.calling import call
from stoat.runner.cloud.dispatching import hand_over
from stoat.runner.cloud.returning import recall
from stoat.runner.drifting import drift
from stoat.runner.issues.bringing import bring
from stoat.runner.issues.creating import create
from stoat.runner.issues.watching import awaits_first_look, is_blind, watch
from stoat.runner.judging import judge
from stoat.runner.landing import land
from stoat.runner.launching import launch
from stoat.runner.leasing import keep
from stoat.runner.limiting import unhang
from stoat.runner.observing import observe
from stoat.runner.options import RunOptions
from stoat.runner.pausing import heed
from stoat.runner.reading import read
from stoat.runner.reaping import reap
from stoat.runner.state import Run, RunState
from stoat.runner.stopping import check
from stoat.runner.telling import Watcher, fact, glimpse
from stoat.runner.transcribing import transcribe
from stoat.service.session import Session

Step = Callable[[Run, RunState], RunState]

STEPS: tuple[Step, ...] = (
    reap, read, adopt, keep, transcribe, unhang, observe, announce, watch, recall, judge, check, land, bring, drift,
    heed, create, hand_over, launch, call,
)  # fmt: skip

_PATIENCE = 3
"""Polls in a row that may fail with no agent out there before the run ends with the error."""


def run_plan(
    options: RunOptions, session: Session, emit: Callable[[str], None], environ: Mapping[str, str],
    watcher: Watcher | None = None,
) -> int:  # fmt: skip
    """Work the plan until nothing is left to do (or, with --watch, until told to stop); gives the exit code.

    `emit` shows one line, `watcher` is told how the run stands after each poll. Refused before anything is claimed
    where the run may not start.
    """
    run, state = start(options, session, emit, environ, time.monotonic)
    try:
        with _signals(run):
            return _work(run, state, watcher)
    finally:
        finish(run)


def poll(run: Run, state: RunState) -> tuple[RunState, StoatError | OSError | None]:
    """One poll: all steps, then say to others how the run stands.

    Gives what came of it, and what cut it short: a busy store, a full disk, a git that fails. What the steps before
    that did is in the state all the same. NotFound once the plan is purged.
    """
    state = replace(state, pending=False, due=None, reading=False)
    try:
        with run.live.at_work():
            for step in STEPS:
                state = step(run, state)
        run.live.update(fact(run, state))
    except NotFound:
        raise
    except (StoatError, OSError) as problem:
        return state, problem
    return state, None


def _work(run: Run, state: RunState, watcher: Watcher | None) -> int:
    failed = 0
    while True:
        state, problem = poll(run, state)
        if problem is None:
            failed = 0
            run.narrator.forget("poll")
        else:
            failed += 1
            run.narrator.once("poll", say.unreachable(str(problem)))
            if run.options.once or (failed >= _PATIENCE and not state.jobs and not run.options.watch):
                raise problem
        if watcher is not None:
            watcher(glimpse(fact(run, state), state))
        for note in run.session.store.notes:
            run.narrator.once(("note", note), say.warning(note))
        if run.interrupts.count > 1:
            return _leave(run, state)
        if not failed and _is_over(run, state):
            return _end(run, state)
        if run.options.watch and not state.jobs and not state.pending and state.plan.paused is None:
            run.narrator.once("idle", say.resident(state.answer.done, state.answer.total))
        seconds = run.options.poll_seconds
        if state.due is not None and not failed:
            seconds = min(seconds, max(0.0, state.due - run.monotonic()))
        dispatchers = [dispatch.identity for dispatch in state.dispatches.values()]
        run.waker.sleep(seconds, [*(job.identity for job in state.jobs.values()), *dispatchers])
        if run.interrupts.count > 1:
            return _leave(run, state)


def _is_over(run: Run, state: RunState) -> bool:
    if run.options.once:
        # What nobody has looked at yet is not launched: a plan on GitHub is polled again after its first look, and when
        # it has said what an issue is about.
        return not (awaits_first_look(run, state) or state.reading)
    if state.jobs or state.pending:
        return False
    return state.stop is not None or not run.options.watch


def _leave(run: Run, state: RunState) -> int:
    if state.jobs:
        run.narrator.say(say.left_running(sorted(state.jobs), run.plan))
    return INTERRUPTED


def _end(run: Run, state: RunState) -> int:
    if state.jobs:
        run.narrator.say(say.left_running(sorted(state.jobs), run.plan))
    branch = state.plan.header.branch
    if branch is not None and any(node.landing is not None for node in state.plan.nodes.values()):
        with contextlib.suppress(GitFailed):
            default = remotes.default_branch(run.project.directory, remotes.FetchFailed("here", "not asked"))
            run.narrator.say(landing.finished_on(branch, default.name if default is not None else None))
    troubles = _troubles(run, state)
    run.narrator.say(say.summary(state.answer.done, state.answer.total, troubles))
    if troubles:
        return 1
    return Unreachable.exit_code if state.stop is None and is_blind(run, state) else 0


def _troubles(run: Run, state: RunState) -> dict[str, Trouble]:
    """What makes the run end badly: what happened in it and still holds, and what of its scope is given up on."""
    status = {shown.id: shown.status for shown in state.answer.nodes}
    troubles = {name: why for name, why in state.troubles.items() if not name or name in status}
    for node_id, node in state.plan.nodes.items():
        if node.gave_up is not None and status[node_id] != "done" and run.options.scope.takes(node_id):
            troubles[node_id] = "gave-up"
        elif troubles.get(node_id) == "gave-up":
            del troubles[node_id]
    return troubles


@contextlib.contextmanager
def _signals(run: Run) -> Iterator[None]:
    """Ctrl-C once stops claiming, twice leaves; SIGTERM and a hang-up count as once, however often they come."""

    def interrupted(number: int, frame: object) -> None:
        run.interrupts.count = run.interrupts.count + 1 if number == signal.SIGINT else max(run.interrupts.count, 1)
        run.waker.wake()

    numbers = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
    before = {number: signal.signal(number, interrupted) for number in numbers}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
