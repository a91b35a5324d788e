"""What a test run proves, appended to the ref: that it started, how it ended, or that it was lost.
What is heard of a run after its end corrects what was recorded of it; a replay appends nothing.

    prove(session, [Heard(run, tree), …])        one commit for all of them, or none when nothing is new

Progress never goes there. A run whose tag names no node of any plan proves nothing: its archive is all there is of it.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from msgspec.structs import replace

from stoat import clock
from stoat.clock import Time
from stoat.errors import Invalid
from stoat.gitstore.log import Appended, Change
from stoat.observe import tree as trees
from stoat.plan import streams
from stoat.plan.events.base import Actor, NodeEvent
from stoat.plan.events.evidence import RunLost, RunRecorded, RunStarted, Tree
from stoat.plan.evidence import PLACES, REPORTS, Evidence
from stoat.plan.monitor.run import Run
from stoat.plan.state import NodeState, State
from stoat.processes import machine_name
from stoat.service.runs import Tag, split_tag
from stoat.service.session import Session

SOURCES = ("pytest", *REPORTS)
"""What `mode` says of runs that are not Bobcat's own."""

_SLACK = 60.0
"""Seconds by which the clocks of a run and of the log may differ."""

LOST = "its publisher fell silent before it said that the run was over"


class Heard(NamedTuple):
    """A folded run, and the tree that it ran on as far as anybody saw it: at its start, and (`after`) at its end.

    `found` is when it was heard of, where it is told late: somebody else left it in an archive.
    """

    run: Run
    before: Tree = Tree()
    after: Tree | None = None
    found: Time | None = None


def tag_in(written: str | None) -> Tag | None:
    """What a run of this tag is of; None when it is not written as one of a node's, or there is none."""
    try:
        return split_tag(written) if written else None
    except Invalid:
        return None


def tree_now(run: Run) -> Tree:
    """The tree that a run is on at this moment: as its publisher says it, else as it is where it says that it runs.

    A publisher names the directory of its checkout, or only the repository's name; that tells nothing, nor does a
    directory that is on another branch than the run.
    """
    if run.commit is not None:
        return Tree(run.commit, run.branch, run.dirty)
    place = Path(run.repository)
    if not place.is_absolute() or not place.is_dir():
        return trees.NOT_SEEN
    seen = trees.tree_of(place)
    if run.branch is None or seen.branch == run.branch:
        return seen
    # On no branch, Bobcat says the beginning of the commit.
    detached = seen.branch is None and seen.commit is not None and len(run.branch) > 6
    return seen if detached and seen.commit.startswith(run.branch) else trees.NOT_SEEN  # type: ignore[union-attr]


def prove(session: Session, heard: Sequence[Heard], known: Collection[str] = ()) -> Appended | None:
    """Append what is new of these runs, in one commit; None when nothing is.

    `known` names runs whose result is on record, though newer ones may have taken its place since. Raises what
    `Store.append` does.
    """
    told = [one for one in heard if tag_in(one.run.tag) is not None]
    if not told:
        return None
    recorded = _recorded_before(session, told)

    def decide(state: State, now: Time) -> Change | None:
        entries = []
        for one in told:
            tag = tag_in(one.run.tag)
            assert tag is not None
            plan = state.plan(tag.ref.plan)
            node = plan.nodes.get(tag.ref.node) if plan is not None else None
            if node is not None:
                entries += [(streams.of_plan(tag.ref.plan), event) for event in _news(one, tag, node, known, recorded)]
        if not entries:
            return None
        return Change(entries, _subject(entries[0], len(entries)))

    actor = session.actor
    appended = session.store.append(decide, Actor(actor.name or "somebody", "observer", actor.session, actor.email))
    return appended if appended.events else None


def on_record(session: Session, slug: str) -> frozenset[str]:
    """The runs of a plan whose results were ever recorded: the whole stream is read."""
    recorded = session.store.history(streams.of_plan(slug))
    return frozenset(one.event.run for one in recorded if isinstance(one.event, RunRecorded))


def _recorded_before(session: Session, heard: Sequence[Heard]) -> dict[str, RunRecorded]:
    """What was recorded last of those runs that are finished, by run, as far as anything was."""
    state = session.state()
    found: dict[str, RunRecorded] = {}
    for one in heard:
        tag, run_id = tag_in(one.run.tag), one.run.run_id
        plan = state.plan(tag.ref.plan) if tag is not None else None
        node = plan.nodes.get(tag.ref.node) if plan is not None and tag is not None else None
        if not one.run.finished or node is None or plan is None or run_id in node.running:
            continue
        if run_id not in node.places and len(node.places) < PLACES:
            continue
        since = clock.plus(one.run.started_at, -_SLACK) if one.run.started_at is not None else ""
        for recorded in session.store.history(streams.of_plan(plan.slug), newest_first=True):
            event = recorded.event
            if isinstance(event, RunRecorded) and event.run == run_id:
                found[run_id] = event
            if run_id in found or event.at < since:
                break
    return found


