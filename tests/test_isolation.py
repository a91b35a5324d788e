"""The isolation itself: what a test sees of the machine that it runs on."""

from __future__ import annotations

import os
from pathlib import Path

import pygit2

from tests.support.gitrepo import MakeRepo


def test_home_belongs_to_the_test_and_git_and_libgit2_agree_on_it(home: Path, make_repo: MakeRepo) -> None:
    repo = make_repo()
    assert Path.home() == home
    assert repo.run_git("config", "user.name") == "Ada Tester"
    assert pygit2.Repository(str(repo.path)).config["user.name"] == "Ada Tester"
    scopes = {line.split("\t")[0] for line in repo.run_git("config", "--list", "--show-scope").splitlines()}
    assert scopes == {"global", "local"}


def test_nothing_of_the_callers_git_or_stoat_leaks_in() -> None:
    allowed = {"GIT_CONFIG_GLOBAL", "GIT_CONFIG_NOSYSTEM", "GIT_ALLOW_PROTOCOL", "GIT_TERMINAL_PROMPT", "STOAT_MACHINE"}
    assert {name for name in os.environ if name.startswith(("GIT_", "STOAT_"))} == allowed


def test_a_made_repository_is_on_main_with_an_origin_under_a_path_with_a_space(make_repo: MakeRepo) -> None:
    repo = make_repo("thing", files={"a/b.txt": "hello\n"}, origin=True)
    assert " " in str(repo.path)
    assert repo.run_git("symbolic-ref", "--short", "HEAD") == "main"
    assert repo.head("origin/main") == repo.head()
    assert repo.read("a/b.txt", at="origin/HEAD") == "hello"


def test_commits_with_a_fixed_date_have_the_same_id_everywhere(make_repo: MakeRepo) -> None:
    ids = set()
    for name in ("one", "two"):
        repo = make_repo(name, files={})
        repo.run_git("checkout", "--quiet", "--orphan", "fixed")
        ids.add(repo.commit({"f": "x"}, "Fixed", at="2026-01-05T09:00:00Z"))
    assert len(ids) == 1
