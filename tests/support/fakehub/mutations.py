"""GraphQL: the mutations, on the same state and by the same rules as REST."""

from __future__ import annotations

from typing import Any

from tests.support.fakehub import merging
from tests.support.fakehub.answers import HubError, answers, cursor
from tests.support.fakehub.fields_git import RefThing
from tests.support.fakehub.fields_root import by_id
from tests.support.fakehub.gitside import Conflict
from tests.support.fakehub.model import Issue, Label, Thread, User
from tests.support.fakehub.pulls import WRITERS, Pull, QueueEntry
from tests.support.fakehub.repository import Repository

FORBIDDEN = "Resource not accessible by personal access token"


def _real(thing: Any) -> Any:
    """The thing itself, where a read would have shown a copy from before (read-after-write lag)."""
    return thing.repo.thread(thing.number) if isinstance(thing, Thread) else thing


def _find(info: Any, node_id: str, *kinds: type) -> Any:
    found = _real(by_id(info.context, node_id))
    if not isinstance(found, kinds):
        raise HubError("NOT_FOUND", f"Could not resolve to a node with the global id of '{node_id}'")
    repo = found if isinstance(found, Repository) else getattr(found, "repo", None)
    if isinstance(repo, Repository):
        fault = info.context.hub.faults.of_repository(repo.name)
        if fault is not None:
            raise HubError("FORBIDDEN", fault.body["message"])
        if repo.permission not in WRITERS:
            raise HubError("FORBIDDEN", FORBIDDEN)
    return found


def _payload(input: Any, **fields: Any) -> dict[str, Any]:
    return {"clientMutationId": input.get("clientMutationId"), **fields}


def _refuse(refusal: merging.Refusal) -> HubError:
    return HubError("FORBIDDEN" if refusal.status == 403 else "UNPROCESSABLE", refusal.message)


@answers("Mutation")
def mergePullRequest(root: Any, info: Any, input: Any) -> Any:
    pull: Pull = _find(info, input["pullRequestId"], Pull)
    method = input.get("mergeMethod", "MERGE").lower()
    refusal = merging.refusal(pull, method, input.get("expectedHeadOid"))
    if refusal is not None:
        raise _refuse(refusal)
    viewer = info.context.hub.viewer
    try:
        merging.merge(pull, method, input.get("commitHeadline"), input.get("commitBody"), viewer)
    except Conflict:
        raise HubError("UNPROCESSABLE", merging.NOT_MERGEABLE) from None
    return _payload(input, pullRequest=pull, actor=viewer)


@answers("Mutation")
def enqueuePullRequest(root: Any, info: Any, input: Any) -> Any:
    pull: Pull = _find(info, input["pullRequestId"], Pull)
    entry = merging.enqueue(pull, input.get("expectedHeadOid"), bool(input.get("jump")))
    if isinstance(entry, merging.Refusal):
        raise _refuse(entry)
    return _payload(input, mergeQueueEntry=entry)


@answers("Mutation")
def dequeuePullRequest(root: Any, info: Any, input: Any) -> Any:
    found = _find(info, input["id"], Pull, QueueEntry)
    pull = found.pull if isinstance(found, QueueEntry) else found
    entry = pull.leave_queue()
    if entry is None:
        raise HubError("UNPROCESSABLE", "Pull request is not in the merge queue")
    return _payload(input, mergeQueueEntry=entry)


@answers("Mutation")
def enablePullRequestAutoMerge(root: Any, info: Any, input: Any) -> Any:
    pull: Pull = _find(info, input["pullRequestId"], Pull)
    if not pull.repo.auto_merge_allowed:
        raise HubError("UNPROCESSABLE", "Auto merge is not allowed for this repository")
    if pull.merge_state(pull.mergeable(peek=True)) == "clean" and not pull.rules.queue:
        raise HubError("UNPROCESSABLE", "Pull request is in clean status")
    viewer = info.context.hub.viewer
    pull.auto_merge = {
        "enabledAt": info.context.hub.now(),
        "enabledBy": viewer,
        "mergeMethod": input.get("mergeMethod", "MERGE"),
        "commitHeadline": input.get("commitHeadline"),
        "commitBody": input.get("commitBody"),
        "pullRequest": pull,
    }
    return _payload(input, pullRequest=pull, actor=viewer)


