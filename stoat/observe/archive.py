"""The archive of a test run: its wire events as they were received, one JSON object a line, a file a run.

    <common git dir>/stoat/runs/<runId>.ndjson        ejected: …/runs/ejected/

Whoever receives events appends, the server and a test runner without one alike: a line is never rewritten. A last
line that was torn by a kill costs that line and nothing else. A file without any event is no run.
"""

from __future__ import annotations

import os
from collections.abc import Collection, Iterator, Sequence
from pathlib import Path
from typing import Any, BinaryIO, NamedTuple

from stoat.errors import NotFound
from stoat.plan.monitor import wire
from stoat.plan.monitor.fold import fold
from stoat.plan.monitor.run import Run

RETENTION_DAYS = 14.0
"""Days after which an archive that nobody touched is retired, where BOBCAT_MONITOR_RETENTION_DAYS says nothing."""

_SUFFIX = ".ndjson"
_LONGEST = 16 * 1024 * 1024
"""Bytes of the longest line that is read; more than any batch may be."""


class Archived(NamedTuple):
    """An archive: the run's id, when it was last touched (seconds since 1970) and its size in bytes."""

    run_id: str
    touched: float
    size: int


class Span(NamedTuple):
    """From where to where in its file, in bytes, something is."""

    begin: int
    end: int


class Archive:
    """The archives in one directory, which is made when something is to be kept."""

    def __init__(self, directory: Path) -> None:
        self.directory = directory

    @classmethod
    def of(cls, common: Path) -> Archive:
        """The archives of the store whose common git directory this is."""
        return cls(common / "stoat" / "runs")

    def path(self, run_id: str) -> Path:
        """The file of a run; NotFound for an id that names none."""
        if not wire.is_run_id(run_id):
            raise NotFound(f"there is no run {run_id!r}", hint="see them with `stoat runs list`")
        return self.directory / (wire.run_id(run_id) + _SUFFIX)

    def append(self, run_id: str, lines: Sequence[bytes]) -> Span:
        """Append events of a run, each one JSON object without a line break; OSError when they could not be kept.

        Gives where in the file they are: a process that is killed right after has lost none of them. What comes for a
        run that is ejected goes to where that is, and brings it back to nobody's sight.
        """
        path = self.path(run_id)
        try:
            handle = _opened(path)
        except FileNotFoundError:
            aside = self._aside(run_id)
            self.directory.mkdir(parents=True, exist_ok=True)
            handle = _opened(aside if aside.exists() else path, os.O_CREAT)
        try:
            size = os.fstat(handle).st_size
            torn = size > 0 and os.pread(handle, 1, size - 1) != b"\n"
            data = memoryview((b"\n" if torn else b"") + b"\n".join(lines) + b"\n")
            length = len(data)
            while data:
                data = data[os.write(handle, data) :]
            # Where the kernel put it: behind what anybody else had appended by then.
            end = os.lseek(handle, 0, os.SEEK_CUR)
            return Span(end - length + torn, end)
        finally:
            os.close(handle)

    def part(self, run_id: str, begin: int, end: int) -> Iterator[tuple[int, dict[str, Any] | None]]:
        """The lines between two places of a run's file, one at a time: the place behind it, and its event if it is one.

        A last line that is not whole yet is left for the next time. NotFound. OSError.
        """
        with _read(self.path(run_id)) as file:
            file.seek(begin)
            for line in _lines(file):
                event, place = wire.decode(line), file.tell()
                if place > end or (event is None and not line.endswith(b"\n")):
                    return
                yield place, event

    def size(self, run_id: str) -> int:
        """How many bytes a run's file has; 0 where there is none. OSError where nobody can see."""
        try:
            return self.path(run_id).stat().st_size
        except FileNotFoundError:
            return 0

    def touched(self, run_id: str | None = None) -> tuple[int, int] | None:
        """When a run's file last changed (nanoseconds since 1970) and its size, without a run that of their directory;
        None where there is none. OSError where nobody can see."""
        try:
            seen = (self.directory if run_id is None else self.path(run_id)).stat()
        except FileNotFoundError:
            return None
        return seen.st_mtime_ns, seen.st_size

    def runs(self) -> list[Archived]:
        """Every archive, the last touched one first."""
        found = []
        try:
            entries = list(os.scandir(self.directory))
        except FileNotFoundError:
            return []
        for entry in entries:
            run_id = entry.name.removesuffix(_SUFFIX)
            if run_id == entry.name or not wire.is_run_id(run_id):
                continue
            try:
                seen = entry.stat()
            except FileNotFoundError:
                continue
            found.append(Archived(run_id, seen.st_mtime, seen.st_size))
        return sorted(found, key=lambda one: one.touched, reverse=True)

    def has(self, run_id: str) -> bool:
        """Whether there is an archive of that run."""
        return wire.is_run_id(run_id) and self.path(run_id).exists()

    def is_ejected(self, run_id: str) -> bool:
        """Whether that run was ejected, and not added again since."""
        return wire.is_run_id(run_id) and self._aside(run_id).exists() and not self.has(run_id)

    def lines(self, run_id: str) -> Iterator[bytes]:
        """The archive's lines as they are, each with its line break, one at a time; NotFound when there is none."""
        return _closing(_read(self.path(run_id)))

    def read(self, run_id: str) -> Run:
        """The run folded from its archive, orphaned unless it finished; NotFound when there is none."""
        return read_run(self.path(run_id))

    def eject(self, run_id: str) -> None:
        """Take a run out of sight: its archive moves to `ejected/`. NotFound when there is none."""
        path = self.path(run_id)
        aside = self._aside(run_id)
        try:
            path.stat()
            aside.parent.mkdir(exist_ok=True)
            path.replace(_free(aside))
        except FileNotFoundError:
            raise _unknown(path) from None

    def retire(self, now: float, days: float, going: Collection[str] = ()) -> list[str]:
        """Remove the archives, ejected ones too, that were not touched for so many days before `now` (seconds since
        1970); 0 or less: none. Gives the ids of the runs. Those that are `going` stay, whatever a clock that was set
        anew makes of their age."""
        if days <= 0:
            return []
        gone = []
        for place in (self, Archive(self.directory / "ejected")):
            for archived in place.runs():
                if now - archived.touched > days * 86400 and archived.run_id not in going:
                    (place.directory / f"{archived.run_id}{_SUFFIX}").unlink(missing_ok=True)
                    gone.append(archived.run_id)
        return gone

    def _aside(self, run_id: str) -> Path:
        return self.directory / "ejected" / self.path(run_id).name


