"""What git's registry lists, the one root whatever path leads to it, and the state of a worktree."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stoat.gitstore.porcelain import GitFailed
from stoat.gitstore.work.worktrees import (
    checked_out_at,
    look,
    missing_hooks,
    parse_registry,
    parse_status,
    project_at,
    registry,
)
from tests.support.gitrepo import GitRepo, MakeRepo


def add(repo: GitRepo, name: str, *arguments: str) -> GitRepo:
    """A worktree beside the repository, on a new branch of its name."""
    path = repo.path.with_name(name)
    repo.run_git("worktree", "add", "--quiet", str(path), *(arguments or ("-b", name)))
    return GitRepo(path)


def test_every_way_into_a_project_gives_the_same_root(make_repo: MakeRepo, tmp_path: Path) -> None:
    repo = make_repo(files={"deep/er/file": "1"})
    linked = add(repo, "linked")
    link = tmp_path / "a link"
    link.symlink_to(repo.path)
    for way in (repo.path, repo.path / "deep" / "er", link, link / "deep", linked.path, linked.path / "deep"):
        project = project_at(way)
        assert project.root == repo.path.resolve()
        assert project.common == repo.path.resolve() / ".git"
    assert project_at(linked.path).directory == linked.path.resolve()


@pytest.mark.parametrize("place", ["app.git", "app/.bare", "app/.git"])
def test_worktrees_of_a_bare_repository_are_named_after_it(make_repo: MakeRepo, tmp_path: Path, place: str) -> None:
    bare = tmp_path / "x" / place
    make_repo().clone(bare, "--bare")
    linked = GitRepo(tmp_path / "x" / "main tree")
    GitRepo(bare).run_git("worktree", "add", "--quiet", str(linked.path), "main")
    assert project_at(linked.path).root == (tmp_path / "x" / "app").resolve()
    assert project_at(bare).root == (tmp_path / "x" / "app").resolve()


def test_no_repository_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(GitFailed):
        project_at(tmp_path)


def test_the_registry_names_branches_locks_and_what_is_gone(make_repo: MakeRepo) -> None:
    repo = make_repo()
    add(repo, "w-1")
    add(repo, "w\n2", "--detach")
    gone = add(repo, "w-3")
    repo.run_git("worktree", "lock", "--reason", "mine, hands off", str(repo.path.with_name("w-1")))
    shutil.rmtree(gone.path)
    main, *others = registry(project_at(repo.path))
    assert (main.branch, main.own) == ("main", None)
    by_name = {entry.path.name: entry for entry in others}
    assert by_name["w-1"].branch == "w-1"
    assert by_name["w-1"].locked == "mine, hands off"
    assert by_name["w\n2"].branch is None
    assert by_name["w-3"].prunable is not None
    assert all(entry.own is not None for entry in others)


def test_a_copy_of_a_worktree_is_none(make_repo: MakeRepo) -> None:
    repo = make_repo()
    tree = add(repo, "w")
    copy = repo.path.with_name("copy")
    shutil.copytree(tree.path, copy, symlinks=True)
    project = project_at(repo.path)
    assert copy.resolve() not in {entry.path for entry in registry(project)}
    assert not look(project, copy).exists
    shutil.rmtree(tree.path)
    copy.rename(tree.path)
    assert look(project, tree.path).exists  # moved back to where the registry has it, it is the worktree


def test_a_branch_being_rebased_is_checked_out(make_repo: MakeRepo) -> None:
    repo = make_repo(files={"f": "0"})
    tree = add(repo, "w")
    tree.commit({"f": "mine"})
    repo.commit({"f": "theirs"})
    tree.run_git("rebase", "main", check=False)
    project = project_at(repo.path)
    assert checked_out_at(project, "w") == [tree.path.resolve()]
    seen = look(project, tree.path)
    assert (seen.operation, seen.detached, seen.dirty) == ("rebase", True, ("f",))


def test_the_state_of_a_worktree(make_repo: MakeRepo) -> None:
    repo = make_repo(files={"tracked": "0", "gone": "0", ".gitignore": "ignored\n"})
    tree = add(repo, "w")
    project = project_at(repo.path)
    clean = look(project, tree.path)
    assert (clean.exists, clean.branch, clean.head, clean.dirty, clean.operation) == (True, "w", tree.head(), (), None)
    tree.write("tracked", "1")
    tree.write("gone", None)
    tree.write("new dir/a b\nü", "1")
    tree.write("ignored", "1")
    (tree.path / "staged").write_text("1")
    tree.run_git("add", "staged")
    assert set(look(project, tree.path).dirty) == {"tracked", "gone", "new dir/a b\nü", "staged"}


def test_a_file_name_that_is_not_utf8_is_shown_legibly(make_repo: MakeRepo) -> None:
    repo = make_repo()
    (repo.path / "a\udcffb").write_text("1")
    assert look(project_at(repo.path), repo.path).dirty == ("a\\xffb",)


@pytest.mark.parametrize("operation", ["merge", "cherry-pick", "revert", "bisect"])
def test_an_operation_left_in_progress_is_seen(make_repo: MakeRepo, operation: str) -> None:
    repo = make_repo(files={"f": "0"})
    first = repo.commit({"f": "1"})
    repo.commit({"f": "2"})
    repo.branch("side", "HEAD~2")
    tree = add(repo, "w", "side")
    tree.commit({"f": "3"})
    arguments = {"merge": ["main"], "cherry-pick": ["main"], "revert": [first], "bisect": ["start"]}[operation]
    tree.run_git(operation, *arguments, check=False)
    assert look(project_at(repo.path), tree.path).operation == operation


def test_a_worktree_without_its_git_file_or_with_anothers_is_not_used(make_repo: MakeRepo) -> None:
    repo = make_repo()
    one, two = add(repo, "one"), add(repo, "two")
    project = project_at(repo.path)
    (one.path / ".git").write_text((two.path / ".git").read_text())
    assert "another worktree" in (look(project, one.path).problem or "")
    (one.path / ".git").unlink()
    assert ".git file is gone" in (look(project, one.path).problem or "")
    shutil.rmtree(one.path)
    assert "directory is gone" in (look(project, one.path).problem or "")
    assert "lists no worktree" in (look(project, repo.path.with_name("nothing")).problem or "")


def test_looking_takes_no_lock_that_an_agent_needs(make_repo: MakeRepo) -> None:
    repo = make_repo(files={"f": "0"})
    tree = add(repo, "w")
    index = Path(tree.run_git("rev-parse", "--absolute-git-dir")) / "index"
    (tree.path / "f").write_text("0")  # same content, other time: a plain `git status` would rewrite the index
    before = index.stat().st_mtime_ns
    (index.parent / "index.lock").touch()
    assert look(project_at(repo.path), tree.path).dirty == ()
    assert index.stat().st_mtime_ns == before


def test_a_hooks_directory_that_only_the_main_checkout_has_is_noticed(make_repo: MakeRepo) -> None:
    repo = make_repo(files={"hooks/commit-msg": "#!/bin/sh\n"})
    tree = add(repo, "w")
    assert missing_hooks(tree.path) is None
    repo.run_git("config", "core.hooksPath", "hooks")
    assert missing_hooks(tree.path) is None
    repo.write(".husky/_/commit-msg", "#!/bin/sh\n")
    repo.run_git("config", "core.hooksPath", ".husky/_")
    assert missing_hooks(repo.path) is None
    assert missing_hooks(tree.path) == str(tree.path / ".husky/_")


names = st.text(st.characters(exclude_characters="\0", exclude_categories=["Cs"]), min_size=1)


@given(st.lists(names, unique=True))
def test_any_path_is_read_back_from_a_status(paths: list[str]) -> None:
    records = ["# branch.oid 1234", "# branch.head a/b", *(f"? {path}" for path in paths)]
    assert parse_status("".join(record + "\0" for record in records)) == ("a/b", "1234", tuple(paths))


def test_records_of_every_kind_give_their_paths_once() -> None:
    text = (
        "# branch.oid (initial)\0# branch.head (detached)\0"
        "1 .M N... 100644 100644 100644 1234 1234 a b\0"
        "u UU N... 100644 100644 100644 100644 1 2 3 c d\0"
        "? a b\0! ignored\0"
    )
    assert parse_status(text) == (None, None, ("a b", "c d"))


def test_a_registry_of_a_bare_repository_is_read() -> None:
    text = "worktree /r\0bare\0\0worktree /w\0HEAD 12\0detached\0locked\0prunable gone\0\0"
    bare, tree = parse_registry(text)
    assert bare.bare
    assert (tree.head, tree.branch, tree.locked, tree.prunable) == ("12", None, "", "gone")