@answers("Mutation")
def disablePullRequestAutoMerge(root: Any, info: Any, input: Any) -> Any:
    pull: Pull = _find(info, input["pullRequestId"], Pull)
    pull.auto_merge = None
    return _payload(input, pullRequest=pull, actor=info.context.hub.viewer)


@answers("Mutation")
def updatePullRequestBranch(root: Any, info: Any, input: Any) -> Any:
    pull: Pull = _find(info, input["pullRequestId"], Pull)
    method = (input.get("updateMethod") or "MERGE").lower()
    refusal = merging.update_branch(pull, input.get("expectedHeadOid"), method)
    if refusal is not None:
        raise _refuse(refusal)
    return _payload(input, pullRequest=pull)


@answers("Mutation")
def createPullRequest(root: Any, info: Any, input: Any) -> Any:
    from tests.support.fakehub.opening import open_pull
    from tests.support.fakehub.web import Refused

    repo: Repository = _find(info, input["repositoryId"], Repository)
    body = input.get("body") or ""
    try:
        pull = open_pull(
            repo,
            input["title"],
            input["headRefName"],
            input["baseRefName"].removeprefix("refs/heads/"),
            body,
            bool(input.get("draft")),
        )
    except Refused as refused:
        errors = refused.body.get("errors") or [{"message": str(refused)}]
        raise HubError("UNPROCESSABLE", errors[0].get("message") or str(refused)) from None
    return _payload(input, pullRequest=pull)


@answers("Mutation")
def updatePullRequest(root: Any, info: Any, input: Any) -> Any:
    pull: Pull = _find(info, input["pullRequestId"], Pull)
    pull.edit(title=input.get("title"), body=input.get("body"), base=input.get("baseRefName"))
    return _payload(input, pullRequest=pull, actor=info.context.hub.viewer)


@answers("Mutation")
def closePullRequest(root: Any, info: Any, input: Any) -> Any:
    pull: Pull = _find(info, input["pullRequestId"], Pull)
    pull.close()
    return _payload(input, pullRequest=pull)


@answers("Mutation")
def reopenPullRequest(root: Any, info: Any, input: Any) -> Any:
    pull: Pull = _find(info, input["pullRequestId"], Pull)
    pull.reopen()
    return _payload(input, pullRequest=pull)


@answers("Mutation", "markPullRequestReadyForReview", "convertPullRequestToDraft")
def draft(root: Any, info: Any, input: Any) -> Any:
    pull: Pull = _find(info, input["pullRequestId"], Pull)
    pull.draft = info.field_name == "convertPullRequestToDraft"
    pull.touch()
    return _payload(input, pullRequest=pull)


@answers("Mutation")
def createIssue(root: Any, info: Any, input: Any) -> Any:
    repo: Repository = _find(info, input["repositoryId"], Repository)
    labels = [_find(info, one, Label).name for one in input.get("labelIds") or ()]
    people = [_find(info, one, User).login for one in input.get("assigneeIds") or ()]
    parent = _find(info, input["parentIssueId"], Issue) if input.get("parentIssueId") else None
    viewer = info.context.hub.viewer.login
    issue = repo.issue(
        input["title"], body=input.get("body") or "", labels=labels, assignees=people, parent=parent, author=viewer
    )
    return _payload(input, issue=issue)


@answers("Mutation")
def updateIssue(root: Any, info: Any, input: Any) -> Any:
    issue: Issue = _find(info, input["id"], Issue)
    issue.title = input.get("title") or issue.title
    issue.body = issue.body if input.get("body") is None else input["body"]
    if input.get("state") == "CLOSED":
        issue.close()
    elif input.get("state") == "OPEN":
        issue.reopen()
    issue.touch()
    return _payload(input, issue=issue, actor=info.context.hub.viewer)


