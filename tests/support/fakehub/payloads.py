"""REST's JSON objects of people, repositories, issues and pull requests."""

from __future__ import annotations

from typing import Any

from tests.support.fakehub.model import Comment, Event, Issue, Label, Milestone, Thread, User
from tests.support.fakehub.pulls import Pull, Review
from tests.support.fakehub.repository import Repository

WEB = "https://github.com"
Json = dict[str, Any]


def user(base: str, one: User | None) -> Json | None:
    """A simple-user; None for a ghost."""
    if one is None:
        return None
    url = f"{base}/users/{one.login}"
    return {
        "login": one.login,
        "id": one.id,
        "node_id": one.node_id,
        "avatar_url": f"https://avatars.githubusercontent.com/u/{one.id}?v=4",
        "gravatar_id": "",
        "url": url,
        "html_url": f"{WEB}/{one.login}",
        "followers_url": f"{url}/followers",
        "following_url": f"{url}/following{{/other_user}}",
        "gists_url": f"{url}/gists{{/gist_id}}",
        "starred_url": f"{url}/starred{{/owner}}{{/repo}}",
        "subscriptions_url": f"{url}/subscriptions",
        "organizations_url": f"{url}/orgs",
        "repos_url": f"{url}/repos",
        "events_url": f"{url}/events{{/privacy}}",
        "received_events_url": f"{url}/received_events",
        "type": one.kind,
        "site_admin": False,
    }


def full_user(base: str, one: User) -> Json:
    """The user of GET /user."""
    empty = {name: None for name in ("name", "company", "location", "email", "hireable", "bio", "twitter_username")}
    return {
        **(user(base, one) or {}),
        **empty,
        "blog": "",
        "public_repos": 1,
        "public_gists": 0,
        "followers": 0,
        "following": 0,
        "created_at": one.created_at,
        "updated_at": one.created_at,
    }


def label(base: str, one: Label) -> Json:
    """A label."""
    return {
        "id": one.id,
        "node_id": one.node_id,
        "url": f"{base}/repos/{one.repo.name}/labels/{one.name}",
        "name": one.name,
        "description": one.description,
        "color": one.color,
        "default": one.name in ("bug", "enhancement"),
    }


def milestone(base: str, one: Milestone | None) -> Json | None:
    """A milestone."""
    if one is None:
        return None
    url = f"{base}/repos/{one.repo.name}/milestones/{one.number}"
    threads = [*one.repo.issues.values(), *one.repo.pulls.values()]
    mine = [thread for thread in threads if thread.milestone is one]
    return {
        "url": url,
        "html_url": f"{WEB}/{one.repo.name}/milestone/{one.number}",
        "labels_url": f"{url}/labels",
        "id": one.id,
        "node_id": one.node_id,
        "number": one.number,
        "title": one.title,
        "description": None,
        "creator": user(base, one.repo.hub.viewer),
        "open_issues": sum(thread.open for thread in mine),
        "closed_issues": sum(not thread.open for thread in mine),
        "state": one.state,
        "created_at": one.created_at,
        "updated_at": one.created_at,
        "due_on": one.due_on,
        "closed_at": one.closed_at,
    }


def _thread(base: str, one: Thread) -> Json:
    people = [user(base, who) for who in one.assignees]
    return {
        "id": one.id,
        "node_id": one.node_id,
        "html_url": f"{WEB}{one.path}",
        "number": one.number,
        "state": "open" if one.open else "closed",
        "locked": one.locked,
        "active_lock_reason": None,
        "title": one.title,
        "body": one.body or None,
        "user": user(base, one.author or one.hub.user("ghost")),
        "labels": [label(base, each) for each in one.labels],
        "assignee": people[0] if people else None,
        "assignees": people,
        "milestone": milestone(base, one.milestone),
        "closed_at": one.closed_at,
        "created_at": one.created_at,
        "updated_at": one.updated_at,
        "author_association": "MEMBER",
    }


