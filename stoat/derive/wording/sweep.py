"""A sweep in words: its news a line each, what it could not see and what to do about that, its commit's subject."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from stoat.clock import duration_text
from stoat.derive.wording.text import because, counted, listed, one_line
from stoat.plan.events.github import (
    DefaultBranchSeen,
    GitHubEvent,
    IssueSeen,
    NotSeen,
    PullSeen,
    RepositorySeen,
)
from stoat.plan.github import Branch, GitHubState, Issue, Pull, Repository, WhyUnseen

NOTHING_TO_LOOK_AT = "nothing to look at: no plan has an issue or a pull request"

_NAMED = 3
"""How many repositories a commit's subject names before it only counts them."""

_WHY: dict[WhyUnseen, str] = {
    "missing": "GitHub shows no such thing, or not to this token",
    "deleted": "it was deleted",
    "transferred": "it was moved",
    "forbidden": "the token may not read it",
    "blocked": "GitHub has blocked the repository",
    "unreadable": "GitHub failed to show it",
}

_CI = {"none": "there are no checks", "passed": "checks passed", "failed": "checks failed"}

_STATES = {"open": "is open", "draft": "is a draft", "merged": "is merged", "closed": "is closed unmerged"}

_REVIEWS = {
    "approved": "it is approved",
    "changes_requested": "changes are requested",
    "review_required": "it waits for a review",
}


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


def told(known: GitHubState | None, event: GitHubEvent) -> str:
    """What is different with this event, in one line; `known` is what was on record of the repository before it."""
    known = known or GitHubState()
    match event:
        case IssueSeen(issue=issue):
            record = known.issues.get(issue.number)
            back = record is not None and record.unseen is not None
            return _line(f"issue #{issue.number}", _issue(record.fact if record else None, issue), back)
        case PullSeen(pull=pull):
            pulled = known.pulls.get(pull.number)
            back = pulled is not None and pulled.unseen is not None
            return _line(f"pull request #{pull.number}", _pull(pulled.fact if pulled else None, pull), back)
        case DefaultBranchSeen(branch=branch):
            return _branch(branch)
        case RepositorySeen(repository=repository):
            return _repository(known, repository)
        case NotSeen():
            return f"{_what(event.what, event.number)} cannot be seen: {why_unseen(event.why, event.detail, event.to)}"
    raise TypeError(type(event).__name__)


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


def unseen(what: str, number: int | None, why: WhyUnseen, detail: str, to: str | None) -> tuple[str, str | None]:
    """That something cannot be seen, and what would settle it (None where nothing of ours does)."""
    text = f"{_what(what, number)} cannot be seen: {why_unseen(why, detail, to)}"
    return text, _remedy(what, why, to)


def why_unseen(why: WhyUnseen, detail: str = "", to: str | None = None) -> str:
    """Why something cannot be seen, with GitHub's own words where it had any."""
    return f"{_WHY[why]} to {to}" if to else because(_WHY[why], one_line(detail) or None)


def _remedy(what: str, why: WhyUnseen, to: str | None) -> str | None:
    if why == "transferred" and to:
        return f"name {to} in the plan instead"
    if why in ("missing", "forbidden"):
        named = "the name is right" if what == "repository" else "the number is right"
        return f"see that {named} and that the token may read the repository"
    if why == "deleted":
        return "bind the node to another one, or take it out of the plan"
    return None


def _what(what: str, number: int | None) -> str:
    if number is None:
        return "the repository"
    return f"{'pull request' if what == 'pull' else what} #{number}"


def _line(what: str, changes: Iterator[str], back: bool) -> str:
    told = [*(("can be seen again",) if back else ()), *changes]
    return f"{what} {', '.join(told or ['changed'])}"


def _repository(known: GitHubState, now: Repository) -> str:
    if known.unseen is not None:
        return "the repository can be seen again"
    if known.repository is None:
        return "the repository was seen first"
    moved = known.repository.name.lower() != now.name.lower()
    return f"the repository is called {now.name} now" if moved else "the repository's settings changed"


def _issue(before: Issue | None, now: Issue) -> Iterator[str]:
    if before is None or before.open != now.open or before.reason != now.reason:
        word = "is open" if now.open else "is closed"
        yield f"{word} ({now.reason.replace('_', ' ')})" if now.reason else word
    if before is None:
        return
    if before.title != now.title:
        yield f"has the title “{one_line(now.title)}”"
    for what, old, new in (
        ("labels", before.labels, now.labels),
        ("assignees", before.assignees, now.assignees),
        ("blockers", before.blockers, now.blockers),
        ("pull requests", before.pulls, now.pulls),
    ):
        if set(old) != set(new):
            yield f"has other {what}"
    if before.url != now.url:
        yield "has another address"
    if before.milestone != now.milestone:
        yield f"is in milestone {now.milestone}" if now.milestone else "is in no milestone"
    if before.parent != now.parent:
        yield f"is part of {now.parent}" if now.parent else "is part of no other issue"
    if (before.children, before.children_open) != (now.children, now.children_open):
        yield f"has {now.children_open} of {counted(now.children, 'sub-issue')} open"


def _pull(before: Pull | None, now: Pull) -> Iterator[str]:
    if before is None or before.state != now.state:
        yield _STATES[now.state]
    moved = before is None or before.head != now.head
    if before is not None and moved:
        yield f"has a new head ({now.head[:7]})"
    if before is not None and before.title != now.title:
        yield f"has the title “{one_line(now.title)}”"
    if before is not None and before.url != now.url:
        yield "has another address"
    if before is not None and before.base != now.base:
        yield f"goes into {now.base}"
    if now.ci is not None and (before is None or (before.ci, before.failing) != (now.ci, now.failing) or moved):
        yield _checks(now.ci, now.failing)
    if now.mergeable != (before.mergeable if before else "unknown") and now.mergeable != "unknown":
        yield f"conflicts with {now.base}" if now.mergeable == "conflicting" else "has no conflict"
    if now.review is not None and (before is None or before.review != now.review):
        yield _REVIEWS[now.review]
    elif before is not None and set(before.opinions) != set(now.opinions):
        yield "has other reviews"
    if now.queued != (before.queued if before else False):
        yield "is in the merge queue" if now.queued else "is out of the merge queue"


def _branch(now: Branch) -> str:
    if now.ci is None:
        return f"the default branch is {now.name}"
    since = f" since {now.red_commit[:7]}" if now.ci == "failed" and now.red_commit else ""
    return f"{now.name}: {_checks(now.ci, now.failing)}{since}"


def _checks(ci: str, failing: Sequence[str]) -> str:
    return because(_CI[ci], listed(failing) or None) if ci == "failed" else _CI[ci]