def _news(
    heard: Heard, tag: Tag, node: NodeState, known: Collection[str], recorded: Mapping[str, RunRecorded]
) -> Iterator[NodeEvent]:
    run = heard.run
    going = node.running.get(run.run_id)
    ended = next((one for one in node.evidence.values() if one.run == run.run_id), None)
    if run.finished:
        event, before = _recorded(heard, tag, node, going), recorded.get(run.run_id)
        if before is None:
            if run.run_id not in known:
                yield event
        elif _says(event) != _says(before):
            # The same run on the same tree, of which more was heard; one that ran once more says a later start.
            yield event if event.started != before.started else replace(event, tree=before.tree)
    elif ended is not None:
        return
    elif run.orphaned:
        if going is not None and going.state != "lost":
            yield RunLost(node=tag.ref.node, run=run.run_id, why=LOST)
    elif going is None or going.state == "lost":
        yield RunStarted(
            node=tag.ref.node, run=run.run_id, source=_source(run), machine=run.machine or machine_name(),
            step=tag.step, unit=tag.unit, total=run.total_scenarios, suite=run.suite, process=run.process,
            tree=heard.before,
        )  # fmt: skip


def _recorded(heard: Heard, tag: Tag, node: NodeState, going: Evidence | None) -> RunRecorded:
    run, counts = heard.run, heard.run.counts
    verdict = run.verdict
    assert verdict is not None
    green, red = run.specs(node.spec.specs)
    before = heard.before
    if before == Tree() and going is not None:
        before = Tree(going.commit, going.branch, going.dirty)
    seconds = None
    if run.started_at is not None and run.finished_at is not None:
        seconds = max(0.0, clock.seconds_between(run.started_at, run.finished_at))
    return RunRecorded(
        node=tag.ref.node, run=run.run_id, source=_source(run), state=verdict,
        machine=run.machine or machine_name(), step=tag.step, unit=tag.unit, suite=run.suite,
        exit_code=run.exit_code, passed=max(0, counts.passed - counts.skipped), failed=counts.failed,
        skipped=counts.skipped, indeterminate=counts.indeterminate, on_retry=counts.passed_on_retry, seconds=seconds,
        started=run.started_at, specs_passed=green, specs_failed=red, tree=_at_both_ends(run, before, heard.after),
        found=heard.found,
    )  # fmt: skip


def _at_both_ends(run: Run, before: Tree, after: Tree | None) -> Tree:
    """What the result is of: a commit, and whether of nothing but that commit."""
    commit, dirty = run.after
    if after is None and (commit is not None or dirty is not None):
        after = Tree(commit or before.commit, run.branch, dirty)
    if after is None:
        # The publisher looked once, and nobody else could. Where it did not, a clean start proves no clean end.
        return before if run.commit is not None or before.dirty else Tree(before.commit, before.branch, None)
    if before.commit is not None and after.commit is not None and before.commit != after.commit:
        return Tree(before.commit, before.branch, True)
    either = True if before.dirty or after.dirty else None if None in (before.dirty, after.dirty) else False
    return Tree(before.commit or after.commit, before.branch or after.branch, either)


def _says(event: RunRecorded) -> tuple[object, ...]:
    """What a result says: another one of the same run that says it too is a replay."""
    return (
        event.node, event.step, event.unit, event.state, event.passed, event.failed, event.skipped,
        event.indeterminate, event.on_retry, event.exit_code, event.started, event.specs_passed, event.specs_failed,
    )  # fmt: skip


def _source(run: Run) -> str:
    return run.mode if run.mode in SOURCES else "bobcat"


def _subject(entry: tuple[str, NodeEvent], count: int) -> str:
    stream, event = entry
    match event:
        case RunRecorded():
            what = f"a run of {event.node} {event.state if event.state != 'unknown' else 'ended undecided'}"
        case RunLost():
            what = f"a run of {event.node} is lost"
        case _:
            what = f"a run of {event.node} starts"
    return f"{streams.plan_of(stream)}: {what}" + (f", and {count - 1} more" if count > 1 else "")
