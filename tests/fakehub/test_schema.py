"""Every field of the fake's schema has an answer: none is there for show."""

from __future__ import annotations

from typing import Any

from graphql import GraphQLInterfaceType, GraphQLObjectType, GraphQLUnionType, get_named_type, is_leaf_type

from tests.fakehub.conftest import Asker
from tests.support.fakehub import FakeHub
from tests.support.fakehub.graphql import schema

ROOTS = {"Query", "Mutation", "Subscription"}
ARGUMENTS = {
    ("Repository", "issue"): "number: 1",
    ("Repository", "pullRequest"): "number: 3",
    ("Repository", "issueOrPullRequest"): "number: 1",
    ("Repository", "label"): 'name: "bug"',
    ("Repository", "milestone"): "number: 1",
    ("Repository", "ref"): 'qualifiedName: "refs/heads/main"',
    ("Repository", "refs"): 'refPrefix: "refs/heads/", first: 2',
    ("Repository", "object"): 'expression: "main:README.md"',
    ("Ref", "compare"): 'headRef: "stoat/p/a"',
    ("User", "repository"): 'name: "widgets"',
    ("RepositoryOwner", "repository"): 'name: "widgets"',
    ("Organization", "repository"): 'name: "widgets"',
    ("Status", "context"): 'name: "ci/lint"',
    ("CheckRun", "isRequired"): "pullRequestNumber: 3",
    ("StatusContext", "isRequired"): "pullRequestNumber: 3",
    ("RequirableByPullRequest", "isRequired"): "pullRequestNumber: 3",
}


def selection(kind: Any, depth: int) -> str:
    """All fields of a type, and of what they lead to as deep as `depth`."""
    if isinstance(kind, GraphQLUnionType):
        return "{ __typename " + " ".join(f"... on {one.name} {selection(one, 0)}" for one in kind.types) + " }"
    parts = ["__typename"]
    for name, field in kind.fields.items():
        named = get_named_type(field.type)
        arguments = ARGUMENTS.get((kind.name, name), "first: 1" if "first" in field.args else "")
        call = f"{name}({arguments})" if arguments else name
        # An alias for each type: IssueState! and PullRequestState! cannot have one name in one selection.
        call = f"{kind.name}_{name}: {call}"
        if is_leaf_type(named):
            parts.append(call)
        elif depth > 0:
            deeper = depth if named.name.endswith(("Connection", "Edge")) else depth - 1
            parts.append(f"{call} {selection(named, min(deeper, depth))}")
        else:
            parts.append(f"{call} {{ __typename }}")
    return "{ " + " ".join(parts) + " }"


