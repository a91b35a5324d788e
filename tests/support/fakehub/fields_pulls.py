"""GraphQL: pull requests and their reviews."""

from __future__ import annotations

from typing import Any

from tests.support.fakehub.answers import answers, connection, plain, upper
from tests.support.fakehub.fields_checks import rollup
from tests.support.fakehub.fields_git import CommitThing, QueueThing, RefThing, commit_at
from tests.support.fakehub.pulls import WRITERS, Pull

WEB = "https://github.com"


def _ref(repo: Any, branch: str) -> RefThing | None:
    return RefThing(repo, branch) if repo is not None and repo.side.tip(branch) else None


plain(
    "PullRequest",
    isDraft=lambda pull: pull.draft,
    headRefName=lambda pull: pull.head,
    headRefOid=lambda pull: pull.head_oid,
    headRef=lambda pull: _ref(pull.head_repo, pull.head),
    headRepository=lambda pull: pull.head_repo,
    headRepositoryOwner=lambda pull: pull.head_owner,
    isCrossRepository=lambda pull: pull.fork,
    baseRefName=lambda pull: pull.base,
    baseRefOid=lambda pull: pull.base_oid,
    baseRef=lambda pull: _ref(pull.repo, pull.base),
    baseRepository=lambda pull: pull.repo,
    mergeable=lambda pull: pull.mergeable().upper(),
    mergeStateStatus=lambda pull: pull.merge_state(pull.mergeable()).upper(),
    canBeRebased=lambda pull: pull.mergeable() == "mergeable",
    reviewDecision=lambda pull: upper(pull.decision()),
    mergeCommit=lambda pull: commit_at(pull.repo, pull.merge_commit),
    potentialMergeCommit=lambda pull: commit_at(pull.repo, pull.test_merge()),
    isMergeQueueEnabled=lambda pull: pull.rules.queue,
    isInMergeQueue=lambda pull: pull.entry is not None,
    mergeQueue=lambda pull: QueueThing(pull.repo, pull.base) if pull.rules.queue else None,
    mergeQueueEntry=lambda pull: pull.entry,
    autoMergeRequest=lambda pull: pull.auto_merge,
    maintainerCanModify=lambda pull: not pull.fork,
    statusCheckRollup=lambda pull: rollup(pull.repo, pull.head_oid),
    permalink=lambda pull: WEB + pull.path,
    additions=lambda pull: sum(change[2] for change in changes(pull)),
    deletions=lambda pull: sum(change[3] for change in changes(pull)),
    changedFiles=lambda pull: len(changes(pull)),
    totalCommentsCount=lambda pull: len(pull.comments),
    viewerCanMergeAsAdmin=lambda pull: pull.repo.permission == "ADMIN",
    viewerCanUpdateBranch=lambda pull: pull.open and not pull.fork and pull.repo.permission in WRITERS,
)


def changes(pull: Pull) -> list[tuple[str, str, int, int]]:
    """What the pull request changes: (status letter, path, lines added, lines removed)."""
    return pull.repo.side.changed(pull.base_oid, pull.head_oid)


@answers("PullRequest")
def closingIssuesReferences(
    pull: Pull, info: Any, userLinkedOnly: bool = False, orderBy: Any = None, **page: Any
) -> Any:
    real = pull.repo.pulls[pull.number]
    found = [issue for issue in real.closes() if not userLinkedOnly or real in issue.linked]
    return connection([issue.shown() for issue in found], info, **page)


@answers("PullRequest")
def commits(pull: Pull, info: Any, **page: Any) -> Any:
    made = [
        {
            "__typename": "PullRequestCommit",
            "id": f"PRC_{pull.node_id}{oid[:10]}",
            "commit": CommitThing(pull.repo, oid),
            "pullRequest": pull,
            "url": f"{WEB}{pull.path}/commits/{oid}",
            "resourcePath": f"{pull.path}/commits/{oid}",
        }
        for oid in pull.commits()
    ]
    return connection(made, info, **page)


@answers("PullRequest")
def reviewRequests(pull: Pull, info: Any, **page: Any) -> Any:
    made = [
        {
            "__typename": "ReviewRequest",
            "id": f"RR_{pull.node_id}{user.node_id}",
            "databaseId": user.id,
            "asCodeOwner": False,
            "pullRequest": pull,
            "requestedReviewer": user,
        }
        for user in pull.asked
    ]
    return connection(made, info, **page)


CHANGES = {"A": "ADDED", "D": "DELETED", "M": "MODIFIED", "R": "RENAMED", "C": "COPIED", "T": "CHANGED"}


@answers("PullRequest")
def files(pull: Pull, info: Any, **page: Any) -> Any:
    made = [
        {"path": path, "additions": added, "deletions": removed, "changeType": CHANGES.get(letter, "CHANGED")}
        for letter, path, added, removed in changes(pull)
    ]
    return connection(made, info, **page)


@answers("PullRequest")
def latestOpinionatedReviews(pull: Pull, info: Any, writersOnly: bool = False, **page: Any) -> Any:
    return connection(pull.opinions(writersOnly), info, **page)


@answers("PullRequest")
def latestReviews(pull: Pull, info: Any, preferOpinionated: bool = False, **page: Any) -> Any:
    last = {review.author.login if review.author else "": review for review in pull.reviews}
    return connection(list(last.values()), info, **page)


@answers("PullRequest")
def reviews(pull: Pull, info: Any, states: Any = None, author: str | None = None, **page: Any) -> Any:
    found = [
        one
        for one in pull.reviews
        if (not states or one.state.upper() in states) and author in (None, one.author and one.author.login)
    ]
    return connection(found, info, **page)


plain(
    "PullRequestReview",
    id=lambda one: one.node_id,
    databaseId=lambda one: one.id,
    fullDatabaseId=lambda one: str(one.id),
    authorAssociation=lambda one: "NONE" if one.author and one.author.login in one.pull.repo.readers else "MEMBER",
    bodyText=lambda one: one.body,
    includesCreatedEdit=lambda one: False,
    reactionGroups=lambda one: [],
    state=lambda one: upper(one.state),
    commit=lambda one: commit_at(one.pull.repo, one.commit),
    pullRequest=lambda one: one.pull,
    repository=lambda one: one.pull.repo,
    createdAt=lambda one: one.submitted_at,
    updatedAt=lambda one: one.submitted_at,
    url=lambda one: f"{WEB}{one.pull.path}#pullrequestreview-{one.id}",
    resourcePath=lambda one: f"{one.pull.path}#pullrequestreview-{one.id}",
)
