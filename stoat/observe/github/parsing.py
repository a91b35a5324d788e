"""GraphQL's nodes as the values of the plan: repository, default branch, issue, pull request (pure).

What GitHub leaves out or calls by a word that nobody knows is left out here too; nothing raises.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import NamedTuple, get_args

from msgspec.structs import replace

from stoat.clock import Time
from stoat.observe.github import checks, nodes
from stoat.observe.github.nodes import Node
from stoat.plan.github import (
    Blocker,
    Bound,
    Branch,
    Ci,
    Issue,
    Link,
    Mergeable,
    Numbered,
    Opinion,
    Pull,
    PullNow,
    PullState,
    Repository,
    Review,
)
from stoat.plan.ids import is_repository

_METHODS = {"squash": "squashMergeAllowed", "merge": "mergeCommitAllowed", "rebase": "rebaseMergeAllowed"}
_PLACE = re.compile(r"://[^?#]*/(?P<name>[^/?#]+/[^/?#]+)/(?:issues|pulls?)/(?P<number>[0-9]{1,10})/?(?:[?#]|\Z)")
_GREEN = "success"
_RED = ("failure", "error")
_MERGEABLE: dict[str | None, Mergeable] = {word: word for word in get_args(Mergeable)}
_REVIEWS: dict[str | None, Review] = {word: word for word in get_args(Review)}


class RedSince(NamedTuple):
    """The commit at which a branch went red; `floor`: it was red as far back as was looked."""

    commit: str
    subject: str
    at: Time | None
    pull: int | None
    floor: bool


def repository(node: Node, asked: str) -> Repository:
    """A repository's settings with the rules of its default branch, from protection and rulesets together."""
    branch = nodes.child(node, "defaultBranchRef")
    protection = nodes.child(branch, "branchProtectionRule")
    required: set[str] = set()
    bound: set[Bound] = set()
    strict = False
    if protection.get("requiresStatusChecks") is not False:
        required.update(one for one in nodes.listed(protection, "requiredStatusCheckContexts") if isinstance(one, str))
        strict = protection.get("requiresStrictStatusChecks") is True and bool(required)
    approvals = nodes.number(protection, "requiredApprovingReviewCount")
    methods = [method for method, field in _METHODS.items() if node.get(field) is True]
    queue = bool(nodes.child(node, "mergeQueue"))
    for rule in nodes.shown(branch, "rules"):
        parameters = nodes.child(rule, "parameters")
        of_apps = {
            Bound(nodes.text(one, "context"), nodes.number(one, "integrationId"))
            for one in nodes.listed(parameters, "requiredStatusChecks")
            if isinstance(one, Mapping)
        }
        contexts = {one.context for one in of_apps} - {""}
        required |= contexts
        bound |= {one for one in of_apps if one.context and one.app}
        strict = strict or (parameters.get("strictRequiredStatusChecksPolicy") is True and bool(contexts))
        approvals = max(approvals, nodes.number(parameters, "requiredApprovingReviewCount"))
        if allowed := nodes.listed(parameters, "allowedMergeMethods"):
            narrowed = {one.lower() for one in allowed if isinstance(one, str)}
            methods = [method for method in methods if method in narrowed]
        kind = nodes.word(rule, "type")
        queue = queue or kind == "merge_queue"
        if kind == "required_linear_history":
            methods = [method for method in methods if method != "merge"]
    return Repository(
        name=nodes.repository({"repository": node}) or asked,
        default_branch=nodes.text(branch, "name") or None,
        archived=node.get("isArchived") is True,
        permission=nodes.word(node, "viewerPermission"),
        methods=tuple(methods),
        queue=queue,
        required=tuple(sorted(required)),
        bound=tuple(sorted(bound)),
        strict=strict,
        approvals=approvals,
    )


def branch(name: str, ci: Ci, red: RedSince | None) -> Branch:
    """The default branch; `ci` are its tip's checks. `red` counts only while these failed, all of them having ended."""
    ended = checks.settled(ci)
    failed = ci if ended == "failed" else Ci(verdict="none")
    found = Branch(name=name, ci=ended, failing=failed.failing, producers=failed.producers)
    if ended == "failed" and red is not None:
        found = replace(
            found,
            red_commit=red.commit,
            red_subject=red.subject,
            red_at=red.at,
            red_pull=red.pull,
            red_floor=red.floor,
        )
    return found


def red_since(history: Iterable[Node], more: bool) -> tuple[RedSince | None, bool]:
    """Where a branch whose tip is red went red, and whether a green commit before that was found.

    `history` are its commits, newest first; one whose checks have not ended says nothing. `more`: there may be older
    commits than these.
    """
    oldest: Node | None = None
    green = False
    for commit in history:
        if oldest is None or is_red(commit):
            oldest = commit
        elif _state(commit) == _GREEN:
            green = True
            break
    if oldest is None:
        return None, False
    pulls = nodes.shown(oldest, "associatedPullRequests")
    red = RedSince(
        nodes.text(oldest, "oid"),
        nodes.text(oldest, "messageHeadline"),
        nodes.time(oldest, "committedDate"),
        (nodes.number(pulls[0], "number") or None) if pulls else None,
        floor=more and not green,
    )
    return red, green


def is_red(commit: Node) -> bool:
    """Whether GitHub calls a commit failed."""
    return _state(commit) in _RED


def _state(commit: Node) -> str | None:
    return nodes.word(nodes.child(commit, "statusCheckRollup"), "state")


