"""REST: issues, their comments, labels, people, sub-issues and dependencies."""

from __future__ import annotations

from typing import Any

from tests.support.fakehub import graph, payloads
from tests.support.fakehub.model import Comment, Issue, Thread
from tests.support.fakehub.routes import Call, redirect, route
from tests.support.fakehub.web import Answer, Refused, invalid

ISSUE = "/repos/{owner}/{repo}/issues/{number}"


def thread_of(call: Call, number: int) -> Any:
    """The issue or pull request of a number; raises Refused for one that is gone, or went elsewhere."""
    found = call.repo.thread(number)
    gone = getattr(found, "gone", None)
    if found is None:
        raise Refused(404, "Not Found")
    if isinstance(gone, Issue):
        _, _, rest = call.asked.route.partition(f"/issues/{number}")
        raise redirect(call.asked, f"/repositories/{gone.repo.id}/issues/{gone.number}{rest}")
    if gone == "deleted":
        raise Refused(410, "This issue was deleted")
    if isinstance(found, Issue) and not call.repo.has_issues:
        raise Refused(410, "Issues are disabled for this repo")
    return found.shown() if call.asked.method in ("GET", "HEAD") else found


def issue_of(call: Call, number: int) -> Issue:
    """The issue of a number; raises Refused."""
    found = thread_of(call, number)
    if not isinstance(found, Issue):
        raise Refused(404, "Not Found")
    return found


def _by_id(call: Call, field: str) -> Issue:
    (wanted,) = call.need("Issue", field)
    found = next((one for one in call.hub.nodes.values() if isinstance(one, Issue) and one.id == wanted), None)
    if found is None or found.gone is not None:
        raise Refused(404, "The provided issue does not exist")
    return found


def _shape(call: Call) -> Any:
    return lambda one: payloads.issue(call.base, one.shown())


@route("GET", "/repos/{owner}/{repo}/issues")
def listed(call: Call) -> Any:
    """Issues and pull requests, newest first."""
    repo, query = call.repo, call.query
    if not repo.has_issues:
        raise Refused(410, "Issues are disabled for this repo")
    found: list[Thread] = [one for one in repo.issues.values() if one.gone is None]
    found += repo.pulls.values()
    state = query.get("state", "open")
    if state != "all":
        found = [one for one in found if one.open is (state == "open")]
    for name in filter(None, query.get("labels", "").split(",")):
        found = [one for one in found if name.lower() in [label.name.lower() for label in one.labels]]
    if wanted := query.get("milestone"):
        found = [one for one in found if _in_milestone(one, wanted)]
    if wanted := query.get("assignee"):
        found = [one for one in found if _assigned(one, wanted)]
    if since := query.get("since"):
        found = [one for one in found if one.updated_at >= since]
    key = {"updated": "updated_at"}.get(query.get("sort", "created"), "created_at")
    found.sort(key=lambda one: (getattr(one, key), one.number), reverse=query.get("direction", "desc") == "desc")
    return call.page(found, _shape(call))


def _in_milestone(one: Thread, wanted: str) -> bool:
    if wanted in ("*", "none"):
        return (one.milestone is not None) is (wanted == "*")
    return one.milestone is not None and str(one.milestone.number) == wanted


def _assigned(one: Thread, wanted: str) -> bool:
    if wanted in ("*", "none"):
        return bool(one.assignees) is (wanted == "*")
    return wanted.lower() in [user.login.lower() for user in one.assignees]


@route("POST", "/repos/{owner}/{repo}/issues")
def created(call: Call) -> Any:
    """File an issue."""
    if not call.repo.has_issues:
        raise Refused(410, "Issues are disabled for this repo")
    (title,) = call.need("Issue", "title")
    body = call.body()
    labels = [one if isinstance(one, str) else one["name"] for one in body.get("labels") or ()]
    number = body.get("milestone")
    if number is not None and number not in call.repo.milestones:
        raise invalid("Issue", "invalid", "milestone")
    issue = call.repo.issue(
        title,
        body=body.get("body") or "",
        labels=labels,
        assignees=_known(call, body.get("assignees")),
        milestone=call.repo.milestones[number].title if number is not None else None,
        author=call.hub.viewer.login,
    )
    return Answer(201, payloads.issue(call.base, issue))


@route("GET", ISSUE)
def shown(call: Call, number: int) -> Any:
    """An issue (or a pull request as one)."""
    return payloads.issue(call.base, thread_of(call, number))


