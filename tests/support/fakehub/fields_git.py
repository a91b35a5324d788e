"""GraphQL: refs, commits, trees and files, comparisons, rules and the merge queue."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta, timezone
from typing import Any

import pygit2

from tests.support.fakehub.answers import answers, connection, plain, upper
from tests.support.fakehub.checks import app_id
from tests.support.fakehub.gitside import Comparison
from tests.support.fakehub.repository import Repository

WEB = "https://github.com"


@dataclass(frozen=True)
class RefThing:
    """A ref of a repository: `name` is a branch or a whole ref name."""

    repo: Repository
    name: str
    kind = "Ref"

    @property
    def whole(self) -> str:
        """The whole name."""
        return self.name if self.name.startswith("refs/") else f"refs/heads/{self.name}"

    @property
    def short(self) -> str:
        """The name without its namespace."""
        return "/".join(self.whole.split("/")[2:])


@dataclass(frozen=True)
class CommitThing:
    """A commit of a repository."""

    repo: Repository
    oid: str
    kind = "Commit"

    @property
    def git(self) -> pygit2.Commit:
        """The real one."""
        return self.repo.side.real(self.oid)


@dataclass(frozen=True)
class FileThing:
    """A blob, a tree or a tag of a repository."""

    repo: Repository
    oid: str
    kind: str

    @property
    def git(self) -> Any:
        """The real one."""
        return self.repo.side.repo[self.oid]


@dataclass(frozen=True)
class CompareThing:
    """A comparison of two commits."""

    repo: Repository
    base: str
    head: str
    found: Comparison
    kind = "Comparison"


@dataclass(frozen=True)
class QueueThing:
    """The merge queue of a branch."""

    repo: Repository
    branch: str
    kind = "MergeQueue"


@dataclass(frozen=True)
class RuleThing:
    """A rule of a ruleset that is about a branch."""

    repo: Repository
    branch: str
    type: str
    parameters: dict[str, Any]
    kind = "RepositoryRule"


def object_at(repo: Repository, expression: str) -> Any:
    """The git object of an expression; None when there is none."""
    return _thing(repo, repo.side.find(expression))


def _thing(repo: Repository, found: Any) -> Any:
    if found is None:
        return None
    if isinstance(found, pygit2.Commit):
        return CommitThing(repo, str(found.id))
    return FileThing(repo, str(found.id), type(found).__name__)


def commit_at(repo: Repository, oid: str | None) -> CommitThing | None:
    """A commit, None for None and for what is not there."""
    return CommitThing(repo, oid) if oid is not None and oid in repo.side.repo else None


def when(signature: Any) -> str:
    """A signature's time, in the zone of whoever signed."""
    zone = timezone(timedelta(minutes=signature.offset)) if signature.offset else UTC
    return datetime.fromtimestamp(signature.time, zone).isoformat().replace("+00:00", "Z")


