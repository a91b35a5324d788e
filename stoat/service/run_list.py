"""Every run that is known: what the ref has on record of gates and test runs, and what the archives hold beside it.

A run on the ref and its archive are one run. The ref says which commit it was of and who saw it; the archive has its
scenarios, for as long as it is kept.
"""

from __future__ import annotations

import contextlib
import heapq
import time
from collections import deque
from collections.abc import Callable, Collection, Iterable, Iterator
from itertools import islice
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from stoat import clock
from stoat.clock import Time
from stoat.errors import NotFound
from stoat.observe.archive import Archive
from stoat.observe.run_index import Indexed, RunIndex
from stoat.observe.silence import SILENCE
from stoat.plan import commands, streams
from stoat.plan.events.evidence import GateFinished, GateStarted, RunLost, RunRecorded, RunStarted
from stoat.plan.monitor import shown as wire_shown
from stoat.plan.monitor.shown import LaneShown, ScenarioShown
from stoat.processes import is_known_dead
from stoat.service.runs import split_tag
from stoat.service.session import Session
from stoat.service.tags import is_stray

_OLDER = 100
"""So many runs in a row that are older than another one began, and it is not among those on record."""
_SLACK = 60.0
"""Seconds by which the clocks of a run and of the log may differ."""

Run = GateStarted | GateFinished | RunStarted | RunRecorded
"""What is on record of a run: that it began, that it ended, or its results."""


class RunShown(Struct, frozen=True, rename="camel", kw_only=True):
    """A run as it is listed. Counts of scenarios are None where nobody counted, as for a plain command.

    `stray` says that it has a tag, and there is no node that the tag is of.

    They are those of `GET /api/runs`, wherever they come from: the `skipped` ones are among those that `passed`.
    """

    run_id: str
    suite: str
    tag: str | None
    repository: str | None
    branch: str | None
    commit: str | None
    dirty: bool | None
    mode: str
    finished: bool
    orphaned: bool
    exit_code: int | None
    timed_out: bool
    started_at: Time | None
    finished_at: Time | None
    duration_ms: int | None
    scenarios: int | None
    total_scenarios: int | None
    scenarios_finished: int | None
    passed: int | None
    failed: int | None
    skipped: int | None
    passed_on_retry: int | None
    indeterminate: int | None
    by: str
    machine: str
    archived: bool
    stray: bool = False


class RunDetail(Struct, frozen=True, rename="camel", kw_only=True):
    """A run whole: its scenarios as its archive has them, else those that its record names."""

    run: RunShown
    scenarios: tuple[ScenarioShown, ...]
    lanes: tuple[LaneShown, ...] = ()
    recycles: tuple[Any, ...] = ()
    worker_faults: tuple[Any, ...] = ()
    stalls: tuple[Any, ...] = ()
    progress: Any = None


def listed(session: Session, tag: str | None = None, limit: int | None = None) -> list[RunShown]:
    """The runs that are known, the newest first; those whose tag is `tag` or below it.

    With a `limit` neither the log nor the archives are read further than that takes.
    """
    return list(islice(known(session, tag), limit))


def known(session: Session, tag: str | None = None) -> Iterator[RunShown]:
    """The same one at a time, each read when it is asked for."""
    return _known(session, None if tag is None else (tag,))


def newest(session: Session, tags: Collection[str]) -> dict[str, RunShown]:
    """Of each tag the newest run of it or below it, where there is one: log and archives are walked once for all."""
    missing, found = set(tags), {}
    for run in _known(session, tuple(missing)) if missing else ():
        for tag in [one for one in missing if _is_below(run.tag, (one,))]:
            found[tag] = run
            missing.remove(tag)
        if not missing:
            break
    return found


def _known(session: Session, tags: Collection[str] | None) -> Iterator[RunShown]:
    """The runs of these tags and below them, the newest first; None: all of them."""
    index = RunIndex(Archive.of(session.store.common))
    kept = {one.run_id: one for one in index.archive.runs()}

    def archived(run_id: str) -> Indexed | None:
        return index.of(kept[run_id]) if run_id in kept else None

    recorded = _Ahead(_recorded(session, tags, archived))
    alone = _unrecorded(recorded, session.state().plans, (index.of(one) for one in kept.values()), tags)
    both = heapq.merge(recorded, alone, key=lambda found: found[0], reverse=True)
    state = session.state()
    return (replace(shown, stray=is_stray(state, shown.tag)) for _, shown in both)


def recorded_ids(session: Session) -> Iterator[str]:
    """The ids of the runs on record, the newest word first."""
    return (event.run for _, event, _ in _events(session, None))


