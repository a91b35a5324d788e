"""Merged issues on their way to the plan's branch."""

from __future__ import annotations

import pytest

from tests.runner.issues.hub import OPENS, Beside, Hub
from tests.support.waiting import wait_until

pytestmark = pytest.mark.slow


def test_a_merged_issue_is_brought_to_the_plans_branch_before_what_builds_on_it(github: Hub) -> None:
    world = github.world
    github.plan(
        """
        branch: i
        repos: {w: acme/widgets}
        nodes:
          - {id: own, kind: change, repo: w}
          - {id: fix, kind: issue, repo: w, issue: 120}
          - {id: next, kind: change, repo: w, depends_on: [fix]}
        """,
        "fix",
    )
    world.agent("fix", OPENS)
    assert world.run() == 0
    assert github.project.read("own.txt", at="refs/heads/i") == "own"
    merged = github.repo.pulls[github.only_pull()].merge("squash")
    world.agent("next", "tell('tree', os.path.exists('fix.txt') and os.path.exists('own.txt')); commit('next.txt')")
    assert world.run() == 0
    assert world.said(f"✓ the merge of 'fix' ({merged[:7]}) is brought into 'i': merged")
    assert [words[5] for words in world.told() if words[4] == "tree"] == ["True"]
    assert world.statuses() == {"own": "done", "fix": "done", "next": "done"}
    assert github.project.run_git("merge-base", "--is-ancestor", merged, "refs/heads/i") == ""
    events = len(world.events())
    assert world.run() == 0
    assert len(world.events()) == events


def test_a_merged_issue_that_conflicts_with_the_plans_branch_holds_what_builds_on_it(github: Hub) -> None:
    world = github.world
    github.plan(
        """
        branch: i
        repos: {w: acme/widgets}
        nodes:
          - {id: own, kind: change, repo: w}
          - {id: fix, kind: issue, repo: w, issue: 120}
          - {id: next, kind: change, repo: w, depends_on: [fix]}
        """,
        "fix",
    )
    world.agent("own", "commit('same.txt', 'ours')")
    world.agent("fix", "commit('same.txt', 'theirs'); push(); open_pull(120)")
    assert world.run() == 0
    merged = github.repo.pulls[github.only_pull()].merge("squash")
    assert world.run() == 1
    assert world.said("⚠ the merge of 'fix'", "conflicts with 'i' in same.txt")
    assert world.said("⚠ next: 'fix' is done and has not landed yet")
    assert sorted(world.starts()) == ["fix", "own"]
    parked = world.node("fix").parked
    assert parked is not None and parked.files == ("same.txt",)

    tree = world.beside("p-integration")
    tree.run_git("merge", merged, check=False)
    tree.commit({"same.txt": "both"}, "Resolve")
    assert world.run() == 0
    assert world.statuses() == {"own": "done", "fix": "done", "next": "done"}
    assert world.node("fix").parked is None


def test_of_several_merges_that_conflict_one_at_a_time_is_a_persons_and_is_recorded_once(github: Hub) -> None:
    world = github.world
    github.plan(
        """
        branch: i
        repos: {w: acme/widgets}
        nodes:
          - {id: own, kind: change, repo: w}
          - {id: fix, kind: issue, repo: w, issue: 120}
          - {id: next, kind: change, repo: w, depends_on: [fix]}
        """
    )
    world.agent("own", "commit('one.txt', 'ours'); commit('two.txt', 'ours')")
    assert world.run() == 0
    for name in ("one", "two"):
        github.repo.pull(name, head=name, body="Fixes #120", files={f"{name}.txt": "theirs"})
    for pull in github.repo.pulls.values():
        pull.merge("squash")
    assert world.run() == 1
    parked = world.node("fix").parked
    assert parked is not None and parked.files == ("one.txt",)
    events = len(world.events())
    assert world.run() == 1
    assert len(world.events()) == events


def test_a_merge_that_somebody_takes_back_from_the_plans_branch_is_brought_there_again(github: Hub) -> None:
    world = github.world
    github.plan(
        """
        branch: i
        repos: {w: acme/widgets}
        nodes:
          - {id: own, kind: change, repo: w}
          - {id: fix, kind: issue, repo: w, issue: 120}
          - {id: next, kind: change, repo: w, depends_on: [fix], assignee: person}
        """
    )
    assert world.run() == 0
    before = github.project.head("refs/heads/i")
    merged = github.repo.pull("Fix", head="fix", body="Fixes #120", files={"fix.txt": "fix"}).merge("squash")

    def takes_back() -> None:
        wait_until(lambda: world.said("is brought into 'i'"), 30, "the merge to be brought in")
        world.beside("p-integration").run_git("reset", "--quiet", "--hard", before)
        wait_until(lambda: len(world.said("is brought into 'i'")) == 2, 30, "it to be brought in again")
        (world.repo.path / ".stoat-stop").touch()

    with Beside(takes_back):
        assert world.run(watch=True, poll_seconds=0.2) == 0
    assert github.project.run_git("merge-base", "--is-ancestor", merged, "refs/heads/i") == ""
