"""GraphQL: issues, comments and the entries of an issue's timeline."""

from __future__ import annotations

from typing import Any

from tests.support.fakehub.answers import answers, connection, plain, upper
from tests.support.fakehub.fields_git import CommitThing, QueueThing, commit_at
from tests.support.fakehub.model import Event, Issue, Thread
from tests.support.fakehub.pulls import Pull

WEB = "https://github.com"
EVENT_WORDS = {"ISSUE_COMMENT": "IssueComment", "PULL_REQUEST_REVIEW": "PullRequestReview"}

for _kind in ("Issue", "PullRequest"):
    plain(
        _kind,
        id=lambda one: one.node_id,
        databaseId=lambda one: one.id,
        fullDatabaseId=lambda one: str(one.id),
        authorAssociation=lambda one: "MEMBER",
        bodyText=lambda one: one.body,
        closed=lambda one: not one.open,
        state=lambda one: one.state.upper(),
        repository=lambda one: one.repo,
        url=lambda one: WEB + one.path,
        resourcePath=lambda one: one.path,
        isPinned=lambda one: False,
        reactionGroups=lambda one: [],
    )

    @answers(_kind)
    def labels(one: Thread, info: Any, orderBy: Any = None, **page: Any) -> Any:
        return connection(one.labels, info, **page)

    @answers(_kind)
    def assignees(one: Thread, info: Any, **page: Any) -> Any:
        return connection(one.assignees, info, **page)

    @answers(_kind)
    def comments(one: Thread, info: Any, orderBy: Any = None, **page: Any) -> Any:
        return connection(one.comments, info, **page)

    @answers(_kind)
    def timelineItems(
        one: Thread, info: Any, itemTypes: Any = None, since: Any = None, skip: Any = None, **page: Any
    ) -> Any:
        items: list[Any] = [*one.events, *one.comments]
        items += getattr(one, "reviews", [])
        items = [item for item in items if itemTypes is None or _item_type(item) in itemTypes]
        items = [item for item in items if since is None or _made(item) >= since]
        items.sort(key=_made)
        return connection(items[skip or 0 :], info, **page, updatedAt=one.updated_at)


def _made(item: Any) -> str:
    return str(getattr(item, "created_at", None) or item.submitted_at)


def _item_type(item: Any) -> str:
    if not isinstance(item, Event):
        return "PULL_REQUEST_REVIEW" if hasattr(item, "submitted_at") else "ISSUE_COMMENT"
    return "".join(f"_{letter}" if letter.isupper() else letter.upper() for letter in item.kind).lstrip("_")


@answers("Issue")
def stateReason(issue: Issue, info: Any, enableDuplicate: bool = False) -> Any:
    # Without the argument GitHub shows an old client what it knew before there were duplicates.
    reason = "not_planned" if issue.reason == "duplicate" and not enableDuplicate else issue.reason
    return upper(reason)


plain("Issue", duplicateOf=lambda issue: issue.duplicate_of)


@answers("Issue")
def subIssuesSummary(issue: Issue, info: Any) -> Any:
    return summary_of(issue)


def summary_of(issue: Issue) -> dict[str, int]:
    """How many sub-issues an issue has, and how far they are."""
    total, done = len(issue.children), sum(not child.open for child in issue.children)
    return {"total": total, "completed": done, "percentCompleted": round(100 * done / total) if total else 0}


@answers("Issue")
def issueDependenciesSummary(issue: Issue, info: Any) -> Any:
    return {
        "blockedBy": sum(one.open for one in issue.blocked_by),
        "blocking": sum(one.open for one in issue.blocking),
        "totalBlockedBy": len(issue.blocked_by),
        "totalBlocking": len(issue.blocking),
    }


@answers("Issue")
def subIssues(issue: Issue, info: Any, **page: Any) -> Any:
    return connection([_seen(one, info) for one in issue.children], info, **page)


@answers("Issue")
def blockedBy(issue: Issue, info: Any, orderBy: Any = None, **page: Any) -> Any:
    return connection([_seen(one, info) for one in issue.blocked_by], info, **page)


@answers("Issue")
def blocking(issue: Issue, info: Any, orderBy: Any = None, **page: Any) -> Any:
    return connection([_seen(one, info) for one in issue.blocking], info, **page)


@answers("Issue")
def parent(issue: Issue, info: Any) -> Any:
    return None if issue.parent is None else _seen(issue.parent, info)


