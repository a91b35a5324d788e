"""A graph of issues read over HTTP: whole, in few requests, or not at all."""

from __future__ import annotations

from typing import Any

import pytest

from stoat.derive.frontier import Frontier, frontier
from stoat.errors import Refused
from stoat.observe.github.client import Client
from stoat.observe.github.graph import read
from stoat.observe.github.trouble import Absent, Forbidden, Incomplete, TooLarge
from stoat.plan.issue_graph import Selection
from tests.support.fakehub import FakeHub
from tests.support.fakehub.answers import REGISTER
from tests.support.fakehub.repository import Repository

LATER = "2030-01-01T00:00:00.000Z"


def seen(client: Client, **selected: Any) -> Frontier:
    """The frontier of a selection in acme/widgets."""
    return frontier(read(client, Selection(repo="acme/widgets", **selected)), LATER)


def classes(found: Frontier) -> dict[int | str, str]:
    """The class of each issue, by its number or, elsewhere, its whole name."""
    home = found.scope.repo
    return {issue.number if issue.repo == home else str(issue.at): issue.standing for issue in found.issues}


def kinds(found: Frontier) -> list[tuple[str, tuple[int, ...]]]:
    return [(warning.kind, warning.issues) for warning in found.warnings]


def test_300_issues_over_three_pages_with_cycles_and_traps(hub: FakeHub, repo: Repository, client: Client) -> None:
    gadgets = hub.repository("acme/gadgets")
    secret = hub.repository("acme/secret", private=True)
    outside = gadgets.issue("Outside", number=5)
    for n in range(1, 301):
        repo.issue(f"Issue {n}", number=n, labels=["lane"])
    issues = repo.issues
    for one, other in ((101, 299), (299, 205), (205, 101), (50, 50), (60, 61), (70, 71)):
        issues[one].block(issues[other])
    issues[61].adopt(issues[60])
    issues[80].block(outside)
    outside.block(issues[80])
    issues[81].block(secret.issue("Hidden", number=9))
    secret.visible = False
    issues[90].close("not_planned")
    issues[91].block(issues[90])
    issues[92].body = "Blocked by: #93"
    issues[94].label("Needs-Human")
    issues[95].assign("ada")
    repo.pull("Fix 96", head="fix-96", body="Fixes #96")
    for n in range(202, 300, 7):
        issues[n].close()

    found = seen(client, label="lane")
    assert client.requests <= 10
    assert len(found.issues) == 300
    assert found.cycles == ((5, 80), (50,), (60, 61), (101, 205, 299))
    expected = {50: "blocked", 60: "blocked", 61: "split", 70: "blocked", 71: "ready", 80: "blocked", 81: "blocked"}
    expected |= {90: "done", 91: "ready", 92: "ready", 94: "human", 95: "in_flight", 96: "in_flight", 202: "done"}
    assert {n: classes(found)[n] for n in expected} == expected
    assert found.ready == tuple(n for n in range(1, 301) if classes(found)[n] == "ready")
    assert kinds(found) == [
        ("cycle", (5, 80)), ("cycle", (50,)), ("cycle", (60, 61)), ("cycle", (101, 205, 299)), ("unreadable", (81,)),
        ("blocker_out_of_scope", (80,)), ("prose_only_blocker", (92,)), ("not_planned_blocker", (91,)),
        ("stale_assignment", (95,)),
    ]  # fmt: skip


def test_everything_is_read_to_its_end(repo: Repository, client: Client) -> None:
    root = repo.issue("Root", number=1000)
    children = [repo.issue(f"Issue {n}", number=n, parent=root) for n in range(1, 121)]
    repo.issue("Many", number=500, labels=["many"], blocked_by=[*children, repo.issue("One more", number=501)])
    for n in range(600, 729):
        repo.issue(f"Issue {n}", number=n, labels=["many"])

    below = seen(client, parent=1000)
    assert len(below.issues) == 121
    assert below.issues[-1].children == tuple(range(1, 121))
    before = client.requests
    labelled = seen(client, label="many")
    assert len(labelled.issues) == 130
    assert [one.number for one in labelled.issues[0].blocked_by] == [*range(1, 121), 501]
    assert client.requests - before <= 5


def test_sub_issues_of_sub_issues_belong_to_it_in_any_repository(
    hub: FakeHub, repo: Repository, client: Client
) -> None:
    root = repo.issue("Root", number=1)
    child = repo.issue("Child", number=2, parent=root)
    far = hub.repository("acme/gadgets").issue("Far", number=2)
    child.adopt(far)
    far.adopt(repo.issue("Grandchild", number=4, assignees=["ada"]))
    found = seen(client, parent=1)
    assert classes(found) == {1: "split", 2: "split", "acme/gadgets#2": "split", 4: "in_flight"}
    assert [str(issue.parent) for issue in found.issues[1:]] == ["acme/widgets#1", "acme/widgets#2", "acme/gadgets#2"]
    # A split filed while the run goes on appears by itself.
    repo.issue("Later", number=5, parent=root)
    assert classes(seen(client, parent=1))[5] == "ready"


