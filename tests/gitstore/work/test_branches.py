"""How commits stand to each other: yes, no, and "cannot tell" where a shallow clone hides the answer."""

from __future__ import annotations

from pathlib import Path

import pytest

from stoat.gitstore.porcelain import GitFailed
from stoat.gitstore.work.branches import branch_tip, commit_of, commits_beyond, in_the_way, is_ancestor
from tests.support.gitrepo import MakeRepo


def test_a_tag_with_the_branchs_name_is_not_the_branch(make_repo: MakeRepo) -> None:
    repo = make_repo()
    first = repo.head()
    repo.run_git("tag", "work")
    second = repo.commit({"a": "1"})
    repo.branch("work")
    assert branch_tip(repo.path, "work") == second
    assert commit_of(repo.path, "refs/tags/work") == first


def test_an_absent_branch_is_none_and_a_damaged_one_is_an_error(make_repo: MakeRepo) -> None:
    repo = make_repo()
    assert branch_tip(repo.path, "none") is None
    assert commit_of(repo.path, "1" * 40) is None
    lost = repo.run_git("commit-tree", "-m", "x", "HEAD^{tree}")
    repo.branch("bad", lost)
    (repo.path / ".git" / "objects" / lost[:2] / lost[2:]).unlink()
    with pytest.raises(GitFailed, match="cannot be read as a commit"):
        branch_tip(repo.path, "bad")
    assert is_ancestor(repo.path, "refs/heads/bad", "refs/heads/main") is None
    assert commits_beyond(repo.path, "refs/heads/bad", "refs/heads/main") is None


def test_ancestry_and_what_is_beyond(make_repo: MakeRepo) -> None:
    repo = make_repo()
    base = repo.head()
    left = repo.commit({"l": "1"})
    repo.checkout(base)
    right = [repo.commit({"r": str(i)}) for i in range(2)]
    assert is_ancestor(repo.path, base, left) is True
    assert is_ancestor(repo.path, left, left) is True
    assert is_ancestor(repo.path, left, base) is False
    assert commits_beyond(repo.path, right[-1], left) == (right[1], right[0])
    assert commits_beyond(repo.path, right[-1], left, right[0]) == (right[1],)


def test_a_shallow_clone_says_no_only_where_nothing_is_cut_off(make_repo: MakeRepo, tmp_path: Path) -> None:
    repo = make_repo(origin=True)
    old = repo.head()
    repo.branch("old")
    for i in range(3):
        repo.commit({"a": str(i)})
    repo.push("main", "old")
    clone = repo.clone(tmp_path / "shallow", "--depth=1", "--no-single-branch")
    assert is_ancestor(clone.path, old, "refs/remotes/origin/main") is None
    assert commits_beyond(clone.path, "refs/remotes/origin/main", "refs/remotes/origin/old") is None
    start = clone.head()
    mine = clone.commit({"b": "1"})
    assert is_ancestor(clone.path, start, mine) is True
    assert is_ancestor(clone.path, mine, start) is False


def test_a_branch_is_in_the_way_as_directory_as_file_or_as_a_twin_for_the_disk(make_repo: MakeRepo) -> None:
    repo = make_repo()
    repo.branch("deep/er").branch("Work")
    assert [in_the_way(repo.path, name) for name in ("deep", "deep/er/still", "deep/other", "work", "main")] == [
        *("deep/er", "deep/er", None, None, None)
    ]
    repo.run_git("config", "core.ignoreCase", "true")
    assert [in_the_way(repo.path, name) for name in ("DEEP", "work", "work/a", "Work")] == [
        *("deep/er", "Work", "Work", None)
    ]