class _Ahead:
    """The runs on record, newest first, of which one may ask whether a run is among those to come."""

    def __init__(self, source: Iterator[tuple[Time, RunShown]]) -> None:
        self._source = source
        self._coming: deque[tuple[Time, RunShown]] = deque()
        self._known: set[str] = set()

    def __iter__(self) -> Iterator[tuple[Time, RunShown]]:
        while self._coming or self._pull():
            yield self._coming.popleft()

    def has(self, run_id: str, since: Time) -> bool:
        """Whether a run is on record that can have left no word there before `since`."""
        while run_id not in self._known:
            last = list(islice(reversed(self._coming), _OLDER))
            # Not at the first that is older: a clock may have been wrong for a while.
            if (len(last) == _OLDER and all(at < since for at, _ in last)) or not self._pull():
                return False
        return True

    def _pull(self) -> bool:
        found = next(self._source, None)
        if found is not None:
            self._coming.append(found)
            self._known.add(found[1].run_id)
        return found is not None


def _unrecorded(
    recorded: _Ahead,
    plans: Collection[str],
    archived: Iterable[Indexed | None],
    tags: Collection[str] | None,
) -> Iterator[tuple[Time, RunShown]]:
    """Of the archived runs, the last touched one first, those that the ref has no word of."""
    for one in archived:
        if one is None or not _is_below(one.summary.tag, tags):
            continue
        told, touched = one.summary, clock.since_epoch(one.touched)
        since = "" if told.started_at is None else clock.plus(min(told.started_at, touched), -_SLACK)
        if (told.tag or "").partition("/")[0] not in plans or not recorded.has(told.run_id, since):
            yield touched, _alone(one)


def show(session: Session, run_id: str) -> RunDetail:
    """A run and its scenarios; NotFound when nothing is known of it."""
    archive = Archive.of(session.store.common)
    detail = None
    archived: dict[str, Indexed] = {}
    with contextlib.suppress(NotFound, FileNotFoundError):
        path = archive.path(run_id)
        seen = path.stat()
        folded = archive.read(run_id)
        detail = wire_shown.detail(folded)
        archived[detail.run.run_id] = Indexed(detail.run, seen.st_mtime, seen.st_size, folded.process)
    for slug, event, lost in _events(session, None):
        if event.run == run_id or (detail is not None and event.run == detail.run.run_id):
            run = _shown(slug, event, lost, archived.get(event.run))
            return _whole(replace(run, stray=is_stray(session.state(), run.tag)), detail, event)
    if detail is not None:
        alone = _alone(archived[detail.run.run_id])
        return _whole(replace(alone, stray=is_stray(session.state(), alone.tag)), detail, None)
    raise NotFound(f"there is no run {run_id!r}", hint="see them with `stoat runs list`")


def _whole(run: RunShown, detail: wire_shown.RunDetail | None, event: Run | None) -> RunDetail:
    if detail is None:
        return RunDetail(run=run, scenarios=tuple(_named(event)) if isinstance(event, RunRecorded) else ())
    return RunDetail(
        run=run, scenarios=detail.scenarios, lanes=detail.lanes, recycles=detail.recycles,
        worker_faults=detail.worker_faults, stalls=detail.stalls, progress=detail.progress,
    )  # fmt: skip


def _recorded(
    session: Session, tags: Collection[str] | None, archived: Callable[[str], Indexed | None]
) -> Iterator[tuple[Time, RunShown]]:
    """The runs on the ref, each with when its newest word was said."""
    for slug, event, lost in _events(session, tags):
        if _is_below(_tag(slug, event), tags):
            yield event.at, _shown(slug, event, lost, archived(event.run))


def _events(session: Session, tags: Collection[str] | None) -> Iterator[tuple[str, Run, bool]]:
    """The newest word on each run with its plan, newest first: within a plan in the log's order, as in the Activity."""
    within = None if tags is None else {split_tag(tag).ref.plan for tag in tags}
    slugs = [slug for slug in session.state().plans if within is None or slug in within]
    each = [_events_of(session, slug) for slug in slugs]
    return heapq.merge(*each, key=lambda found: found[1].at, reverse=True)


def _events_of(session: Session, slug: str) -> Iterator[tuple[str, Run, bool]]:
    told: set[str] = set()
    lost: set[str] = set()
    for recorded in session.store.history(streams.of_plan(slug), newest_first=True):
        event = recorded.event
        if isinstance(event, RunLost):
            lost.add(event.run)
        if isinstance(event, Run) and event.run not in told:
            told.add(event.run)
            yield slug, event, event.run in lost


def _is_below(tag: str | None, above: Collection[str] | None) -> bool:
    return above is None or (tag is not None and any(tag == one or tag.startswith(f"{one}/") for one in above))


def _tag(slug: str, event: Run) -> str:
    unit = event.unit if isinstance(event, RunStarted | RunRecorded) else None
    return "/".join(part for part in (slug, event.node, event.step, unit) if part)


