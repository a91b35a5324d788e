"""Finding the store's repository, and one plain sentence for each that cannot be opened."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from stoat.errors import NotFound, StoreUnreadable
from stoat.gitstore.log import Store
from stoat.gitstore.opening import examine, locate, open_repository
from stoat.gitstore.refs import REF
from tests.gitstore.building import new_store
from tests.support.gitrepo import GitRepo, MakeRepo


def test_the_flag_wins_over_the_environment_over_the_setting_over_the_directory(make_repo: MakeRepo) -> None:
    here, flag, variable, setting = (make_repo(name) for name in ("here", "flag", "variable", "setting"))
    assert locate(here.path, None, {}) == here.path
    here.run_git("config", "stoat.store", "../setting")
    assert examine(locate(here.path, None, {})).common == setting.path / ".git"
    environ = {"STOAT_STORE": str(variable.path)}
    assert locate(here.path, None, environ) == variable.path
    assert locate(here.path, flag.path, environ) == flag.path


def test_outside_of_any_repository_there_is_nothing(tmp_path: Path) -> None:
    with pytest.raises(NotFound, match="no git repository"):
        locate(tmp_path, None, {})
    with pytest.raises(NotFound, match="no directory"):
        Store.open(tmp_path / "missing")


def test_all_worktrees_have_one_common_directory(make_repo: MakeRepo, tmp_path: Path) -> None:
    repo = make_repo()
    tree = tmp_path / "tree"
    repo.run_git("worktree", "add", "--quiet", "-b", "x", str(tree))
    assert examine(tree).common == examine(repo.path).common == (repo.path / ".git").resolve()


def _refusal(path: Path) -> str:
    with pytest.raises(StoreUnreadable) as said:
        Store.open(path)
    with pytest.raises(StoreUnreadable):
        Store.create(path)
    assert "\n" not in said.value.message and said.value.hint
    return said.value.message + said.value.hint


def test_a_git_directory_in_the_git_directory_is_not_taken_for_it(make_repo: MakeRepo) -> None:
    store = new_store(make_repo().path)
    GitRepo(store.common).run_git("init", "--quiet", "--bare", str(store.common / ".git"))
    opened = open_repository(store.common)
    assert Path(opened.path).resolve() == store.common
    assert REF in opened.references


def test_sha256_repositories_are_refused(tmp_path: Path) -> None:
    repo = GitRepo(tmp_path / "sha 256")
    repo.path.mkdir()
    repo.run_git("init", "--quiet", "--object-format=sha256")
    assert "sha256" in _refusal(repo.path)


def test_reftable_repositories_are_refused(make_repo: MakeRepo) -> None:
    repo = make_repo()
    repo.run_git("config", "core.repositoryFormatVersion", "1")
    repo.run_git("config", "extensions.refStorage", "reftable")
    assert "refstorage" in _refusal(repo.path).lower() or "reftable" in _refusal(repo.path)


def test_repositories_marked_as_partial_clones_are_refused(make_repo: MakeRepo) -> None:
    repo = make_repo()
    new_store(repo.path)
    repo.run_git("config", "core.repositoryFormatVersion", "1")
    repo.run_git("config", "extensions.partialClone", "origin")
    assert "partial clone" in _refusal(repo.path)


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can give a directory away")
def test_a_repository_of_another_user_is_refused_with_the_setting_to_trust_it(make_repo: MakeRepo) -> None:
    repo = make_repo()
    for path in (repo.path, *repo.path.rglob("*")):
        os.chown(path, 12345, 12345)
    assert f"safe.directory {repo.path}" in _refusal(repo.path)
