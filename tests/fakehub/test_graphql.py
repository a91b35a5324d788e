"""GraphQL as GitHub answers it: errors with their types and paths, limits, pages, cost, ids."""

from __future__ import annotations

import pytest

from tests.fakehub.conftest import Asker
from tests.support.fakehub import FakeHub

FIRST = "query($o: String!, $n: String!) { repository(owner: $o, name: $n) { nameWithOwner } }"


def test_what_is_not_there_is_null_with_its_path_and_the_rest_is_good(hub: FakeHub, ask: Asker) -> None:
    hub.repository("acme/widgets").issue("Lanes", number=120)
    answer = ask.graphql(
        """{ r0: repository(owner: "acme", name: "widgets") { nameWithOwner i120: issue(number: 120) { number }
                 i99: issue(number: 99) { number } p7: pullRequest(number: 7) { number } }
             r1: repository(owner: "acme", name: "nope") { id } }"""
    )
    assert answer["data"] == {
        "r0": {"nameWithOwner": "acme/widgets", "i120": {"number": 120}, "i99": None, "p7": None},
        "r1": None,
    }
    shown = [(error["type"], error["path"], error["message"]) for error in answer["errors"]]
    assert sorted(shown) == [
        ("NOT_FOUND", ["r0", "i99"], "Could not resolve to an Issue with the number of 99."),
        ("NOT_FOUND", ["r0", "p7"], "Could not resolve to a PullRequest with the number of 7."),
        ("NOT_FOUND", ["r1"], "Could not resolve to a Repository with the name 'acme/nope'."),
    ]


def test_a_number_of_the_other_kind_is_not_found(hub: FakeHub, ask: Asker) -> None:
    repo = hub.repository("acme/widgets")
    repo.pull("Fix", "topic", number=1)
    answer = ask.graphql(
        '{ repository(owner: "acme", name: "widgets") { issue(number: 1) { number } '
        "issueOrPullRequest(number: 1) { __typename } } }"
    )
    assert answer["data"]["repository"] == {"issue": None, "issueOrPullRequest": {"__typename": "PullRequest"}}


def test_a_renamed_repository_is_followed_unless_that_is_not_wanted(hub: FakeHub, ask: Asker) -> None:
    hub.repository("acme/widgets").rename("Acme/Gizmos")
    assert ask.data(FIRST, o="acme", n="widgets")["repository"] == {"nameWithOwner": "acme/Gizmos"}
    answer = ask.graphql('{ repository(owner: "acme", name: "widgets", followRenames: false) { id } }')
    assert answer["errors"][0]["type"] == "NOT_FOUND"
    moved = ask.get("/repos/acme/widgets/issues?state=all")
    assert moved.status_code == 301
    assert ask.session.get(moved.headers["Location"], timeout=10).json() == []


@pytest.mark.parametrize(
    ("call", "type_"),
    [
        ("labels { nodes { name } }", "MISSING_PAGINATION_BOUNDARIES"),
        ("labels { ...N }", "MISSING_PAGINATION_BOUNDARIES"),
        ("labels(first: 101) { nodes { name } }", "EXCESSIVE_PAGINATION"),
        ("labels { totalCount }", None),
        ("labels(first: 100) { nodes { name } }", None),
        ("labels(last: 1) { nodes { name } }", None),
    ],
)
def test_a_connection_wants_boundaries(hub: FakeHub, ask: Asker, call: str, type_: str | None) -> None:
    hub.repository("acme/widgets").issue("Lanes")
    fragment = "fragment N on LabelConnection { nodes { name } }" if "...N" in call else ""
    answer = ask.graphql(
        f'{{ repository(owner: "acme", name: "widgets") {{ issue(number: 1) {{ {call} }} }} }} {fragment}'
    )
    assert [error["type"] for error in answer.get("errors", [])] == ([type_] if type_ else [])
    if type_:
        assert answer["errors"][0]["path"] == ["repository", "issue", "labels"]


