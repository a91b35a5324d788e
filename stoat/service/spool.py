"""Events that could not be appended in time: kept as files beside the store, and appended by whoever comes next.

A gate's result must not be lost because the ref was locked, nor may it keep its command waiting.
"""

from __future__ import annotations

import os
import re
from collections.abc import Sequence
from functools import partial
from pathlib import Path

import msgspec
from msgspec import Struct

from stoat import clock
from stoat.clock import Time
from stoat.errors import UNDECODABLE, StoatError
from stoat.gitstore.log import Change, Store
from stoat.plan import streams
from stoat.plan.events.base import Actor
from stoat.plan.events.evidence import GateFinished, GateStarted
from stoat.plan.state import State

GateEvent = GateStarted | GateFinished


class Spooled(Struct, frozen=True):
    """Events of one plan, in order, and who stands behind them."""

    plan: str
    actor: Actor
    events: tuple[GateEvent, ...]


def keep(common: Path, spooled: Spooled) -> Path:
    """Write it under the common git directory, whole or not at all; gives the file. OSError when that fails."""
    folder = _folder(common)
    folder.mkdir(parents=True, exist_ok=True)
    # Named by time: of two runs of a step, the later one is to be appended later.
    # Two of one millisecond keep their order by how many wait already.
    place = len(list(folder.glob("*.json")))
    name = f"{re.sub('[^0-9]', '', clock.now())}-{place:06}-{spooled.events[-1].run}.json"
    draft = folder / f".{name}.{os.getpid()}"
    with draft.open("wb") as file:
        file.write(msgspec.json.encode(spooled))
        file.flush()
        os.fsync(file.fileno())
    return draft.replace(folder / name)


def waiting(common: Path) -> list[Path]:
    """The files that wait under the common git directory, the oldest name first."""
    try:
        return sorted(path for path in _folder(common).iterdir() if path.suffix == ".json" and path.name[0] != ".")
    except OSError:
        return []


def deliver(store: Store) -> Sequence[str]:
    """Append what waits in the spool; gives a sentence for each that can never be. A store in trouble keeps it."""
    said: list[str] = []
    for path in waiting(store.common):
        try:
            spooled = msgspec.json.decode(path.read_bytes(), type=Spooled)
            # Two commands may do this at once: whichever is second finds the run in the log, and appends nothing.
            store.append(partial(_still_new, spooled), spooled.actor)
            path.unlink(missing_ok=True)
        except FileNotFoundError:
            continue
        except (OSError, *UNDECODABLE) as broken:
            said.append(f"{path}: what a gate left there cannot be read ({broken}); it stays where it is")
        except StoatError as trouble:
            said.append(f"{path}: a gate's result still waits to be recorded ({trouble.message})")
            break  # the next one would wait just as long
    return said


def _still_new(spooled: Spooled, state: State, now: Time) -> Change | None:
    """The events that did not reach the log after all; a plan or a node that is gone wants none of them.

    A result whose start was recorded is wanted while that run counts as going: a restart has let go of it.
    """
    plan = state.plan(spooled.plan)
    entries = []
    started = any(isinstance(event, GateStarted) for event in spooled.events)
    for event in spooled.events:
        node = plan.nodes.get(event.node) if plan else None
        if node is None or any(seen.run == event.run for seen in node.evidence.values()):
            continue
        going = event.run in node.running
        if (not going) if isinstance(event, GateStarted) else (going or started):
            entries.append((streams.of_plan(spooled.plan), event))
    last = spooled.events[-1]
    return Change(entries, f"{spooled.plan}: a run of {last.node} is recorded late") if entries else None


def _folder(common: Path) -> Path:
    return common / "stoat" / "spool"
