"""What the store costs: appending, many writers, size, reading cold and deriving warm."""

from __future__ import annotations

import itertools
import multiprocessing
import os
import shutil
import statistics
import subprocess
import time
from collections.abc import Callable
from pathlib import Path

from stoat import clock
from stoat.derive.derivation import derive
from stoat.gitstore import maintenance
from stoat.gitstore.log import Change, Store
from stoat.plan import streams
from stoat.plan.events.base import Actor
from stoat.plan.events.decisions import NoteAdded
from stoat.plan.facts import NOTHING
from stoat.plan.state import State
from tests.bench.measure import STOAT, Measured, at_most, timed
from tests.support.generator import fill
from tests.support.waiting import wait_until

WRITER = Actor("bench", "person", email="bench@example.invalid")
NODES, EVENTS = 10_000, 100_000


def append_cost(directory: Path) -> list[Measured]:
    """One appended event against one empty commit of the git command, in the same repository.

    In blocks that take turns, each begun on a quiet disk: an append is durable, so it would pay for what the commits
    before it left unwritten.
    """
    store, slug = _small_store(directory)
    ours: list[float] = []
    gits: list[float] = []
    for _ in range(3):
        os.sync()
        ours += [_clocked(lambda: _append_note(store, slug, "a note")) for _ in range(30)]
        os.sync()
        gits += [_clocked(lambda: _git(directory, "commit", "--quiet", "--allow-empty", "-m", "e")) for _ in range(30)]
    mine, theirs = statistics.median(ours), statistics.median(gits)
    shown = f"{mine * 1000:.1f} ms, {mine / theirs:.2f} of git's {theirs * 1000:.1f} ms"
    return [Measured("append one event", shown, "≤ 0.33 of an empty git commit", mine * 3 <= theirs)]


def many_writers(directory: Path) -> list[Measured]:
    """Eight processes appending to one plan against one process alone."""
    each, writers = 100, 8
    alone_store, slug = _small_store(directory / "alone")
    alone = each / _clocked(lambda: _write(alone_store.common, slug, 0, each, None))
    shared, slug = _small_store(directory / "shared")
    context = multiprocessing.get_context("spawn")
    barrier = context.Barrier(writers)
    queue = context.Queue()
    processes = [
        context.Process(target=_write, args=(shared.common, slug, number, each, (barrier, queue)))
        for number in range(writers)
    ]
    for process in processes:
        process.start()
    spans = [queue.get(timeout=300) for _ in processes]
    for process in processes:
        process.join()
    together = writers * each / (max(end for _, end in spans) - min(start for start, _ in spans))
    rates = [each / (end - start) for start, end in spans]
    notes = [line for line in _lines(shared, slug) if b'"note_added"' in line]
    whole = len(notes) == writers * each and len(set(notes)) == len(notes)
    fairness = min(rates) / max(rates)
    return [
        Measured("8 writers, events kept", f"{len(notes)} of {writers * each}", "all, none twice", whole),
        Measured(
            "8 writers, throughput",
            f"{together / alone:.2f} of one alone ({alone:.0f}/s)",
            "≥ 0.5",
            together >= alone / 2,
        ),
        Measured("8 writers, slowest", f"{fairness:.2f} of the fastest", "≥ 0.5", fairness >= 0.5),
    ]


