"""Test runs: recorded from reports, and what is on record of them and of every command that ran as a gate."""

from __future__ import annotations

import heapq
from collections.abc import Iterator, Sequence
from itertools import islice
from pathlib import Path
from typing import NamedTuple

from msgspec import Struct

from stoat import clock
from stoat.clock import Time
from stoat.errors import Invalid, NotFound, Problem, Refused
from stoat.gitstore.log import Change
from stoat.observe import junit, tree
from stoat.plan import commands, streams
from stoat.plan.events.base import Actor
from stoat.plan.events.evidence import GateFinished, GateStarted, RunRecorded
from stoat.plan.ids import NodeRef, split_ref
from stoat.plan.state import State
from stoat.processes import Identity, is_dead, machine_name
from stoat.service.session import Session, mint, node_of

Run = GateStarted | GateFinished | RunRecorded
"""What is on record of a run: that it began, that it ended, or a report of it."""

LATER_FORMATS = ("ctrf", "cucumber", "bobcat")


class RunShown(Struct, frozen=True, rename="camel", kw_only=True):
    """A run as it is listed. Counts of scenarios are None where nobody counted, as for a plain command."""

    run_id: str
    suite: str
    tag: str
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


class ScenarioShown(Struct, frozen=True, rename="camel"):
    """A bound scenario that a run decided. What a report's record does not hold is None or empty."""

    uid: str
    feature: str
    scenario: str
    outcome: str
    attempt: int | None = None
    attempts: int | None = None
    duration_ms: int | None = None
    error_message: str | None = None
    retry_reasons: tuple[str, ...] = ()
    steps: tuple[object, ...] = ()


class RunDetail(Struct, frozen=True, rename="camel"):
    """A run with the scenarios on record for it."""

    run: RunShown
    scenarios: tuple[ScenarioShown, ...]
    lanes: tuple[object, ...] = ()
    recycles: tuple[object, ...] = ()
    worker_faults: tuple[object, ...] = ()


class Added(Struct, frozen=True, rename="camel"):
    """What a report came to: the run's id, its counts, and each bound scenario of the node."""

    run_id: str
    state: str
    passed: int
    failed: int
    skipped: int
    specs_passed: tuple[str, ...]
    specs_failed: tuple[str, ...]
    specs_absent: tuple[str, ...]


class Tag(NamedTuple):
    """What a run is of: a node, one of its steps, or a unit of that step."""

    ref: NodeRef
    step: str | None
    unit: str | None


def split_tag(tag: str) -> Tag:
    """PLAN/NODE[/STEP[/UNIT]] taken apart, the unit being all that is left; Invalid when it is not written that way."""
    plan, _, rest = tag.partition("/")
    node, _, rest = rest.partition("/")
    step, _, unit = rest.partition("/")
    ref = split_ref(f"{plan}/{node}")
    if ref is None or (unit and not step):
        raise Invalid([Problem(0, 0, f"{tag!r} is not a tag", "it is written PLAN/NODE or PLAN/NODE/STEP[/UNIT]")])
    return Tag(ref, step or None, unit or None)


def add(session: Session, files: Sequence[Path], tag: str, format: str = "junit") -> Added:
    """Record reports as one run of a node or one of its steps, on the commit of the checkout one stands in.

    Invalid, with every problem, for what is no report; Refused for a report in which nothing ran, and for a format
    that a later version reads.
    """
    if format in LATER_FORMATS:
        raise Refused(f"reading {format} comes with a later version", hint="write JUnit XML and add that")
    if format != "junit":
        raise Refused(f"{format!r} is not a format", hint=f"one of: junit, {', '.join(LATER_FORMATS)}")
    ref, step, unit = split_tag(tag)
    wanted = node_of(session.state(), ref)[1].spec.specs
    results = junit.read(files, wanted)
    if results.passed + results.failed == 0:
        raise Refused("nothing ran: the report has no test case that was not skipped", hint="see the runner's output")
    green, red = (tuple(spec for spec in wanted if spec in names) for names in (results.green, results.red))
    event = RunRecorded(
        node=ref.node, run=mint("r"), source="junit", state="failed" if results.failed else "passed",
        machine=machine_name(), step=step, unit=unit, passed=results.passed, failed=results.failed,
        skipped=results.skipped, seconds=results.seconds, specs_passed=green, specs_failed=red,
        tree=tree.tree_of(session.directory),
    )  # fmt: skip

    def decide(state: State, now: Time) -> Change:
        node_of(state, ref)
        subject = f"{ref.plan}: a run of {ref.node} {event.state}"
        return Change([(streams.of_plan(ref.plan), event)], subject)

    actor = session.actor
    session.store.append(decide, Actor(actor.name or "somebody", "observer", actor.session, actor.email))
    absent = tuple(spec for spec in wanted if spec not in green and spec not in red)
    return Added(event.run, event.state, event.passed, event.failed, event.skipped, green, red, absent)