def test_more_than_a_hundred_ids_are_refused(hub: FakeHub, ask: Asker) -> None:
    query = "query($ids: [ID!]!) { nodes(ids: $ids) { id } }"
    assert ask.graphql(query, ids=["x"] * 101)["errors"][0]["type"] == "ARGUMENT_LIMIT"
    node = hub.repository("acme/widgets").issue("Lanes").node_id
    answer = ask.graphql(query, ids=[node, "x"])
    assert answer["data"]["nodes"] == [{"id": node}, None]
    assert answer["errors"][0]["path"] == ["nodes", 1]


def test_too_many_possible_nodes_are_refused_before_anything_is_done(hub: FakeHub, ask: Asker) -> None:
    hub.repository("acme/widgets")
    deep = "issues(first: 100) { nodes { subIssues(first: 100) { nodes { comments(first: 100) { nodes { id } } } } } }"
    answer = ask.graphql(f'{{ repository(owner: "acme", name: "widgets") {{ {deep} }} }}')
    assert "data" not in answer
    assert answer["errors"][0]["type"] == "MAX_NODE_LIMIT_EXCEEDED"
    assert "1,010,100 possible nodes" in answer["errors"][0]["message"]


def test_a_field_that_does_not_exist_refuses_the_whole_request(ask: Asker) -> None:
    answer = ask.graphql("{ viewer { login shoeSize } }")
    assert "data" not in answer
    (error,) = answer["errors"]
    assert error["message"] == "Field 'shoeSize' doesn't exist on type 'User'"
    assert error["extensions"]["code"] == "undefinedField"


def test_the_cost_goes_by_the_published_formula(hub: FakeHub, ask: Asker) -> None:
    hub.repository("acme/widgets")
    before = hub.limits["graphql"].remaining
    # 1 + 100 + 100 × 100 requests, as in GitHub's own kind of example.
    pages = (
        "issues(first: 100) { nodes { labels(first: 100) { nodes { name } } comments(first: 60) { nodes { id } } } }"
    )
    found = ask.data(
        f'{{ rateLimit {{ cost nodeCount remaining }} repository(owner: "acme", name: "widgets") {{ {pages} }} }}'
    )
    assert found["rateLimit"] == {"cost": 2, "nodeCount": 100 + 100 * 100 + 100 * 60, "remaining": before - 2}
    assert hub.journal[-1].cost == 2


def test_the_hourly_budget_runs_out_with_status_200(hub: FakeHub, ask: Asker) -> None:
    hub.limits.exhaust("graphql", 30)
    response = ask.rest("POST", "/graphql", {"query": "{ viewer { login } }"})
    assert response.status_code == 200
    assert response.json()["errors"][0]["type"] == "RATE_LIMITED"
    assert response.headers["X-RateLimit-Remaining"] == "0"
    assert response.headers["X-RateLimit-Resource"] == "graphql"
    assert ask.get("/user").status_code == 200


def test_ids_of_check_runs_are_past_what_an_int_should_hold(hub: FakeHub, ask: Asker) -> None:
    repo = hub.repository("acme/widgets")
    run = repo.check("test", "success")
    query = "query($id: ID!) { node(id: $id) { ... on CheckRun { databaseId } } }"
    assert ask.data(query, id=run.node_id)["node"]["databaseId"] > 2**31


def test_a_hundred_and_thirty_contexts_come_in_two_pages(hub: FakeHub, ask: Asker) -> None:
    pull = hub.repository("acme/widgets").pull("Fix", "topic")
    for number in range(130):
        pull.check(f"test {number}", "success")
    query = """query($id: ID!, $after: String) { node(id: $id) { ... on PullRequest { statusCheckRollup {
        contexts(first: 100, after: $after) { totalCount checkRunCountsByState { state count }
          pageInfo { hasNextPage endCursor } nodes { ... on CheckRun { name } } } } } } }"""
    names, after = [], None
    for more in (True, False):
        page = ask.data(query, id=pull.node_id, after=after)["node"]["statusCheckRollup"]["contexts"]
        assert page["totalCount"] == 130
        assert page["checkRunCountsByState"] == [{"state": "SUCCESS", "count": 130}]
        assert page["pageInfo"]["hasNextPage"] is more
        names += [node["name"] for node in page["nodes"]]
        after = page["pageInfo"]["endCursor"]
    assert len(set(names)) == 130


