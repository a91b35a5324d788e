"""REST: pull requests, merging them and bringing them up to date."""

from __future__ import annotations

import uuid
from typing import Any

from tests.support.fakehub import merging, payloads, payloads_git
from tests.support.fakehub.gitside import Conflict
from tests.support.fakehub.opening import open_pull
from tests.support.fakehub.pulls import AsyncMerge, Pull
from tests.support.fakehub.routes import Call, route
from tests.support.fakehub.web import Answer, Refused, invalid

PULL = "/repos/{owner}/{repo}/pulls/{number}"


def pull_of(call: Call, number: int) -> Pull:
    """The pull request of a number (for a read: as it is shown); raises Refused."""
    found = call.repo.pulls.get(number)
    if found is None:
        raise Refused(404, "Not Found")
    return found.shown() if call.asked.method in ("GET", "HEAD") else found


@route("GET", "/repos/{owner}/{repo}/pulls")
def listed(call: Call) -> Any:
    """Pull requests, newest first."""
    query = call.query
    state = query.get("state", "open")
    found = [one for one in call.repo.pulls.values() if state == "all" or one.open is (state == "open")]
    if head := query.get("head"):
        owner, _, branch = head.partition(":")
        found = [one for one in found if one.head == branch and one.head_login.lower() == owner.lower()]
    if base := query.get("base"):
        found = [one for one in found if one.base == base]
    key = {"updated": "updated_at"}.get(query.get("sort", "created"), "created_at")
    found.sort(key=lambda one: (getattr(one, key), one.number), reverse=query.get("direction", "desc") == "desc")
    return call.page(found, lambda one: payloads.pull(call.base, one.shown()))


@route("POST", "/repos/{owner}/{repo}/pulls")
def opened(call: Call) -> Any:
    """Open one."""
    head, base = call.need("PullRequest", "head", "base")
    body = call.body()
    title = body.get("title")
    if not title:
        raise invalid("PullRequest", "missing_field", "title")
    pull = open_pull(call.repo, title, head, base, body.get("body") or "", bool(body.get("draft")))
    return Answer(201, payloads.pull(call.base, pull, whole=True))


@route("GET", PULL)
def shown(call: Call, number: int) -> Any:
    """One."""
    return payloads.pull(call.base, pull_of(call, number), whole=True)


@route("PATCH", PULL)
def changed(call: Call, number: int) -> Any:
    """Change its title, text, base or state."""
    pull, body = pull_of(call, number), call.body()
    base = body.get("base")
    if base is not None and call.repo.side.tip(base) is None:
        raise invalid("PullRequest", "invalid", "base")
    pull.edit(title=body.get("title"), body=body.get("body"), base=base)
    if body.get("state") == "closed":
        pull.close()
    elif body.get("state") == "open":
        if pull.merged:
            raise invalid("PullRequest", "custom", "state", "state cannot be changed. The pull request is merged.")
        pull.reopen()
    return payloads.pull(call.base, pull, whole=True)


@route("GET", f"{PULL}/commits")
def commits(call: Call, number: int) -> Any:
    """Its commits, oldest first."""
    found = pull_of(call, number).commits()
    return call.page(found, lambda sha: payloads_git.commit(call.base, call.repo, sha))


@route("GET", f"{PULL}/files")
def files(call: Call, number: int) -> Any:
    """What it changes."""
    pull = pull_of(call, number)
    return call.page(payloads_git.changed_files(call.base, call.repo, pull.base_oid, pull.head_oid), lambda one: one)


@route("GET", f"{PULL}/reviews")
def reviews(call: Call, number: int) -> Any:
    """Its reviews, oldest first."""
    return call.page(pull_of(call, number).reviews, lambda one: payloads.review(call.base, one))