@answers("Mutation")
def closeIssue(root: Any, info: Any, input: Any) -> Any:
    issue: Issue = _find(info, input["issueId"], Issue)
    issue.close((input.get("stateReason") or "COMPLETED").lower())
    return _payload(input, issue=issue)


@answers("Mutation")
def reopenIssue(root: Any, info: Any, input: Any) -> Any:
    issue: Issue = _find(info, input["issueId"], Issue)
    issue.reopen()
    return _payload(input, issue=issue)


@answers("Mutation")
def addComment(root: Any, info: Any, input: Any) -> Any:
    thread: Thread = _find(info, input["subjectId"], Thread)
    comment = thread.comment(info.context.hub.viewer.login, input["body"])
    return _payload(input, subject=thread, commentEdge={"node": comment, "cursor": cursor(len(thread.comments) - 1)})


@answers("Mutation")
def addLabelsToLabelable(root: Any, info: Any, input: Any) -> Any:
    thread: Thread = _find(info, input["labelableId"], Thread)
    thread.label(*[_find(info, one, Label).name for one in input["labelIds"]])
    return _payload(input, labelable=thread)


@answers("Mutation")
def removeLabelsFromLabelable(root: Any, info: Any, input: Any) -> Any:
    thread: Thread = _find(info, input["labelableId"], Thread)
    for one in input["labelIds"]:
        thread.unlabel(_find(info, one, Label).name)
    return _payload(input, labelable=thread)


@answers("Mutation", "addAssigneesToAssignable", "removeAssigneesFromAssignable")
def assignees(root: Any, info: Any, input: Any) -> Any:
    thread: Thread = _find(info, input["assignableId"], Thread)
    logins = [_find(info, one, User).login for one in input["assigneeIds"]]
    if info.field_name.startswith("add"):
        thread.assign(*logins)
    else:
        thread.unassign(*logins)
    return _payload(input, assignable=thread)


@answers("Mutation", "addSubIssue", "removeSubIssue")
def sub_issue(root: Any, info: Any, input: Any) -> Any:
    from tests.support.fakehub.graph import add_child
    from tests.support.fakehub.web import Refused

    issue: Issue = _find(info, input["issueId"], Issue)
    child: Issue = _find(info, input.get("subIssueId") or "", Issue)
    if info.field_name == "removeSubIssue":
        if child.parent is not issue:
            raise HubError("UNPROCESSABLE", "Issue is not a sub-issue of this issue")
        issue.disown(child)
        return _payload(input, issue=issue, subIssue=child)
    try:
        add_child(issue, child, bool(input.get("replaceParent")))
    except Refused as refused:
        raise HubError("UNPROCESSABLE", str(refused)) from None
    return _payload(input, issue=issue, subIssue=child)


@answers("Mutation", "addBlockedBy", "removeBlockedBy")
def blocked_by(root: Any, info: Any, input: Any) -> Any:
    from tests.support.fakehub.graph import add_blocker
    from tests.support.fakehub.web import Refused

    issue: Issue = _find(info, input["issueId"], Issue)
    blocker: Issue = _find(info, input["blockingIssueId"], Issue)
    if info.field_name == "removeBlockedBy":
        issue.unblock(blocker)
    else:
        try:
            add_blocker(issue, blocker)
        except Refused as refused:
            raise HubError("UNPROCESSABLE", str(refused)) from None
    return _payload(input, issue=issue, blockingIssue=blocker)


@answers("Mutation")
def createRef(root: Any, info: Any, input: Any) -> Any:
    repo: Repository = _find(info, input["repositoryId"], Repository)
    if repo.side.tip(input["name"]) is not None:
        raise HubError("UNPROCESSABLE", f'A ref named "{input["name"]}" already exists in the repository.')
    if input["oid"] not in repo.side.repo:
        raise HubError("UNPROCESSABLE", "Object does not exist")
    repo.side.move(input["name"], input["oid"])
    return _payload(input, ref=RefThing(repo, input["name"]))


@answers("Mutation")
def deleteRef(root: Any, info: Any, input: Any) -> Any:
    ref: RefThing = _find(info, input["refId"], RefThing)
    ref.repo.side.delete(ref.whole)
    return _payload(input)