@route("PATCH", ISSUE)
def changed(call: Call, number: int) -> Any:
    """Change an issue."""
    one, body = thread_of(call, number), call.body()
    one.title = body.get("title") or one.title
    one.body = one.body if body.get("body") is None else body["body"]
    if "labels" in body:
        one.labels = []
        one.label(*[each if isinstance(each, str) else each["name"] for each in body["labels"]])
    if "assignees" in body:
        one.assignees = []
        one.assign(*_known(call, body["assignees"]))
    if "milestone" in body:
        if body["milestone"] is not None and body["milestone"] not in call.repo.milestones:
            raise invalid("Issue", "invalid", "milestone")
        one.milestone = call.repo.milestones[body["milestone"]] if body["milestone"] is not None else None
    if body.get("state") == "closed":
        if isinstance(one, Issue):
            one.close(body.get("state_reason") or "completed")
        else:
            one.close()
    elif body.get("state") == "open":
        one.reopen()
    one.touch()
    return payloads.issue(call.base, one)


def _known(call: Call, logins: Any) -> list[str]:
    """The logins that are somebody's: GitHub drops the others in silence."""
    return [login for login in logins or () if login.lower() in call.hub.users]


@route("GET", f"{ISSUE}/comments")
def comments(call: Call, number: int) -> Any:
    """Its comments, oldest first."""
    return call.page(thread_of(call, number).comments, lambda one: payloads.comment(call.base, one))


@route("GET", f"{ISSUE}/timeline")
def timeline(call: Call, number: int) -> Any:
    """What happened to it, oldest first."""
    one = thread_of(call, number)
    entries = [(each.created_at, payloads.event(call.base, each)) for each in one.events]
    for each in one.comments:
        entries.append((each.created_at, {**payloads.comment(call.base, each), "event": "commented"}))
    entries.sort(key=lambda entry: entry[0])
    return call.page(entries, lambda entry: entry[1])


@route("POST", f"{ISSUE}/comments")
def commented(call: Call, number: int) -> Any:
    """Comment."""
    one = thread_of(call, number)
    (text,) = call.need("IssueComment", "body")
    return Answer(201, payloads.comment(call.base, one.comment(call.hub.viewer.login, text)))


def _comment(call: Call, number: int) -> Comment:
    found = call.hub.comments.get(number)
    if found is None or found.on.repo is not call.repo:
        raise Refused(404, "Not Found")
    return found


@route("GET", "/repos/{owner}/{repo}/issues/comments/{number}")
def comment(call: Call, number: int) -> Any:
    """One comment."""
    return payloads.comment(call.base, _comment(call, number))


@route("PATCH", "/repos/{owner}/{repo}/issues/comments/{number}")
def comment_changed(call: Call, number: int) -> Any:
    """Change a comment."""
    found = _comment(call, number)
    (found.body,) = call.need("IssueComment", "body")
    found.updated_at = call.hub.now()
    return payloads.comment(call.base, found)


@route("DELETE", "/repos/{owner}/{repo}/issues/comments/{number}")
def comment_deleted(call: Call, number: int) -> Any:
    """Delete a comment."""
    found = _comment(call, number)
    found.on.comments.remove(found)
    del call.hub.comments[number]
    return Answer(204)


# Labels, milestones, people.


@route("GET", "/repos/{owner}/{repo}/labels")
def labels(call: Call) -> Any:
    """The repository's labels."""
    return call.page(list(call.repo.labels.values()), lambda one: payloads.label(call.base, one))


@route("POST", "/repos/{owner}/{repo}/labels")
def label_made(call: Call) -> Any:
    """Make a label."""
    (name,) = call.need("Label", "name")
    if name.lower() in call.repo.labels:
        raise invalid("Label", "already_exists", "name")
    body = call.body()
    made = call.repo.label(name, body.get("color") or "ededed", body.get("description"))
    return Answer(201, payloads.label(call.base, made))


@route("GET", "/repos/{owner}/{repo}/labels/{name}")
def label(call: Call, name: str) -> Any:
    """One label."""
    if name.lower() not in call.repo.labels:
        raise Refused(404, "Not Found")
    return payloads.label(call.base, call.repo.labels[name.lower()])


@route("GET", f"{ISSUE}/labels")
def labels_of(call: Call, number: int) -> Any:
    """An issue's labels."""
    return call.page(thread_of(call, number).labels, lambda one: payloads.label(call.base, one))


