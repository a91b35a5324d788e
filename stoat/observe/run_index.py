"""The archived runs in one line each, without reading every archive every time.

A summary is kept beside the archives while its archive has the same size and time; deleting all of them loses nothing.
"""

from __future__ import annotations

import contextlib
import os
from collections.abc import Collection

import msgspec
from msgspec import Struct

from stoat.errors import UNDECODABLE, NotFound
from stoat.observe.archive import Archive, Archived
from stoat.plan.monitor.shown import RunSummary, summary

VERSION = 4
"""Of the folded summaries: another fold makes them anew."""


class Indexed(Struct, frozen=True):
    """A run in one line, orphaned unless it finished; when its archive was touched (seconds since 1970), its size.

    `process` is the key of the process that publishes it, where that is known.
    """

    summary: RunSummary
    touched: float
    size: int
    process: str | None = None
    version: int = VERSION


class RunIndex:
    """The runs of an archive. Threads may share it."""

    def __init__(self, archive: Archive) -> None:
        self.archive = archive
        self._folder = archive.directory / "summaries"
        self._known: dict[str, Indexed] = {}

    def all(self, skip: Collection[str] = ()) -> list[Indexed]:
        """Every archived run but these, the last touched one first; only what changed since is folded again."""
        archived = [each for each in self.archive.runs() if each.run_id not in skip]
        found = [one for each in archived if (one := self.of(each)) is not None]
        self._known = {one.summary.run_id: one for one in found}
        return found

    def of(self, archived: Archived) -> Indexed | None:
        """One archived run, folded again only if it changed since; None when its archive went away."""
        known = self._known.get(archived.run_id) or self._kept(archived.run_id)
        if known is not None and (known.touched, known.size) == (archived.touched, archived.size):
            return known
        try:
            run = self.archive.read(archived.run_id)
        except (NotFound, OSError):
            return None
        indexed = Indexed(summary(run), archived.touched, archived.size, run.process)
        with contextlib.suppress(OSError):
            self._keep(archived.run_id, indexed)
        return indexed

    def put(self, told: RunSummary) -> None:
        """Keep the summary of an archive that is whole, by who wrote it and so need not fold it."""
        path = self.archive.path(told.run_id)
        with contextlib.suppress(OSError):
            seen = path.stat()
            self._keep(path.stem, Indexed(told, seen.st_mtime, seen.st_size))

    def tidy(self) -> None:
        """Remove the summaries of archives that are gone."""
        kept = {one.run_id for one in self.archive.runs()}
        for file in self._folder.glob("*.json") if self._folder.is_dir() else ():
            if file.stem not in kept:
                file.unlink(missing_ok=True)

    def _kept(self, run_id: str) -> Indexed | None:
        try:
            kept = msgspec.json.decode((self._folder / f"{run_id}.json").read_bytes(), type=Indexed)
        except (OSError, *UNDECODABLE):
            return None
        return kept if kept.version == VERSION else None

    def _keep(self, run_id: str, indexed: Indexed) -> None:
        self._folder.mkdir(parents=True, exist_ok=True)
        draft = self._folder / f".{run_id}.{os.getpid()}"
        draft.write_bytes(msgspec.json.encode(indexed))
        draft.replace(self._folder / f"{run_id}.json")
