"""An archive of wire events, made elsewhere → the same events, as a run of this store.

One archive is one run. Its events are kept as they are, unknown types and fields too; only the run's id and its tag
become ours, so that a copy never mixes with what arrived over HTTP under the first id. A torn last line is left out.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

from stoat.observe.reports import lines
from stoat.observe.reports.assembling import Event, Opening
from stoat.observe.reports.trouble import Trouble
from stoat.plan.monitor import wire


def read(file: Path, opening: Opening) -> Iterator[Event]:
    """The events of an archive, lazily. Trouble for what is none, and for one of several runs. OSError."""
    run: str | None = None
    for number, line, whole in lines.read(file):
        event = wire.decode(line)
        if event is None and not whole:
            break
        if event is None:
            raise Trouble(number, 1, "is no wire event: an object with type and runId", "see --format")
        if run is not None and wire.run_of(event) != run:
            raise Trouble(number, 1, "holds another run as well", "add each run as a file of its own")
        run = run or wire.run_of(event)
        event["runId"] = opening.run
        if event["type"] == "run_started":
            event["tag"] = opening.tag
        yield event


def only(files: Sequence[Path]) -> Path:
    """The one file that a run's archive is; Trouble for several."""
    if len(files) != 1:
        raise Trouble(0, 0, "is one archive of several: each is a run", "add each with a command of its own")
    return files[0]
