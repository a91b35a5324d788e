"""How each scenario of an archived run ended, without folding every archive every time.

Kept beside the archives, for runs that finished, as long as the archive has the same size and time; deleting them
loses nothing.
"""

from __future__ import annotations

import contextlib
import os

import msgspec
from msgspec import Struct

from stoat.errors import UNDECODABLE, NotFound
from stoat.observe.archive import Archive
from stoat.plan.monitor.run import Run
from stoat.plan.monitor.scenario import CLEAN_PASS, FAILED, PASS_ON_RETRY

VERSION = 2
"""Of the folded words: another fold makes them anew."""


class Words(Struct, frozen=True):
    """The scenarios that passed at once, passed on a retry, and failed; and the commit where the run says it."""

    passed: list[str]
    on_retry: list[str]
    failed: list[str]
    commit: str | None
    dirty: bool | None
    touched: float
    size: int
    version: int = VERSION


class RunWords:
    """The words of an archive's runs."""

    def __init__(self, archive: Archive) -> None:
        self.archive = archive
        self._folder = archive.directory / "words"

    def of(self, run_id: str) -> Words:
        """How the scenarios of a run ended, those that were skipped or have no verdict left out; NotFound."""
        path = self.archive.path(run_id)
        try:
            seen = path.stat()
        except OSError:
            raise NotFound(f"there is no run {run_id!r}", hint="see them with `stoat runs list`") from None
        with contextlib.suppress(OSError, *UNDECODABLE):
            kept = msgspec.json.decode((self._folder / f"{path.stem}.json").read_bytes(), type=Words)
            if (kept.version, kept.touched, kept.size) == (VERSION, seen.st_mtime, seen.st_size):
                return kept
        run = self.archive.read(run_id)
        words = _words(run, seen.st_mtime, seen.st_size)
        if run.finished:
            with contextlib.suppress(OSError):
                self._keep(path.stem, words)
        return words

    def tidy(self) -> None:
        """Remove the words of archives that are gone."""
        for file in self._folder.glob("*.json") if self._folder.is_dir() else ():
            if not self.archive.has(file.stem):
                file.unlink(missing_ok=True)

    def _keep(self, run_id: str, words: Words) -> None:
        self._folder.mkdir(parents=True, exist_ok=True)
        draft = self._folder / f".{run_id}.{os.getpid()}"
        draft.write_bytes(msgspec.json.encode(words))
        draft.replace(self._folder / f"{run_id}.json")


def _words(run: Run, touched: float, size: int) -> Words:
    ended: dict[str | None, list[str]] = {CLEAN_PASS: [], PASS_ON_RETRY: [], FAILED: []}
    for one in run.scenarios.values():
        if not one.skipped and one.outcome in ended:
            ended[one.outcome].append(one.uid)
    return Words(
        ended[CLEAN_PASS], ended[PASS_ON_RETRY], ended[FAILED], run.commit, run.dirty, touched, size
    )  # fmt: skip
