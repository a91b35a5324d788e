"""What a sweep looks at, and that plans without GitHub cause no look at all."""

from __future__ import annotations

from stoat.derive.watching import on_github, wanted
from stoat.plan.github import GitHubState, IssueRecord, Repository, Unseen, Wanted
from stoat.plan.nodes import CHANGE, CONSUME, GATE, ISSUE, PERSON, PR, PUBLISH, REVIEW, SLICE, Repo
from stoat.plan.state import State
from tests.support.states import JO, NOW, node, plan, state


def seen(given: State, **repositories: GitHubState) -> State:
    """The state with what is on record of `owner__name` repositories."""
    parts = {f"github/{name.replace('__', '/')}": part for name, part in repositories.items()}
    return State(given.commit, {**given.parts, **parts})


def test_issues_pulls_and_the_branches_of_issue_nodes_are_wanted_a_repository_each() -> None:
    given = state(
        plan(
            "p",
            node("one", ISSUE, spec={"repo": "w", "issue": 7}),
            node("two", ISSUE, spec={"repo": "acme/widgets", "issue": 3}),
            node("three", PR, spec={"repo": "acme/gadgets", "pr": 9}),
            node("unbound", ISSUE, spec={"repo": "w"}),
            node("change", CHANGE, spec={"repo": "acme/tools"}),
            header={"repos": {"w": Repo("acme/widgets"), "x": Repo("acme/unused")}},
        )
    )
    assert wanted(given) == (
        Wanted(name="acme/gadgets", pulls=(9,)),
        Wanted(name="acme/tools"),
        Wanted(name="acme/unused"),
        Wanted(name="acme/widgets", issues=(3, 7), branches=("stoat/p/one", "stoat/p/two", "stoat/p/unbound")),
    )


def test_several_plans_share_one_look_at_a_repository_whatever_the_case_of_its_name() -> None:
    given = state(
        plan("a", node("x", ISSUE, spec={"repo": "Acme/Widgets", "issue": 1})),
        plan("b", node("x", ISSUE, spec={"repo": "acme/widgets", "issue": 1})),
        plan("c", node("y", PR, spec={"repo": "acme/WIDGETS", "pr": 2})),
    )
    found = wanted(given)
    assert [(one.name, one.issues, one.pulls) for one in found] == [("Acme/Widgets", (1,), (2,))]
    known = seen(given, acme__widgets=GitHubState(repository=Repository(name="ACME/widgets")))
    assert [one.name for one in wanted(known)] == ["ACME/widgets"]
    renamed = seen(given, acme__widgets=GitHubState(repository=Repository(name="acme/gizmos")))
    assert [one.name for one in wanted(renamed)] == ["Acme/Widgets"]


def test_only_plans_with_issues_or_pull_requests_hang_on_github() -> None:
    assert on_github(plan("p", node("a", ISSUE))) and on_github(plan("p", node("a", PR)))
    assert not on_github(plan("p", node("a"), node("b", SLICE)))


def test_an_archived_plan_wants_nothing() -> None:
    assert wanted(state(plan("p", node("x", ISSUE, spec={"repo": "o/r", "issue": 1}), archived=JO))) == ()


def test_a_plan_with_no_issue_and_no_pr_wants_nothing_whatever_repositories_it_names() -> None:
    kinds = (CHANGE, CONSUME, GATE, PERSON, PUBLISH, REVIEW, SLICE)
    nodes = [node(f"n{index}", kind, spec={"repo": "o/r"}) for index, kind in enumerate(kinds)]
    assert wanted(state(plan("p", *nodes, header={"repos": {"r": Repo("o/r")}, "anchor": "o/r#1"}))) == ()
    assert wanted(state()) == ()


def test_an_issue_that_was_transferred_is_looked_at_where_it_is_now() -> None:
    given = state(plan("p", node("x", ISSUE, spec={"repo": "o/r", "issue": 1})))
    moved = {
        "o__r": GitHubState(issues={1: gone("o/s#2"), 5: gone("o/s#6")}),
        "o__s": GitHubState(issues={2: gone("O/t#3")}),
        "O__t": GitHubState(issues={3: gone("o/r#1"), 4: gone("nonsense")}),
    }
    assert [(one.name, one.issues) for one in wanted(seen(given, **moved))] == [
        ("o/r", (1,)), ("o/s", (2,)), ("O/t", (3,)),
    ]  # fmt: skip


def gone(to: str) -> IssueRecord:
    return IssueRecord(unseen=Unseen(why="transferred", at=NOW, to=to))