def _utc(signature: Any) -> str:
    return datetime.fromtimestamp(signature.time, UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


plain(
    "Ref",
    id=lambda ref: f"REF_{ref.repo.node_id}:{ref.whole}",
    name=lambda ref: ref.short,
    prefix=lambda ref: "/".join(ref.whole.split("/")[:2]) + "/",
    repository=lambda ref: ref.repo,
    target=lambda ref: commit_at(ref.repo, ref.repo.side.tip(ref.whole)),
    branchProtectionRule=lambda ref: (
        ref if ref.repo.rules(ref.short).classic and ref.repo.rules(ref.short).any else None
    ),
)


@answers("Ref")
def compare(ref: RefThing, info: Any, headRef: str) -> Any:
    return comparison_of(ref.repo, ref.whole, headRef)


def comparison_of(repo: Repository, base: str, head: str) -> CompareThing | None:
    """Compare two revisions (`owner:branch` is a branch of a fork); None where one is missing."""
    base_commit = repo.side.commit_of(base)
    owner, colon, branch = head.partition(":")
    head_commit: pygit2.Commit | None = None
    if colon and owner.lower() != repo.owner.login.lower():
        fork = repo.hub.find(f"{owner}/{repo.short}")
        tip = fork.side.tip(branch) if fork else None
        if fork is not None and tip is not None:
            if tip not in repo.side.repo:
                repo.side.fetch(fork.side.path, tip, f"refs/forks/{owner}/{branch}")
            head_commit = repo.side.real(tip)
    else:
        head_commit = repo.side.commit_of(branch if colon else head)
    if base_commit is None or head_commit is None:
        return None
    found = repo.side.compare(str(base_commit.id), str(head_commit.id))
    return CompareThing(repo, str(base_commit.id), str(head_commit.id), found) if found else None


plain(
    "Comparison",
    id=lambda one: f"COM_{one.base[:8]}{one.head[:8]}",
    status=lambda one: one.found.status.upper(),
    aheadBy=lambda one: one.found.ahead,
    behindBy=lambda one: one.found.behind,
    baseTarget=lambda one: CommitThing(one.repo, one.base),
    headTarget=lambda one: CommitThing(one.repo, one.head),
)


@answers("Comparison", "commits")
def compared(one: CompareThing, info: Any, **page: Any) -> Any:
    return connection([CommitThing(one.repo, oid) for oid in one.found.commits], info, **page)


for _kind in ("Commit", "Blob", "Tree", "Tag"):
    plain(
        _kind,
        id=lambda thing: f"C_{thing.repo.node_id}:{thing.oid}",
        abbreviatedOid=lambda thing: thing.oid[:7],
        commitUrl=lambda thing: f"{WEB}/{thing.repo.name}/commit/{thing.oid}",
        commitResourcePath=lambda thing: f"/{thing.repo.name}/commit/{thing.oid}",
        repository=lambda thing: thing.repo,
    )


def _actor(thing: CommitThing, who: Any) -> dict[str, Any]:
    return {"name": who.name, "email": who.email, "date": when(who), "login": who.name, "hub": thing.repo.hub}


plain(
    "Commit",
    url=lambda thing: f"{WEB}/{thing.repo.name}/commit/{thing.oid}",
    resourcePath=lambda thing: f"/{thing.repo.name}/commit/{thing.oid}",
    message=lambda thing: thing.git.message,
    messageHeadline=lambda thing: thing.git.message.strip().partition("\n")[0],
    messageBody=lambda thing: thing.git.message.strip().partition("\n")[2].strip(),
    authoredDate=lambda thing: _utc(thing.git.author),
    committedDate=lambda thing: _utc(thing.git.committer),
    author=lambda thing: _actor(thing, thing.git.author),
    committer=lambda thing: _actor(thing, thing.git.committer),
    tree=lambda thing: FileThing(thing.repo, str(thing.git.tree_id), "Tree"),
    additions=lambda thing: sum(change[2] for change in _changes(thing)),
    deletions=lambda thing: sum(change[3] for change in _changes(thing)),
    changedFilesIfAvailable=lambda thing: len(_changes(thing)),
)
plain("GitActor", user=lambda actor: actor["hub"].users.get(actor["login"].lower()))


@answers("GitActor")
def avatarUrl(actor: Any, info: Any, size: int | None = None) -> str:
    return "https://avatars.githubusercontent.com/u/0?v=4"


def _changes(thing: CommitThing) -> list[tuple[str, str, int, int]]:
    parents = thing.git.parent_ids
    return thing.repo.side.changed(str(parents[0]), thing.oid) if parents else []


@answers("Commit")
def authors(thing: CommitThing, info: Any, **page: Any) -> Any:
    return connection([_actor(thing, thing.git.author)], info, **page)


@answers("Commit")
def parents(thing: CommitThing, info: Any, **page: Any) -> Any:
    return connection([CommitThing(thing.repo, str(one)) for one in thing.git.parent_ids], info, **page)


@answers("Commit")
def history(
    thing: CommitThing,
    info: Any,
    path: Any = None,
    author: Any = None,
    since: Any = None,
    until: Any = None,
    **page: Any,
) -> Any:
    found = [CommitThing(thing.repo, oid) for oid in thing.repo.side.history(thing.oid)]
    if path is not None:
        found = [one for one in found if any(change[1] == path for change in _changes(one))]
    if since is not None:
        found = [one for one in found if _utc(one.git.committer) >= since]
    if until is not None:
        found = [one for one in found if _utc(one.git.committer) <= until]
    return connection(found, info, **page)


@answers("Commit")
def associatedPullRequests(thing: CommitThing, info: Any, orderBy: Any = None, **page: Any) -> Any:
    found = [pull for pull in thing.repo.pulls.values() if thing.oid in pull.commits(merged=True)]
    return connection([pull.shown() for pull in found], info, **page)


plain(
    "Blob",
    byteSize=lambda thing: thing.git.size,
    isBinary=lambda thing: thing.git.is_binary,
    isTruncated=lambda thing: thing.git.size > 512_000,
    text=lambda thing: None if thing.git.is_binary else thing.git.data[:512_000].decode(errors="replace"),
)
plain("Tree", entries=lambda thing: [_entry(thing, one) for one in thing.git])
plain(
    "Tag",
    message=lambda thing: thing.git.message,
    name=lambda thing: thing.git.name,
    target=lambda thing: _thing(thing.repo, thing.git.get_object()),
)


def _entry(thing: FileThing, one: Any) -> dict[str, Any]:
    return {
        "__typename": "TreeEntry",
        "name": one.name,
        "path": one.name,
        "mode": int(one.filemode),
        "type": one.type_str,
        "oid": str(one.id),
        "size": getattr(one, "size", 0),
        "extension": f".{one.name.rpartition('.')[2]}" if "." in one.name else None,
        "object": _thing(thing.repo, one),
    }


# Rules.

plain(
    "BranchProtectionRule",
    id=lambda ref: f"BPR_{ref.repo.node_id}{ref.short}",
    pattern=lambda ref: ref.short,
    repository=lambda ref: ref.repo,
    isAdminEnforced=lambda ref: True,
    requiredApprovingReviewCount=lambda ref: ref.repo.rules(ref.short).approvals,
    requiresApprovingReviews=lambda ref: ref.repo.rules(ref.short).approvals > 0,
    requiresStatusChecks=lambda ref: bool(ref.repo.rules(ref.short).required),
    requiresStrictStatusChecks=lambda ref: ref.repo.rules(ref.short).strict,
    requiredStatusCheckContexts=lambda ref: list(ref.repo.rules(ref.short).required),
    dismissesStaleReviews=lambda ref: ref.repo.rules(ref.short).dismiss_stale,
)


def rules_of(repo: Repository, branch: str) -> list[RuleThing]:
    """The rules of rulesets about a branch; a classic protection is none."""
    rules, found = repo.rules(branch), []
    if rules.classic:
        return []
    if rules.required:
        checks = [{"context": one, "integrationId": app_id(rules.apps.get(one))} for one in rules.required]
        found.append(
            RuleThing(
                repo,
                branch,
                "REQUIRED_STATUS_CHECKS",
                {
                    "__typename": "RequiredStatusChecksParameters",
                    "strictRequiredStatusChecksPolicy": rules.strict,
                    "doNotEnforceOnCreate": False,
                    "requiredStatusChecks": checks,
                },
            )
        )
    if rules.approvals or rules.methods is not None:
        found.append(
            RuleThing(
                repo,
                branch,
                "PULL_REQUEST",
                {
                    "__typename": "PullRequestParameters",
                    "requiredApprovingReviewCount": rules.approvals,
                    "dismissStaleReviewsOnPush": rules.dismiss_stale,
                    "requireCodeOwnerReview": False,
                    "requireLastPushApproval": False,
                    "requiredReviewThreadResolution": False,
                    "allowedMergeMethods": [upper(one) for one in repo.allowed_methods(branch)],
                },
            )
        )
    if rules.queue:
        found.append(
            RuleThing(
                repo,
                branch,
                "MERGE_QUEUE",
                {
                    "__typename": "MergeQueueParameters",
                    "checkResponseTimeoutMinutes": 60,
                    "groupingStrategy": "ALLGREEN",
                    "maxEntriesToBuild": 5,
                    "maxEntriesToMerge": 5,
                    "mergeMethod": "SQUASH",
                    "minEntriesToMerge": 1,
                    "minEntriesToMergeWaitMinutes": 5,
                },
            )
        )
    return found


@answers("Ref")
def rules(ref: RefThing, info: Any, orderBy: Any = None, **page: Any) -> Any:
    return connection(rules_of(ref.repo, ref.short), info, **page)


plain("RepositoryRule", id=lambda rule: f"RRU_{rule.repo.node_id}{rule.type}")

# The merge queue.

plain(
    "MergeQueue",
    id=lambda queue: f"MQ_{queue.repo.node_id}:{queue.branch}",
    repository=lambda queue: queue.repo,
    url=lambda queue: f"{WEB}/{queue.repo.name}/queue/{queue.branch}",
    resourcePath=lambda queue: f"/{queue.repo.name}/queue/{queue.branch}",
)


@answers("MergeQueue")
def entries(queue: QueueThing, info: Any, **page: Any) -> Any:
    return connection(queue.repo.queue_of(queue.branch), info, **page)


plain(
    "MergeQueueEntry",
    state=lambda entry: entry.state,
    solo=lambda entry: False,
    estimatedTimeToMerge=lambda entry: 300,
    pullRequest=lambda entry: entry.pull,
    baseCommit=lambda entry: commit_at(entry.pull.repo, entry.base_commit),
    headCommit=lambda entry: commit_at(entry.pull.repo, entry.head_commit),
    mergeQueue=lambda entry: QueueThing(entry.pull.repo, entry.pull.base),
    position=lambda entry: entry.position if entry.pull.entry is entry else 0,
)
