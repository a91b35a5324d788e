"""The fold of a run's wire events: `fold(run, event)`, in whatever order and however often they are heard.

run = None
for event in events:
    run = fold(run, event)
"""

from __future__ import annotations

from collections.abc import Callable

from stoat.clock import Time
from stoat.plan.monitor import lanes, wire
from stoat.plan.monitor.run import Counts, Progress, Run
from stoat.plan.monitor.scenario import Scenario
from stoat.plan.monitor.wire import Event


def fold(run: Run | None, event: Event) -> Run:
    """Put one event into its run, which is changed and given back; None begins one, named by the event.

    ValueError for what is no event of a run (`wire.run_of` tells). A type that this version does not know only says
    that the run is alive.
    """
    if run is None:
        run_id = wire.run_of(event)
        if run_id is None:
            raise ValueError("no event of a run")
        run = Run(run_id)
    run.heard += 1
    run.orphaned = False
    run.dropped = max(run.dropped, wire.whole(event, "droppedEvents") or 0)
    take = _TAKES.get(wire.text(event, "type") or "")
    if take is not None:
        take(run, event)
    return run


def _run_started(run: Run, event: Event) -> None:
    at = wire.moment(event, "startedAt")
    if run.started_at is not None and at is not None and at < run.started_at:
        return
    run.started_at = at or run.started_at
    run.suite = wire.text(event, "suite") or run.suite
    run.repository = wire.text(event, "repository") or run.repository
    run.branch = wire.text(event, "branch") or run.branch
    run.mode = wire.text(event, "mode") or run.mode
    run.tag = wire.text(event, "tag") or run.tag
    run.commit, run.dirty = wire.text(event, "commit") or run.commit, wire.flag(event, "dirty", run.dirty)
    run.machine = wire.text(event, "machine") or run.machine
    run.process = wire.text(event, "process") or run.process
    total = wire.whole(event, "totalScenarios")
    run.total_scenarios = run.total_scenarios if total is None else total


def _run_finished(run: Run, event: Event) -> None:
    at = wire.moment(event, "finishedAt")
    if _newer(run.finished_at, at):
        return
    run.finished, run.finished_at = True, at
    run.exit_code = wire.whole(event, "exitCode")
    run.after = wire.text(event, "commit"), wire.flag(event, "dirty", None)
    passed, failed = wire.whole(event, "passed"), wire.whole(event, "failed")
    if passed is not None and failed is not None:
        others = (wire.whole(event, field) or 0 for field in ("passedOnRetry", "indeterminate", "skipped"))
        run.told = Counts(passed, failed, *others)


def _run_progress(run: Run, event: Event) -> None:
    elapsed = wire.whole(event, "elapsedMs") or 0
    if run.progress is not None and elapsed < run.progress.elapsed_ms:
        return
    done = wire.whole(event, "done")
    longest = wire.text(event, "longestRunning") or wire.text(event, "longestRunningDisplayName")
    bytes_ = wire.whole(event, "peakWorkerBytes")
    run.progress = Progress(
        elapsed,
        # What a publisher newer than the contract calls these is understood too.
        (wire.whole(event, "completed") or 0) if done is None else done,
        wire.whole(event, "total") or 0,
        wire.whole(event, "inFlight") or 0,
        longest,
        wire.whole(event, "peakWorkerRssBytes") if bytes_ is None else bytes_,
        wire.moment(event, "at"),
    )


def _of_scenario(take: Callable[[Scenario, Event], None]) -> Callable[[Run, Event], None]:
    def taken(run: Run, event: Event) -> None:
        uid = wire.text(event, "uid")
        if uid is None:
            return
        scenario = run.scenarios.get(uid)
        if scenario is None:
            scenario = run.scenarios[uid] = Scenario(uid)
        take(scenario, event)

    return taken


def _newer(held: Time | None, at: Time | None) -> bool:
    """Whether what is held is newer than what is heard now."""
    return held is not None and at is not None and at < held


_TAKES: dict[str, Callable[[Run, Event], None]] = {
    "lane_finished": lanes.finished,
    "lane_started": lanes.started,
    "resource_recycled": lanes.recycled,
    "retry_scheduled": _of_scenario(Scenario.retry),
    "run_finished": _run_finished,
    "run_progress": _run_progress,
    "run_started": _run_started,
    "scenario_finished": _of_scenario(Scenario.finish),
    "scenario_started": _of_scenario(Scenario.start),
    "step_finished": _of_scenario(lambda scenario, event: scenario.step().finish(event)),
    "step_progress": _of_scenario(lambda scenario, event: scenario.step().advance(event)),
    "step_started": _of_scenario(lambda scenario, event: scenario.step().start(event)),
    "test_finished": _of_scenario(Scenario.forward_finish),
    "test_stalled": lanes.stalled,
    "test_started": _of_scenario(Scenario.forward_start),
    "worker_faulted": lanes.faulted,
    "worker_started": lanes.worker_started,
}
