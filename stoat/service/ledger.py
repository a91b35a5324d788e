"""The flaky ledger over every run that is known: archives say how each scenario ended, the ref on which commit."""

from __future__ import annotations

from collections.abc import Iterator

from stoat.derive.flaky import Flaky, Seen, ledger
from stoat.errors import NotFound
from stoat.observe.archive import Archive
from stoat.observe.run_words import RunWords, Words
from stoat.plan.monitor.scenario import CLEAN_PASS, FAILED, PASS_ON_RETRY, PASSES
from stoat.service.run_list import RunShown, listed, show
from stoat.service.session import Session

NEWEST = 1_000
"""In how many of the newest runs one looks who does not say otherwise."""


def flaky(session: Session, tag: str | None = None, limit: int = NEWEST) -> tuple[Flaky, ...]:
    """The scenarios that passed on a retry or flipped on one commit, in the `limit` newest runs; with `tag` in those
    of it or below it."""
    return ledger(_seen(session, tag, limit))


def _seen(session: Session, tag: str | None, limit: int) -> Iterator[Seen]:
    words = RunWords(Archive.of(session.store.common))
    words.tidy()
    for run in listed(session, tag, limit):
        if run.mode == "exec":
            continue
        if run.archived:
            try:
                yield from _of_archive(words.of(run.run_id), run)
            except NotFound:  # retired or ejected since it was listed
                continue
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
