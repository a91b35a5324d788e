"""The pull requests of a node, as they are shown and judged: what is on record of each, and how its checks are now.

Whose they are:

| a pull request                                                              | is an issue node's |
|-----------------------------------------------------------------------------|--------------------|
| GitHub lists it as closing the issue, in whatever repository and of whomever | yes |
| it goes into another branch, and its text says that it closes the issue     | yes |
| its branch is the node's, `stoat/PLAN/NODE`, in the issue's repository      | yes |
| the same branch of a fork                                                   | no: anybody may name one so |

A pr node has its own. What was seen of the checks of another commit than the head is worth nothing; then the recorded
end of the head's checks counts, and with neither they are pending.
"""

from __future__ import annotations

from collections.abc import Iterable

from msgspec import Struct

from stoat.clock import Time
from stoat.derive.answers import CiShown, PullShown
from stoat.derive.watched import Key, Watched
from stoat.plan.github import Ci, Issue, Pull, PullNow, PullRecord, Review

OPEN = frozenset({"open", "draft"})
_ORDER = {"open": 0, "draft": 0, "merged": 1, "closed": 2}


class Mine(Struct, frozen=True):
    """A pull request of a node: the repository it is in, what is on record, when that was recorded, how it is now."""

    repo: str
    fact: Pull
    at: Time
    now: PullNow | None = None

    @property
    def number(self) -> int:
        """Its number."""
        return self.fact.number

    @property
    def is_open(self) -> bool:
        """Whether it can still be merged; a draft is open."""
        return self.fact.state in OPEN

    @property
    def ended(self) -> Time:
        """When it was merged or closed; empty while it is open."""
        return self.fact.merged_at or self.fact.closed_at or ""

    @property
    def ci(self) -> Ci:
        """The checks of its head; without counts where only their end is on record."""
        if self.now is not None:
            return self.now.ci
        if self.fact.ci is not None:
            return Ci(verdict=self.fact.ci, failing=self.fact.failing, producers=self.fact.producers)
        return Ci(verdict="pending")

    @property
    def counted(self) -> bool:
        """Whether the counts of its checks are known."""
        return self.now is not None

    @property
    def merge_state(self) -> str:
        """GitHub's word on merging it, in lower case."""
        return self.now.merge_state if self.now is not None else "unknown"

    @property
    def conflicts(self) -> bool:
        """Whether it cannot be merged into its base as it is."""
        return self.fact.mergeable == "conflicting" or self.merge_state == "dirty"

    @property
    def review(self) -> Review | None:
        """GitHub's decision; where it is none, or a review is still required, what people with write access said.

        Approved by GitHub's decision it is whatever they said. An approval of an older commit is none by itself.
        """
        fact = self.fact
        if fact.review == "approved":
            return "approved"
        if fact.review == "changes_requested" or self.by("changes_requested"):
            return "changes_requested"
        if fact.review is not None:
            return fact.review
        return "approved" if self.by("approved", of_head=True) else None

    def by(self, state: str, *, of_head: bool | None = None) -> tuple[str, ...]:
        """Who last said that: of any commit, of the head (True), or only of an older one (False)."""
        return tuple(
            opinion.author
            for opinion in self.fact.opinions
            if opinion.state == state
            and (of_head is None or of_head == (opinion.commit is None or opinion.commit == self.fact.head))
        )


def of_issue(github: Watched, repo: str, issue: Issue | None, branch: str) -> tuple[tuple[Mine, ...], tuple[Key, ...]]:
    """The pull requests of an issue node in the order they are shown, and what was read to find them."""
    links = [(link.repo, link.number) for link in issue.pulls] if issue is not None else []
    found = [*links, *((repo, number) for number in github.on_branch(repo, branch))]
    mine, keys = _read(github, found)
    return mine, ((repo.lower(), "branch", branch), *keys)


def of_pr(github: Watched, repo: str, number: int) -> tuple[tuple[Mine, ...], tuple[Key, ...]]:
    """A pr node's own, if it was seen, and what was read to find it."""
    return _read(github, [(repo, number)])


def shown(pulls: Iterable[tuple[Mine, str]]) -> tuple[PullShown, ...]:
    """Pull requests as every door shows them, each with its line in words."""
    return tuple(_shown(one, line) for one, line in pulls)


def _read(github: Watched, names: Iterable[tuple[str, int]]) -> tuple[tuple[Mine, ...], tuple[Key, ...]]:
    mine: dict[Key, Mine] = {}
    keys: dict[Key, None] = {}
    for repo, number in names:
        key: Key = (repo.lower(), "pull", number)
        if key in keys:
            continue
        keys[key] = None
        record = github.pull(repo, number)
        if record is None or record.fact is None or _is_gone(record):
            continue
        fact, now = record.fact, github.pull_now(repo, number)
        mine[key] = Mine(repo, fact, record.at, now if now is not None and now.head == fact.head else None)
    return tuple(_ordered(mine.values())), tuple(keys)


def _is_gone(record: PullRecord) -> bool:
    """Whether an open one is not there any more: what was merged or closed stays so."""
    gone = record.unseen is not None and record.unseen.why in ("missing", "other-kind", "deleted")
    return gone and record.fact is not None and record.fact.state in OPEN


def _ordered(pulls: Iterable[Mine]) -> list[Mine]:
    """Open ones first, then merged, then closed ones; of each the newest first."""
    found = sorted(pulls, key=lambda one: one.repo.lower())
    found.sort(key=lambda one: (one.ended, one.number), reverse=True)
    found.sort(key=lambda one: _ORDER[one.fact.state])
    return found


def _shown(one: Mine, line: str) -> PullShown:
    fact, ci = one.fact, one.ci
    return PullShown(
        number=fact.number,
        url=fact.url,
        title=fact.title,
        repo=one.repo,
        state=fact.state,
        ci=CiShown(ci.verdict, ci.passed, ci.failed, ci.pending, ci.total, ci.failing),
        review=one.review,
        mergeable=fact.mergeable,
        merge_state=one.merge_state,
        head=fact.head,
        base=fact.base,
        merged_at=fact.merged_at,
        line=line,
    )