def issue(base: str, one: Thread) -> Json:
    """An issue; also a pull request as the issues list shows it."""
    repo = f"{base}/repos/{one.repo.name}"
    url = f"{repo}/issues/{one.number}"
    shown = {
        **_thread(base, one),
        "url": url,
        "repository_url": repo,
        "labels_url": f"{url}/labels{{/name}}",
        "comments_url": f"{url}/comments",
        "events_url": f"{url}/events",
        "timeline_url": f"{url}/timeline",
        "comments": len(one.comments),
        "closed_by": user(base, _closer(one)),
        "state_reason": getattr(one, "reason", None),
        "reactions": _reactions(url),
    }
    if isinstance(one, Pull):
        shown["pull_request"] = {
            "url": f"{repo}/pulls/{one.number}",
            "html_url": f"{WEB}{one.path}",
            "diff_url": f"{WEB}{one.path}.diff",
            "patch_url": f"{WEB}{one.path}.patch",
            "merged_at": one.merged_at,
        }
        shown["draft"] = one.draft
    if isinstance(one, Issue):
        total, done = len(one.children), sum(not child.open for child in one.children)
        percent = round(100 * done / total) if total else 0
        shown["sub_issues_summary"] = {"total": total, "completed": done, "percent_completed": percent}
        shown["issue_dependencies_summary"] = {
            "blocked_by": sum(other.open for other in one.blocked_by),
            "blocking": sum(other.open for other in one.blocking),
            "total_blocked_by": len(one.blocked_by),
            "total_blocking": len(one.blocking),
        }
        if one.parent is not None:
            shown["parent_issue_url"] = f"{base}/repos/{one.parent.repo.name}/issues/{one.parent.number}"
    return shown


def _closer(one: Thread) -> User | None:
    closed = [event.actor for event in one.events if event.kind == "ClosedEvent"]
    return closed[-1] if closed and not one.open else None


def event(base: str, one: Event) -> Json:
    """An entry of a timeline."""
    words = {
        "CrossReferencedEvent": "cross-referenced",
        "ConnectedEvent": "connected",
        "DisconnectedEvent": "disconnected",
        "ClosedEvent": "closed",
        "ReopenedEvent": "reopened",
        "MergedEvent": "merged",
        "HeadRefDeletedEvent": "head_ref_deleted",
        "HeadRefForcePushedEvent": "head_ref_force_pushed",
        "AddedToMergeQueueEvent": "added_to_merge_queue",
        "RemovedFromMergeQueueEvent": "removed_from_merge_queue",
    }
    shown: Json = {"event": words[one.kind], "actor": user(base, one.actor), "created_at": one.created_at}
    if one.kind == "CrossReferencedEvent":
        return {
            **shown,
            "updated_at": one.created_at,
            "source": {"type": "issue", "issue": issue(base, one.data["source"])},
        }
    closer = one.data.get("closer")
    commit = one.data.get("commit") or (closer if isinstance(closer, str) else None)
    url = f"{base}/repos/{one.on.repo.name}"
    shown |= {"id": one.number, "node_id": one.node_id, "url": f"{url}/issues/events/{one.number}", "commit_id": commit}
    shown["commit_url"] = f"{url}/commits/{commit}" if commit else None
    if one.kind == "ClosedEvent":
        shown["state_reason"] = one.data.get("reason")
    return shown


def _reactions(url: str) -> Json:
    kinds = ("+1", "-1", "laugh", "hooray", "confused", "heart", "rocket", "eyes")
    return {"url": f"{url}/reactions", "total_count": 0, **dict.fromkeys(kinds, 0)}