@route("POST", f"{ISSUE}/labels")
def labelled(call: Call, number: int) -> Any:
    """Put labels on an issue."""
    one = thread_of(call, number)
    (names,) = call.need("Issue", "labels")
    one.label(*names)
    return [payloads.label(call.base, each) for each in one.labels]


@route("DELETE", f"{ISSUE}/labels/{{name}}")
def unlabelled(call: Call, number: int, name: str) -> Any:
    """Take a label off an issue."""
    one = thread_of(call, number)
    if not one.unlabel(name):
        raise Refused(404, "Label does not exist")
    return [payloads.label(call.base, each) for each in one.labels]


@route("GET", "/repos/{owner}/{repo}/milestones")
def milestones(call: Call) -> Any:
    """The repository's milestones."""
    state = call.query.get("state", "open")
    found = [one for one in call.repo.milestones.values() if state in ("all", one.state)]
    return call.page(found, lambda one: payloads.milestone(call.base, one))


@route("POST", f"{ISSUE}/assignees")
def assigned(call: Call, number: int) -> Any:
    """Assign people."""
    one = thread_of(call, number)
    one.assign(*_known(call, call.body().get("assignees")))
    return Answer(201, payloads.issue(call.base, one))


@route("DELETE", f"{ISSUE}/assignees")
def unassigned(call: Call, number: int) -> Any:
    """Take people off."""
    one = thread_of(call, number)
    one.unassign(*call.body().get("assignees") or ())
    return payloads.issue(call.base, one)


# The graph.


@route("GET", f"{ISSUE}/sub_issues")
def children(call: Call, number: int) -> Any:
    """Its sub-issues."""
    return call.page(issue_of(call, number).children, _shape(call))


@route("GET", f"{ISSUE}/parent")
def parent(call: Call, number: int) -> Any:
    """Its parent."""
    found = issue_of(call, number).parent
    if found is None:
        raise Refused(404, "Not Found")
    return payloads.issue(call.base, found.shown())


@route("POST", f"{ISSUE}/sub_issues")
def child_added(call: Call, number: int) -> Any:
    """Make an issue its sub-issue."""
    one, child = issue_of(call, number), _by_id(call, "sub_issue_id")
    graph.add_child(one, child, bool(call.body().get("replace_parent")))
    return Answer(201, payloads.issue(call.base, child))


@route("DELETE", f"{ISSUE}/sub_issue")
def child_removed(call: Call, number: int) -> Any:
    """A sub-issue is none any more."""
    one, child = issue_of(call, number), _by_id(call, "sub_issue_id")
    if child.parent is not one:
        raise Refused(404, "Not Found")
    one.disown(child)
    return payloads.issue(call.base, child)


@route("PATCH", f"{ISSUE}/sub_issues/priority")
def child_moved(call: Call, number: int) -> Any:
    """Put a sub-issue before or after another one."""
    one, child = issue_of(call, number), _by_id(call, "sub_issue_id")
    body = call.body()
    field = "after_id" if body.get("after_id") else "before_id"
    other = _by_id(call, field)
    if child not in one.children or other not in one.children:
        raise Refused(404, "Not Found")
    one.children.remove(child)
    one.children.insert(one.children.index(other) + (field == "after_id"), child)
    return payloads.issue(call.base, child)


@route("GET", f"{ISSUE}/dependencies/blocked_by")
def blocked_by(call: Call, number: int) -> Any:
    """What blocks it."""
    return call.page(issue_of(call, number).blocked_by, _shape(call))


@route("GET", f"{ISSUE}/dependencies/blocking")
def blocking(call: Call, number: int) -> Any:
    """What it blocks."""
    return call.page(issue_of(call, number).blocking, _shape(call))


@route("POST", f"{ISSUE}/dependencies/blocked_by")
def blocked(call: Call, number: int) -> Any:
    """It is blocked by another issue."""
    one, blocker = issue_of(call, number), _by_id(call, "issue_id")
    graph.add_blocker(one, blocker)
    return Answer(201, payloads.issue(call.base, one))


@route("DELETE", f"{ISSUE}/dependencies/blocked_by/{{blocker}}")
def unblocked(call: Call, number: int, blocker: str) -> Any:
    """It is not blocked by that issue any more."""
    one = issue_of(call, number)
    found = next((each for each in one.blocked_by if str(each.id) == blocker), None)
    if found is None:
        raise Refused(404, "Not Found")
    one.unblock(found)
    return payloads.issue(call.base, one)
