"""Where a branch is, as far as a repository knows without asking anybody."""

from __future__ import annotations

from pathlib import Path

import pytest

from stoat.gitstore.porcelain import GitFailed
from stoat.gitstore.work.tips import known_tip, standing
from tests.support.gitrepo import GitRepo, MakeRepo


@pytest.fixture
def repo(make_repo: MakeRepo) -> GitRepo:
    made = make_repo()
    made.commit({"a": "1"})
    return made


def track(repo: GitRepo, remote: str, name: str) -> str:
    commit = repo.commit(message=f"{remote} has {name}")
    repo.run_git("update-ref", f"refs/remotes/{remote}/{name}", commit)
    return commit


def test_the_local_branch_goes_before_what_a_remote_was_seen_to_have(repo: GitRepo) -> None:
    assert known_tip(repo.path, "team/integ") is None
    seen = track(repo, "up", "team/integ")
    assert known_tip(repo.path, "team/integ") == seen
    origins = track(repo, "origin", "team/integ")
    assert known_tip(repo.path, "team/integ") == origins
    own = repo.commit(message="Own")
    repo.branch("team/integ", own)
    assert known_tip(repo.path, "team/integ") == own == known_tip(repo.path / ".git", "team/integ")


def test_of_several_remotes_none_of_which_is_origin_nobody_knows_which_is_meant(repo: GitRepo) -> None:
    track(repo, "up", "integ")
    track(repo, "fork", "integ")
    assert known_tip(repo.path, "integ") is None


def test_only_a_branch_of_that_very_name_counts(repo: GitRepo) -> None:
    repo.branch("integ/deeper")
    repo.run_git("tag", "integ")
    track(repo, "origin", "x/integ")
    track(repo, "origin", "integ-2")
    assert known_tip(repo.path, "integ") is None


@pytest.mark.parametrize("content", ["", "1" * 40 + "\n", "no commit\n"])
def test_a_branch_that_cannot_be_read_is_not_taken_for_absent(repo: GitRepo, content: str) -> None:
    track(repo, "origin", "integ")
    (repo.path / ".git" / "refs" / "heads" / "integ").write_text(content)
    with pytest.raises(GitFailed):
        known_tip(repo.path, "integ")


def test_another_branch_that_cannot_be_read_changes_nothing(repo: GitRepo) -> None:
    repo.branch("integ")
    (repo.path / ".git" / "refs" / "heads" / "integ-2").write_text("")
    (repo.path / ".git" / "refs" / "heads" / "a").write_text("no commit")
    track(repo, "origin", "integ")
    (repo.path / ".git" / "refs" / "remotes" / "origin" / "integ").write_text("")
    assert known_tip(repo.path, "integ") == repo.run_git("rev-parse", "integ")
    assert known_tip(repo.path, "none") is None
    repo.run_git("update-ref", "-d", "refs/heads/integ")
    with pytest.raises(GitFailed):
        known_tip(repo.path, "integ")


def test_a_directory_that_is_no_repository_is_trouble(tmp_path: Path) -> None:
    with pytest.raises(GitFailed):
        known_tip(tmp_path, "integ")


def test_what_a_commit_is_to_a_branch(repo: GitRepo) -> None:
    first = repo.head()
    assert standing(repo.path, "integ", first) is None
    own = repo.commit(message="Own")
    repo.branch("integ", own)
    later = repo.commit(message="Later")
    assert [standing(repo.path, "integ", commit) for commit in (first, own, later)] == ["contained", "tip", "off"]
    assert standing(repo.path, "integ", later, [later]) == "tip"
    assert standing(repo.path, "integ", later, ["f" * 40]) is None, "a tip that is not here may have it"
    beyond = track(repo, "origin", "integ")
    assert [standing(repo.path, "integ", commit) for commit in (later, beyond)] == ["contained", "tip"]


def test_a_branch_that_cannot_be_read_may_have_every_commit(repo: GitRepo) -> None:
    repo.branch("integ", repo.head())
    later = repo.commit(message="Later")
    (repo.path / ".git" / "refs" / "heads" / "integ").write_text("")
    assert standing(repo.path, "integ", later) is None
    track(repo, "origin", "integ")
    assert standing(repo.path, "integ", repo.commit(message="Off")) is None