def test_milestones_are_named_by_number_or_title_and_labels_in_any_case(repo: Repository, client: Client) -> None:
    repo.issue("One", number=1, milestone="v1", labels=["Lane"])
    repo.issue("Two", number=2, milestone="2")
    repo.issue("Three", number=3, milestone="v1").close()
    assert classes(seen(client, milestone="1")) == {1: "ready", 3: "done"}
    assert classes(seen(client, milestone="V1")) == {1: "ready", 3: "done"}
    assert classes(seen(client, milestone="2")) == {2: "ready"}
    assert classes(seen(client, label="lane")) == {1: "ready"}
    for wrong in ({"milestone": "v9"}, {"milestone": "9"}, {"label": "lone"}):
        with pytest.raises(Absent, match="has no"):
            seen(client, **wrong)


def test_pull_requests_are_no_issues(repo: Repository, client: Client) -> None:
    repo.issue("One", number=1, labels=["lane"])
    repo.pull("A pull request", head="a", number=2).label("lane")
    assert classes(seen(client, label="lane")) == {1: "ready"}
    with pytest.raises(Refused, match="acme/widgets#2 is a pull request"):
        seen(client, issues=(1, 2))


def test_a_pull_request_into_another_branch_counts_by_its_own_words(
    hub: FakeHub, repo: Repository, client: Client
) -> None:
    for n in (1, 2, 3, 4):
        repo.issue(f"Issue {n}", number=n)
    repo.issue("Five", number=5, blocked_by=[4])
    repo.push("next", "Begin", {"next.txt": "x"})
    repo.pull("Into next", head="a", base="next", body="Closes ACME/Widgets#1", number=11)
    repo.pull("Only mentions", head="b", base="next", body="See #2, `closes #2`", number=12)
    elsewhere = hub.repository("acme/code")
    elsewhere.push("next", "Begin", {"next.txt": "x"})
    elsewhere.pull("In the code's own repository", head="c", base="next", body="Closes acme/widgets#3", number=13)
    merged = repo.pull("Merged into next", head="d", base="next", body="Fixes #4", number=14)
    merged.merge()
    found = seen(client, issues=(1, 2, 3, 4, 5))
    assert classes(found) == {1: "in_flight", 2: "ready", 3: "in_flight", 4: "ready", 5: "blocked"}
    assert [found.issues[0].open_pr, found.issues[2].open_pr, found.issues[3].merged_pr] == [11, 13, 14]
    assert found.issues[4].blocked_by[0].merged_pr == 14


def test_a_transferred_issue_is_followed(hub: FakeHub, repo: Repository, client: Client) -> None:
    moved = repo.issue("Moved", number=1)
    repo.issue("Waits", number=2, blocked_by=[moved])
    moved.transfer("acme/gadgets", 7)
    found = seen(client, issues=(1, 2))
    assert classes(found) == {2: "blocked", "acme/gadgets#7": "ready"}
    assert found.issues[0].blocked_by[0].in_scope


def test_a_selected_issue_that_is_gone_or_was_never_there_is_an_error(repo: Repository, client: Client) -> None:
    repo.issue("One", number=1)
    repo.issue("Gone", number=2).delete()
    for number, why in ((2, "it was deleted"), (9, "there is none")):
        with pytest.raises(Absent, match=f"GitHub shows no issue acme/widgets#{number}: {why}"):
            seen(client, issues=(1, number))


def test_hidden_ends_of_edges_block_and_split(hub: FakeHub, repo: Repository, client: Client) -> None:
    secret = hub.repository("acme/secret", private=True)
    repo.issue("Waits", number=1, blocked_by=[secret.issue("Hidden", number=1)])
    repo.issue("Parent", number=2).adopt(secret.issue("Child", number=2), repo.issue("Done", number=3, state="closed"))
    secret.visible = False
    found = seen(client, issues=(1, 2))
    assert classes(found) == {1: "blocked", 2: "split", 3: "done"}
    assert kinds(found) == [("unreadable", (1,)), ("unreadable", (2,))]
    assert found.verdict == "deadlocked"


def test_a_blocker_that_is_refused_when_it_is_read_blocks(hub: FakeHub, repo: Repository, client: Client) -> None:
    repo.issue("Waits", number=1, blocked_by=[repo.issue("Outside", number=2)])
    hub.faults.partial(("nodes", 0, "id"), "FORBIDDEN")
    found = seen(client, issues=(1,))
    assert classes(found) == {1: "blocked"}
    assert found.warnings[0].text == "#1: cannot read its blocker #2, so it counts as blocked"


