"""Names that a plan's branch may not have: the default branch under any spelling, and what leaves no room."""

from __future__ import annotations

from pathlib import Path

import pytest

from stoat.gitstore.work.planbranches import why_not_a_plan_branch
from tests.support.gitrepo import GitRepo, MakeRepo


@pytest.mark.parametrize(
    "name",
    [
        *("main", "Main", "MAIN", "master", "trunk", "develop", "HEAD", "head", "FETCH_HEAD"),
        *(
            "refs/heads/main",
            "heads/main",
            "origin/main",
            "Origin/main",
            "origin/mine",
            "refs/heads/mine",
            "refs/tags/x",
        ),
        *("stoat", "stoat/p", "Stoat/p", "stoat/state"),
        *("", "-x", "@", "a b", "a..b", "a~1", "x.lock", "a//b", "a/", "a@{b", "a\nb", "a" * 40),
        *("taken/sub", "deep"),
    ],
)
def test_refused_names(make_repo: MakeRepo, name: str) -> None:
    repo = make_repo()
    repo.branch("taken").branch("deep/er")
    assert why_not_a_plan_branch(repo.path, name) is not None


@pytest.mark.parametrize("name", ["gh-5016-work", "taken", "feature/main", "mainline", "originals", "über", "a" * 39])
def test_names_that_are_fine(make_repo: MakeRepo, name: str) -> None:
    repo = make_repo()
    repo.branch("taken").branch("deep/er")
    assert why_not_a_plan_branch(repo.path, name) is None


def test_the_repositorys_own_default_branch_is_refused_whatever_it_is_called(make_repo: MakeRepo) -> None:
    repo = make_repo(origin=True)
    assert why_not_a_plan_branch(repo.path, "next") is None
    GitRepo(Path(repo.run_git("remote", "get-url", "origin"))).run_git("branch", "-m", "main", "next")
    for name in ("next", "Next", "origin/next", "refs/heads/next"):
        assert why_not_a_plan_branch(repo.path, name) is not None


def test_the_prefix_of_any_remote_is_refused(make_repo: MakeRepo) -> None:
    repo = make_repo()
    repo.run_git("remote", "add", "upstream", "/nowhere")
    repo.run_git("remote", "add", "fork", "/nowhere")
    for name in ("upstream/x", "fork/x"):
        assert "write 'x'" in (why_not_a_plan_branch(repo.path, name) or "")


def test_a_twin_in_other_case_is_refused_where_the_disk_cannot_tell_them_apart(make_repo: MakeRepo) -> None:
    repo = make_repo()
    repo.branch("Work")
    assert why_not_a_plan_branch(repo.path, "work") is None
    repo.run_git("config", "core.ignoreCase", "true")
    for name in ("work", "work/sub"):
        assert why_not_a_plan_branch(repo.path, name) is not None
    assert why_not_a_plan_branch(repo.path, "Work") is None
