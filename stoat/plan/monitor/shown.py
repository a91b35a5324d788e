"""How a run is shown at every door: the summary of `GET /api/runs` and the detail of `GET /api/runs/{runId}`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from msgspec import Struct

from stoat.clock import Time
from stoat.plan.monitor.run import Progress, Recycle, Run, Stall, WorkerFault
from stoat.plan.monitor.scenario import Scenario
from stoat.plan.monitor.steps import Step
from stoat.plan.monitor.wire import Lane, Outcomes


class RunSummary(Struct, frozen=True, rename="camel", kw_only=True):
    """A run in one line. Counts are the final ones once it finished, and what is known so far before that.

    `passed`, `failed`, `passed_on_retry` and `indeterminate` count each scenario once; the `skipped` ones are among
    those that `passed`.
    """

    run_id: str
    suite: str
    repository: str
    branch: str | None
    mode: str
    finished: bool
    orphaned: bool
    exit_code: int | None
    scenarios: int
    started_at: Time | None
    finished_at: Time | None
    tag: str | None
    total_scenarios: int | None
    scenarios_finished: int
    passed: int
    failed: int
    passed_on_retry: int
    indeterminate: int
    skipped: int


class ScenarioShown(Struct, frozen=True, rename="camel", kw_only=True):
    """A scenario and the steps of its current attempt; `attempt` runs or ran last, `attempts` is known at the end.

    One that was `skipped` has the outcome of a clean pass, and did not run.
    """

    uid: str
    feature: str
    scenario: str
    outcome: str | None
    attempt: int
    attempts: int | None
    duration_ms: int | None
    error_message: str | None
    retry_reasons: tuple[str, ...]
    steps: tuple[Step, ...]
    skipped: bool = False
    touched_types: tuple[Mapping[str, Any], ...] | None = None


class LaneShown(Struct, frozen=True, rename="camel", kw_only=True):
    """A lane: what it was handed on its latest pass, and what of that runs now."""

    lane: Lane
    status: str
    passes: int
    uids: tuple[str, ...]
    running: tuple[str, ...]
    started_at: Time | None
    finished_at: Time | None
    outcomes: Outcomes
    process_id: int | None


class RunDetail(Struct, frozen=True, rename="camel", kw_only=True):
    """A run whole. With `dropped_events` its counts are complete and its scenarios may not be."""

    run: RunSummary
    scenarios: tuple[ScenarioShown, ...]
    lanes: tuple[LaneShown, ...]
    recycles: tuple[Recycle, ...]
    worker_faults: tuple[WorkerFault, ...]
    stalls: tuple[Stall, ...]
    progress: Progress | None
    dropped_events: int = 0


def summary(run: Run) -> RunSummary:
    """A run in one line."""
    counts = run.counts
    return RunSummary(
        run_id=run.run_id, suite=run.suite, repository=run.repository, branch=run.branch, mode=run.mode,
        finished=run.finished, orphaned=run.orphaned, exit_code=run.exit_code, scenarios=len(run.scenarios),
        started_at=run.started_at, finished_at=run.finished_at, tag=run.tag, total_scenarios=run.total_scenarios,
        scenarios_finished=sum(one.outcome is not None for one in run.scenarios.values()),
        passed=counts.passed, failed=counts.failed, passed_on_retry=counts.passed_on_retry,
        indeterminate=counts.indeterminate, skipped=counts.skipped,
    )  # fmt: skip


def detail(run: Run) -> RunDetail:
    """A run whole: scenarios by feature and name, lanes in their order."""
    scenarios = sorted(run.scenarios.values(), key=lambda one: (one.feature, one.scenario, one.uid))
    lanes = sorted(run.lanes.values(), key=lambda one: (isinstance(one.lane, str), one.lane))
    return RunDetail(
        run=summary(run),
        scenarios=tuple(_scenario(one) for one in scenarios),
        lanes=tuple(
            LaneShown(
                lane=one.lane, status=one.status, passes=one.passes, uids=one.uids,
                running=tuple(uid for uid in one.uids if _running(run.scenarios.get(uid))),
                started_at=one.started_at, finished_at=one.finished_at, outcomes=one.outcomes,
                process_id=one.process_id,
            )
            for one in lanes
        ),
        recycles=tuple(run.recycles), worker_faults=tuple(run.worker_faults), stalls=tuple(run.stalls),
        progress=run.progress, dropped_events=run.dropped,
    )  # fmt: skip


def _running(scenario: Scenario | None) -> bool:
    return scenario is not None and scenario.outcome is None


def _scenario(scenario: Scenario) -> ScenarioShown:
    current = scenario.current
    return ScenarioShown(
        uid=scenario.uid, feature=scenario.feature, scenario=scenario.scenario, outcome=current.outcome,
        attempt=current.number, attempts=None if current.outcome is None else max(current.number, current.told),
        duration_ms=current.duration_ms, error_message=current.error_message,
        retry_reasons=scenario.retry_reasons, steps=current.steps, skipped=scenario.skipped,
        touched_types=scenario.touched_types,
    )  # fmt: skip