def events(path: Path) -> Iterator[dict[str, Any]]:
    """The wire events of an archive, one at a time; a torn line is stepped over. NotFound where there is no archive."""
    with _read(path) as file:
        for line in _lines(file):
            event = wire.decode(line)
            if event is not None:
                yield event


def read_run(path: Path) -> Run:
    """The run whose archive this is, folded; orphaned unless it finished. NotFound where there is none, or no event."""
    run = Run(path.name.removesuffix(_SUFFIX))
    for event in events(path):
        fold(run, event)
    if not run.heard:
        raise _unknown(path)
    run.orphaned = not run.finished
    return run


def _opened(path: Path, how: int = 0) -> int:
    return os.open(path, os.O_RDWR | os.O_APPEND | os.O_CLOEXEC | how, 0o644)


def _read(path: Path) -> BinaryIO:
    try:
        return path.open("rb")
    except FileNotFoundError:
        raise _unknown(path) from None


def _closing(file: BinaryIO) -> Iterator[bytes]:
    with file:
        yield from _lines(file)


def _lines(file: BinaryIO) -> Iterator[bytes]:
    """Lines one at a time; one that is longer than any event may be is stepped over."""
    while line := file.readline(_LONGEST):
        if len(line) == _LONGEST and not line.endswith(b"\n"):
            while (rest := file.readline(_LONGEST)) and not rest.endswith(b"\n"):
                pass
            continue
        yield line


def _free(path: Path) -> Path:
    number = 1
    free = path
    while free.exists():
        number += 1
        free = path.with_name(f"{path.stem}.{number}{path.suffix}")
    return free


def _unknown(path: Path) -> NotFound:
    return NotFound(f"there is no run {path.name.removesuffix(_SUFFIX)!r}", hint="see them with `stoat runs list`")
