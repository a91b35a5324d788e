"""Issues that a plan has and GitHub has not: created only where a person said so, and never twice."""

from __future__ import annotations

import pytest

from stoat.errors import Refused
from stoat.service import decisions
from stoat.service.session import parse_ref
from tests.runner.issues.hub import Hub
from tests.runner.test_adopting import kill_at
from tests.support.waiting import wait_until

pytestmark = pytest.mark.slow

PLAN = "repos: {w: acme/widgets}\nnodes: [{id: fix, kind: issue, repo: w, title: Sort lanes, brief: They cross.}]"


def planned(github: Hub, text: str = PLAN, *, allowed: bool = True) -> None:
    """The plan, with the permission to create issues and the go-ahead for `fix`."""
    github.world.plan(text)
    if allowed:
        decisions.create_issues(github.world.session, "p")
        decisions.approve(github.world.session, [parse_ref("p/fix")])
    github.world.agent("fix", "tell('works')")


def created(github: Hub) -> list[int]:
    """The numbers of the issues beside the one that was there."""
    return [number for number in github.repo.issues if number != 120]


def begun(github: Hub) -> list[str]:
    return [event.mark for event in github.world.events() if type(event).__name__ == "IssueCreationBegun"]


def test_an_issue_is_created_from_the_node_bound_and_worked(github: Hub) -> None:
    planned(github)
    world = github.world
    world.agent("fix", "n = int(PROMPT.split('issue #')[1].split(':')[0]); commit('x'); push(); open_pull(n)")
    assert world.run() == 0
    [number] = created(github)
    issue = github.repo.issues[number]
    [mark] = begun(github)
    assert (issue.title, issue.body) == ("Sort lanes", f"They cross.\n\n<!-- stoat p/fix {mark} -->")
    node = world.node("fix")
    assert (node.spec.issue, node.creation) == (number, None)
    assert node.go_ahead is not None, "what was approved is what was created"
    assert world.said(f"✓ 'fix': its issue is created, acme/widgets#{number}")
    assert world.statuses() == {"fix": "pr-open"}


def test_nothing_is_created_where_nobody_said_so(github: Hub) -> None:
    planned(github, allowed=False)
    world = github.world
    with pytest.raises(Refused):
        decisions.approve(world.session, [parse_ref("p/fix")])
    assert world.run() == 0
    assert world.said("⚠ fix: not bound to an issue")
    decisions.create_issues(world.session, "p")
    assert world.run() == 0
    assert world.said("⚠ fix: awaiting a person's go-ahead")
    decisions.approve(world.session, [parse_ref("p/fix")])
    decisions.create_issues(world.session, "p", off=True)
    assert world.run() == 0
    assert created(github) == [] and not github.hub.writes()


def test_a_node_that_waits_or_is_a_persons_gets_no_issue(github: Hub) -> None:
    planned(
        github,
        """
        repos: {w: acme/widgets}
        nodes:
          - {id: first, kind: person}
          - {id: fix, kind: issue, repo: w, depends_on: [first]}
          - {id: hers, kind: issue, repo: w, assignee: person}
          - {id: nowhere, kind: issue}
        """,
    )
    assert github.world.run() == 0
    assert created(github) == []


@pytest.mark.parametrize("how", ["reset", "502", "cut"])
def test_a_lost_answer_is_looked_for_and_the_issue_is_found(github: Hub, how: str) -> None:
    planned(github)
    match how:
        case "reset":
            github.hub.faults.reset(r"widgets/issues$", after_effect=True)
        case "502":
            github.hub.faults.next(502, r"widgets/issues$", method="POST", after_effect=True)
        case "cut":
            github.hub.faults.truncated(r"widgets/issues$")
    world = github.world
    world.run(max_attempts=1)
    [number] = created(github)
    assert world.node("fix").spec.issue == number
    assert world.said("it is looked for before it is asked again")
    assert world.said(f"its issue had been created already, acme/widgets#{number}")


def test_an_answer_that_was_lost_before_anything_was_made_is_asked_again_later(
    github: Hub, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("stoat.derive.creation.SETTLED", 0.5)
    planned(github)
    github.hub.faults.reset(r"widgets/issues$")
    github.world.run(max_attempts=1)
    assert len(created(github)) == 1
    assert len(set(begun(github))) == 1 and len(begun(github)) == 2


@pytest.mark.parametrize("moment", ["after the issue of fix is asked for", "before fix is bound"])
def test_a_runner_killed_at_any_moment_leaves_no_second_issue(
    github: Hub, monkeypatch: pytest.MonkeyPatch, moment: str
) -> None:
    planned(github)
    world = github.world
    kill_at(world, moment)
    assert world.node("fix").spec.issue is None
    monkeypatch.setattr("stoat.derive.creation.SETTLED", 0.5)
    world.run(max_attempts=1)
    assert len(created(github)) == 1
    assert world.node("fix").spec.issue == created(github)[0]
    assert len(set(begun(github))) == 1


def test_a_no_of_githubs_is_said_and_ends_the_run_badly(github: Hub) -> None:
    planned(github)
    github.repo.has_issues = False
    assert github.world.run() == 1
    [line] = github.world.said("its issue was not created")
    assert "Issues are disabled" in line and "turn issues on" in line
    assert created(github) == []


def test_a_limit_is_waited_out(github: Hub) -> None:
    planned(github)
    github.hub.faults.secondary(1, r"widgets/issues$")
    github.world.run(max_attempts=1)
    assert github.world.said("GitHub's secondary rate limit is reached")
    assert len(created(github)) == 1


def test_what_is_private_is_not_published(github: Hub) -> None:
    planned(github, PLAN.replace("They cross.", f"'See {github.project.path}/lanes.py'"))
    assert github.world.run() == 1
    [line] = github.world.said("its issue is not created")
    assert "a directory of somebody's machine" in line
    assert not github.hub.writes()


def test_a_slow_answer_keeps_nothing_else_from_running(github: Hub) -> None:
    planned(
        github,
        """
        repos: {w: acme/widgets}
        nodes:
          - {id: fix, kind: issue, repo: w}
          - {id: other, kind: change, repo: w}
        """,
    )
    github.hub.faults.slow(3, r"widgets/issues$")
    moments: dict[str, float] = {}
    world = github.world
    world.run(max_attempts=1)
    for words in world.told():
        moments.setdefault(f"{words[1]} {words[4]}", float(words[0]))
    assert moments["other ends"] < moments["fix starts"]
    assert len(created(github)) == 1


def test_one_poll_waits_for_the_answer(github: Hub) -> None:
    planned(github)
    github.world.run(once=True)
    [number] = created(github)
    wait_until(lambda: github.world.node("fix").spec.issue == number, 1, "the number")
