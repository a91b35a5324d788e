"""Where the own work of a branch began: before it is merged, afterwards, and where there never was any."""

from __future__ import annotations

import shutil

import pytest

from stoat.gitstore.work.beginnings import began_at, tips_below
from stoat.gitstore.work.branches import HEADS
from stoat.gitstore.work.tips import known_tip
from stoat.gitstore.work.traces import local_refs, stashes
from tests.support.gitrepo import GitRepo, MakeRepo

WORK = "stoat/p/a"


def began(repo: GitRepo) -> str | None:
    return began_at(repo.path, WORK, repo.head(WORK), repo.head("main"))


@pytest.fixture
def repo(make_repo: MakeRepo) -> GitRepo:
    made = make_repo()
    made.commit({"base": "1"})
    return made


def test_a_branch_with_commits_of_its_own_began_where_it_left(repo: GitRepo) -> None:
    base = repo.head()
    repo.checkout(WORK, new=True).commit({"a": "1"})
    repo.commit({"a": "2"})
    assert began(repo) == base
    repo.checkout("main").commit({"b": "1"})
    assert began(repo) == base


@pytest.mark.parametrize("how", ["--ff-only", "--no-ff"])
@pytest.mark.parametrize("reflog", [True, False])
def test_merged_work_began_where_it_left_and_without_a_memory_a_fast_forward_tells_nothing(
    repo: GitRepo, how: str, reflog: bool
) -> None:
    base = repo.head()
    repo.checkout(WORK, new=True).commit({"a": "1"})
    repo.checkout("main").run_git("merge", "-q", how, "-m", "By hand", *([WORK]))
    repo.commit({"b": "1"})
    if not reflog:
        shutil.rmtree(repo.path / ".git" / "logs")
    assert began(repo) == (base if reflog or how == "--no-ff" else None)


def test_a_branch_that_was_only_cut_has_no_work_of_its_own(repo: GitRepo) -> None:
    repo.branch(WORK)
    repo.commit({"b": "1"})
    assert began(repo) == repo.head(WORK)


@pytest.mark.parametrize("move", [("merge", "-q", "main"), ("rebase", "-q", "main"), ("reset", "-q", "--hard", "main")])
def test_a_branch_that_was_only_brought_up_has_no_work_of_its_own(repo: GitRepo, move: tuple[str, ...]) -> None:
    repo.branch(WORK)
    repo.commit({"b": "1"})
    repo.commit({"b": "2"})
    repo.checkout(WORK).run_git(*move)
    repo.checkout("main").commit({"b": "3"})
    assert began(repo) == repo.head(WORK)


def test_work_that_was_thrown_away_again_is_none(repo: GitRepo) -> None:
    repo.checkout(WORK, new=True).commit({"a": "1"})
    repo.run_git("reset", "-q", "--hard", "main")
    assert began(repo) == repo.head(WORK)


def test_rebased_work_began_on_what_it_was_rebased_onto(repo: GitRepo) -> None:
    repo.checkout(WORK, new=True).commit({"a": "1"})
    onto = repo.checkout("main").commit({"b": "1"})
    repo.checkout(WORK).run_git("rebase", "-q", "main")
    repo.checkout("main").run_git("merge", "-q", "--ff-only", WORK)
    assert began(repo) == onto != repo.head(WORK)


def test_amended_and_squashed_work_is_work(repo: GitRepo) -> None:
    base = repo.head()
    repo.checkout(WORK, new=True).commit({"a": "1"})
    repo.commit({"a": "2"})
    repo.run_git("reset", "-q", "--soft", base)
    repo.run_git("commit", "-q", "-m", "Squashed")
    repo.run_git("commit", "-q", "--amend", "-m", "Amended")
    repo.checkout("main").run_git("merge", "-q", "--ff-only", WORK)
    assert began(repo) == base


def test_the_branches_of_a_plan_are_listed_with_their_commits(repo: GitRepo) -> None:
    repo.branch(WORK).branch("stoat/other/a").branch("stoat/p/b.c")
    assert tips_below(repo.path, "stoat/p/") == {WORK: repo.head(), "stoat/p/b.c": repo.head()}


@pytest.mark.parametrize("odd", ["\u2028", "\u2029", "\x85"])
def test_what_unicode_calls_a_line_break_is_part_of_a_name_and_of_a_subject(repo: GitRepo, odd: str) -> None:
    name = f"stoat/p/a{odd}b"
    repo.run_git("branch", name)
    assert tips_below(repo.path, "stoat/p/") == {name: repo.head()}
    assert local_refs(repo.path / ".git")[HEADS + name] == repo.head()
    assert known_tip(repo.path, name) == repo.head()
    repo.write("base", "changed")
    repo.run_git("stash", "push", "-q", "-m", f"one{odd}two")
    assert stashes(repo.path, ["main"], []) == ("stash@{0}",)
