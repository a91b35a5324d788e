"""What a sweep saw that is not on record yet, as events; and what changes too often for that, as the new GitHubNow.

A fact is news when it is different from the record, not when it was read again: its time of change alone, the order of
a list, checks that still run and a merge state that GitHub is working out are none. A read that is older than the
record is passed over, and what was merged stays so.
"""

from __future__ import annotations

import copy
from collections.abc import Iterator
from typing import Any, TypeVar

from msgspec import Struct, structs
from msgspec.structs import replace

from stoat.clock import Time
from stoat.plan import streams
from stoat.plan.events.github import (
    DefaultBranchSeen,
    GitHubEvent,
    IssueSeen,
    NotSeen,
    PullSeen,
    RepositorySeen,
)
from stoat.plan.github import (
    Branch,
    GitHubNow,
    GitHubState,
    Issue,
    Looked,
    NotThere,
    Numbered,
    Pull,
    PullLooked,
    PullNow,
    Reading,
    RepositoryNow,
    Unseen,
)
from stoat.plan.state import State

Fact = TypeVar("Fact", Issue, Pull)
News = list[tuple[str, GitHubEvent]]


def news(state: State, reading: Reading) -> News:
    """The (stream, event) of everything in the reading that is not on record, in the reading's order."""
    record = _Record(state)
    found: News = []
    for looked in reading.repositories:
        for name, event in _seen(record, looked):
            found.append((record.stream(name), event))
            record.add(name, event)
    return found


def now(previous: GitHubNow, reading: Reading, at: Time) -> GitHubNow:
    """What is seen just now, given what was the last time. `at` is when the sweep began.

    What the reading could not look at stays as it was; what nobody wanted any more is left out.
    """
    repositories: dict[str, RepositoryNow] = {}
    for looked in reading.repositories:
        key = looked.name.lower()
        repositories[key] = _repository_now(previous.repositories.get(key, RepositoryNow()), looked, at)
    for looked in reading.repositories:
        for one in looked.pulls:
            key = _home(looked, one.repo).lower()
            pulls = previous.repositories.get(key, RepositoryNow()).pulls
            there = repositories.get(key, RepositoryNow())
            fresh = _pull_now(pulls.get(one.pull.number), one)
            repositories[key] = replace(there, pulls={**there.pulls, one.pull.number: fresh})
    if reading.problem is not None:
        repositories = {**previous.repositories, **repositories}
    return GitHubNow(
        at=at,
        problem=reading.problem,
        fix=reading.fix,
        again_at=reading.again_at,
        repositories=repositories,
    )


def lasting(seen: GitHubNow) -> GitHubNow:
    """The same without the times of looks that met no trouble: they pass with every sweep and say nothing new."""
    repositories = {
        name: replace(one, seen_at=None) if one.problem is None and seen.problem is None else one
        for name, one in seen.repositories.items()
    }
    return replace(seen, at=None, repositories=repositories)


class _Record:
    """What is on record, and what this reading has added to it."""

    def __init__(self, state: State) -> None:
        self._parts = state.repositories()
        self._streams = {
            name.lower(): stream for stream in state.parts if (name := streams.repository_of(stream)) is not None
        }
        self._ours: set[str] = set()
        self._given: set[tuple[str, int]] = set()

    def of(self, name: str) -> GitHubState:
        """What is on record of a repository."""
        return self._parts.get(name.lower(), GitHubState())

    def stream(self, name: str) -> str:
        """Its stream: the one there is, whatever its case, else one spelled as `name`."""
        return self._streams.setdefault(name.lower(), streams.of_repository(name))

    def is_first(self, name: str, pull: int) -> bool:
        """Whether a pull request was not given yet by this reading: what it says of it first counts."""
        key = name.lower(), pull
        fresh = key not in self._given
        self._given.add(key)
        return fresh

    def add(self, name: str, event: GitHubEvent) -> None:
        """Put an event on top, on a copy: the state is the store's."""
        key = name.lower()
        if key not in self._ours:
            mine = copy.copy(self.of(name))
            mine.issues, mine.pulls = dict(mine.issues), dict(mine.pulls)
            self._parts[key] = mine
            self._ours.add(key)
        event.fold(self._parts[key])


