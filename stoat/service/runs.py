"""Test runs from report files: read, archived as wire events, and recorded with what they prove."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from itertools import islice
from pathlib import Path
from typing import NamedTuple

import msgspec
from msgspec import Struct

from stoat import clock
from stoat.clock import Time
from stoat.errors import Invalid, Problem, Refused, Unreachable
from stoat.gitstore.log import Change
from stoat.observe import tree as trees
from stoat.observe.archive import Archive
from stoat.observe.run_index import RunIndex
from stoat.plan import streams
from stoat.plan.events.base import Actor
from stoat.plan.events.evidence import RunRecorded, Tree
from stoat.plan.ids import NodeRef, split_ref
from stoat.plan.monitor import shown
from stoat.plan.monitor.shown import RunSummary
from stoat.plan.state import State
from stoat.processes import machine_name
from stoat.service.session import Session, mint, node_of

_BATCH = 500
"""Events that are written at once."""
_LEFT_BEHIND = 1.0
"""Days after which a half-added run is rubbish that a kill left."""


class Tag(NamedTuple):
    """What a run is of: a node, one of its steps, or a unit of that step."""

    ref: NodeRef
    step: str | None
    unit: str | None


class Added(Struct, frozen=True, rename="camel", kw_only=True):
    """What reports came to: the run's id, its counts, and each bound scenario of the node.

    `passed` are those that passed at once; `passed_on_retry` did later, `indeterminate` are neither red nor green.
    """

    run_id: str
    format: str
    state: str
    passed: int
    passed_on_retry: int
    failed: int
    skipped: int
    indeterminate: int
    specs_passed: tuple[str, ...]
    specs_failed: tuple[str, ...]
    specs_absent: tuple[str, ...]


def split_tag(tag: str) -> Tag:
    """PLAN/NODE[/STEP[/UNIT]] taken apart, the unit being all that is left; Invalid when it is not written that way."""
    plan, _, rest = tag.partition("/")
    node, _, rest = rest.partition("/")
    step, _, unit = rest.partition("/")
    ref = split_ref(f"{plan}/{node}")
    if ref is None or (unit and not step) or tag.endswith("/"):
        raise Invalid([Problem(0, 0, f"{tag!r} is not a tag", "it is written PLAN/NODE or PLAN/NODE/STEP[/UNIT]")])
    return Tag(ref, step or None, unit or None)


def add(session: Session, files: Sequence[Path], tag: str, format: str | None = None) -> Added:
    """Record reports as one run of a node or one of its steps, on the commit of the checkout one stands in.

    The format of the files is recognised when none is named. Invalid, with every problem, for what is no report;
    Refused for a report in which nothing ran and for a format that is not known; Unreachable when it cannot be kept.
    """
    of = split_tag(tag)
    wanted = node_of(session.state(), of.ref)[1].spec.specs
    known = _format(files, format)
    seen = trees.tree_of(session.directory)
    draft = Archive(Archive.of(session.store.common).directory / "adding")
    draft.retire(time.time(), _LEFT_BEHIND)
    run = mint("r")
    try:
        event, summary = _read(session, draft, files, known, of, tag, seen, wanted, run)

        def decide(state: State, now: Time) -> Change:
            node_of(state, of.ref)
            ended = event.state if event.state != "unknown" else "ended undecided"
            return Change([(streams.of_plan(of.ref.plan), event)], f"{of.ref.plan}: a run of {of.ref.node} {ended}")

        actor = session.actor
        session.store.append(decide, Actor(actor.name or "somebody", "observer", actor.session, actor.email))
        archive = Archive.of(session.store.common)
        draft.path(run).replace(archive.path(run))
        RunIndex(archive).put(summary)
    except OSError as failed:
        raise Unreachable(f"the run cannot be kept: {failed.strerror}", hint=f"see {draft.directory}") from failed
    finally:
        draft.path(run).unlink(missing_ok=True)
    named = {*event.specs_passed, *event.specs_failed}
    return Added(
        run_id=run, format=known, state=event.state, passed=event.passed, passed_on_retry=event.on_retry,
        failed=event.failed, skipped=event.skipped, indeterminate=event.indeterminate, specs_passed=event.specs_passed,
        specs_failed=event.specs_failed, specs_absent=tuple(spec for spec in wanted if spec not in named),
    )  # fmt: skip


def _format(files: Sequence[Path], format: str | None) -> str:
    """The format that was named, else the one that all files certainly are of."""
    from stoat.observe.reports import reading

    if format is not None:
        if format not in reading.FORMATS:
            raise Refused(f"{format!r} is not a format", hint=f"one of: {', '.join(reading.FORMATS)}")
        return format
    found = {file: reading.recognised(file) for file in files}
    doubtful = next((file for file, known in found.items() if known is None), None)
    if doubtful is not None:
        raise Refused(
            f"{doubtful} does not say what it is", hint=f"name it with --format, one of: {', '.join(reading.FORMATS)}"
        )
    if len(set(found.values())) > 1:
        raise Refused("the files are of several formats", hint="add those of one format at a time: each is a run")
    return str(found[files[0]])


def _read(
    session: Session, draft: Archive, files: Sequence[Path], format: str, of: Tag, tag: str, seen: Tree,
    wanted: tuple[str, ...], run: str,
) -> tuple[RunRecorded, RunSummary]:  # fmt: skip
    """Write the run's events into the draft archive, and give what they prove, and the run in one line."""
    from stoat.observe.reports import reading
    from stoat.observe.reports.assembling import Assembly, Opening

    opening = Opening(
        run=run, mode=format, at=clock.now(), tag=tag, repository=trees.repository_at(session.directory),
        branch=seen.branch, commit=seen.commit, dirty=seen.dirty, machine=machine_name(),
    )  # fmt: skip
    assembly = Assembly(opening, wanted)
    events = reading.events(files, format, opening, assembly)  # type: ignore[arg-type]
    encoder = msgspec.json.Encoder()
    while batch := [encoder.encode(event) for event in islice(events, _BATCH)]:
        draft.append(run, batch)
    if format == "bobcat":
        return _archived(draft, run, of, seen, wanted)
    if not assembly.passed + assembly.failed + assembly.unknown + assembly.unfinished:
        raise Refused("nothing ran: the report has no test case that was not skipped", hint="see the runner's output")
    state = {0: "passed", 1: "failed"}.get(assembly.exit_code, "unknown")
    event = RunRecorded(
        node=of.ref.node, run=run, source=format, state=state, machine=machine_name(), step=of.step,  # type: ignore[arg-type]
        unit=of.unit, suite=assembly.suite, exit_code=assembly.exit_code, passed=assembly.passed - assembly.on_retry,
        failed=assembly.failed, skipped=assembly.skipped, indeterminate=assembly.unknown, on_retry=assembly.on_retry,
        seconds=assembly.seconds, started=assembly.started, specs_passed=tuple(_of(wanted, assembly.green)),
        specs_failed=tuple(_of(wanted, assembly.red)), tree=seen,
    )  # fmt: skip
    return event, assembly.summary