def test_every_field_of_every_type_is_answered(hub: FakeHub, ask: Asker) -> None:
    repo = hub.repository("acme/widgets", required=["test"], approvals=1, queue=True)
    issue = repo.issue("Lanes", labels=["bug"], assignees=["ada"], milestone="v1")
    issue.comment("bob", "Yes")
    repo.issue("More lanes", parent=1, blocked_by=[1]).close()
    pull = repo.pull("Fix lanes", "stoat/p/a", body="Fixes #1")
    run = pull.check("test", "success", annotations=["note"], steps=["Run"])
    pull.status("ci/lint", "success")
    pull.review("bob", "approved")
    pull.comment("bob", "Good")
    pull.ask_review("eve")
    issue.link(pull)
    issue.unlink(pull)
    issue.close()
    issue.reopen()
    hub.user("robot[bot]")
    answer = ask.data(
        "mutation($i: EnqueuePullRequestInput!) { enqueuePullRequest(input: $i) { mergeQueueEntry { id } } }",
        i={"pullRequestId": pull.node_id},
    )
    entry = answer["enqueuePullRequest"]["mergeQueueEntry"]["id"]
    merged = repo.pull("Merged", "done")
    merged.merge()
    merged.happened("HeadRefDeletedEvent")
    merged.happened("HeadRefForcePushedEvent", before=merged.head_oid, after=merged.head_oid)
    merged.happened("RemovedFromMergeQueueEvent", reason="MANUAL")
    tip = f"C_{repo.node_id}:{repo.side.tip('main')}"
    classic = hub.repository("acme/classic", required=["test"], classic=True)
    starts = [
        *(repo.node_id, issue.node_id, pull.node_id, merged.node_id, run.node_id, run.suite.node_id, entry, tip),
        *(f"REF_{repo.node_id}:refs/heads/main", f"REF_{classic.node_id}:refs/heads/main", f"MQ_{repo.node_id}:main"),
        *(repo.owner.node_id, hub.user("ada").node_id, hub.user("robot[bot]").node_id, issue.labels[0].node_id),
        *(event.node_id for thread in (issue, pull, merged) for event in thread.events),
        *(
            pull.reviews[0].node_id,
            pull.comments[0].node_id,
            repo.checks.statuses[0].node_id,
            repo.milestones[1].node_id,
        ),
    ]
    seen: set[str] = set()
    wrong: list[tuple[str, Any]] = []
    for start in starts:
        kind = ask.data("query($id: ID!) { node(id: $id) { __typename } }", id=start)["node"]["__typename"]
        seen.add(kind)
        query = f"query($id: ID!) {{ node(id: $id) {{ ... on {kind} {selection(schema().type_map[kind], 1)} }} }}"
        answer = ask.graphql(query, id=start)
        wrong += [(kind, one) for one in answer.get("errors", []) if one.get("type") != "NOT_FOUND"]
    assert wrong == []
    nodes = {
        name
        for name, kind in schema().type_map.items()
        if isinstance(kind, GraphQLObjectType) and "Node" in {one.name for one in kind.interfaces}
    }
    unreached = {
        "App",
        "Blob",
        "Tree",
        "Tag",
        "BranchProtectionRule",
        "Comparison",
        "RepositoryRule",
        "ReviewRequest",
        "PullRequestCommit",
        "Query",
        "Status",
        "StatusCheckRollup",
        "Workflow",
        "WorkflowRun",
    }  # fields of what was reached lead to these
    assert nodes - seen - unreached == set()


def test_the_root_fields_are_answered(hub: FakeHub, ask: Asker) -> None:
    hub.repository("acme/widgets").issue("Lanes")
    found = ask.data(
        """{ viewer { login isViewer } user(login: "stoat-bot") { login } organization(login: "acme") { login }
             repositoryOwner(login: "acme") { __typename } nobody: repositoryOwner(login: "nobody") { login }
             rateLimit { cost limit nodeCount remaining resetAt used }
             search(query: "repo:acme/widgets is:issue lanes", type: ISSUE, first: 5) {
               issueCount nodes { ... on Issue { number } } } }"""
    )
    assert found["viewer"] == {"login": "stoat-bot", "isViewer": True}
    assert found["search"] == {"issueCount": 1, "nodes": [{"number": 1}]}
    assert found["nobody"] is None


def test_only_gh_may_ask_as_github_alone_lets_it(hub: FakeHub, ask: Asker) -> None:
    hub.repository("acme/widgets").issue("Lanes")
    query = """{ repository(owner: "acme", name: "widgets") { issueOrPullRequest(number: 1) {
        ... on Issue { state } ... on PullRequest { state } } } }"""
    assert "conflicting types" in ask.graphql(query)["errors"][0]["message"]
    ask.session.headers["User-Agent"] = "GitHub CLI 2.103.3"
    assert ask.data(query)["repository"]["issueOrPullRequest"] == {"state": "OPEN"}


def test_interfaces_and_introspection_work(hub: FakeHub, ask: Asker) -> None:
    assert isinstance(schema().type_map["Actor"], GraphQLInterfaceType)
    found = ask.data('{ __type(name: "PullRequest") { fields { name } } }')
    assert {"name": "isInMergeQueue"} in found["__type"]["fields"]