def append_large(directory: Path) -> list[Measured]:
    """Appending to a plan with 100,000 events against one with 1,000."""
    medians = []
    for events in (1_000, EVENTS):
        store = _store(directory / str(events))
        (slug,) = fill(store, plans=1, nodes=events // 10, events=events)
        medians.append(_median_append(store, slug))
    small, large = medians
    shown = f"{large / small:.2f} × ({small * 1000:.1f} → {large * 1000:.1f} ms)"
    return [Measured("append at 100,000 events", shown, "≤ 1.5 × that at 1,000", large <= 1.5 * small)]


def size_on_disk(directory: Path) -> list[Measured]:
    """Bytes an event on disk after Stoat had git pack them, one event a commit and 500 a commit."""
    found = []
    for what, events, batch, budget in (("one event a commit", 1000, 1, 700), ("batched", 20_000, 500, 200)):
        store = _store(directory / what)
        if batch == 1:
            _, slug = _small_store(directory / what)
            before = _packed(directory / what)
            for number in range(events):
                _append_note(store, slug, f"note number {number}")
        else:
            before = _packed(directory / what)
            fill(store, plans=1, nodes=events // 10, events=events)
        each = (_packed(directory / what) - before) / events
        found.append(Measured(f"bytes an event, {what}", f"{each:.0f}", f"< {budget}", each < budget))
    return found


def ready_cold(directory: Path) -> list[Measured]:
    """`stoat ready --json` as a cold process on 10,000 nodes and 100,000 events, and a warm derivation of the same."""
    store = _store(directory)
    slugs = fill(store, plans=10, nodes=NODES, events=EVENTS)
    argv = [STOAT, "ready", "--json"]
    shutil.rmtree(directory / ".git" / "stoat" / "cache", ignore_errors=True)
    uncached = timed(argv, directory)
    timed(argv, directory)
    unchanged = min(timed(argv, directory).seconds for _ in range(5))
    after_one = []
    for number in range(5):
        _append_note(store, slugs[0], str(number))
        after_one.append(timed(argv, directory).seconds)
    return [
        at_most("ready, nothing changed", unchanged, 0.3),
        at_most("ready, one event later", statistics.median(after_one), 0.6),
        at_most("ready, no cache", uncached.seconds, 6),
        Measured("ready, no cache, memory", f"{uncached.megabytes:.0f} MB", "< 300 MB", uncached.megabytes < 300),
        at_most("derive, one event later, warm", _warm_derive(store, slugs[0]), 0.05),
    ]


def _warm_derive(store: Store, slug: str) -> float:
    answers = derive(store.state(), NOTHING, clock.now())
    taken = []
    for number in range(10):
        _append_note(store, slug, str(number))
        state: State = store.state()
        taken.append(_clocked(lambda state=state, answers=answers: derive(state, NOTHING, clock.now(), answers)))
        answers = derive(state, NOTHING, clock.now(), answers)
    return statistics.median(taken)


def _median_append(store: Store, slug: str) -> float:
    _append_note(store, slug, "the first append folds; those that follow read forward")
    return statistics.median(_clocked(lambda: _append_note(store, slug, "note")) for _ in range(40))


def _store(directory: Path) -> Store:
    directory.mkdir(parents=True, exist_ok=True)
    if not (directory / ".git").exists():
        _git(directory, "init", "--quiet")
    store, _ = Store.create(directory)
    return store


def _small_store(directory: Path) -> tuple[Store, str]:
    store = _store(directory)
    (slug,) = fill(store, plans=1, nodes=20, events=200)
    return store, slug


def _append_note(store: Store, slug: str, text: str) -> None:
    change = Change(((streams.of_plan(slug), NoteAdded(text=text)),), f"{slug}: a note")
    store.append(lambda _state, _now: change, WRITER)


def _write(directory: Path, slug: str, writer: int, each: int, meeting: object) -> None:
    store = Store.open(directory)
    if meeting is not None:
        meeting[0].wait()  # type: ignore[index]
    start = time.monotonic()
    for number in range(each):
        _append_note(store, slug, f"{writer}/{number}")
    if meeting is not None:
        meeting[1].put((start, time.monotonic()))  # type: ignore[index]


def _lines(store: Store, slug: str) -> list[bytes]:
    found = []
    for number in itertools.count(1):
        path = f"refs/stoat/state:{streams.of_plan(slug)}/events/{number:06}.jsonl"
        shown = subprocess.run(["git", "show", path], cwd=store.common, capture_output=True)
        if shown.returncode:
            return found
        found += shown.stdout.splitlines()
    return found


def _packed(directory: Path) -> int:
    wait_until(lambda: maintenance.pack(directory / ".git"), 60, "the packing in the background to end")
    return sum(path.stat().st_size for path in (directory / ".git" / "objects").rglob("*") if path.is_file())


def _git(directory: Path, *arguments: str) -> None:
    subprocess.run(["git", *arguments], cwd=directory, check=True)


def _clocked(action: Callable[[], object]) -> float:
    before = time.perf_counter()
    action()
    return time.perf_counter() - before


MEASURES: dict[str, Callable[[Path], list[Measured]]] = {
    "append": append_cost,
    "writers": many_writers,
    "large": append_large,
    "size": size_on_disk,
    "ready": ready_cold,
}
