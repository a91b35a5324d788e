"""What decided a step or one of its units, in a line."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from stoat.clock import duration_text
from stoat.derive.wording.status import Tally, ended, newer_lost, orphaned, running, step_mismatch, tally, with_remark
from stoat.derive.wording.text import counted
from stoat.plan.evidence import Evidence
from stoat.plan.nodes import Step

if TYPE_CHECKING:
    from stoat.derive.rounds import Round, Unit


def decided(run: Evidence) -> str:
    """How a run ended, which one it was, how long it took and on what."""
    parts = [ended(run)]
    if run.state != "timed-out" and run.seconds is not None:
        parts.append(f"in {duration_text(run.seconds)}")
    return " ".join([*parts, _where(run)])


def _where(run: Evidence) -> str:
    on = f" on {run.commit[:7]}{' with uncommitted changes' if run.dirty else ''}" if run.commit else ""
    retried = f", {run.on_retry} on retry" if run.on_retry else ""
    return f"· {run.run} ({run.source}{retried}){on}"


def step(state: str, declared: Step, of: Round) -> str:
    """What decided a step in that state, and that a newer run of it was lost."""
    said = _decided(state, declared, of)
    lost = of.lost_since if state != "running" else None
    return said if lost is None else with_remark(said, newer_lost([lost]))


def _decided(state: str, declared: Step, of: Round) -> str:
    named = [unit for unit in of.units if unit.id]
    going, red = of.in_flight, of.red
    if going is not None:
        return f"{running(going)} · {_progress(named)}" if named else running(going)
    if red is not None:
        return _red(red, of, named)
    if state == "pending":
        return _pending(of, named)
    if state == "mismatch" and of.word is not None:
        return step_mismatch(of.word, declared)
    run = of.decided
    assert run is not None, "a step that passed was run"
    if not named:
        return decided(run)
    every = f"all {len(named)} units passed" if len(named) > 1 else f"its unit {named[0].id} passed"
    return f"{every} {_where(run)}"


def unit(of: Unit) -> str:
    """What decided a unit."""
    if of.going is not None:
        total = f", {counted(of.going.total, 'test')}" if of.going.total else ""
        return f"{running(of.going)}{total} · {of.going.run} ({of.going.source})"
    if of.run is not None:
        counts = f" · {_counts(of.run)}" if of.run.state == "passed" and of.run.tests else ""
        return decided(of.run) + counts
    return f"not run: {orphaned(of.lost)}" if of.lost is not None else "not run"


def _counts(run: Evidence) -> str:
    return counted(run.green, "test") + (f", {run.skipped} skipped" if run.skipped else "")


def bad(of: Round) -> str:
    """How a red step ended, and in which unit or in spite of them; without which run it was."""
    red, named = of.red, [unit for unit in of.units if unit.id]
    assert red is not None
    if red.unit is not None:
        return f"{ended(red)} in unit {red.unit}"
    if red is of.word and named and all(one.run is not None and one.run.state == "passed" for one in named):
        which = "all its units" if len(named) > 1 else f"its unit {named[0].id}"
        return f"{ended(red)} although {which} passed"
    return ended(red)


def _red(red: Evidence, of: Round, named: Sequence[Unit]) -> str:
    units = f" · {tally(_tally(named))}" if len(named) > 1 else ""
    took = f" in {duration_text(red.seconds)}" if red.state != "timed-out" and red.seconds is not None else ""
    return f"{bad(of)}{took} {_where(red)}{units}"


def _pending(of: Round, named: Sequence[Unit]) -> str:
    unknown = next((run for run in of.finished if run.state == "unknown"), None)
    if unknown is not None:
        return f"unit {unknown.unit} {decided(unknown)}" if unknown.unit else decided(unknown)
    gone = of.gone
    if gone is None:
        return "not run"
    return f"not run: unit {gone.unit}, {orphaned(gone)}" if gone.unit is not None else f"not run: {orphaned(gone)}"


def _progress(units: Sequence[Unit]) -> str:
    """How far the units are: `2 of 5 units, 1 failed`."""
    done = [one.run.state for one in units if one.run is not None and one.going is None]
    failed = sum(state == "failed" for state in done)
    return f"{len(done)} of {counted(len(units), 'unit')}" + (f", {failed} failed" if failed else "")


def _tally(units: Sequence[Unit]) -> Tally:
    states = [one.run.state if one.run is not None else "" for one in units]
    passed, failed = states.count("passed"), states.count("failed")
    return passed, failed, len(states) - passed - failed
