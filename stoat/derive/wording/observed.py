"""What happened on GitHub, in words: a fact beside the one before it. Empty where nothing changed that is news.

With `full` everything that was recorded is said, as by a sweep of its own news; without it only what a reader of a
plan's Activity minds: no label, no milestone, no address, no green that was green before.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from stoat.derive.wording.github import pull_name
from stoat.derive.wording.text import because, counted, listed, one_line
from stoat.derive.wording.unseen import why_unseen
from stoat.plan.events.github import (
    DefaultBranchSeen,
    GitHubEvent,
    IssueSeen,
    NotSeen,
    PullSeen,
    RepositorySeen,
)
from stoat.plan.github import (
    Blocker,
    Branch,
    GitHubState,
    Issue,
    IssueRecord,
    Pull,
    PullRecord,
    Repository,
)

_REASONS = {"not_planned": "not planned"}


def told(before: GitHubState, event: GitHubEvent, home: str, *, full: bool = False) -> str:
    """What an event of the repository `home` says beside what was on record of it before; empty where that is nothing.

    `full`: nothing that was recorded is left out.
    """
    match event:
        case IssueSeen(issue=issue):
            return _issue(before.issues.get(issue.number), issue, home, full)
        case PullSeen(pull=pull):
            return _pull(before.pulls.get(pull.number), pull, full)
        case DefaultBranchSeen(branch=branch):
            return _default(before.default, branch, full)
        case RepositorySeen(repository=repository):
            return _repository(before, repository, home, full)
        case NotSeen():
            name = home if event.number is None else thing(event.what, event.number)
            return why_unseen(event.what, name, event.why, event.detail, event.to)
    return ""


def thing(what: str, number: int) -> str:
    """An issue or a pull request as a line about its repository names it."""
    return f"{'pull request' if what == 'pull' else what} #{number}"


def _issue(before: IssueRecord | None, now: Issue, home: str, full: bool) -> str:
    known = before.fact if before is not None else None
    said = ["can be seen again"] if before is not None and before.unseen is not None else []
    said += _issue_state(known, now, home)
    if known is not None:
        said += _links(known, now, home)
        said += _lists(known, now) if full else ()
    if full and not said:
        said.append("changed")
    return f"issue #{now.number} {_and(said)}" if said else ""


def _issue_state(known: Issue | None, now: Issue, home: str) -> Iterator[str]:
    if not now.open and (known is None or known.open or known.reason != now.reason):
        reason = f" ({_REASONS.get(now.reason, now.reason)})" if now.reason else ""
        by = f" by {pull_name(now.closed_by.repo, now.closed_by.number, home)}" if now.closed_by is not None else ""
        yield f"was closed{reason}{by}"
    elif known is None:
        yield "is open"
    elif now.open and (not known.open or (now.reason == "reopened" != known.reason)):
        yield "was reopened"


def _links(known: Issue, now: Issue, home: str) -> Iterator[str]:
    linked = [pull_name(one.repo, one.number, home) for one in now.pulls if one not in known.pulls]
    if linked and now.open:
        yield f"is to be closed by {listed(linked)}"
    lost = [pull_name(one.repo, one.number, home) for one in known.pulls if one not in now.pulls]
    if lost and now.open:
        yield f"is not to be closed by {listed(lost)} any more"
    yield from _blockers(known.blockers, now.blockers, home)
    assigned = [name for name in now.assignees if name not in known.assignees]
    if assigned:
        yield f"was assigned to {_listed(assigned)}"
    if now.title != known.title:
        yield f"is called '{one_line(now.title)}' now"


def _blockers(known: Sequence[Blocker], now: Sequence[Blocker], home: str) -> Iterator[str]:
    """What became of the issues that it waits for."""
    before = {(one.repo.lower(), one.number): one for one in known}
    after = {(one.repo.lower(), one.number): one for one in now}

    def names(found: Sequence[Blocker]) -> str:
        return listed([pull_name(one.repo, one.number, home) for one in found])

    fresh = [one for key, one in after.items() if key not in before]
    closed = [one for key, one in after.items() if key in before and before[key].open and not one.open]
    reopened = [one for key, one in after.items() if key in before and one.open and not before[key].open]
    gone = [one for key, one in before.items() if key not in after]
    for found, words in (
        (fresh, "is blocked by {}"),
        (closed, "is no longer blocked by {}, which was closed"),
        (reopened, "is blocked again by {}, which was reopened"),
        (gone, "is no longer blocked by {}"),
    ):
        if found:
            yield words.format(names(found))


def _lists(known: Issue, now: Issue) -> Iterator[str]:
    """What only a full account tells of an issue."""
    if set(now.labels) != set(known.labels):
        yield f"is labelled {_listed(now.labels)}" if now.labels else "has no label"
    if set(known.assignees) - set(now.assignees):
        yield f"is {_listed(now.assignees)}'s" if now.assignees else "is assigned to nobody"
    if now.url != known.url:
        yield "has another address"
    if now.milestone != known.milestone:
        yield f"is in milestone {one_line(now.milestone)}" if now.milestone else "is in no milestone"
    if now.parent != known.parent:
        yield f"is part of {now.parent}" if now.parent else "is part of no other issue"
    if (now.children, now.children_open) != (known.children, known.children_open):
        yield f"has {now.children_open} of {counted(now.children, 'sub-issue')} open"


def _pull(before: PullRecord | None, now: Pull, full: bool) -> str:
    known = before.fact if before is not None else None
    name = f"#{now.number}"
    said = [f"pull request {name} can be seen again"] if before is not None and before.unseen is not None else []
    said += [f"pull request {name} {what}" for what in _state(known, now)]
    if known is not None and known.head != now.head and (full or now.state in ("open", "draft")):
        said.append(f"pull request {name} was pushed to ({now.head[:7]})")
    if known is not None and full:
        said += [f"pull request {name} {what}" for what in _names(known, now)]
    if now.mergeable == "conflicting" and (known is None or known.mergeable != "conflicting"):
        said.append(f"pull request {name} turned conflicting with {now.base}")
    if known is not None and known.mergeable == "conflicting" and now.mergeable == "mergeable":
        said.append(f"pull request {name} conflicts with {now.base} no more")
    elif full and known is not None and known.mergeable != now.mergeable == "mergeable":
        said.append(f"pull request {name} does not conflict with {now.base}")
    said += _reviews(known, now, name, full)
    said += _checks(known, now, name, full)
    if full and not said:
        said.append(f"pull request {name} changed")
    return "; ".join(said)


def _state(known: Pull | None, now: Pull) -> Iterator[str]:
    if known is None or known.state != now.state:
        was = known.state if known is not None else None
        opened = "was opened" + (f" by {one_line(now.author)}" if now.author else "")
        match now.state:
            case "merged":
                yield f"was merged into {now.base}"
            case "closed":
                yield "was closed without merging"
            case "draft":
                yield f"{opened} as a draft" if was is None else "is a draft again"
            case "open":
                first = was is None
                yield opened if first else "is ready for review" if was == "draft" else "was reopened"
    if known is not None and known.base != now.base:
        yield f"goes into {now.base} now"
    if known is not None and known.queued != now.queued and now.state in ("open", "draft"):
        yield "entered the merge queue" if now.queued else "left the merge queue"


def _names(known: Pull, now: Pull) -> Iterator[str]:
    if now.title != known.title:
        yield f"is called '{one_line(now.title)}' now"
    if now.url != known.url:
        yield "has another address"


def _reviews(known: Pull | None, now: Pull, name: str, full: bool) -> Iterator[str]:
    old = known.opinions if known is not None else ()
    fresh = [one for one in now.opinions if one not in old]
    decided = now.review is not None and (known is None or known.review != now.review)
    for state, by_whom, words in (
        ("changes_requested", "{} requested changes on {}", f"changes were requested on {name}"),
        ("approved", "{} approved {}", f"pull request {name} was approved"),
        ("dismissed", "{}'s review of {} was dismissed", ""),
    ):
        by = [one.author for one in fresh if one.state == state]
        if by:
            yield by_whom.format(_listed(by), name)
        elif state == now.review and decided:
            yield words
    if full and decided and now.review == "review_required":
        yield f"pull request {name} waits for a review"
    taken_back = [one.author for one in old if one.author not in {other.author for other in now.opinions}]
    if full and taken_back:
        yield f"{_listed(taken_back)} took back a review of {name}"


def _checks(known: Pull | None, now: Pull, name: str, full: bool) -> Iterator[str]:
    if known is not None and (known.ci, known.failing, known.head) == (now.ci, now.failing, now.head):
        return
    if now.ci == "failed":
        yield because(f"checks of {name} failed", _listed(now.failing))
    elif now.ci == "passed":
        yield f"checks of {name} passed"
    elif full and now.ci == "none" and (known is None or known.ci != "none"):
        yield f"pull request {name} has no checks"


def _default(before: Branch | None, now: Branch, full: bool) -> str:
    if before is not None and before.name != now.name:
        return f"the default branch is {now.name} now"
    if now.ci == "failed":
        if before is not None and (before.ci, before.red_commit, before.failing) == ("failed", now.red_commit,
                                                                                    now.failing):  # fmt: skip
            return f"more is known of why {now.name} is red" if full else ""
        subject = f" '{one_line(now.red_subject)}'" if now.red_subject else ""
        since = f" since {now.red_commit[:7]}{subject}" if now.red_commit else ""
        return because(f"{now.name} is red{since}", _listed(now.failing))
    if before is not None and before.ci == "failed" and now.ci == "passed":
        return f"{now.name} is green again"
    if not full:
        return ""
    return {"passed": f"{now.name} is green", "none": f"{now.name} has no checks"}.get(
        now.ci or "", f"the default branch is {now.name}"
    )


def _repository(before: GitHubState, now: Repository, home: str, full: bool) -> str:
    if before.unseen is not None:
        return f"{home} can be seen again"
    known = before.repository
    if known is None:
        return f"{home} was seen first" if full else ""
    if known.name.lower() != now.name.lower():
        return f"{known.name} is {now.name} now"
    if known.archived != now.archived:
        return f"{home} was {'archived' if now.archived else 'taken out of the archive'}"
    return f"the settings of {home} changed" if full else ""


def _and(said: Sequence[str]) -> str:
    return " and ".join([", ".join(said[:-1]), said[-1]] if len(said) > 1 else said)


def _listed(items: Sequence[str]) -> str:
    return listed([one_line(item) for item in items])
