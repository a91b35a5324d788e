"""A sweep in words: what it came to, what it could not see and what to do about that, its commit's subject."""

from __future__ import annotations

from collections.abc import Sequence

from stoat.clock import duration_text
from stoat.derive.wording.observed import thing
from stoat.derive.wording.text import counted
from stoat.derive.wording.unseen import What, remedy, why_unseen
from stoat.plan.events.github import GitHubEvent, IssueSeen, NotSeen, PullSeen
from stoat.plan.github import WhyUnseen

NOTHING_TO_LOOK_AT = "nothing to look at: no plan has an issue, a pull request or a branch that is here"

_NAMED = 3
"""How many repositories a commit's subject names before it only counts them."""


def subject(repositories: Sequence[str], count: int) -> str:
    """The subject of a sweep's commit: how much news, and where."""
    if len(repositories) > _NAMED:
        return f"github: {count} news in {counted(len(repositories), 'repository', 'repositories')}"
    return f"github: {count} news in {', '.join(repositories)}"


def summary(news: int, facts: int, requests: int, *, last: bool = False) -> str:
    """What a sweep came to in one line; `last`: it was somebody else's, and this is what is on record."""
    if last:
        return f"{counted(facts, 'fact')} on record"
    read = f"{counted(facts, 'fact')} read with {counted(requests, 'request')}"
    return f"{news or 'no'} news, {read}"


def problem(repository: str | None, text: str) -> str:
    """A problem with the repository it is in."""
    return f"{repository}: {text}" if repository else text


def elsewhere(who: str) -> str:
    """Another sweep is under way."""
    return f"{who} is looking at GitHub just now; what follows is what was seen before"


def waiting(why: str, seconds: float) -> str:
    """A wait that GitHub asked for."""
    return f"{why}: going on in {duration_text(seconds)}"


def looking(answered: int, asked: int) -> str:
    """How far a sweep is."""
    return f"looking at GitHub: {answered} of {asked}"


def number_of(event: GitHubEvent) -> int | None:
    """The issue's or pull request's number that an event is about, None for one about the repository."""
    match event:
        case IssueSeen():
            return event.issue.number
        case PullSeen():
            return event.pull.number
        case NotSeen():
            return event.number
    return None


def unseen(
    repository: str, what: What, number: int | None, why: WhyUnseen, detail: str, to: str | None
) -> tuple[str, str | None]:
    """That something cannot be seen, and what would settle it (None where nothing of ours does)."""
    name = repository if number is None else thing(what, number)
    return why_unseen(what, name, why, detail, to), remedy(what, why, to)