def test_pull_requests_are_found_by_their_branch_also_of_forks(hub: FakeHub, ask: Asker) -> None:
    repo = hub.repository("acme/widgets")
    repo.pull("Ours", "stoat/p/a", number=1)
    repo.pull("Theirs", "stoat/p/a", number=2, fork="eve")
    repo.pull("Other", "stoat/p/b", number=3)
    query = """{ repository(owner: "acme", name: "widgets") { pullRequests(headRefName: "stoat/p/a", first: 9) {
        nodes { number isCrossRepository headRepositoryOwner { login } } } } }"""
    nodes = ask.data(query)["repository"]["pullRequests"]["nodes"]
    assert nodes == [
        {"number": 1, "isCrossRepository": False, "headRepositoryOwner": {"login": "acme"}},
        {"number": 2, "isCrossRepository": True, "headRepositoryOwner": {"login": "eve"}},
    ]


def test_a_ref_is_compared_with_branches_commits_and_branches_of_forks(hub: FakeHub, ask: Asker) -> None:
    repo = hub.repository("acme/widgets")
    pull = repo.pull("Ours", "stoat/p/a")
    repo.pull("Theirs", "topic", fork="eve")
    repo.push("main", "One more")
    query = """query($h: String!) { repository(owner: "acme", name: "widgets") { ref(qualifiedName: "refs/heads/main") {
        compare(headRef: $h) { status aheadBy behindBy headTarget { oid } } } } }"""
    for head in ("stoat/p/a", pull.head_oid, "eve:topic"):
        found = ask.data(query, h=head)["repository"]["ref"]["compare"]
        assert (found["status"], found["aheadBy"], found["behindBy"]) == ("DIVERGED", 1, 1)
    assert ask.data(query, h="nope")["repository"]["ref"]["compare"] is None


def test_a_missing_branch_or_path_is_null_and_no_error(hub: FakeHub, ask: Asker) -> None:
    hub.repository("acme/widgets").push("net11", "Pin", {"pins/a.props": "<a/>\n"})
    query = """{ repository(owner: "acme", name: "widgets") {
        b: ref(qualifiedName: "refs/heads/nope") { name }
        f: object(expression: "net11:pins/a.props") { ... on Blob { text byteSize isBinary isTruncated } }
        g: object(expression: "net11:pins/b.props") { oid } h: object(expression: "nope:a") { oid } } }"""
    assert ask.data(query)["repository"] == {
        "b": None,
        "f": {"text": "<a/>\n", "byteSize": 5, "isBinary": False, "isTruncated": False},
        "g": None,
        "h": None,
    }


def test_rules_are_a_rulesets_or_a_classic_protection(hub: FakeHub, ask: Asker) -> None:
    asked = {"required": ["test"], "strict": True, "approvals": 1}
    hub.repository("acme/new", queue=True, **asked)  # type: ignore[arg-type]
    hub.repository("acme/old", classic=True, **asked)  # type: ignore[arg-type]
    query = """query($n: String!) { repository(owner: "acme", name: $n) { mergeQueue { id } defaultBranchRef {
        branchProtectionRule { requiredStatusCheckContexts requiresStrictStatusChecks requiredApprovingReviewCount }
        rules(first: 9) { nodes { type } } } } }"""
    new, old = (ask.data(query, n=name)["repository"]["defaultBranchRef"] for name in ("new", "old"))
    assert new["branchProtectionRule"] is None
    assert [one["type"] for one in new["rules"]["nodes"]] == ["REQUIRED_STATUS_CHECKS", "PULL_REQUEST", "MERGE_QUEUE"]
    assert old["rules"]["nodes"] == []
    assert old["branchProtectionRule"] == {
        "requiredStatusCheckContexts": ["test"],
        "requiresStrictStatusChecks": True,
        "requiredApprovingReviewCount": 1,
    }
    kinds = [rule["type"] for rule in ask.get("/repos/acme/new/rules/branches/main").json()]
    assert kinds == ["required_status_checks", "pull_request", "merge_queue"]
    assert ask.get("/repos/acme/old/rules/branches/main").json() == []