def comment(base: str, one: Comment) -> Json:
    """A comment on an issue or a pull request."""
    repo = f"{base}/repos/{one.on.repo.name}"
    url = f"{repo}/issues/comments/{one.id}"
    return {
        "id": one.id,
        "node_id": one.node_id,
        "url": url,
        "html_url": f"{WEB}{one.on.path}#issuecomment-{one.id}",
        "issue_url": f"{repo}/issues/{one.on.number}",
        "body": one.body,
        "user": user(base, one.author),
        "created_at": one.created_at,
        "updated_at": one.updated_at,
        "author_association": "MEMBER",
        "reactions": _reactions(url),
    }


def pull(base: str, one: Pull, whole: bool = False) -> Json:
    """A pull request; `whole` as GET of the one shows it, with what is computed."""
    repo = f"{base}/repos/{one.repo.name}"
    url, issue_url = f"{repo}/pulls/{one.number}", f"{repo}/issues/{one.number}"
    links = {
        "self": url,
        "html": f"{WEB}{one.path}",
        "issue": issue_url,
        "comments": f"{issue_url}/comments",
        "review_comments": f"{url}/comments",
        "review_comment": f"{repo}/pulls/comments{{/number}}",
        "commits": f"{url}/commits",
        "statuses": f"{repo}/statuses/{one.head_oid}",
    }
    owner = one.hub.user(one.head_login)
    shown = {
        **_thread(base, one),
        "url": url,
        "diff_url": f"{WEB}{one.path}.diff",
        "patch_url": f"{WEB}{one.path}.patch",
        "issue_url": issue_url,
        "commits_url": links["commits"],
        "review_comments_url": links["review_comments"],
        "review_comment_url": links["review_comment"],
        "comments_url": links["comments"],
        "statuses_url": links["statuses"],
        "merged_at": one.merged_at,
        "merge_commit_sha": one.merge_commit or one.test_merge(),
        "draft": one.draft,
        "requested_reviewers": [user(base, who) for who in one.asked],
        "requested_teams": [],
        "head": _side(base, one.head_repo, owner, f"{owner.login}:{one.head}", one.head, one.head_oid),
        "base": _side(base, one.repo, one.repo.owner, f"{one.repo.owner.login}:{one.base}", one.base, one.base_oid),
        "_links": {name: {"href": href} for name, href in links.items()},
        "auto_merge": None
        if one.auto_merge is None
        else {
            "enabled_by": user(base, one.auto_merge["enabledBy"]),
            "merge_method": one.auto_merge["mergeMethod"].lower(),
            "commit_title": one.auto_merge["commitHeadline"] or "",
            "commit_message": one.auto_merge["commitBody"] or "",
        },
    }
    return {**shown, **_computed(base, one)} if whole else shown


def _computed(base: str, one: Pull) -> Json:
    mergeable = one.mergeable()
    changes = one.repo.side.changed(one.base_oid, one.head_oid)
    return {
        "merged": one.merged,
        "mergeable": {"mergeable": True, "conflicting": False}.get(mergeable),
        "rebaseable": {"mergeable": True, "conflicting": False}.get(mergeable),
        "mergeable_state": one.merge_state(mergeable),
        "merged_by": user(base, one.merged_by),
        "comments": len(one.comments),
        "review_comments": 0,
        "maintainer_can_modify": not one.fork,
        "commits": len(one.commits()),
        "additions": sum(change[2] for change in changes),
        "deletions": sum(change[3] for change in changes),
        "changed_files": len(changes),
    }


def _side(base: str, repo: Repository | None, owner: User | None, label: str, ref: str, sha: str) -> Json:
    return {
        "label": label,
        "ref": ref,
        "sha": sha,
        "user": user(base, owner),
        "repo": repository(base, repo) if repo is not None else None,
    }


def review(base: str, one: Review) -> Json:
    """A review."""
    url = f"{base}/repos/{one.pull.repo.name}/pulls/{one.pull.number}"
    page = f"{WEB}{one.pull.path}#pullrequestreview-{one.id}"
    return {
        "id": one.id,
        "node_id": one.node_id,
        "user": user(base, one.author),
        "body": one.body,
        "state": one.state.upper(),
        "html_url": page,
        "pull_request_url": url,
        "author_association": "MEMBER",
        "_links": {"html": {"href": page}, "pull_request": {"href": url}},
        "submitted_at": one.submitted_at,
        "commit_id": one.commit,
    }


