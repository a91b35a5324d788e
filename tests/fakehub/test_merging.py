"""Merging as GitHub does it: who refuses with which words, what is made in git, what follows."""

from __future__ import annotations

import subprocess
from pathlib import Path
from typing import Any

import pytest

from tests.fakehub.conftest import Asker
from tests.support.fakehub import FakeHub, Pull

MERGE = """mutation($i: MergePullRequestInput!) { mergePullRequest(input: $i) {
    pullRequest { number state merged mergeCommit { oid } } } }"""


def put(ask: Asker, pull: Pull, **body: Any) -> tuple[int, str]:
    """Merge over REST: the status and the message."""
    response = ask.rest("PUT", f"/repos/{pull.repo.name}/pulls/{pull.number}/merge", body)
    return response.status_code, response.json()["message"]


@pytest.mark.parametrize("method", ["squash", "merge", "rebase"])
def test_a_merge_moves_the_base_and_closes_the_issues(hub: FakeHub, ask: Asker, method: str) -> None:
    repo = hub.repository("acme/widgets")
    issue = repo.issue("Lanes")
    pull = repo.pull("Fix lanes", "a", body="Fixes #1")
    pull.push("Again")
    before = repo.side.tip("main")
    assert before is not None
    repo.push("main", "Meanwhile")
    tip = repo.side.tip("main")
    assert put(ask, pull, sha=pull.head_oid, merge_method=method) == (200, "Pull Request successfully merged")
    now = repo.side.tip("main")
    assert now is not None and tip is not None
    commit = repo.side.commit_of(now)
    assert commit is not None
    parents = [str(one) for one in commit.parent_ids]
    comparison = repo.side.compare(tip, now)
    assert comparison is not None
    assert (parents, comparison.ahead) == {
        "squash": ([tip], 1),
        "merge": ([tip, pull.head_oid], 3),
        "rebase": (parents, 2),
    }[method]
    assert repo.side.contains(now, pull.head_oid) is (method == "merge")
    assert (pull.state, pull.merge_commit, issue.state, issue.reason) == ("merged", now, "closed", "completed")
    assert put(ask, pull)[0] == 405


def test_a_merge_into_another_branch_closes_nothing_and_is_no_closing_reference(hub: FakeHub, ask: Asker) -> None:
    repo = hub.repository("acme/widgets")
    issue = repo.issue("Lanes")
    repo.push("net11", "Start")
    pull = repo.pull("Fix", "a", base="net11", body="Fixes #1")
    query = """{ repository(owner: "acme", name: "widgets") { issue(number: 1) {
        closedByPullRequestsReferences(first: 5, includeClosedPrs: true) { totalCount } } } }"""
    assert ask.data(query)["repository"]["issue"]["closedByPullRequestsReferences"]["totalCount"] == 0
    pull.merge()
    assert (pull.merged, issue.open) == (True, True)


def test_the_sha_is_a_guard_over_rest_and_graphql(hub: FakeHub, ask: Asker) -> None:
    pull = hub.repository("acme/widgets").pull("Fix", "a")
    old = pull.head_oid
    pull.push()
    message = "Head branch was modified. Review and try the merge again."
    assert put(ask, pull, sha=old, merge_method="squash") == (409, message)
    answer = ask.graphql(MERGE, i={"pullRequestId": pull.node_id, "expectedHeadOid": old, "mergeMethod": "SQUASH"})
    assert answer["data"] == {"mergePullRequest": None}
    assert [(one["type"], one["path"], one["message"]) for one in answer["errors"]] == [
        ("UNPROCESSABLE", ["mergePullRequest"], message)
    ]
    assert pull.open
    merged = ask.data(
        MERGE, i={"pullRequestId": pull.node_id, "expectedHeadOid": pull.head_oid, "mergeMethod": "SQUASH"}
    )
    assert merged["mergePullRequest"]["pullRequest"]["mergeCommit"]["oid"] == pull.repo.side.tip("main")


def test_a_method_that_is_not_allowed_is_refused(hub: FakeHub, ask: Asker) -> None:
    pull = hub.repository("acme/widgets", methods=["rebase"]).pull("Fix", "a")
    assert put(ask, pull, merge_method="squash") == (405, "Squash merges are not allowed on this repository.")
    assert put(ask, pull) == (405, "Merge commits are not allowed on this repository.")
    assert put(ask, pull, merge_method="sideways")[0] == 422
    assert put(ask, pull, merge_method="rebase")[0] == 200