def test_words_are_looked_up_and_never_become_an_edge(hub: FakeHub, repo: Repository, client: Client) -> None:
    hub.repository("acme/gadgets").issue("Open elsewhere", number=3)
    body = "Blocked by #2, #3, #4, Acme/Gadgets#3, acme/nowhere#1\n\n> Blocked by #6"
    repo.issue("Says so", number=1, body=body, blocked_by=[repo.issue("Native", number=2)])
    repo.issue("Open", number=3)
    repo.issue("Closed", number=4).close()
    repo.issue("Quoted", number=6)
    found = seen(client, issues=(1,))
    assert [one.number for one in found.issues[0].blocked_by] == [2]
    assert [warning.text.split(",")[0] for warning in found.warnings if warning.kind == "prose_only_blocker"] == [
        "#1 says that acme/nowhere#1 blocks it", "#1 says that #3 blocks it",
        "#1 says that acme/gadgets#3 blocks it",
    ]  # fmt: skip


@pytest.mark.parametrize("how", ["resource_limits", "502"])
def test_what_is_too_much_at_once_is_asked_in_parts(hub: FakeHub, repo: Repository, client: Client, how: Any) -> None:
    for n in range(1, 61):
        repo.issue(f"Issue {n}", number=n)
    hub.faults.heavy(20, how)
    assert len(seen(client, issues=tuple(range(1, 61))).issues) == 60


def test_a_listing_that_stays_too_much_is_an_error(hub: FakeHub, repo: Repository, client: Client) -> None:
    repo.issue("One", number=1, labels=["lane"])
    hub.faults.next(502, "/graphql", times=hub.faults.EVER)
    with pytest.raises(TooLarge):
        seen(client, label="lane")


@pytest.mark.parametrize(
    "path", [("repository", "issues"), ("repository", "issues", "nodes", 0, "id"), "Issue.blockedBy", "Issue.subIssues",
             "Issue.labels", "Issue.closedByPullRequestsReferences"],
)  # fmt: skip
def test_a_part_that_is_left_out_is_an_error(hub: FakeHub, repo: Repository, client: Client, path: Any) -> None:
    for n in (1, 2):
        repo.issue(f"Issue {n}", number=n, labels=["lane"])
    for type_, kind in (("NOT_FOUND", Incomplete), ("FORBIDDEN", Forbidden)):
        hub.faults.partial(path, type_, times=hub.faults.EVER)
        with pytest.raises(kind):
            seen(client, label="lane")
        hub.faults.clear()
    assert len(seen(client, label="lane").issues) == 2


def test_a_parent_that_the_token_may_not_see_is_nothing_the_graph_needs(
    hub: FakeHub, repo: Repository, client: Client
) -> None:
    repo.issue("A child", number=1, parent=repo.issue("Hidden", number=2))
    hub.faults.partial("Issue.parent", "FORBIDDEN", times=hub.faults.EVER)
    assert classes(seen(client, issues=(1,))) == {1: "ready"}


def _short(page: Any, info: Any, **arguments: Any) -> Any:
    """A page whose last item is left out, as if it had vanished."""
    return page.items[:-1]


@pytest.mark.parametrize("at", ["issues", "blockedBy", "subIssues"])
def test_a_list_that_is_shorter_than_its_total_is_read_again_and_then_an_error(
    repo: Repository, client: Client, monkeypatch: pytest.MonkeyPatch, at: str
) -> None:
    one = repo.issue("One", number=1, labels=["lane"], blocked_by=[repo.issue("Two", number=2)])
    one.adopt(repo.issue("Three", number=3))
    whole, cut = REGISTER["IssueConnection", "nodes"], [1]

    def nodes(page: Any, info: Any, **arguments: Any) -> Any:
        if info.path.prev.key == at and cut[0]:
            cut[0] -= 1
            return _short(page, info)
        return whole(page, info, **arguments)

    monkeypatch.setitem(REGISTER, ("IssueConnection", "nodes"), nodes)
    assert classes(seen(client, label="lane")) == {1: "split", 3: "ready"}
    cut[0] = 2
    with pytest.raises(Incomplete, match=r"GitHub counts 1 .* and lists 0"):
        seen(client, label="lane")


def test_a_page_that_leads_back_to_itself_is_an_error(
    repo: Repository, client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    for n in range(1, 103):
        repo.issue(f"Issue {n}", number=n, labels=["lane"])
    info = {"hasNextPage": True, "hasPreviousPage": False, "startCursor": None, "endCursor": "Y3Vyc29yOnYyOjk5"}
    monkeypatch.setitem(REGISTER, ("IssueConnection", "pageInfo"), lambda page, _info, **arguments: info)
    with pytest.raises(Incomplete, match="next page"):
        seen(client, label="lane")


def test_a_repository_that_is_not_shown_is_an_error(hub: FakeHub, client: Client) -> None:
    with pytest.raises(Absent, match="GitHub shows no repository acme/widgets"):
        seen(client, label="lane")
    hub.repository("acme/widgets").visible = False
    with pytest.raises(Absent):
        seen(client, parent=1)


def test_github_spells_the_repository(hub: FakeHub, client: Client) -> None:
    hub.repository("Acme/Widgets").issue("One", number=1, labels=["lane"])
    found = seen(client, label="lane")
    assert (found.scope.repo, found.issues[0].repo, found.ready) == ("Acme/Widgets", "Acme/Widgets", (1,))
