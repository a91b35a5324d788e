"""Whether GitHub shows what a node hangs on: what comes before every rule of an issue or a pull request.

The first row that applies, for what was not seen to end (what was seen closed or merged stays so, whatever is unseen):

| what                                                                      | status  |
|---------------------------------------------------------------------------|---------|
| it was transferred to an issue that was seen                              | that one's |
| GitHub does not show it, or it was deleted, or it is a pull request for an issue or the reverse | missing |
| it was transferred, or this token may not read it, or GitHub blocked it   | unknown |
| its repository was never seen and GitHub shows none, or it was deleted    | missing |
| its repository is not shown any more, or may not be read                  | unknown |
| the last look could not read the repository, or anything                  | unknown, with how old the last facts are |
| nobody has looked yet                                                     | unknown |
"""

from __future__ import annotations

from msgspec import Struct

from stoat.clock import Time
from stoat.derive.answers import Status
from stoat.derive.verdict import Context
from stoat.derive.watched import ALL, Key
from stoat.derive.wording import github as say
from stoat.derive.wording import status as words
from stoat.derive.wording.unseen import What
from stoat.plan.github import IssueRecord, Numbered, PullRecord, Unseen, numbered


class NotSeen(Struct, frozen=True):
    """What a node reads instead: the status, why, and whether GitHub cannot be read for it."""

    status: Status
    detail: str
    unseen: bool


class Followed(Struct, frozen=True):
    """An issue where it is now: the repository, its number and record, and what was read on the way."""

    repo: str
    number: int
    record: IssueRecord | None
    reads: tuple[Key, ...]


def follow(context: Context, repo: str, number: int) -> Followed:
    """An issue's record, found where it was transferred to if that was seen."""
    at = Numbered(repo, number)
    reads: list[Key] = [ALL, *_keys(repo, number)]
    record = found = context.github.issue(repo, number)
    while record is not None and record.unseen is not None and record.unseen.to:
        target = numbered(record.unseen.to)
        if target is None or (target.repo.lower(), "issue", target.number) in reads:
            break
        reads += _keys(target.repo, target.number)
        record = context.github.issue(target.repo, target.number)
        if record is not None and record.fact is not None:
            at, found = target, record
    return Followed(at.repo, at.number, found, tuple(reads))


def keys_of_pull(repo: str) -> tuple[Key, ...]:
    """What of GitHub a pull request hangs on beside itself."""
    return (ALL, (repo.lower(), "whole", ""))


def not_seen(
    context: Context, repo: str, number: int, record: IssueRecord | PullRecord | None, last: str
) -> NotSeen | None:
    """Why it cannot be seen, None when it is. `last` says how it was; empty when it never was seen."""
    what, github = words.number(repo, number), context.github
    if record is not None and record.unseen is not None:
        return _unseen("pull" if isinstance(record, PullRecord) else "issue", what, record.unseen, last)
    gone = github.unseen(repo)
    if gone is not None:
        known = github.repository(repo)
        if gone.why == "missing" and known is not None and known.repository is not None:
            return NotSeen("unknown", say.no_more(repo, gone, last), True)
        return _unseen("repository", repo, gone, last)
    trouble = github.trouble(repo)
    if trouble is not None:
        recorded: Time = record.at if record is not None else ""
        return NotSeen("unknown", say.trouble(what, trouble, last, recorded, context.now), True)
    if record is None or record.fact is None:
        return NotSeen("unknown", say.unswept(what), False)
    return None


def _unseen(what: What, name: str, unseen: Unseen, last: str) -> NotSeen:
    missing = unseen.why in ("missing", "other-kind", "deleted")
    return NotSeen("missing" if missing else "unknown", say.gone(what, name, unseen, last), not missing)


def _keys(repo: str, number: int) -> tuple[Key, Key]:
    return (repo.lower(), "issue", number), (repo.lower(), "whole", "")