def issue(node: Node, links: Iterable[Link]) -> Issue:
    """An issue; `links` are its pull requests."""
    is_open = nodes.word(node, "state") != "closed"
    closer = _closer(node) if not is_open else {}
    closing_repo, closing_number = nodes.repository(closer), nodes.number(closer, "number")
    commit = nodes.text(nodes.child(closer, "mergeCommit"), "oid") or nodes.text(closer, "oid")
    parent = nodes.child(node, "parent")
    parent_repo = nodes.repository(parent)
    children = nodes.child(node, "subIssuesSummary")
    total = nodes.number(children, "total")
    return Issue(
        number=nodes.number(node, "number"),
        url=nodes.text(node, "url"),
        title=nodes.text(node, "title"),
        open=is_open,
        reason=nodes.word(node, "stateReason"),
        closed_at=None if is_open else nodes.time(node, "closedAt"),
        closed_by=Numbered(closing_repo, closing_number) if closing_repo and closing_number else None,
        closed_commit=commit or None,
        labels=tuple(sorted(nodes.text(one, "name") for one in nodes.shown(node, "labels"))),
        assignees=tuple(sorted(nodes.text(one, "login") for one in nodes.shown(node, "assignees"))),
        milestone=nodes.text(nodes.child(node, "milestone"), "title") or None,
        parent=Numbered(parent_repo, nodes.number(parent, "number")) if parent_repo else None,
        children=total,
        children_open=max(0, total - nodes.number(children, "completed")),
        blockers=tuple(sorted(_blockers(node))),
        pulls=tuple(sorted(set(links))),
        updated_at=nodes.time(node, "updatedAt") or "",
    )


def pull(node: Node, ci: Ci) -> tuple[Pull, PullNow]:
    """A pull request whose head's checks are `ci`."""
    state = pull_state(node)
    ended = checks.settled(ci)
    failed = ci if ended == "failed" else Ci(verdict="none")
    head = nodes.text(node, "headRefOid")
    found = Pull(
        number=nodes.number(node, "number"),
        url=nodes.text(node, "url"),
        title=nodes.text(node, "title"),
        state=state,
        head=head,
        head_branch=nodes.text(node, "headRefName"),
        base=nodes.text(node, "baseRefName"),
        fork=is_fork(node),
        head_repo_owner=nodes.text(nodes.child(node, "headRepositoryOwner"), "login") or None,
        author=nodes.text(nodes.child(node, "author"), "login") or None,
        mergeable=_MERGEABLE.get(nodes.word(node, "mergeable"), "unknown"),
        review=_REVIEWS.get(nodes.word(node, "reviewDecision")),
        opinions=tuple(sorted(_opinions(node), key=lambda one: (one.author, one.state, one.commit or ""))),
        ci=ended,
        failing=failed.failing,
        producers=failed.producers,
        queued=node.get("isInMergeQueue") is True,
        merged_at=nodes.time(node, "mergedAt"),
        merge_commit=nodes.text(nodes.child(node, "mergeCommit"), "oid") or None,
        closed_at=nodes.time(node, "closedAt"),
        updated_at=nodes.time(node, "updatedAt") or "",
    )
    return found, PullNow(head=head, ci=ci, merge_state=nodes.word(node, "mergeStateStatus") or "unknown")


def pull_state(node: Node) -> PullState:
    """How a pull request stands; a word that nobody knows is open, as nothing is built on an open one."""
    state = nodes.word(node, "state")
    if state == "merged" or node.get("mergedAt"):
        return "merged"
    if state == "closed":
        return "closed"
    return "draft" if node.get("isDraft") is True else "open"


def is_fork(node: Node) -> bool:
    """Whether the head of a pull request is in another repository than its base, or in one that is gone."""
    home = nodes.repository(node)
    owner = nodes.text(nodes.child(node, "headRepositoryOwner"), "login")
    if node.get("isCrossRepository") is not False or not owner:
        return True
    return home is not None and owner.casefold() != home.partition("/")[0].casefold()


def place(url: str) -> Numbered | None:
    """The issue or pull request that an address of GitHub's pages or API leads to; None when it leads to none."""
    found = _PLACE.search(url)
    if found is None or not is_repository(found["name"]):
        return None
    return Numbered(found["name"], int(found["number"]))


def _closer(node: Node) -> Node:
    events = [one for one in nodes.shown(node, "timelineItems") if one.get("__typename") == "ClosedEvent"]
    return nodes.child(events[-1], "closer") if events else {}


def _blockers(node: Node) -> Iterable[Blocker]:
    for one in nodes.shown(node, "blockedBy"):
        repo = nodes.repository(one)
        if repo is not None:
            is_open = nodes.word(one, "state") != "closed"
            reason = None if is_open else nodes.word(one, "stateReason")
            yield Blocker(repo, nodes.number(one, "number"), is_open, reason)


def _opinions(node: Node) -> Iterable[Opinion]:
    for one in nodes.shown(node, "latestOpinionatedReviews"):
        author = nodes.text(nodes.child(one, "author"), "login") or "ghost"
        commit = nodes.text(nodes.child(one, "commit"), "oid") or None
        match nodes.word(one, "state"):
            case "approved":
                yield Opinion(author, "approved", commit)
            case "changes_requested":
                yield Opinion(author, "changes_requested", commit)
            case "dismissed":
                yield Opinion(author, "dismissed", commit)
