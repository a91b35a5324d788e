"""GraphQL: the query's own fields, repositories, people and search."""

from __future__ import annotations

from typing import Any

from tests.support.fakehub.answers import Ask, HubError, answers, connection, plain, upper
from tests.support.fakehub.fields_git import CommitThing, QueueThing, RefThing, object_at
from tests.support.fakehub.model import Issue, User
from tests.support.fakehub.pulls import Pull
from tests.support.fakehub.repository import Repository
from tests.support.fakehub.searching import search_threads

WEB = "https://github.com"


@answers("Query")
def rateLimit(source: Any, info: Any, dryRun: bool = False) -> Any:
    ask: Ask = info.context
    budget = ask.hub.limits["graphql"]
    return {**budget.shown(), "cost": ask.cost, "nodeCount": ask.node_count, "resetAt": _iso(budget.reset)}


def _iso(seconds: int) -> str:
    from datetime import UTC, datetime

    return datetime.fromtimestamp(seconds, UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


@answers("Query")
def repository(source: Any, info: Any, owner: str, name: str, followRenames: bool = True) -> Any:
    return _repository(info.context, f"{owner}/{name}", followRenames)


def _repository(ask: Ask, full: str, follow: bool = True) -> Repository:
    hub = ask.hub
    repo = hub.find(full, follow)
    if repo is None or not repo.visible:
        raise HubError("NOT_FOUND", f"Could not resolve to a Repository with the name '{full}'.")
    fault = hub.faults.of_repository(repo.name)
    if fault is not None:
        more = {"saml_failure": True} if "X-GitHub-SSO" in fault.headers else {}
        raise HubError("FORBIDDEN", fault.body["message"], **more)
    return repo


@answers("Query")
def viewer(source: Any, info: Any) -> Any:
    return info.context.hub.viewer


@answers("Query", "user", "organization", "repositoryOwner")
def user(source: Any, info: Any, login: str) -> Any:
    found = info.context.hub.users.get(login.lower())
    kinds = {"user": {"User"}, "organization": {"Organization"}}.get(info.field_name, {"User", "Organization"})
    if found is None or found.kind not in kinds:
        if info.field_name == "repositoryOwner":
            return None
        raise HubError("NOT_FOUND", f"Could not resolve to a {info.field_name.title()} with the login of '{login}'.")
    return found


@answers("Query")
def node(source: Any, info: Any, id: str) -> Any:
    found = by_id(info.context, id)
    if found is None:
        raise HubError("NOT_FOUND", f"Could not resolve to a node with the global id of '{id}'")
    return found


@answers("Query")
def nodes(source: Any, info: Any, ids: list[str]) -> Any:
    if len(ids) > 100:
        raise HubError("ARGUMENT_LIMIT", f"You may not provide more than 100 node ids; you provided {len(ids)}.")
    return [_node_or_error(info.context, one) for one in ids]


def _node_or_error(ask: Ask, node_id: str) -> Any:
    found = by_id(ask, node_id)
    return found or HubError("NOT_FOUND", f"Could not resolve to a node with the global id of '{node_id}'")


def by_id(ask: Ask, node_id: str) -> Any:
    """The thing of a node id, None where there is none or it cannot be seen."""
    prefix, _, rest = node_id.partition("_")
    hub = ask.hub
    if prefix in ("C", "REF", "MQ", "SCR") and ":" in rest:
        repo_id, _, name = rest.partition(":")
        repo: Any = hub.nodes.get(repo_id)
        if not isinstance(repo, Repository):
            return None
        if prefix == "REF":
            return RefThing(repo, name) if repo.side.tip(name) else None
        if prefix == "MQ":
            return QueueThing(repo, name) if repo.rules(name).queue else None
        commit = repo.side.commit_of(name)
        return CommitThing(repo, name) if commit is not None else None
    found = hub.nodes.get(node_id)
    if isinstance(found, Issue) and found.gone is not None:
        return None
    repo = found if isinstance(found, Repository) else getattr(found, "repo", None)
    if isinstance(repo, Repository) and (not repo.visible or hub.find(repo.name, follow=False) is not repo):
        return None
    return found.shown() if isinstance(found, Issue | Pull) else found


@answers("Query")
def search(source: Any, info: Any, query: str, type: str, **page: Any) -> Any:
    found = search_threads(info.context.hub, query) if type.startswith("ISSUE") else []
    zero: dict[str, Any] = {"repositoryCount": 0, "userCount": 0, "discussionCount": 0, "codeCount": 0, "wikiCount": 0}
    return connection([one.shown() for one in found], info, **page, **zero)


# Repositories.

plain(
    "Repository",
    id=lambda repo: repo.node_id,
    databaseId=lambda repo: repo.id,
    name=lambda repo: repo.short,
    nameWithOwner=lambda repo: repo.name,
    url=lambda repo: f"{WEB}/{repo.name}",
    resourcePath=lambda repo: f"/{repo.name}",
    sshUrl=lambda repo: f"git@github.com:{repo.name}.git",
    description=lambda repo: None,
    isArchived=lambda repo: repo.archived,
    archivedAt=lambda repo: repo.updated_at if repo.archived else None,
    isPrivate=lambda repo: repo.private,
    visibility=lambda repo: "PRIVATE" if repo.private else "PUBLIC",
    isFork=lambda repo: repo.parent is not None,
    isDisabled=lambda repo: False,
    isLocked=lambda repo: False,
    isMirror=lambda repo: False,
    isTemplate=lambda repo: False,
    isInOrganization=lambda repo: repo.owner.kind == "Organization",
    isEmpty=lambda repo: not repo.side.branches(),
    homepageUrl=lambda repo: None,
    hasWikiEnabled=lambda repo: False,
    hasProjectsEnabled=lambda repo: False,
    hasDiscussionsEnabled=lambda repo: False,
    hasIssuesEnabled=lambda repo: repo.has_issues,
    viewerPermission=lambda repo: repo.permission,
    viewerCanAdminister=lambda repo: repo.permission == "ADMIN",
    viewerDefaultMergeMethod=lambda repo: (repo.methods or ("merge",))[0].upper(),
    mergeCommitAllowed=lambda repo: "merge" in repo.methods,
    squashMergeAllowed=lambda repo: "squash" in repo.methods,
    rebaseMergeAllowed=lambda repo: "rebase" in repo.methods,
    allowUpdateBranch=lambda repo: True,
    defaultBranchRef=lambda repo: RefThing(repo, repo.default_branch) if repo.side.tip(repo.default_branch) else None,
)


@answers("Repository")
def issue(repo: Repository, info: Any, number: int) -> Any:
    found = repo.issues.get(number)
    if found is None or found.gone is not None or not repo.has_issues:
        raise HubError("NOT_FOUND", f"Could not resolve to an Issue with the number of {number}.")
    return found.shown()


@answers("Repository")
def pullRequest(repo: Repository, info: Any, number: int) -> Any:
    found = repo.pulls.get(number)
    if found is None:
        raise HubError("NOT_FOUND", f"Could not resolve to a PullRequest with the number of {number}.")
    return found.shown()


@answers("Repository")
def issueOrPullRequest(repo: Repository, info: Any, number: int) -> Any:
    found = repo.thread(number)
    if found is None or getattr(found, "gone", None) is not None:
        raise HubError("NOT_FOUND", f"Could not resolve to an issue or pull request with the number of {number}.")
    return found.shown()


def _ordered(things: list[Any], order: Any) -> list[Any]:
    key = {"UPDATED_AT": "updated_at", "CREATED_AT": "created_at"}.get(str((order or {}).get("field")), "number")
    descending = (order or {}).get("direction") == "DESC"
    return sorted(things, key=lambda one: (getattr(one, key), one.number), reverse=descending)


@answers("Repository")
def issues(
    repo: Repository,
    info: Any,
    states: Any = None,
    labels: Any = None,
    filterBy: Any = None,
    orderBy: Any = None,
    **page: Any,
) -> Any:
    wanted: dict[str, Any] = dict(filterBy or {})
    states = states or wanted.get("states")
    labels = [*(labels or ()), *(wanted.get("labels") or ())]
    found = [one for one in repo.issues.values() if one.gone is None]
    if states:
        found = [one for one in found if one.state.upper() in states]
    if labels:
        names = {label.lower() for label in labels}
        found = [one for one in found if names & {label.name.lower() for label in one.labels}]
    if wanted.get("since"):
        found = [one for one in found if one.updated_at >= wanted["since"]]
    if "assignee" in wanted:
        login = wanted["assignee"]
        if login == "*":
            found = [one for one in found if one.assignees]
        else:
            found = [
                one
                for one in found
                if login in [user.login for user in one.assignees] or (login is None and not one.assignees)
            ]
    if wanted.get("milestoneNumber"):
        found = [one for one in found if one.milestone and str(one.milestone.number) == wanted["milestoneNumber"]]
    if wanted.get("createdBy"):
        found = [one for one in found if one.author and one.author.login == wanted["createdBy"]]
    return connection([one.shown() for one in _ordered(found, orderBy)], info, **page)


@answers("Repository")
def pullRequests(
    repo: Repository,
    info: Any,
    states: Any = None,
    labels: Any = None,
    headRefName: Any = None,
    baseRefName: Any = None,
    orderBy: Any = None,
    **page: Any,
) -> Any:
    return connection(_pulls(repo, states, labels, headRefName, baseRefName, orderBy), info, **page)


def _pulls(repo: Repository, states: Any, labels: Any, head: Any, base: Any, order: Any) -> list[Any]:
    found = [
        one
        for one in repo.pulls.values()
        if (not states or one.state.upper() in states)
        and (head is None or one.head == head)
        and (base is None or one.base == base)
    ]
    if labels:
        names = {label.lower() for label in labels}
        found = [one for one in found if names & {label.name.lower() for label in one.labels}]
    return [one.shown() for one in _ordered(found, order)]


@answers("Ref", "associatedPullRequests")
def of_ref(
    ref: RefThing,
    info: Any,
    states: Any = None,
    labels: Any = None,
    headRefName: Any = None,
    baseRefName: Any = None,
    orderBy: Any = None,
    **page: Any,
) -> Any:
    return connection(_pulls(ref.repo, states, labels, ref.short, baseRefName, orderBy), info, **page)


@answers("Repository")
def label(repo: Repository, info: Any, name: str) -> Any:
    return repo.labels.get(name.lower())


@answers("Repository")
def labels(repo: Repository, info: Any, orderBy: Any = None, query: Any = None, **page: Any) -> Any:
    found = [one for one in repo.labels.values() if query is None or query.lower() in one.name.lower()]
    return connection(found, info, **page)


@answers("Repository")
def milestone(repo: Repository, info: Any, number: int) -> Any:
    return repo.milestones.get(number)


@answers("Repository")
def milestones(
    repo: Repository, info: Any, states: Any = None, orderBy: Any = None, query: Any = None, **page: Any
) -> Any:
    found = [one for one in repo.milestones.values() if not states or one.state.upper() in states]
    return connection(found, info, **page)


@answers("Repository")
def ref(repo: Repository, info: Any, qualifiedName: str) -> Any:
    tip = repo.side.tip(qualifiedName)
    return RefThing(repo, qualifiedName) if tip else None


@answers("Repository")
def refs(
    repo: Repository,
    info: Any,
    refPrefix: str,
    query: Any = None,
    direction: Any = None,
    orderBy: Any = None,
    **page: Any,
) -> Any:
    found = [RefThing(repo, name) for name in repo.side.refs(refPrefix) if query is None or query in name]
    return connection(found, info, **page)


@answers("Repository", "object")
def object_of(repo: Repository, info: Any, expression: str | None = None, oid: str | None = None) -> Any:
    return object_at(repo, expression or oid or "")


@answers("Repository", "assignableUsers", "mentionableUsers")
def people(repo: Repository, info: Any, query: str | None = None, **page: Any) -> Any:
    found = [
        one for one in repo.hub.users.values() if one.kind == "User" and (query or "").lower() in one.login.lower()
    ]
    return connection(found, info, **page)


@answers("Repository")
def mergeQueue(repo: Repository, info: Any, branch: str | None = None) -> Any:
    branch = branch or repo.default_branch
    return QueueThing(repo, branch) if repo.rules(branch).queue else None


@answers("Repository")
def branchProtectionRules(repo: Repository, info: Any, **page: Any) -> Any:
    found = [RefThing(repo, branch) for branch, rules in repo.protections.items() if rules.classic and rules.any]
    return connection(found, info, **page)


# People and what hangs on things.

for kind in ("User", "Bot", "Organization"):
    plain(
        kind,
        id=lambda user: user.node_id,
        databaseId=lambda user: user.id,
        name=lambda user: user.login,
        url=lambda user: f"{WEB}/{user.login}",
        resourcePath=lambda user: f"/{user.login}",
    )

    @answers(kind)
    def avatarUrl(user: User, info: Any, size: int | None = None) -> str:
        return f"https://avatars.githubusercontent.com/u/{user.id}?v=4"

    @answers(kind, "repository")
    def repository_of(user: User, info: Any, name: str, followRenames: bool = True) -> Any:
        return _repository(info.context, f"{user.login}/{name}", followRenames)


@answers("User")
def isViewer(user: User, info: Any) -> bool:
    return user is info.context.hub.viewer


plain(
    "Label",
    id=lambda label: label.node_id,
    isDefault=lambda label: label.name in ("bug", "enhancement"),
    repository=lambda label: label.repo,
    updatedAt=lambda label: label.created_at,
    url=lambda label: f"{WEB}/{label.repo.name}/labels/{label.name}",
    resourcePath=lambda label: f"/{label.repo.name}/labels/{label.name}",
)
plain(
    "Milestone",
    id=lambda one: one.node_id,
    state=lambda one: upper(one.state),
    closed=lambda one: one.state == "closed",
    description=lambda one: None,
    repository=lambda one: one.repo,
    updatedAt=lambda one: one.created_at,
    url=lambda one: f"{WEB}/{one.repo.name}/milestone/{one.number}",
    resourcePath=lambda one: f"/{one.repo.name}/milestone/{one.number}",
)
