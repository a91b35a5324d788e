"""The flaky ledger: scenarios that passed on a retry, or flipped on one and the same commit.

A scenario flipped when, of the same tag and on the same clean commit, one run saw it pass and another saw it fail. A
dirty tree, or one that nobody could see, is no commit: what differed may be the code.
"""

from __future__ import annotations

from collections.abc import Iterable

from msgspec import Struct

from stoat.clock import Time


class Seen(Struct, frozen=True, kw_only=True):
    """A scenario in one run: how it ended, and on which commit where that is certain."""

    uid: str
    run: str
    tag: str
    passed: bool
    on_retry: bool = False
    commit: str | None = None
    at: Time | None = None


class Flip(Struct, frozen=True, rename="camel"):
    """Runs on one commit that saw it pass, and runs that saw it fail."""

    commit: str
    passed: tuple[str, ...]
    failed: tuple[str, ...]


class Flaky(Struct, frozen=True, rename="camel", kw_only=True):
    """A line of the ledger. `runs` is how many runs decided it, `times` how often it showed itself flaky."""

    uid: str
    feature: str
    scenario: str
    tag: str
    runs: int
    failed: int
    on_retry: int
    flips: tuple[Flip, ...]
    times: int
    last_seen: Time | None
    last_run: str


class Suspects:
    """The scenarios that may be flaky, found by a first look at any number of words: of each no more is kept than that
    it passed, or failed, on a commit. What it names is for `ledger` to judge, which wants their words whole."""

    def __init__(self) -> None:
        self.found: set[tuple[str, str]] = set()
        # Hashes, which take a tenth of what they stand for: two that are alike make a suspect more.
        self._passed: set[int] = set()
        self._failed: set[int] = set()

    def look(self, one: Seen) -> None:
        """Take a word into account."""
        if one.on_retry:
            self.found.add((one.tag, one.uid))
        if one.commit is not None:
            place = hash((one.tag, one.uid, one.commit))
            (self._passed if one.passed else self._failed).add(place)
            if place in (self._failed if one.passed else self._passed):
                self.found.add((one.tag, one.uid))


def ledger(seen: Iterable[Seen]) -> tuple[Flaky, ...]:
    """The flaky scenarios of these runs, the most often flaky first, then the one seen last."""
    by_scenario: dict[tuple[str, str], list[Seen]] = {}
    for one in seen:
        by_scenario.setdefault((one.tag, one.uid), []).append(one)
    found = [line for words in by_scenario.values() if (line := _line(words)) is not None]
    found.sort(key=lambda line: (line.tag, line.uid))
    found.sort(key=lambda line: line.last_seen or "", reverse=True)
    return tuple(sorted(found, key=lambda line: line.times, reverse=True))


def _line(words: list[Seen]) -> Flaky | None:
    retried = [one for one in words if one.on_retry]
    flips = _flips(words)
    if not retried and not flips:
        return None
    turned = {run for flip in flips for run in (*flip.passed, *flip.failed)}
    showed = [one for one in words if one.on_retry or one.run in turned]
    last = max(showed, key=lambda one: one.at or "")
    feature, slash, scenario = last.uid.partition("/")
    return Flaky(
        uid=last.uid, feature=feature if slash else "", scenario=scenario if slash else last.uid, tag=last.tag,
        runs=len(words), failed=sum(not one.passed for one in words), on_retry=len(retried), flips=flips,
        times=len(retried) + len(flips), last_seen=last.at, last_run=last.run,
    )  # fmt: skip


def _flips(words: list[Seen]) -> tuple[Flip, ...]:
    by_commit: dict[str, list[Seen]] = {}
    for one in words:
        if one.commit is not None:
            by_commit.setdefault(one.commit, []).append(one)
    flips = []
    for commit, there in by_commit.items():
        green, red = (tuple(one.run for one in there if one.passed is how) for how in (True, False))
        if green and red:
            flips.append(Flip(commit, green, red))
    return tuple(flips)
