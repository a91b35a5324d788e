"""What is told of a checkout: commit, branch, cleanliness, and whose repository it is."""

from __future__ import annotations

from pathlib import Path

import pytest

from stoat.observe import tree
from tests.support.gitrepo import MakeRepo


def test_a_clean_checkout_has_its_commit_and_branch(make_repo: MakeRepo) -> None:
    repo = make_repo()
    assert tree.tree_of(repo.path) == tree.Tree(commit=repo.head(), branch="main", dirty=False)


@pytest.mark.parametrize("change", ["changed", "new", "staged", "deleted"])
def test_any_difference_makes_it_dirty(make_repo: MakeRepo, change: str) -> None:
    repo = make_repo(files={"a": "1", "b": "2"})
    if change == "deleted":
        repo.write("a", None)
    else:
        repo.write({"changed": "a", "new": "sub dir/nëw\nfile", "staged": "b"}[change], "other")
    if change == "staged":
        repo.run_git("add", "b")
    assert tree.tree_of(repo.path).dirty is True


def test_ignored_files_leave_it_clean(make_repo: MakeRepo) -> None:
    repo = make_repo(files={".gitignore": "out/\n"})
    repo.write("out/result", "x")
    assert tree.tree_of(repo.path).dirty is False


def test_a_detached_head_has_no_branch_and_an_unborn_one_no_commit(make_repo: MakeRepo, tmp_path: Path) -> None:
    repo = make_repo()
    repo.checkout(repo.head())
    assert tree.tree_of(repo.path) == tree.Tree(commit=repo.head(), branch=None, dirty=False)
    empty = tmp_path / "empty"
    empty.mkdir()
    repo.run_git("init", "--quiet", str(empty))
    assert tree.tree_of(empty) == tree.Tree(commit=None, branch="main", dirty=False)


def test_how_far_it_is_behind_the_branch_that_it_follows_is_told(make_repo: MakeRepo, tmp_path: Path) -> None:
    repo, clone = make_repo(), tmp_path / "clone"
    repo.run_git("clone", "--quiet", str(repo.path), str(clone))
    assert tree.tree_of(clone).behind == 0
    repo.commit({"a": "1"})
    assert tree.tree_of(clone).behind == 0, "as it was last fetched"
    repo.run_git("-C", str(clone), "fetch", "--quiet")
    assert tree.tree_of(clone).behind == 1
    assert tree.tree_of(repo.path).behind is None


def test_nothing_is_known_where_there_is_no_repository(tmp_path: Path) -> None:
    assert tree.tree_of(tmp_path) == tree.NOT_SEEN
    assert tree.tree_of(tmp_path / "missing") == tree.NOT_SEEN
    assert tree.top_of(tmp_path) == tmp_path
    assert tree.repository_at(tmp_path) is None


def test_another_repository_in_the_environment_is_not_looked_at(
    make_repo: MakeRepo, monkeypatch: pytest.MonkeyPatch
) -> None:
    here, other = make_repo("here"), make_repo("other", files={"x": "y"})
    monkeypatch.setenv("GIT_DIR", str(other.path / ".git"))
    monkeypatch.setenv("GIT_WORK_TREE", str(other.path))
    assert tree.tree_of(here.path).commit != tree.tree_of(other.path).commit
    assert tree.top_of(here.path) == here.path


@pytest.mark.parametrize(
    ("url", "repository"),
    [
        ("https://github.com/JasperFx/fisher.git", "JasperFx/fisher"),
        ("https://user:secret@github.example.com/JasperFx/fisher", "JasperFx/fisher"),
        ("git@github.com:JasperFx/fisher.git", "JasperFx/fisher"),
        ("github.com:JasperFx/fisher", "JasperFx/fisher"),
        ("ssh://git@ssh.github.com:443/JasperFx/fisher.git/", "JasperFx/fisher"),
        ("git://github.com/JasperFx/fish.er", "JasperFx/fish.er"),
        ("https://gitlab.example.com/group/sub/name.git", "sub/name"),
        ("/srv/git/fisher.git", None),
        ("../fisher", None),
        ("file:///srv/git/fisher.git", None),
        ("https://github.com/fisher", None),
        ("", None),
    ],
)
def test_a_remotes_url_names_its_repository(url: str, repository: str | None) -> None:
    assert tree.repository_in(url) == repository


def test_a_checkouts_repository_is_said_by_its_setting_before_its_remote(make_repo: MakeRepo) -> None:
    repo = make_repo()
    assert tree.repository_at(repo.path) is None
    repo.run_git("remote", "add", "upstream", "https://github.com/o/only.git")
    assert tree.repository_at(repo.path) == "o/only"
    repo.run_git("remote", "add", "origin", "https://github.com/o/n.git")
    repo.run_git("config", "url.https://mirror.example/.insteadOf", "https://github.com/")
    assert tree.repository_at(repo.path) == "o/n"
    repo.run_git("config", "stoat.repo", "me/mine")
    assert tree.repository_at(repo.path) == "me/mine"


@pytest.mark.parametrize(
    ("place", "where"),
    [
        ("", "."), ("src", "src"), ("./src/", "src"), ("src/../docs", "docs"), ("link/app", "link/app"), ("loop", "."),
        ("src/not there", "src/not there"), ("..", None), ("out", None), ("src/../../x", None),
    ],
)  # fmt: skip
@pytest.mark.parametrize("way", ["itself", "by a link"])
def test_where_one_stands_below_a_checkout_is_as_it_is_written(
    tmp_path: Path, place: str, where: str | None, way: str
) -> None:
    top = tmp_path / "check out"
    (top / "src" / "app").mkdir(parents=True)
    (top / "docs").mkdir()
    (top / "link").symlink_to("src")
    (top / "loop").symlink_to(top)
    (top / "out").symlink_to(tmp_path)
    (tmp_path / "way").symlink_to(top)
    assert tree.below(top, (top if way == "itself" else tmp_path / "way") / place) == where


def test_a_directory_is_as_the_shell_entered_it_where_that_is_the_same_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    real, link = tmp_path / "real", tmp_path / "link"
    real.mkdir()
    link.symlink_to(real)
    for entered, expected in (
        (str(link), link), (str(tmp_path), real), ("link", real), ("", real), ("/no such", real),
    ):  # fmt: skip
        monkeypatch.setenv("PWD", entered)
        assert tree.as_entered(real) == expected
    monkeypatch.delenv("PWD")
    assert tree.as_entered(real) == real