def test_an_empty_repository_has_no_default_branch(hub: FakeHub, ask: Asker) -> None:
    hub.repository("acme/empty", empty=True)
    query = '{ repository(owner: "acme", name: "empty") { isEmpty defaultBranchRef { name } } }'
    assert ask.data(query)["repository"] == {"isEmpty": True, "defaultBranchRef": None}
    assert ask.get("/repos/acme/empty/git/trees/main").status_code == 409


def test_an_issue_that_the_token_cannot_read_is_a_null_in_a_list(hub: FakeHub, ask: Asker) -> None:
    secret = hub.repository("acme/secret", private=True)
    blocker = secret.issue("Hidden")
    hub.repository("acme/widgets").issue("Lanes", blocked_by=[blocker])
    secret.visible = False
    query = """{ repository(owner: "acme", name: "widgets") { issue(number: 1) {
        blockedBy(first: 5) { totalCount nodes { number } } } } }"""
    assert ask.data(query)["repository"]["issue"]["blockedBy"] == {"totalCount": 1, "nodes": [None]}
    assert ask.get("/repos/acme/secret").status_code == 404


def test_an_issue_tells_who_closed_it_and_what_it_is_mentioned_in(hub: FakeHub, ask: Asker) -> None:
    repo = hub.repository("acme/widgets")
    issue = repo.issue("Lanes")
    repo.push("next", "Start")
    repo.pull("Elsewhere", "b", base="next", body="Fixes #1")
    repo.pull("Fix", "a", body="Fixes #1").merge()
    query = """{ repository(owner: "acme", name: "widgets") { issue(number: 1) { state stateReason timelineItems(
        last: 50, itemTypes: [CROSS_REFERENCED_EVENT, CLOSED_EVENT]) { nodes { __typename
          ... on CrossReferencedEvent { willCloseTarget source { ... on PullRequest { number } } }
          ... on ClosedEvent { closer { ... on PullRequest { number mergeCommit { oid } } } } } } } } }"""
    found = ask.data(query)["repository"]["issue"]
    assert (found["state"], found["stateReason"]) == ("CLOSED", "COMPLETED")
    assert found["timelineItems"]["nodes"] == [
        {"__typename": "CrossReferencedEvent", "willCloseTarget": False, "source": {"number": 2}},
        {"__typename": "CrossReferencedEvent", "willCloseTarget": True, "source": {"number": 3}},
        {"__typename": "ClosedEvent", "closer": {"number": 3, "mergeCommit": {"oid": repo.side.tip("main")}}},
    ]
    assert issue.repo.checks.verdict(repo.side.tip("main") or "") is None


def test_the_references_queries_of_the_project_are_all_answered(hub: FakeHub, ask: Asker) -> None:
    """The shapes of queries that a sweep sends: aliases, fragments, variables with defaults."""
    repo = hub.repository("acme/widgets")
    issue = repo.issue("Lanes", number=120)
    repo.pull("Fix", "a", body="Fixes #120").check("test", "failure")
    found = ask.data(
        """query Sweep($prs: Int = 5, $checks: Int = 50) { r0: repository(owner: "acme", name: "widgets") {
             i120: issue(number: 120) { ...F } } }
           fragment F on Issue { number closedByPullRequestsReferences(first: $prs, includeClosedPrs: true) {
             nodes { number statusCheckRollup { state contexts(first: $checks) { nodes { __typename } } } } } }"""
    )
    assert found["r0"]["i120"]["closedByPullRequestsReferences"]["nodes"] == [
        {"number": 121, "statusCheckRollup": {"state": "FAILURE", "contexts": {"nodes": [{"__typename": "CheckRun"}]}}}
    ]
    assert hub.journal[-1].operation == "Sweep"
    assert issue.open
