"""GitHub as a derivation looks it up: what is on record, what is seen just now, what keeps it from being seen, and
which of all that became different since the derivation before.

Everything that a node's answer may hang on has a Key; `changed` gives the keys whose facts are not the same any more.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Literal

from msgspec import Struct

from stoat.clock import Time
from stoat.derive.wording.text import ago
from stoat.plan.github import (
    Branch,
    GitHubNow,
    GitHubState,
    IssueRecord,
    PullNow,
    PullRecord,
    RepositoryNow,
    Unseen,
)

What = Literal["issue", "pull", "branch", "default", "whole"]
Key = tuple[str, What, int | str]
"""A repository in lower case, and of it an issue or a pull request by number, the pull requests of a branch, the
default branch (`""`), or what holds of all of it (`""`): its settings, and whether it can be seen."""

ALL: Key = ("", "whole", "")
"""What holds of all of GitHub. Whoever looks at anything of it reads this, too."""


class Trouble(Struct, frozen=True):
    """What keeps a repository from being seen, what to do about it, and when it was last seen whole."""

    why: str
    fix: str | None
    seen_at: Time | None


class Watched:
    """All that is known of GitHub at one moment. Repositories are looked up whatever case they are written in."""

    __slots__ = ("_branches", "_now", "_states")

    def __init__(self, states: Mapping[str, GitHubState], now: GitHubNow, before: Watched | None = None) -> None:
        self._states = states
        self._now = now
        self._branches: dict[str, tuple[GitHubState, dict[str, tuple[int, ...]]]] = {}
        if before is not None:
            self._branches = {name: kept for name, kept in before._branches.items() if states.get(name) is kept[0]}

    def repository(self, name: str) -> GitHubState | None:
        """What is on record of a repository; None when nothing is."""
        return self._states.get(name.lower())

    def issue(self, name: str, number: int) -> IssueRecord | None:
        """What is on record of an issue."""
        found = self._states.get(name.lower())
        return found.issues.get(number) if found is not None else None

    def pull(self, name: str, number: int) -> PullRecord | None:
        """What is on record of a pull request."""
        found = self._states.get(name.lower())
        return found.pulls.get(number) if found is not None else None

    def pull_now(self, name: str, number: int) -> PullNow | None:
        """How a pull request was when somebody last looked."""
        found = self._now.repositories.get(name.lower())
        return found.pulls.get(number) if found is not None else None

    def default(self, name: str) -> Branch | None:
        """A repository's default branch, as on record."""
        found = self._states.get(name.lower())
        return found.default if found is not None else None

    def on_branch(self, name: str, branch: str) -> tuple[int, ...]:
        """The pull requests of a node's branch, those of forks left out: anybody may name a branch as we do."""
        key = name.lower()
        found = self._states.get(key)
        if found is None:
            return ()
        kept = self._branches.get(key)
        if kept is None:
            kept = self._branches[key] = (found, _by_branch(found.pulls))
        return kept[1].get(branch, ())

    def trouble(self, name: str) -> Trouble | None:
        """What keeps a repository from being read just now; None when it was read, or when nobody looked yet."""
        now = self._now.repositories.get(name.lower())
        seen_at = now.seen_at if now is not None else None
        if now is not None and now.problem is not None:
            return Trouble(now.problem, self._now.fix if now.problem == self._now.problem else None, seen_at)
        if self._now.problem is not None and (seen_at is None or seen_at != self._now.at):
            return Trouble(self._now.problem, self._now.fix, seen_at)
        return None

    def unseen(self, name: str) -> Unseen | None:
        """Why GitHub does not show a repository, as on record."""
        found = self._states.get(name.lower())
        return found.unseen if found is not None else None

    def names(self) -> set[str]:
        """The repositories that anything is known of, in lower case."""
        return {*self._states, *self._now.repositories}

    def ages(self) -> set[Time]:
        """When what cannot be seen now was last seen."""
        troubles = (self.trouble(name) for name in self.names())
        return {one.seen_at for one in troubles if one is not None and one.seen_at is not None}

    def problem(self) -> tuple[str | None, str | None]:
        """What keeps all of GitHub from being seen, and what to do about it."""
        return self._now.problem, self._now.fix

    def state_and_now(self, key: str) -> tuple[GitHubState, RepositoryNow]:
        """All of one repository, by its name in lower case."""
        return self._states.get(key, _NO_STATE), self._now.repositories.get(key, _NO_NOW)


_NO_STATE = GitHubState()
_NO_NOW = RepositoryNow()
NOTHING_WATCHED = Watched({}, GitHubNow())


def changed(old: Watched, new: Watched, before: Time, after: Time) -> Iterator[Key]:
    """The keys of what is different between two moments: the facts, or how long ago they were last seen."""
    if old.problem() != new.problem():
        yield ALL
    for name in old.names() | new.names():
        (a, seen_a), (b, seen_b) = old.state_and_now(name), new.state_and_now(name)
        if a is not b:
            yield from ((name, "issue", number) for number in _different(a.issues, b.issues))
            for number in _different(a.pulls, b.pulls):
                yield name, "pull", number
                for record in (a.pulls.get(number), b.pulls.get(number)):
                    if record is not None and record.fact is not None:
                        yield name, "branch", record.fact.head_branch
            if a.default != b.default:
                yield name, "default", ""
        if seen_a is not seen_b and seen_a.pulls != seen_b.pulls:
            yield from ((name, "pull", number) for number in _different(seen_a.pulls, seen_b.pulls))
        was, now = old.trouble(name), new.trouble(name)
        if (was, a.unseen, a.repository) != (now, b.unseen, b.repository) or _age(now, before) != _age(now, after):
            yield name, "whole", ""


def _age(trouble: Trouble | None, now: Time) -> str:
    """How long ago something unseen was last seen, as it is said."""
    return ago(trouble.seen_at, now) if trouble is not None and trouble.seen_at is not None else ""


def _different(before: Mapping[int, object], after: Mapping[int, object]) -> Iterator[int]:
    for number, value in after.items():
        known = before.get(number)
        if known is not value and known != value:
            yield number
    yield from (number for number in before if number not in after)


def _by_branch(pulls: Mapping[int, PullRecord]) -> dict[str, tuple[int, ...]]:
    found: dict[str, tuple[int, ...]] = {}
    for number, record in pulls.items():
        fact = record.fact
        if fact is not None and not fact.fork:
            found[fact.head_branch] = (*found.get(fact.head_branch, ()), number)
    return found