def _archived(
    draft: Archive, run_id: str, of: Tag, seen: Tree, wanted: tuple[str, ...]
) -> tuple[RunRecorded, RunSummary]:
    """What an archive proves that was made elsewhere: of the commit that it names itself, else of the one here.

    Nobody here heard of it, so that the time that it names itself is all there is to say how old it is.
    """
    run = draft.read(run_id)
    counts, verdict = run.counts, run.verdict
    if verdict is None:
        raise Refused("the run never finished: nobody knows how it ended", hint="see how its runner ended")
    if counts.decided <= counts.skipped:
        raise Refused("nothing ran: the run has no scenario that was not skipped", hint="see the runner's output")
    green, red = run.specs(wanted)
    tree = seen if run.commit is None else Tree(run.commit, run.branch, run.dirty)
    seconds = None
    if run.started_at is not None and run.finished_at is not None:
        seconds = max(0.0, clock.seconds_between(run.started_at, run.finished_at))
    event = RunRecorded(
        node=of.ref.node, run=run_id, source="pytest" if run.mode == "pytest" else "bobcat", state=verdict,
        machine=run.machine or machine_name(), step=of.step, unit=of.unit, suite=run.suite, exit_code=run.exit_code,
        passed=counts.passed - counts.skipped, failed=counts.failed, skipped=counts.skipped,
        indeterminate=counts.indeterminate, on_retry=counts.passed_on_retry, seconds=seconds, started=run.started_at,
        specs_passed=green, specs_failed=red, tree=tree, found=run.started_at,
    )  # fmt: skip
    return event, shown.summary(run)


def _of(wanted: tuple[str, ...], named: set[str]) -> Iterator[str]:
    return (spec for spec in wanted if spec in named)