def _seen(record: _Record, looked: Looked) -> Iterator[tuple[str, GitHubEvent]]:
    """The news of one repository, with the name of the repository whose stream each belongs to.

    What this gives is put on record before the next one is worked out.
    """
    name = _spelled(looked)
    if looked.repository is not None:
        known = record.of(name)
        if known.unseen is not None or known.repository is None or _differ(known.repository, looked.repository):
            yield name, RepositorySeen(repository=looked.repository)
    if looked.default is not None:
        before = record.of(name).default
        branch = _with_last_verdict(before, looked.default)
        if before is None or _differ(before, branch):
            yield name, DefaultBranchSeen(branch=branch)
    for issue in looked.issues:
        issue_record = record.of(name).issues.get(issue.number)
        issue = _at_home(looked, issue)
        if issue_record is None or _is_news(issue_record.fact, issue_record.unseen, issue):
            yield name, IssueSeen(issue=issue)
    for one in looked.pulls:
        home = _home(looked, one.repo)
        if not record.is_first(home, one.pull.number):
            continue
        pull_record = record.of(home).pulls.get(one.pull.number)
        pull = _with_last_answers(pull_record.fact if pull_record is not None else None, one.pull)
        if pull_record is None or _is_news(pull_record.fact, pull_record.unseen, pull):
            yield home, PullSeen(pull=pull)
    for missing in looked.not_there:
        known_unseen = _unseen(record.of(name), missing)
        if known_unseen is None or (known_unseen.why, known_unseen.to) != (missing.why, missing.to):
            yield (
                name,
                NotSeen(
                    what=missing.what, why=missing.why, number=missing.number, detail=missing.detail, to=missing.to
                ),
            )


def _spelled(looked: Looked) -> str:
    """The name of the repository as GitHub spells it; one that goes by another name now keeps the one asked for."""
    return looked.repository.name if looked.repository is not None and not _is_renamed(looked) else looked.name


def _is_renamed(looked: Looked) -> bool:
    return looked.repository is not None and looked.repository.name.lower() != looked.name.lower()


def _home(looked: Looked, repo: str) -> str:
    """Whose stream something of `repo` belongs to, that was read with `looked`: plans know it by the name asked for."""
    if looked.repository is not None and repo.lower() == looked.repository.name.lower():
        return _spelled(looked)
    return repo


def _at_home(looked: Looked, issue: Issue) -> Issue:
    """The issue with its pull requests named as the streams that they are found in."""
    if not _is_renamed(looked):
        return issue
    closed_by = issue.closed_by
    return replace(
        issue,
        pulls=tuple(replace(link, repo=_home(looked, link.repo)) for link in issue.pulls),
        closed_by=None if closed_by is None else Numbered(_home(looked, closed_by.repo), closed_by.number),
    )


def _is_news(known: Fact | None, unseen: Unseen | None, read: Fact) -> bool:
    """Whether what was read is to be recorded over what is known."""
    if known is None:
        return True
    if read.updated_at and read.updated_at < known.updated_at:
        return False
    if isinstance(known, Pull) and isinstance(read, Pull) and known.state == "merged" != read.state:
        return False
    return unseen is not None or _differ(replace(known, updated_at=""), replace(read, updated_at=""))


def _with_last_answers(known: Pull | None, read: Pull) -> Pull:
    """The pull request, with what GitHub last said of this very head where it has no answer just now."""
    if known is None or known.head != read.head:
        return read
    if read.mergeable == "unknown":
        read = replace(read, mergeable=known.mergeable)
    if read.ci is None:
        read = replace(read, ci=known.ci, failing=known.failing, producers=known.producers)
    return read


def _with_last_verdict(known: Branch | None, read: Branch) -> Branch:
    """The default branch, with how its checks last ended while they run.

    A commit that has none, as one that was merged a moment ago, says nothing against those before it.
    """
    if known is None or known.name != read.name or read.ci in ("passed", "failed"):
        return read
    return read if known.ci is None else known


def _differ(one: Struct, other: Struct) -> bool:
    """Whether two facts say something else; the order of what they list says nothing."""
    return one != other and _in_order(one) != _in_order(other)


def _in_order(fact: Struct) -> list[object]:
    return [sorted(value, key=repr) if isinstance(value, tuple) else value for value in structs.astuple(fact)]


def _unseen(repository: GitHubState, missing: NotThere) -> Unseen | None:
    """What is on record of why it cannot be seen."""
    if missing.what == "repository" or missing.number is None:
        return repository.unseen
    records: dict[int, Any] = repository.issues if missing.what == "issue" else repository.pulls
    record = records.get(missing.number)
    return record.unseen if record is not None else None


def _repository_now(previous: RepositoryNow, looked: Looked, at: Time) -> RepositoryNow:
    """A repository as it was just looked at; its pull requests come after, as others may have read some of them."""
    whole = looked.problem is None
    return RepositoryNow(
        seen_at=at if whole and looked.repository is not None else previous.seen_at,
        problem=looked.problem,
        gaps=looked.gaps,
        pulls={} if whole and looked.gaps is None else previous.pulls,
    )


def _pull_now(previous: PullNow | None, looked: PullLooked) -> PullNow:
    """As read; a merge state that GitHub is working out keeps the last answer for the same head, but for a conflict
    that is none any more."""
    read = looked.now
    if previous is None or previous.head != read.head or read.merge_state != "unknown":
        return read
    if previous.merge_state == "dirty" and looked.pull.mergeable == "mergeable":
        return read
    return replace(read, merge_state=previous.merge_state)
