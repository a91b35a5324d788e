"""`stoat prune` as people and scripts have it: what it says, what it leaves, how it ends."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.command import Stoat
from tests.support.gitrepo import GitRepo, MakeRepo
from tests.support.pruning import Yard, branch, own_directory

PLAN = """\
schema: 1
plan: demo
title: A demo
branch: train
nodes:
  - {id: film, kind: person}
  - {id: other, kind: person}
"""


@pytest.fixture
def yard(make_repo: MakeRepo) -> Yard:
    """A project whose plan has the nodes `film`, which is done, and `other`, which is not."""
    yard = Yard(make_repo)
    stoat = Stoat(yard.repo.path)
    stoat.ok("init")
    plan = yard.repo.path.with_name("plan.yaml")
    plan.write_text(PLAN)
    stoat.ok("plan", "import", str(plan))
    stoat.ok("done", "demo/film")
    return yard


@pytest.fixture
def stoat(yard: Yard) -> Stoat:
    """The command, in the project."""
    return Stoat(yard.repo.path)


def test_without_apply_it_says_what_could_go_and_changes_nothing(yard: Yard, stoat: Stoat) -> None:
    film, other = yard.node("film"), yard.node("other")
    lines = stoat.ok("prune").splitlines()
    assert [line.split("  ")[0] for line in lines[:3]] == ["WORKTREE", str(film.path), str(other.path)]
    assert lines[1].endswith("kB  can go  its node is done; clean, and all its commits are on origin")
    assert lines[2].endswith("kB  kept    its node is not done (open)")
    assert lines[-1].startswith("nothing was removed: 1 of 2 worktrees can go, ")
    assert lines[-1].endswith("; with --apply they would be")
    assert film.path.exists()
    said = stoat.json("prune")
    assert (said["applied"], said["removed"], said["branches"]) == (False, [str(film.path)], [])
    [kept] = said["kept"]
    assert (kept["path"], kept["why"]) == (str(other.path), "its node is not done (open)")
    assert kept["bytes"] > 0


def test_with_apply_it_removes_what_could_go(yard: Yard, stoat: Stoat) -> None:
    film, other = yard.node("film"), yard.node("other")
    said = stoat.json("prune", "--apply")
    assert (said["applied"], said["removed"], said["branches"]) == (True, [str(film.path)], [branch("film")])
    assert [kept["path"] for kept in said["kept"]] == [str(other.path)]
    assert not film.path.exists()
    assert other.path.exists()
    assert yard.repo.run_git("branch", "--list", "stoat/*", "--format=%(refname:short)") == branch("other")
    assert yard.origin.run_git("branch", "--list", branch("film"))
    assert "0 of 1 worktree removed" in stoat.ok("prune", "--apply")


def test_where_there_is_nothing_it_says_so(stoat: Stoat) -> None:
    assert stoat.ok("prune") == "there are no worktrees beside the main one\n"


def test_a_remote_that_cannot_be_asked_removes_nothing(yard: Yard, stoat: Stoat) -> None:
    film = yard.node("film")
    yard.origin.path.rename(yard.origin.path.with_name("away"))
    ran = stoat.run("prune", "--apply")
    assert ran.code == 4
    assert "origin could not be asked what it has" in ran.err
    assert "hint: nothing is removed without that" in ran.err
    assert film.path.exists()


def test_objects_that_cannot_be_fetched_remove_nothing(yard: Yard, stoat: Stoat, tmp_path: Path) -> None:
    yard.node("film")
    other = yard.node("other", push=False)
    clone = yard.origin.clone(tmp_path / "clone")
    missing = clone.commit({"a": "1"})
    clone.run_git("push", "--quiet", "origin", "HEAD:refs/heads/news")
    (yard.origin.path / "objects" / missing[:2] / missing[2:]).unlink()
    ran = stoat.run("prune", "--apply")
    assert ran.code == 4
    assert "could not be asked what it has" in ran.err
    assert (yard.repo.path.with_name("prøject one-film")).exists()
    assert other.path.exists()


def test_a_remote_that_goes_away_on_the_way_stops_it_and_says_what_went(
    yard: Yard, stoat: Stoat, tmp_path: Path
) -> None:
    film, over = yard.node("film"), yard.node("over")
    stoat.ok("node", "add", "demo/over", "--kind", "person")
    stoat.ok("done", "demo/over")
    # Whoever deletes the branch of the first worktree takes the remote away with it.
    hook = yard.repo.path / ".git" / "hooks" / "reference-transaction"
    away = yard.origin.path.with_name("away")
    hook.write_text(
        f'#!/bin/sh\n[ "$1" = committed ] && grep -q {branch("film")} && mv "{yard.origin.path}" "{away}"\nexit 0\n'
    )
    hook.chmod(0o755)
    ran = stoat.run("prune", "--apply")
    assert ran.code == 4, ran
    assert "1 of 2 worktrees removed" in ran.out
    assert "could not be asked" in ran.err
    assert not film.path.exists()
    assert over.path.exists()


def test_a_claim_keeps_it(yard: Yard, stoat: Stoat) -> None:
    code = yard.node("code")
    stoat.ok("node", "add", "demo/code", "--kind", "change", "--brief", "Write it.")
    stoat.ok("approve", "demo/code")
    stoat.ok("claim", "demo/code", "--agent", "alf")
    yard.pull(7, code.head())
    [kept] = stoat.json("prune", "--pr", "7", "--apply")["kept"]
    assert kept["why"] == "alf holds its node"
    assert code.path.exists()


def test_whoever_stands_in_it_keeps_it(yard: Yard) -> None:
    film = yard.node("film")
    [kept] = Stoat(film.path).json("prune", "--apply")["kept"]
    assert kept["why"].endswith("stands in it")
    assert film.path.exists()


def test_hostile_names_are_shown_escaped(yard: Yard, stoat: Stoat) -> None:
    yard.node("film").write("a\x1b[2Jb", "1")
    out = stoat.ok("prune")
    assert "\x1b" not in out
    assert "uncommitted changes in a\\u001b[2Jb" in out


def test_a_path_that_is_not_utf8_is_spelled_out(yard: Yard, stoat: Stoat) -> None:
    path = yard.repo.path.with_name("b\udcffd")
    yard.repo.run_git("worktree", "add", "--quiet", "-b", "mine", str(path))
    [kept] = stoat.json("prune")["kept"]
    assert kept["path"].endswith("b\\xffd")
    assert "b\\xffd" in stoat.ok("prune", "--apply")
    assert path.exists()


def test_pr_takes_only_what_has_one_of_its_commits(yard: Yard, stoat: Stoat) -> None:
    film, other = yard.node("film"), yard.node("other")
    reviewer, fixer = yard.agent("agent-a1", film.head()), yard.agent("agent-b2", "main")
    yard.pull(7, film.head())
    yard.pull(8, other.head())
    assert sorted(stoat.json("prune", "--pr", "7")["removed"]) == sorted([str(film.path), str(reviewer.path)])
    said = stoat.json("prune", "--pr", "8", "--apply")
    assert said["removed"] == [str(other.path)]
    assert {kept["why"] for kept in said["kept"]} == {"its commit is none of pull request #8"}
    assert fixer.path.exists()
    fixer.write("late", "1")
    reviewer.write("late", "1")
    [dirty] = [kept for kept in stoat.json("prune", "--pr", "7")["kept"] if kept["path"] == str(reviewer.path)]
    assert dirty["why"] == "uncommitted changes in late"


def test_an_agents_worktree_whose_work_is_on_the_default_branch_goes(yard: Yard, stoat: Stoat) -> None:
    merged, ahead = yard.agent("agent-a1", "main"), yard.agent("agent-b2", "main")
    ahead.commit({"more": "1"})
    ahead.run_git("push", "origin", "HEAD:refs/heads/more")
    said = stoat.json("prune", "--apply")
    assert said["removed"] == [str(merged.path)] and not merged.path.exists()
    [kept] = [one for one in said["kept"] if one["path"] == str(ahead.path)]
    assert kept["why"].startswith("nothing says that its work is over") and ahead.path.exists()


def test_a_pull_request_that_the_remote_does_not_have_is_not_found(yard: Yard, stoat: Stoat) -> None:
    yard.node("film")
    ran = stoat.run("prune", "--pr", "70", "--apply")
    assert (ran.code, "origin has no pull request 70" in ran.err) == (3, True)
    assert stoat.run("prune", "--pr", "0").code == 2


def test_the_integration_worktree_goes_with_its_finished_plan_and_the_branch_stays(yard: Yard, stoat: Stoat) -> None:
    path = yard.repo.path.with_name("prøject one-demo-integration")
    yard.repo.run_git("worktree", "add", "--quiet", "-b", "train", str(path))
    tree = GitRepo(path)
    (own_directory(tree) / "stoat-branch").write_text("train\n")
    assert stoat.json("prune")["kept"][0]["why"] == "its plan is not finished (1 of 2 nodes done)"
    stoat.ok("done", "demo/other")
    assert stoat.json("prune")["removed"] == [str(path)]
    head = tree.commit({"a": "1"})
    assert "not on origin" in stoat.json("prune", "--apply")["kept"][0]["why"]
    tree.push("train")
    assert stoat.json("prune", "--apply")["removed"] == [str(path)]
    assert yard.repo.head("train") == head