def listed(session: Session, tag: str | None = None, limit: int | None = None) -> list[RunShown]:
    """The runs on record, the newest first; those whose tag is `tag` or below it."""
    return [_shown(slug, event) for slug, event in islice(_runs(session, tag), limit)]


def show(session: Session, run_id: str) -> RunDetail:
    """A run and the scenarios it decided; NotFound when no such run is on record."""
    for slug, event in _runs(session, None):
        if event.run == run_id:
            named = _scenarios(event) if isinstance(event, RunRecorded) else ()
            return RunDetail(_shown(slug, event), tuple(named))
    raise NotFound(f"there is no run {run_id!r}", hint="see them with `stoat runs list`")


def _runs(session: Session, tag: str | None) -> Iterator[tuple[str, Run]]:
    """The newest word on each run with its plan, newest first: within a plan in the log's order, as in the Activity."""
    within = None if tag is None else split_tag(tag)
    slugs = [slug for slug in session.state().plans if within is None or slug == within.ref.plan]
    each = [_runs_of(session, slug, within) for slug in slugs]
    return heapq.merge(*each, key=lambda found: found[1].at, reverse=True)


def _runs_of(session: Session, slug: str, within: Tag | None) -> Iterator[tuple[str, Run]]:
    told = set()
    for recorded in session.store.history(streams.of_plan(slug), newest_first=True):
        event = recorded.event
        if not isinstance(event, Run) or event.run in told:
            continue
        told.add(event.run)
        if within is None or _is_below(within, event):
            yield slug, event


def _is_below(tag: Tag, event: Run) -> bool:
    unit = event.unit if isinstance(event, RunRecorded) else None
    return event.node == tag.ref.node and tag.step in (None, event.step) and tag.unit in (None, unit)


def _shown(slug: str, event: Run) -> RunShown:
    finished = not isinstance(event, GateStarted)
    counted = event if isinstance(event, RunRecorded) else None
    tag = "/".join(part for part in (slug, event.node, event.step, counted.unit if counted else None) if part)
    ran = event.before if isinstance(event, GateFinished) else event.tree
    seconds = event.seconds if not isinstance(event, GateStarted) else None
    started = event.started if isinstance(event, GateFinished) else None if finished else event.at
    if counted is not None and seconds is not None:
        started = clock.plus(event.at, -seconds)
    total = counted.passed + counted.failed + counted.skipped if counted else None
    return RunShown(
        run_id=event.run, tag=tag, repository=None, branch=ran.branch, commit=ran.commit, dirty=_dirty(event),
        suite=counted.source if counted else commands.written(event.command),  # type: ignore[union-attr]
        mode=counted.source if counted else "exec", finished=finished,
        orphaned=isinstance(event, GateStarted) and _dead(event.process),
        exit_code=event.exit_code if isinstance(event, GateFinished) else None,
        timed_out=isinstance(event, GateFinished) and event.timed_out,
        started_at=started, finished_at=event.at if finished else None,
        duration_ms=None if seconds is None else round(seconds * 1000),
        scenarios=total, total_scenarios=total,
        scenarios_finished=counted.passed + counted.failed if counted else None,
        passed=counted.passed if counted else None, failed=counted.failed if counted else None,
        skipped=counted.skipped if counted else None, passed_on_retry=0 if counted else None,
        indeterminate=0 if counted else None, by=event.by.name, machine=event.machine,
    )  # fmt: skip


def _dirty(event: Run) -> bool | None:
    """Whether the tree differed from its commit at either end, as far as anybody could tell."""
    seen = (event.before.dirty, event.after.dirty) if isinstance(event, GateFinished) else (event.tree.dirty,)
    return True if True in seen else None if None in seen else False


def _scenarios(event: RunRecorded) -> Iterator[ScenarioShown]:
    for uids, outcome in ((event.specs_passed, "CleanPass"), (event.specs_failed, "Failed")):
        for uid in uids:
            feature, _, scenario = uid.partition("/")
            yield ScenarioShown(uid, feature, scenario, outcome)


def _dead(process: str | None) -> bool:
    try:
        return process is not None and is_dead(Identity.parse(process))
    except ValueError:
        return False
