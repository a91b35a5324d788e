"""Where new work starts: the order of docs/runner.md, origin's copy first, and never from something stale."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from stoat.gitstore.work.bases import Base, Hold, base_for_integration, base_for_worktree
from stoat.gitstore.work.remotes import fetch
from tests.support.gitrepo import GitRepo, MakeRepo


@pytest.fixture
def repo(make_repo: MakeRepo) -> GitRepo:
    """A project with origin; main, plan and net11 are on it, each with a commit of its own."""
    repo = make_repo(origin=True)
    for name in ("plan", "net11"):
        repo.checkout("main").checkout(name, new=True).commit({name: "1"})
        repo.push(name)
    repo.checkout("main")
    return repo


def base(repo: GitRepo, *, issue: bool = False, **named: str | None) -> Base | Hold:
    got = fetch(repo.path, *(name for name in named.values() if name))
    return base_for_worktree(repo.path, got, issue=issue, **named)


def held(answer: Base | Hold) -> str:
    assert isinstance(answer, Hold), answer
    return answer.why


def label(answer: Base | Hold) -> str:
    assert isinstance(answer, Base), answer
    return answer.label


@pytest.mark.parametrize(
    ("issue", "integration", "repo_branch", "explicit", "expected"),
    [
        (False, "plan", "net11", "main", "origin/plan"),
        (False, None, "net11", "main", "origin/net11"),
        (False, None, None, "net11", "origin/net11"),
        (False, None, None, None, "origin/main"),
        (True, "plan", "net11", None, "origin/main"),
        (True, "plan", "net11", "net11", "origin/net11"),
    ],
)
def test_the_order_in_which_a_base_is_looked_for(
    repo: GitRepo, issue: bool, integration: str | None, repo_branch: str | None, explicit: str | None, expected: str
) -> None:
    answer = base(repo, issue=issue, integration=integration, repo_branch=repo_branch, base=explicit)
    assert label(answer) == expected
    assert isinstance(answer, Base)
    assert answer.commit == repo.head(f"refs/remotes/{expected}")


def test_a_named_branch_is_origins_unless_the_local_one_has_commits_that_origin_lacks(repo: GitRepo) -> None:
    assert label(base(repo, repo_branch="net11")) == "origin/net11"
    mine = repo.checkout("net11").commit({"pin": "2"})
    assert base(repo, repo_branch="net11") == Base("net11", mine, "the repository's branch")
    repo.push("net11")
    assert label(base(repo, repo_branch="net11")) == "origin/net11"


def test_a_checkout_on_somebody_elses_branch_does_not_matter(repo: GitRepo) -> None:
    repo.checkout("elsewhere", new=True).commit({"unmerged": "1"})
    repo.write("half", "done")
    assert label(base(repo, issue=True)) == "origin/main"
    assert repo.run_git("symbolic-ref", "HEAD") == "refs/heads/elsewhere"


def test_a_remote_that_cannot_be_reached_holds_though_an_old_copy_is_there(repo: GitRepo) -> None:
    shutil.rmtree(repo.run_git("remote", "get-url", "origin"))
    assert "cannot be reached" in held(base(repo, issue=True))


def test_a_base_that_the_remote_gave_up_holds_and_is_not_called_unreachable(repo: GitRepo) -> None:
    GitRepo(Path(repo.run_git("remote", "get-url", "origin"))).run_git("branch", "-D", "net11")
    assert "no longer has a branch net11" in held(base(repo, repo_branch="net11"))
    assert "no longer has a branch net11" in held(base(repo, issue=True, base="net11"))
    assert "has no branch net11" in held(base(repo, issue=True, base="origin/net11"))
    repo.run_git("branch", "-D", "net11")
    assert "there is no branch net11" in held(base(repo, repo_branch="net11"))


def test_an_integration_branch_may_live_here_alone(repo: GitRepo) -> None:
    GitRepo(Path(repo.run_git("remote", "get-url", "origin"))).run_git("branch", "-D", "plan")
    assert label(base(repo, integration="plan")) == "plan"


def test_a_local_branch_called_origin_main_and_a_tag_called_main_are_not_taken_for_it(repo: GitRepo) -> None:
    right = repo.head("refs/remotes/origin/main")
    wrong = repo.checkout("x", new=True).commit({"w": "1"})
    repo.run_git("branch", "origin/main", wrong)
    repo.run_git("tag", "main", wrong)
    for answer in (base(repo, issue=True), base(repo, issue=True, base="main")):
        assert isinstance(answer, Base)
        assert answer.commit == right


def test_a_base_may_be_a_tag_an_id_or_a_full_ref(repo: GitRepo) -> None:
    commit = repo.head("plan")
    repo.run_git("tag", "-a", "-m", "x", "v1", commit)
    for name in ("v1", commit, commit[:9], "refs/tags/v1", "refs/heads/plan"):
        answer = base(repo, base=name)
        assert isinstance(answer, Base), name
        assert answer.commit == commit
    assert "names nothing" in held(base(repo, base="nonsense"))


def test_without_a_remote_work_starts_from_the_local_main(make_repo: MakeRepo) -> None:
    alone = make_repo("alone")
    assert label(base(alone, issue=True)) == "main"
    alone.run_git("branch", "-m", "main", "other")
    assert "--base" in held(base(alone, issue=True))
    assert label(base(alone, issue=True, base="other")) == "other"


def test_an_integration_branch_is_cut_from_the_default_branch_or_taken_from_origin(repo: GitRepo) -> None:
    repo.checkout("elsewhere", new=True).commit({"unmerged": "1"})
    got = fetch(repo.path, "new")
    assert label(base_for_integration(repo.path, got, "new")) == "origin/main"
    assert label(base_for_integration(repo.path, fetch(repo.path, "new", "net11"), "new", "net11")) == "origin/net11"
    assert label(base_for_integration(repo.path, fetch(repo.path, "plan"), "plan")) == "origin/plan"
