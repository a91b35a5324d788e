"""Which test runs went quiet, seen from here: what a server tells the ref, for when none is at work to tell it.

    lost_runs(common, running)        those of them that nobody publishes any more

Only an archive says that of a run. One that has none here may be another clone's, and nothing is known of it.
"""

from __future__ import annotations

import time
from collections.abc import Collection
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING

from stoat.errors import NotFound
from stoat.observe.live import read_monitors
from stoat.processes import is_known_dead

if TYPE_CHECKING:
    from stoat.observe.archive import Archive

SILENCE = 60.0
"""Seconds without a word after which a run that has not finished is orphaned: publishers send a heartbeat every few."""

_FIRST = 20
"""Among so many of its first events a run says which process publishes it."""


def lost_runs(common: Path, running: Collection[str]) -> frozenset[str]:
    """Of the runs that are on record as going, by id, those that are not: ejected, their process dead, or silent for
    too long while no server of the store is at work."""
    if not running:
        return frozenset()
    from stoat.observe.archive import Archive

    archive = Archive.of(common)
    alone = not read_monitors(common)
    return frozenset(run_id for run_id in running if _is_lost(archive, run_id, alone))


def _is_lost(archive: Archive, run_id: str, alone: bool) -> bool:
    from stoat.observe.archive import events
    from stoat.plan.monitor import wire

    if archive.is_ejected(run_id):
        return True
    try:
        path = archive.path(run_id)
        if alone and abs(time.time() - path.stat().st_mtime) > SILENCE:
            return True
        return any(is_known_dead(wire.text(event, "process")) for event in islice(events(path), _FIRST))
    except (NotFound, OSError):
        return False