def test_rules_refuse_in_their_own_words(hub: FakeHub, ask: Asker) -> None:
    new = hub.repository("acme/new", required=["test", "lint"], approvals=1).pull("Fix", "a")
    old = hub.repository("acme/old", required=["test"], classic=True).pull("Fix", "a")
    queued = hub.repository("acme/queued", queue=True).pull("Fix", "a")
    assert put(ask, old) == (405, 'Required status check "test" is expected.')
    new.check("test", "failure")
    new.check("lint", "success")
    status, message = put(ask, new)
    assert (status, message.split("\n\n")) == (
        405,
        [
            "Repository rule violations found",
            '1 of 2 required status checks have not succeeded: "test" is failing.',
            "At least 1 approving review is required by reviewers with write access.",
        ],
    )
    assert put(ask, queued) == (405, "Repository rule violations found\n\nChanges must be made through the merge queue")
    new.check("test", "success")
    new.review("bob", "approved")
    assert put(ask, new)[0] == 200


def test_a_draft_a_conflict_and_a_closed_one_are_not_mergeable(hub: FakeHub, ask: Asker) -> None:
    repo = hub.repository("acme/widgets")
    draft, closed = repo.pull("Draft", "a", draft=True), repo.pull("Closed", "b")
    closed.close()
    marked = repo.pull("Marked", "c")
    marked.conflict = True
    real = repo.pull("Real", "d", files={"README.md": "theirs\n"})
    repo.push("main", "Ours", {"README.md": "ours\n"})
    for pull in (draft, closed, marked, real):
        assert put(ask, pull) == (405, "Pull Request is not mergeable")


@pytest.mark.parametrize("status", [405, 422])
def test_a_refusal_can_be_scripted(hub: FakeHub, ask: Asker, status: int) -> None:
    pull = hub.repository("acme/widgets").pull("Fix", "a")
    hub.faults.refuse_merge("Base branch was modified. Review and try the merge again.", status, times=2)
    for _ in range(2):
        assert put(ask, pull)[0] == status
    assert put(ask, pull)[0] == 200


def state_of(ask: Asker, pull: Pull) -> tuple[str, str, str | None]:
    """mergeable, mergeStateStatus, reviewDecision."""
    query = "query($id: ID!) { node(id: $id) { ... on PullRequest { mergeable mergeStateStatus reviewDecision } } }"
    node = ask.data(query, id=pull.node_id)["node"]
    return node["mergeable"], node["mergeStateStatus"], node["reviewDecision"]


def test_the_merge_state_by_its_precedence(hub: FakeHub, ask: Asker) -> None:
    repo = hub.repository("acme/widgets", required=["test"], strict=True)
    pull = repo.pull("Fix", "a", draft=True, files={"README.md": "theirs\n"})
    assert state_of(ask, pull) == ("MERGEABLE", "DRAFT", None)
    pull.draft = False
    assert state_of(ask, pull) == ("MERGEABLE", "BLOCKED", None)
    pull.check("test", "success")
    assert state_of(ask, pull) == ("MERGEABLE", "CLEAN", None)
    pull.check("optional", "failure")
    assert state_of(ask, pull) == ("MERGEABLE", "UNSTABLE", None)
    repo.push("main", "Elsewhere")
    assert state_of(ask, pull) == ("MERGEABLE", "BEHIND", None)
    repo.protect(approvals=1)
    assert state_of(ask, pull) == ("MERGEABLE", "BLOCKED", "REVIEW_REQUIRED")
    pull.review("bob", "approved")
    pull.review("eve", "changes_requested")
    assert state_of(ask, pull) == ("MERGEABLE", "BLOCKED", "CHANGES_REQUESTED")
    pull.review("eve", "dismissed")
    assert state_of(ask, pull) == ("MERGEABLE", "BEHIND", "APPROVED")
    repo.permission = "READ"
    assert state_of(ask, pull) == ("MERGEABLE", "BLOCKED", "APPROVED")
    repo.push("main", "Ours", {"README.md": "ours\n"})
    assert state_of(ask, pull) == ("CONFLICTING", "DIRTY", "APPROVED")
    pull.close()
    assert state_of(ask, pull) == ("UNKNOWN", "UNKNOWN", "APPROVED")


def test_without_required_checks_nothing_is_behind(hub: FakeHub, ask: Asker) -> None:
    repo = hub.repository("acme/widgets", strict=True)
    pull = repo.pull("Fix", "a")
    repo.push("main", "Elsewhere")
    assert state_of(ask, pull)[1] == "CLEAN"


