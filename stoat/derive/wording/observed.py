"""What happened on GitHub, in words: a fact beside the one before it. Empty where nothing changed that is news."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from stoat.derive.wording.github import pull_name
from stoat.derive.wording.text import because, listed, one_line
from stoat.plan.events.github import NotSeen
from stoat.plan.github import Branch, GitHubState, Issue, IssueRecord, Opinion, Pull, PullRecord, Repository

_REASONS = {"not_planned": "not planned"}


def issue(before: IssueRecord | None, now: Issue, home: str) -> str:
    """What became of an issue of the repository `home`."""
    known = before.fact if before is not None else None
    said = list(_issue(known, now, home))
    if before is not None and before.unseen is not None:
        said.insert(0, "can be seen again")
    return f"issue #{now.number} {_and(said)}" if said else ""


def _issue(known: Issue | None, now: Issue, home: str) -> Iterator[str]:
    if not now.open and (known is None or known.open):
        reason = f" ({_REASONS.get(now.reason, now.reason)})" if now.reason else ""
        by = f" by {pull_name(now.closed_by.repo, now.closed_by.number, home)}" if now.closed_by is not None else ""
        yield f"was closed{reason}{by}"
    elif known is None:
        yield "is open"
    elif now.open and not known.open:
        yield "was reopened"
    if known is None:
        return
    linked = [pull_name(one.repo, one.number, home) for one in now.pulls if one not in known.pulls]
    if linked:
        yield f"is to be closed by {listed(linked)}"
    assigned = [name for name in now.assignees if name not in known.assignees]
    if assigned:
        yield f"was assigned to {_listed(assigned)}"
    if now.title != known.title:
        yield f"is called '{one_line(now.title)}' now"


def pull(before: PullRecord | None, now: Pull) -> str:
    """What became of a pull request."""
    known = before.fact if before is not None else None
    name = f"#{now.number}"
    said = [f"pull request {name} can be seen again"] if before is not None and before.unseen is not None else []
    said += [f"pull request {name} {what}" for what in _state(known, now)]
    if known is not None and known.head != now.head and now.state in ("open", "draft"):
        said.append(f"pull request {name} was pushed to ({now.head[:7]})")
    if now.mergeable == "conflicting" and (known is None or known.mergeable != "conflicting"):
        said.append(f"pull request {name} turned conflicting with {now.base}")
    if known is not None and known.mergeable == "conflicting" and now.mergeable == "mergeable":
        said.append(f"pull request {name} conflicts with {now.base} no more")
    said += _reviews(known, now, name)
    said += _checks(known, now, name)
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


def _reviews(known: Pull | None, now: Pull, name: str) -> Iterator[str]:
    old = known.opinions if known is not None else ()
    fresh = [one for one in now.opinions if one not in old]
    for state, words in (
        ("changes_requested", f"changes were requested on {name}"),
        ("approved", f"pull request {name} was approved"),
        ("dismissed", f"a review of {name} was dismissed"),
    ):
        by = [one.author for one in fresh if one.state == state]
        if by:
            yield f"{words} by {_listed(by)}" if state != "dismissed" else f"{words}: {_listed(by)}'s"
        elif state == now.review and (known is None or known.review != now.review) and not _said(fresh, state):
            yield words


def _said(opinions: Sequence[Opinion], state: str) -> bool:
    return any(one.state == state for one in opinions)


def _checks(known: Pull | None, now: Pull, name: str) -> Iterator[str]:
    if known is not None and (known.ci, known.failing, known.head) == (now.ci, now.failing, now.head):
        return
    if now.ci == "failed":
        yield because(f"checks of {name} failed", _listed(now.failing))
    elif now.ci == "passed":
        yield f"checks of {name} passed"


def default(before: Branch | None, now: Branch) -> str:
    """What became of the default branch."""
    if before is not None and before.name != now.name:
        return f"the default branch is {now.name} now"
    if now.ci == "failed":
        if before is not None and (before.ci, before.red_commit, before.failing) == ("failed", now.red_commit,
                                                                                    now.failing):  # fmt: skip
            return ""
        subject = f" '{one_line(now.red_subject)}'" if now.red_subject else ""
        since = f" since {now.red_commit[:7]}{subject}" if now.red_commit else ""
        return because(f"{now.name} is red{since}", _listed(now.failing))
    return f"{now.name} is green again" if before is not None and before.ci == "failed" and now.ci == "passed" else ""


def repository(before: GitHubState, now: Repository, home: str) -> str:
    """What became of a repository."""
    if before.unseen is not None:
        return f"{home} can be seen again"
    known = before.repository
    if known is not None and known.name.lower() != now.name.lower():
        return f"{known.name} is {now.name} now"
    if known is not None and known.archived != now.archived:
        return f"{home} was {'archived' if now.archived else 'taken out of the archive'}"
    return ""


def not_seen(event: NotSeen, home: str) -> str:
    """Something is not shown any more."""
    what = {"issue": f"issue #{event.number}", "pull": f"pull request #{event.number}", "repository": home}[event.what]
    if event.why == "transferred" and event.to:
        return f"{what} was transferred to {event.to}"
    if event.why == "deleted":
        return f"{what} was deleted"
    return because(f"{what} cannot be seen ({event.why})", one_line(event.detail))


def _and(said: Sequence[str]) -> str:
    return " and ".join(said)


def _listed(items: Sequence[str]) -> str:
    return listed([one_line(item) for item in items])