@route("POST", f"{PULL}/reviews")
def reviewed(call: Call, number: int) -> Any:
    """Review it."""
    pull, body = pull_of(call, number), call.body()
    words = {"APPROVE": "approved", "REQUEST_CHANGES": "changes_requested", "COMMENT": "commented"}
    event = str(body.get("event", "COMMENT"))
    if event not in words:
        raise invalid("PullRequestReview", "invalid", "event")
    viewer = call.hub.viewer
    if event != "COMMENT" and pull.author is viewer:
        what = "approve" if event == "APPROVE" else "request changes on"
        raise Refused(422, "Unprocessable Entity", errors=[f"Can not {what} your own pull request"])
    review = pull.review(viewer.login, words[event], body.get("body") or "", body.get("commit_id"))
    return payloads.review(call.base, review)


@route("GET", f"{PULL}/merge")
def is_merged(call: Call, number: int) -> Any:
    """204 when it is merged, 404 when it is not."""
    if not pull_of(call, number).merged:
        raise Refused(404, "Not Found")
    return Answer(204)


@route("PUT", f"{PULL}/merge")
def merge(call: Call, number: int) -> Any:
    """Merge it."""
    pull, body = pull_of(call, number), call.body()
    method = body.get("merge_method", "merge")
    if method not in merging.NOT_ALLOWED:
        raise Refused(422, 'Invalid request.\n\nmerge_method is not a member of ["merge", "squash", "rebase"].')
    refusal = merging.refusal(pull, method, body.get("sha"))
    if refusal is not None:
        raise Refused(*refusal)
    try:
        made = merging.merge(pull, method, body.get("commit_title"), body.get("commit_message"), call.hub.viewer)
    except Conflict:
        raise Refused(405, merging.NOT_MERGEABLE) from None
    return {"sha": made, "merged": True, "message": "Pull Request successfully merged"}


@route("PUT", f"{PULL}/merge-async")
def merge_async(call: Call, number: int) -> Any:
    """Ask for a merge, or a place in the queue, that happens by and by."""
    pull, body = pull_of(call, number), call.body()
    pull.sync()
    if pull.merged:
        done = {"message": "Pull Request successfully merged", "sha": pull.merge_commit}
        return {"status": "merged", "details": done}
    if not pull.open or pull.draft:
        return Answer(400, {"status": "failed", "details": {"message": merging.NOT_MERGEABLE}})
    for one in pull.async_merges.values():
        if one.status == "pending":
            return Answer(409, _progress(one))
    action = body.get("merge_action", "default")
    if action not in ("default", "direct_merge", "merge_queue"):
        raise invalid("PullRequest", "invalid", "merge_action")
    one = AsyncMerge(
        uuid=str(uuid.UUID(int=call.hub.new_id())),
        method=body.get("merge_method", "merge"),
        action=action,
        sha=body.get("sha") or pull.head_oid,
        title=body.get("commit_title"),
        text=body.get("commit_message"),
    )
    pull.async_merges[one.uuid] = one
    return Answer(202, _progress(one))


@route("GET", f"{PULL}/merge-async/{{uuid}}")
def merge_async_state(call: Call, number: int, uuid: str) -> Any:
    """How far that merge is; the first to ask sees it done."""
    pull = call.repo.pulls.get(number)
    one = pull.async_merges.get(uuid) if pull else None
    if pull is None or one is None:
        raise Refused(404, "Not Found")
    if one.status == "pending":
        merging.finish(pull, one)
    return _progress(one)


def _progress(one: AsyncMerge) -> Any:
    details = {"message": one.message, "uuid": one.uuid, "merge_method": one.method, "merge_action": one.action}
    return {"status": one.status, "details": {**details, "expected_head_sha": one.sha}}


@route("PUT", f"{PULL}/update-branch")
def update_branch(call: Call, number: int) -> Any:
    """Merge the base into its branch."""
    pull = pull_of(call, number)
    refusal = merging.update_branch(pull, call.body().get("expected_head_sha"))
    if refusal is not None:
        raise Refused(*refusal)
    url = f"{call.base}/repos/{call.repo.name}/pulls/{number}"
    return Answer(202, {"message": "Updating pull request branch.", "url": url})