def test_nobody_knows_whether_it_merges_for_a_while_after_head_or_base_moved(tmp_path: Path) -> None:
    with FakeHub(tmp_path, unknown_reads=2) as hub:
        ask = Asker(hub)
        repo = hub.repository("acme/widgets")
        one, other = repo.pull("One", "a"), repo.pull("Other", "b")
        for word in ("UNKNOWN", "UNKNOWN", "MERGEABLE", "MERGEABLE"):
            assert state_of(ask, one)[0] == word
        one.push()
        assert [state_of(ask, one)[0] for _ in range(3)] == ["UNKNOWN", "UNKNOWN", "MERGEABLE"]
        rest = [ask.get("/repos/acme/widgets/pulls/2").json()["mergeable"] for _ in range(3)]
        assert rest == [None, None, True]
        one.merge()
        assert [state_of(ask, other)[0] for _ in range(3)] == ["UNKNOWN", "UNKNOWN", "MERGEABLE"]
        ask.session.close()


def test_update_branch_merges_the_base_in(hub: FakeHub, ask: Asker) -> None:
    repo = hub.repository("acme/widgets")
    pull = repo.pull("Fix", "a", files={"README.md": "theirs\n"})
    path = "/repos/acme/widgets/pulls/1/update-branch"
    said = ask.rest("PUT", path, {})
    assert (said.status_code, said.json()["message"]) == (422, "There are no new commits on the base branch.")
    repo.push("main", "Elsewhere")
    said = ask.rest("PUT", path, {"expected_head_sha": "0" * 40})
    assert (said.status_code, said.json()["message"]) == (422, "expected head sha didn't match current head ref.")
    old = pull.head_oid
    assert ask.rest("PUT", path, {"expected_head_sha": old}).status_code == 202
    assert (pull.head_oid != old, pull.behind()) == (True, 0)
    repo.push("main", "Ours", {"README.md": "ours\n"})
    said = ask.rest("PUT", path, {})
    assert (said.status_code, said.json()["message"]) == (422, "merge conflict between base and head")


def test_the_merge_queue(hub: FakeHub, ask: Asker) -> None:
    repo = hub.repository("acme/widgets", queue=True)
    issue = repo.issue("Lanes")
    one, other = repo.pull("One", "a", body="Fixes #1"), repo.pull("Other", "b")
    enqueue = """mutation($i: EnqueuePullRequestInput!) { enqueuePullRequest(input: $i) {
        mergeQueueEntry { id state position } } }"""
    for position, pull in enumerate((one, other), 1):
        entry = ask.data(enqueue, i={"pullRequestId": pull.node_id})["enqueuePullRequest"]["mergeQueueEntry"]
        assert (entry["state"], entry["position"]) == ("AWAITING_CHECKS", position)
        assert repo.side.tip(f"gh-readonly-queue/main/pr-{pull.number}") is not None
    again = ask.graphql(enqueue, i={"pullRequestId": one.node_id})
    assert again["errors"][0]["message"] == "Pull request is already in the queue"
    state = """query($id: ID!) { node(id: $id) { ... on PullRequest {
        isInMergeQueue isMergeQueueEnabled mergeQueueEntry { position } } } }"""
    assert ask.data(state, id=other.node_id)["node"]["mergeQueueEntry"] == {"position": 2}
    one.queue_result(passed=True)
    assert (one.merged, issue.open, other.entry and other.entry.position) == (True, False, 1)
    other.queue_result(passed=False)
    assert ask.data(state, id=other.node_id)["node"] == {
        "isInMergeQueue": False,
        "isMergeQueueEnabled": True,
        "mergeQueueEntry": None,
    }
    assert other.events[-1].data["reason"] == "FAILED_CHECKS"
    dequeue = "mutation($i: DequeuePullRequestInput!) { dequeuePullRequest(input: $i) { mergeQueueEntry { id } } }"
    ask.data(enqueue, i={"pullRequestId": other.node_id})
    assert ask.data(dequeue, i={"id": other.node_id})["dequeuePullRequest"]["mergeQueueEntry"]["id"]
    ask.data(enqueue, i={"pullRequestId": other.node_id})
    other.push("More")
    assert other.entry is None


