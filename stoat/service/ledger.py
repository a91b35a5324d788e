"""The flaky ledger over every run that is known: archives say how each scenario ended, the ref on which commit."""

from __future__ import annotations

import contextlib
from collections.abc import Iterable, Iterator
from itertools import islice

from msgspec import Struct

from stoat.clock import Time
from stoat.derive.flaky import Flaky, Seen, Suspects, ledger
from stoat.errors import NotFound
from stoat.observe.archive import Archive
from stoat.observe.run_words import RunWords, Words
from stoat.plan.monitor.scenario import CLEAN_PASS, FAILED, PASS_ON_RETRY, PASSES
from stoat.service.run_list import RunShown, known, show
from stoat.service.session import Session


class Ledger(Struct, frozen=True, rename="camel"):
    """What is flaky, and in which runs one looked: how many, and when the oldest and the newest of them was."""

    flaky: tuple[Flaky, ...]
    runs: int
    since: Time | None
    until: Time | None


def flaky(session: Session, tag: str | None = None, limit: int | None = None) -> Ledger:
    """The scenarios that passed on a retry or flipped on one commit, in every run that is known or the `limit` newest
    ones; with `tag` in those of it or below it.

    The runs are looked at twice, so that only what may be flaky is held in memory.
    """
    words = RunWords(Archive.of(session.store.common))
    words.tidy()
    suspects = Suspects()
    times: list[Time] = []
    count = 0
    for run in islice(_test_runs(session, tag), limit):
        count += 1
        at = run.finished_at or run.started_at
        times = [min([*times, at]), max([*times, at])] if at is not None else times
        for one in _seen(session, words, run):
            suspects.look(one)
    told: Iterable[Seen] = ()
    if suspects.found:
        again = islice(_test_runs(session, tag), limit)
        every = (one for run in again for one in _seen(session, words, run))
        told = (one for one in every if (one.tag, one.uid) in suspects.found)
    return Ledger(ledger(told), count, *(times or (None, None)))


def _test_runs(session: Session, tag: str | None) -> Iterator[RunShown]:
    """The runs that have scenarios: not the commands of gates."""
    return (run for run in known(session, tag) if run.mode != "exec")


def _seen(session: Session, words: RunWords, run: RunShown) -> Iterator[Seen]:
    if run.archived:
        with contextlib.suppress(NotFound):  # retired or ejected since it was listed
            yield from _of_archive(words.of(run.run_id), run)
    elif run.finished:
        for one in show(session, run.run_id).scenarios:
            yield _word(run, one.uid, one.outcome or "", run.commit, run.dirty)


def _of_archive(words: Words, run: RunShown) -> Iterator[Seen]:
    commit, dirty = (words.commit, words.dirty) if run.commit is None else (run.commit, run.dirty)
    for outcome, uids in ((CLEAN_PASS, words.passed), (PASS_ON_RETRY, words.on_retry), (FAILED, words.failed)):
        for uid in uids:
            yield _word(run, uid, outcome, commit, dirty)


def _word(run: RunShown, uid: str, outcome: str, commit: str | None, dirty: bool | None) -> Seen:
    return Seen(
        uid=uid, run=run.run_id, tag=run.tag or "", passed=outcome in PASSES, on_retry=outcome == PASS_ON_RETRY,
        commit=commit if dirty is False else None, at=run.finished_at or run.started_at,
    )  # fmt: skip
