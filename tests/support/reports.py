"""Reports read as they are by `stoat runs add`: the events, the counts, and the run that they fold to."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any, NamedTuple

from stoat.observe.reports import reading
from stoat.observe.reports.assembling import Assembly, Opening
from stoat.plan.monitor.fold import fold
from stoat.plan.monitor.run import Run

AT = "2026-12-01T10:00:00.000Z"


class Told(NamedTuple):
    """What became of reports."""

    events: list[dict[str, Any]]
    assembly: Assembly
    run: Run

    @property
    def outcomes(self) -> dict[str, str | None]:
        """How each scenario ended: the wire's word, Skipped for one that was, None for one that did not end."""
        return {uid: "Skipped" if one.skipped else one.outcome for uid, one in self.run.scenarios.items()}

    @property
    def counts(self) -> tuple[int, int, int]:
        """Passed (at whatever attempt), failed, skipped."""
        return self.assembly.passed, self.assembly.failed, self.assembly.skipped


def told(files: Iterable[Path], format: Any, wanted: Iterable[str] = ()) -> Told:
    """Read reports of one format; each event is folded as it comes."""
    assembly = Assembly(Opening("r-test", format, AT, tag="demo/send"), wanted)
    events = []
    run: Run | None = None
    for event in reading.events(list(files), format, assembly._opening, assembly):
        events.append(event)
        run = fold(run, event)
    assert run is not None
    return Told(events, assembly, run)