def _seen(issue: Issue, info: Any) -> Any:
    """An issue of another repository that the token cannot read is a null in the list."""
    hidden = not issue.repo.visible or info.context.hub.faults.of_repository(issue.repo.name) is not None
    return None if hidden else issue.shown()


@answers("Issue")
def closedByPullRequestsReferences(
    issue: Issue,
    info: Any,
    includeClosedPrs: bool = False,
    userLinkedOnly: bool = False,
    orderByState: bool = False,
    **page: Any,
) -> Any:
    real = issue.repo.issues.get(issue.number, issue)
    found = [pull.shown() for pull in info.context.closing_pulls(real) if not userLinkedOnly or pull in real.linked]
    found = [pull for pull in found if includeClosedPrs or pull.open]
    if orderByState:
        found.sort(key=lambda pull: ("open", "merged", "closed").index(pull.state))
    return connection(found, info, **page)


def _as_issue(pull: Any) -> Issue:
    """A pull request as the issue that it is, too."""
    nothing: dict[str, Any] = dict.fromkeys(("reason", "parent", "duplicate_of", "gone"))
    nothing |= {name: [] for name in ("children", "blocked_by", "blocking", "linked")}
    issue = object.__new__(Issue)
    issue.__dict__.update({**pull.__dict__, **nothing, "state": "open" if pull.open else "closed"})
    return issue


plain(
    "IssueComment",
    id=lambda one: one.node_id,
    databaseId=lambda one: one.id,
    fullDatabaseId=lambda one: str(one.id),
    authorAssociation=lambda one: "MEMBER",
    bodyText=lambda one: one.body,
    includesCreatedEdit=lambda one: one.updated_at != one.created_at,
    isMinimized=lambda one: False,
    minimizedReason=lambda one: None,
    reactionGroups=lambda one: [],
    viewerDidAuthor=lambda one: one.author is one.on.hub.viewer,
    repository=lambda one: one.on.repo,
    issue=lambda one: one.on if isinstance(one.on, Issue) else _as_issue(one.on),
    pullRequest=lambda one: one.on if isinstance(one.on, Pull) else None,
    url=lambda one: f"{WEB}{one.on.path}#issuecomment-{one.id}",
    resourcePath=lambda one: f"{one.on.path}#issuecomment-{one.id}",
)

# Entries of timelines.

EVENTS = (
    *("CrossReferencedEvent", "ConnectedEvent", "DisconnectedEvent", "ClosedEvent", "ReopenedEvent", "MergedEvent"),
    *("HeadRefDeletedEvent", "HeadRefForcePushedEvent", "AddedToMergeQueueEvent", "RemovedFromMergeQueueEvent"),
)
for _kind in EVENTS:
    plain(
        _kind,
        id=lambda event: event.node_id,
        closable=lambda event: event.on,
        pullRequest=lambda event: event.on,
        target=lambda event: event.on,
        source=lambda event: event.data.get("source", event.on),
        subject=lambda event: event.data.get("subject", event.on),
        stateReason=lambda event: upper(event.data.get("reason")),
        referencedAt=lambda event: event.created_at,
        url=lambda event: f"{WEB}{event.on.path}#event-{event.node_id}",
        resourcePath=lambda event: f"{event.on.path}#event-{event.node_id}",
        isCrossRepository=lambda event: (
            (event.data.get("source") or event.data.get("subject")).repo is not event.on.repo
        ),
        enqueuer=lambda event: event.data.get("enqueuer"),
        reason=lambda event: event.data.get("reason"),
        mergeQueue=lambda event: QueueThing(event.on.repo, event.on.base),
        headRefName=lambda event: event.on.head,
        mergeRefName=lambda event: event.data["ref"],
        commit=lambda event: commit_at(event.on.repo, event.data["commit"]),
        beforeCommit=lambda event: commit_at(event.on.repo, event.data.get("before")),
        afterCommit=lambda event: commit_at(event.on.repo, event.data.get("after")),
    )


@answers("CrossReferencedEvent")
def willCloseTarget(event: Event, info: Any) -> bool:
    source = event.data["source"]
    return isinstance(event.on, Issue) and event.on in source.closes()


@answers("ClosedEvent")
def closer(event: Event, info: Any) -> Any:
    by = event.data.get("closer")
    return CommitThing(event.on.repo, by) if isinstance(by, str) else by
