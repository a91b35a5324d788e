"""What a sweep looks at, and that plans without GitHub cause no look at all."""

from __future__ import annotations

from stoat.derive.watching import wanted
from stoat.plan.github import GitHubState, Issue, IssueRecord, Link, Pull, PullRecord, Repository, Wanted
from stoat.plan.nodes import CHANGE, CONSUME, GATE, ISSUE, PERSON, PR, PUBLISH, REVIEW, SLICE, Repo
from stoat.plan.state import State
from tests.support.states import JO, node, plan, state


def seen(given: State, **repositories: GitHubState) -> State:
    """The state with what is on record of `owner__name` repositories."""
    parts = {f"github/{name.replace('__', '/')}": part for name, part in repositories.items()}
    return State(given.commit, {**given.parts, **parts})


def pull(number: int, state: str = "open") -> Pull:
    return Pull(
        number=number, url="", title="", state=state, head="a" * 40, head_branch="b", base="net11",  # type: ignore[arg-type]
    )  # fmt: skip


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


def test_an_archived_plan_wants_nothing() -> None:
    assert wanted(state(plan("p", node("x", ISSUE, spec={"repo": "o/r", "issue": 1}), archived=JO))) == ()


def test_a_plan_with_no_issue_and_no_pr_wants_nothing_whatever_repositories_it_names() -> None:
    kinds = (CHANGE, CONSUME, GATE, PERSON, PUBLISH, REVIEW, SLICE)
    nodes = [node(f"n{index}", kind, spec={"repo": "o/r"}) for index, kind in enumerate(kinds)]
    assert wanted(state(plan("p", *nodes, header={"repos": {"r": Repo("o/r")}, "anchor": "o/r#1"}))) == ()
    assert wanted(state()) == ()


def test_an_open_pull_request_that_only_its_text_links_is_wanted_until_it_is_over() -> None:
    given = state(plan("p", node("x", ISSUE, spec={"repo": "o/r", "issue": 1})))
    links = (Link("o/r", 5, "body"), Link("o/r", 6, "closes"), Link("o/Other", 7, "body"), Link("o/r", 8, "body"))
    issue = Issue(number=1, url="", title="", open=True, pulls=links)
    record = GitHubState(
        issues={1: IssueRecord(issue)},
        pulls={5: PullRecord(pull(5)), 6: PullRecord(pull(6)), 8: PullRecord(pull(8, "merged"))},
    )
    other = GitHubState(pulls={7: PullRecord(pull(7, "draft"))})
    found = wanted(seen(given, o__r=record, o__other=other))
    assert [(one.name, one.pulls) for one in found] == [("o/Other", (7,)), ("o/r", (5,))]