def test_an_asynchronous_merge_is_asked_for_and_looked_after(hub: FakeHub, ask: Asker) -> None:
    direct = hub.repository("acme/widgets").pull("Fix", "a")
    queued = hub.repository("acme/queued", queue=True).pull("Fix", "a")
    moved = direct.repo.pull("Moved", "b")
    for pull, wanted in ((direct, "merged"), (queued, "enqueued"), (moved, "failed")):
        path = f"/repos/{pull.repo.name}/pulls/{pull.number}/merge-async"
        begun = ask.rest("PUT", path, {"sha": pull.head_oid, "merge_method": "squash"})
        assert (begun.status_code, begun.json()["status"]) == (202, "pending")
        assert ask.rest("PUT", path, {}).status_code == 409
        moved.push()
        poll = f"{path}/{begun.json()['details']['uuid']}"
        assert [ask.get(poll).json()["status"] for _ in range(2)] == [wanted, wanted]
    assert (direct.merged, queued.entry is not None, moved.open) == (True, True, True)
    again = ask.rest("PUT", "/repos/acme/widgets/pulls/1/merge-async", {})
    assert (again.status_code, again.json()["details"]["sha"]) == (200, direct.merge_commit)
    assert ask.get("/repos/acme/widgets/pulls/1/merge-async/nope").status_code == 404


def test_an_open_pull_request_has_a_merge_commit_that_is_no_merge(hub: FakeHub, ask: Asker) -> None:
    repo = hub.repository("acme/widgets")
    pull = repo.pull("Fix", "a", files={"README.md": "theirs\n"})
    tested = ask.get("/repos/acme/widgets/pulls/1").json()["merge_commit_sha"]
    assert repo.side.tip("refs/pull/1/merge") == tested
    assert not repo.side.contains(repo.side.tip("main") or "", tested)
    repo.push("main", "Ours", {"README.md": "ours\n"})
    assert ask.get("/repos/acme/widgets/pulls/1").json()["merge_commit_sha"] is None
    pull.push("Give in", {"README.md": "# widgets\n"})
    repo.pull("Other", "b").merge()
    assert ask.get("/repos/acme/widgets/pulls/2").json()["merge_commit_sha"] == repo.side.tip("main")


def test_deleting_the_branch_on_merge_moves_what_is_stacked_on_it(hub: FakeHub) -> None:
    repo = hub.repository("acme/widgets")
    repo.delete_branch_on_merge = True
    below = repo.pull("Below", "a")
    above = repo.pull("Above", "b", base="a")
    below.merge("merge")
    assert (above.open, above.base, repo.side.tip("a")) == (True, "main", None)


def test_what_git_pushes_is_seen(hub: FakeHub, ask: Asker, tmp_path: Path) -> None:
    repo = hub.repository("acme/widgets")
    issue = repo.issue("Lanes")
    work = tmp_path / "work"

    def git(*arguments: str, cwd: Path = work) -> str:
        return subprocess.run(["git", *arguments], cwd=cwd, check=True, capture_output=True, text=True).stdout.strip()

    git("clone", "--quiet", str(repo.git), str(work), cwd=tmp_path)
    git("switch", "--quiet", "--create", "topic")
    git("commit", "--quiet", "--allow-empty", "--message", "Fix lanes")
    git("push", "--quiet", "origin", "topic")
    body = {"title": "Fix", "head": "topic", "base": "main", "body": "Closes #1"}
    made = ask.rest("POST", "/repos/acme/widgets/pulls", body)
    assert (made.status_code, made.json()["number"]) == (201, 2)
    again = ask.rest("POST", "/repos/acme/widgets/pulls", body).json()
    assert again["errors"][0]["message"] == "A pull request already exists for acme:topic."
    git("commit", "--quiet", "--allow-empty", "--message", "More")
    git("push", "--quiet", "origin", "topic")
    assert ask.get("/repos/acme/widgets/pulls/2").json()["head"]["sha"] == git("rev-parse", "HEAD")
    assert git("ls-remote", "origin", "refs/pull/2/head").split()[0] == git("rev-parse", "HEAD")
    git("push", "--quiet", "origin", "topic:main")
    found = ask.get("/repos/acme/widgets/pulls/2").json()
    assert (found["merged"], found["state"], issue.open) == (True, "closed", False)
    other = repo.issue("Other")
    git("switch", "--quiet", "--detach", "origin/main")
    git("commit", "--quiet", "--allow-empty", "--message", f"Fixes #{other.number}")
    git("push", "--quiet", "origin", "HEAD:main")
    assert ask.get(f"/repos/acme/widgets/issues/{other.number}").json()["state"] == "closed"


def test_a_pull_request_closes_when_its_branch_is_deleted(hub: FakeHub, ask: Asker) -> None:
    repo = hub.repository("acme/widgets")
    pull = repo.pull("Fix", "a")
    assert ask.rest("DELETE", "/repos/acme/widgets/git/refs/heads/a").status_code == 204
    assert ask.get("/repos/acme/widgets/pulls/1").json()["state"] == "closed"
    assert (pull.merged, pull.open) == (False, False)
