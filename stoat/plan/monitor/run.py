"""A test run as it is folded from its wire events, and what it comes to."""

from __future__ import annotations

from typing import Literal

from msgspec import Struct
from msgspec.structs import replace

from stoat.clock import Time
from stoat.plan.monitor import wire
from stoat.plan.monitor.scenario import FAILED, PASS_ON_RETRY, PASSES, Scenario
from stoat.plan.specs import own_names, shorter_names

Verdict = Literal["passed", "failed", "unknown"]

_INDETERMINATE_EXIT = 2


class Counts(Struct, frozen=True, rename="camel"):
    """How many scenarios ended in which way: each counts once. The `skipped` ones are among those that `passed`."""

    passed: int = 0
    failed: int = 0
    passed_on_retry: int = 0
    indeterminate: int = 0
    skipped: int = 0

    @property
    def decided(self) -> int:
        """How many have an outcome of whatever kind."""
        return self.passed + self.failed + self.passed_on_retry + self.indeterminate


class Lane(Struct):
    """A supervisor's lane: a worker process that is handed scenarios; `passes` counts how often it was."""

    lane: wire.Lane
    status: Literal["running", "finished", "crashed"] = "running"
    passes: int = 0
    uids: tuple[str, ...] = ()
    started_at: Time | None = None
    finished_at: Time | None = None
    outcomes: wire.Outcomes = None
    process_id: int | None = None


class Recycle(Struct, frozen=True, rename="camel"):
    """A resource that was thrown away and stood up again."""

    resource: str
    at: Time | None


class WorkerFault(Struct, frozen=True, rename="camel"):
    """A worker process that died."""

    lane: wire.Lane | None
    fault: str
    exit_code: int | None
    standard_error: str | None
    at: Time | None


class Stall(Struct, frozen=True, rename="camel"):
    """A test that was in flight for too long."""

    uid: str
    display_name: str
    in_flight_ms: int | None
    lane: wire.Lane | None
    process_id: int | None
    at: Time | None


class Progress(Struct, frozen=True, rename="camel"):
    """How far the run is, as its supervisor said last."""

    elapsed_ms: int
    done: int
    total: int
    in_flight: int
    longest_running: str | None
    peak_worker_bytes: int | None
    at: Time | None


class Run(Struct):
    """A run and everything in it. Only the fold changes one.

    `told` are the counts of run_finished; `orphaned` that it never finished and its publisher fell silent: it is not
    running, not passed and not failed, until it publishes again. `heard` counts its events. Some publishers also say
    the `commit`, whether it was `dirty`, the `machine` and their `process`; `after` is commit and dirty at the end.
    `dropped` events were not published, for want of time: the counts are whole, what is under them may not be.
    """

    run_id: str
    suite: str = ""
    repository: str = ""
    branch: str | None = None
    mode: str = ""
    tag: str | None = None
    total_scenarios: int | None = None
    started_at: Time | None = None
    finished_at: Time | None = None
    finished: bool = False
    exit_code: int | None = None
    told: Counts | None = None
    scenarios: dict[str, Scenario] = {}
    lanes: dict[wire.Lane, Lane] = {}
    recycles: list[Recycle] = []
    worker_faults: list[WorkerFault] = []
    stalls: list[Stall] = []
    progress: Progress | None = None
    commit: str | None = None
    dirty: bool | None = None
    after: tuple[str | None, bool | None] = (None, None)
    machine: str | None = None
    process: str | None = None
    dropped: int = 0
    orphaned: bool = False
    heard: int = 0

    @property
    def counts(self) -> Counts:
        """What run_finished said, else what the scenarios heard of come to.

        A failure that a worker told of counts, whatever was said: it may be heard after the end. Not where events were
        dropped, for then the pass at its next attempt may be among those.
        """
        skipped = sum(one.skipped for one in self.scenarios.values())
        if self.told is not None:
            red = sum(one.own and one.outcome == FAILED for one in self.scenarios.values()) if not self.dropped else 0
            return replace(self.told, skipped=max(skipped, self.told.skipped), failed=max(red, self.told.failed))
        outcomes = [outcome for one in self.scenarios.values() if (outcome := one.outcome) is not None]
        on_retry = outcomes.count(PASS_ON_RETRY)
        passed = sum(outcome in PASSES for outcome in outcomes) - on_retry
        # Aborted, or a word that nobody knows, is no verdict: "we do not know" is not red.
        failed = outcomes.count(FAILED)
        return Counts(passed, failed, on_retry, len(outcomes) - passed - on_retry - failed, skipped)

    @property
    def done(self) -> tuple[int, int | None, int]:
        """How far it has got: how many are decided, of how many, and how many hang. Its supervisor knows best."""
        decided = sum(one.outcome is not None for one in self.scenarios.values())
        total = self.total_scenarios
        if self.progress is not None:
            decided, total = max(decided, self.progress.done), self.progress.total or total
        known = [self.scenarios.get(uid) for uid in {stall.uid for stall in self.stalls}]
        return decided, total, sum(one is None or one.outcome is None for one in known)

    @property
    def verdict(self) -> Verdict | None:
        """How it ended; None while it runs, and for an orphaned one. A run in which nothing ran proves nothing."""
        if not self.finished:
            return None
        counts = self.counts
        if counts.failed:
            return "failed"
        if counts.indeterminate or self.exit_code == _INDETERMINATE_EXIT:
            return "unknown"
        if self.exit_code not in (0, None):
            return "failed"
        return "passed" if counts.decided > counts.skipped else "unknown"

    def specs(self, wanted: tuple[str, ...]) -> tuple[tuple[str, ...], tuple[str, ...]]:
        """Of the specs in `wanted`, those that passed and those that failed in this run; plan/specs.py says by which
        names scenarios count for them.

        One is red when one of its scenarios is, green when all are that ran. One that was skipped says nothing; one
        that was aborted leaves it undecided.
        """
        passed, failed = [], []
        for spec, scenarios in self._bound(frozenset(wanted)).items() if wanted else ():
            outcomes = {one.outcome for one in scenarios if not one.skipped}
            if FAILED in outcomes:
                failed.append(spec)
            elif outcomes and outcomes <= set(PASSES):
                passed.append(spec)
        # In the order of `wanted`.
        return tuple(spec for spec in wanted if spec in passed), tuple(spec for spec in wanted if spec in failed)

    def _bound(self, wanted: frozenset[str]) -> dict[str, list[Scenario]]:
        own: dict[str, list[Scenario]] = {}
        shorter: dict[str, list[Scenario]] = {}
        for uid, one in self.scenarios.items():
            feature, _, scenario = uid.partition("/") if "/" in uid else ("", "", uid)
            names = {uid, *own_names(feature, scenario), *own_names(one.feature, one.scenario)}
            for spec in wanted & names:
                own.setdefault(spec, []).append(one)
            for spec in (wanted - names).intersection(shorter_names(one.feature, one.scenario)):
                shorter.setdefault(spec, []).append(one)
        return shorter | own