URLS = (
    *("archive:/{archive_format}{/ref}", "assignees:{/user}", "blobs:/git/blobs{/sha}", "branches:{/branch}"),
    *("collaborators:{/collaborator}", "comments:{/number}", "commits:{/sha}", "compare:/{base}...{head}"),
    *("contents:/{+path}", "contributors:", "deployments:", "downloads:", "events:", "forks:"),
    *("git_commits:/git/commits{/sha}", "git_refs:/git/refs{/sha}", "git_tags:/git/tags{/sha}", "hooks:"),
    *("issue_comment:/issues/comments{/number}", "issue_events:/issues/events{/number}", "issues:{/number}"),
    *("keys:{/key_id}", "labels:{/name}", "languages:", "merges:", "milestones:{/number}"),
    *("notifications:{?since,all,participating}", "pulls:{/number}", "releases:{/id}", "stargazers:"),
    *("statuses:/statuses/{sha}", "subscribers:", "subscription:", "tags:", "teams:", "trees:/git/trees{/sha}"),
)


def _urls(url: str) -> Json:
    found = {}
    for entry in URLS:
        name, _, rest = entry.partition(":")
        whole = rest.startswith(("/git/", "/issues/", "/statuses/"))
        found[f"{name}_url"] = f"{url}{rest}" if whole else f"{url}/{name}{rest}"
    return found


def repository(base: str, one: Repository) -> Json:
    """A repository, with the settings that a token with push rights sees."""
    url, page = f"{base}/repos/{one.name}", f"{WEB}/{one.name}"
    threads = [*one.issues.values(), *one.pulls.values()]
    open_count = sum(thread.open and getattr(thread, "gone", None) is None for thread in threads)
    forks = sum(other.parent is one for other in one.hub.repositories.values())
    order = ("READ", "TRIAGE", "WRITE", "MAINTAIN", "ADMIN")
    rank = order.index(one.permission)
    words = ("pull", "triage", "push", "maintain", "admin")
    return {
        "id": one.id,
        "node_id": one.node_id,
        "name": one.short,
        "full_name": one.name,
        "owner": user(base, one.owner),
        "private": one.private,
        "visibility": "private" if one.private else "public",
        "html_url": page,
        "description": None,
        "fork": one.parent is not None,
        "url": url,
        **_urls(url),
        "git_url": f"git://github.com/{one.name}.git",
        "ssh_url": f"git@github.com:{one.name}.git",
        "clone_url": f"{page}.git",
        "svn_url": page,
        "mirror_url": None,
        "homepage": None,
        "language": None,
        "license": None,
        "forks": forks,
        "forks_count": forks,
        "network_count": forks,
        "stargazers_count": 0,
        "watchers": 0,
        "watchers_count": 0,
        "subscribers_count": 0,
        "size": 1,
        "default_branch": one.default_branch,
        "open_issues": open_count,
        "open_issues_count": open_count,
        "topics": [],
        "has_issues": one.has_issues,
        "has_projects": False,
        "has_wiki": False,
        "has_pages": False,
        "has_downloads": True,
        "has_discussions": False,
        "archived": one.archived,
        "disabled": False,
        "is_template": False,
        "pushed_at": one.pushed_at,
        "created_at": one.created_at,
        "updated_at": one.updated_at,
        "permissions": {word: place <= rank for place, word in enumerate(words)},
        "allow_squash_merge": "squash" in one.methods,
        "allow_merge_commit": "merge" in one.methods,
        "allow_rebase_merge": "rebase" in one.methods,
        "allow_auto_merge": one.auto_merge_allowed,
        "allow_update_branch": True,
        "delete_branch_on_merge": one.delete_branch_on_merge,
    }