def _shown(slug: str, event: Run, lost: bool, archived: Indexed | None) -> RunShown:
    finished = isinstance(event, GateFinished | RunRecorded)
    counted = event if isinstance(event, RunRecorded) else None
    test_run = event if isinstance(event, RunStarted | RunRecorded) else None
    command = event.command if isinstance(event, GateStarted | GateFinished) else ()
    ran = event.before if isinstance(event, GateFinished) else event.tree
    seconds = event.seconds if isinstance(event, GateFinished | RunRecorded) else None
    started = event.started if isinstance(event, GateFinished | RunRecorded) else event.at
    if counted is not None and started is None and seconds is not None:
        started = clock.plus(event.at, -seconds)
    dead = isinstance(event, GateStarted | RunStarted) and is_known_dead(event.process)
    passed = counted.passed + counted.skipped if counted else None
    total = (passed or 0) + counted.on_retry + counted.failed + counted.indeterminate if counted else None
    shown = RunShown(
        run_id=event.run, tag=_tag(slug, event), repository=None, branch=ran.branch, commit=ran.commit,
        dirty=_dirty(event), suite=(test_run.suite or test_run.source) if test_run else commands.written(command),
        mode=test_run.source if test_run else "exec", finished=finished, orphaned=lost or dead,
        exit_code=event.exit_code if isinstance(event, GateFinished | RunRecorded) else None,
        timed_out=isinstance(event, GateFinished) and event.timed_out,
        started_at=started, finished_at=event.at if finished else None,
        duration_ms=None if seconds is None else round(seconds * 1000),
        scenarios=total, total_scenarios=total, scenarios_finished=total,
        passed=passed, failed=counted.failed if counted else None,
        skipped=counted.skipped if counted else None, passed_on_retry=counted.on_retry if counted else None,
        indeterminate=counted.indeterminate if counted else None, by=event.by.name, machine=event.machine,
        archived=archived is not None,
    )  # fmt: skip
    return shown if archived is None else _with_archive(shown, archived)


def _with_archive(shown: RunShown, archived: Indexed) -> RunShown:
    """What the archive knows beside the record: whose repository, and how far a run is that goes on."""
    told = archived.summary
    shown = replace(shown, repository=told.repository or None, suite=told.suite or shown.suite)
    if shown.finished:
        return replace(shown, scenarios=told.scenarios, scenarios_finished=told.scenarios_finished)
    return replace(
        shown, finished=told.finished, orphaned=not told.finished and (shown.orphaned or not _fresh(archived)),
        exit_code=told.exit_code, finished_at=told.finished_at, scenarios=told.scenarios,
        total_scenarios=told.total_scenarios, scenarios_finished=told.scenarios_finished, passed=told.passed,
        failed=told.failed, skipped=told.skipped, passed_on_retry=told.passed_on_retry,
        indeterminate=told.indeterminate,
    )  # fmt: skip


def _alone(archived: Indexed) -> RunShown:
    """A run that only its archive knows of: its tag names no node, or nothing was told to the ref yet."""
    told = archived.summary
    took = None
    if told.started_at is not None and told.finished_at is not None:
        took = max(0, round(clock.seconds_between(told.started_at, told.finished_at) * 1000))
    return RunShown(
        run_id=told.run_id, tag=told.tag, repository=told.repository or None, branch=told.branch, commit=None,
        dirty=None, suite=told.suite, mode=told.mode, finished=told.finished,
        orphaned=not told.finished and not _fresh(archived), exit_code=told.exit_code, timed_out=False,
        started_at=told.started_at, finished_at=told.finished_at, duration_ms=took, scenarios=told.scenarios,
        total_scenarios=told.total_scenarios, scenarios_finished=told.scenarios_finished, passed=told.passed,
        failed=told.failed, skipped=told.skipped, passed_on_retry=told.passed_on_retry,
        indeterminate=told.indeterminate, by="", machine="", archived=True,
    )  # fmt: skip


def _fresh(archived: Indexed) -> bool:
    """Whether somebody appended to it just now, and is not known to be dead: its publisher still speaks."""
    return abs(time.time() - archived.touched) <= SILENCE and not is_known_dead(archived.process)


def _dirty(event: Run) -> bool | None:
    """Whether the tree differed from its commit at either end, as far as anybody could tell."""
    seen = (event.before.dirty, event.after.dirty) if isinstance(event, GateFinished) else (event.tree.dirty,)
    return True if True in seen else None if None in seen else False


def _named(event: RunRecorded) -> Iterator[ScenarioShown]:
    for uids, outcome in ((event.specs_passed, "CleanPass"), (event.specs_failed, "Failed")):
        for uid in uids:
            feature, _, scenario = uid.partition("/")
            yield ScenarioShown(
                uid=uid, feature=feature, scenario=scenario, outcome=outcome, attempt=1, attempts=None,
                duration_ms=None, error_message=None, retry_reasons=(), steps=(),
            )  # fmt: skip
