"""How the plan's branch stands to its base, in real repositories."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from stoat.gitstore.work.drifting import MOST_COMMITS, MOST_FILES, Drift, Unseen, look, parse_merge
from tests.support.gitrepo import Files, GitRepo, MakeRepo

LINES = "".join(f"line {number}\n" for number in range(20))


def both(repo: GitRepo, theirs: Files, ours: Files, *, message: str = "Theirs") -> None:
    """A branch `plan` with `ours`, and `theirs` on the remote's main, which this clone has not fetched yet."""
    repo.checkout("plan", new=True)
    repo.commit(ours, "Ours")
    repo.checkout("main")
    on_remote(repo, theirs, message=message)


def on_remote(repo: GitRepo, files: Files, *, message: str = "Theirs", branch: str = "main") -> str:
    """A commit on a branch of the remote that nobody here has seen; its id."""
    place = repo.path.with_name("somebody else's")
    person = GitRepo(place)
    if not place.exists():
        repo.run_git("clone", "--quiet", repo.run_git("remote", "get-url", "origin"), str(place))
    else:
        person.run_git("pull", "--quiet")
    if branch != "main":
        person.checkout(branch, new=True)
    commit = person.commit(files, message)
    person.push(branch)
    return commit


def seen(repo: GitRepo, base: str | None = None) -> Drift:
    found = look(repo.path, "plan", base)
    assert isinstance(found, Drift), found
    return found


def why(repo: GitRepo, base: str | None = None) -> str:
    found = look(repo.path, "plan", base)
    assert isinstance(found, Unseen), found
    return found.why


def objects(repo: GitRepo) -> set[str]:
    return {str(file) for file in (repo.path / ".git" / "objects").rglob("*")}


def test_a_branch_that_is_ahead_or_level_has_all_of_its_base(make_repo: MakeRepo) -> None:
    repo = make_repo(origin=True)
    repo.checkout("plan", new=True)
    assert seen(repo) == Drift("origin/main", 0, (), ())
    repo.commit({"a": "1"})
    assert seen(repo) == Drift("origin/main", 0, (), ())


def test_a_branch_that_is_behind_and_would_merge_says_by_how_many_commits(make_repo: MakeRepo) -> None:
    repo = make_repo(origin=True)
    both(repo, {"theirs": "1"}, {"ours": "1"})
    on_remote(repo, {"theirs": "2"})
    assert seen(repo) == Drift("origin/main", 2, (), ())


def test_a_conflict_names_the_files_and_the_commits_of_the_base_that_touch_them(make_repo: MakeRepo) -> None:
    repo = make_repo(origin=True, files={"a": LINES, "b": LINES, "c": LINES})
    both(repo, {"a": LINES.replace("line 3", "theirs"), "c": "1"}, {"a": LINES.replace("line 3", "ours"), "b": "2"})
    touching = on_remote(repo, {"b": LINES.replace("line 4", "theirs")}, message="Touch b")
    on_remote(repo, {"c": "2"}, message="Touch c")
    found = seen(repo)
    assert (found.base, found.behind, found.conflicts) == ("origin/main", 3, ("a", "b"))
    assert [line.partition(" ")[2] for line in found.commits] == ["Touch b", "Theirs"]
    assert found.commits[0].startswith(touching[:7])


def test_looking_touches_neither_checkout_nor_branches_nor_objects(make_repo: MakeRepo) -> None:
    repo = make_repo(origin=True, files={"a": "1"})
    both(repo, {"a": "theirs"}, {"a": "ours"})
    repo.write("a", "dirty")
    seen(repo)
    before = (objects(repo), repo.run_git("for-each-ref"), repo.run_git("status", "--porcelain"), repo.head())
    assert seen(repo).conflicts == ("a",)
    assert before == (objects(repo), repo.run_git("for-each-ref"), repo.run_git("status", "--porcelain"), repo.head())


def test_a_detached_checkout_is_no_matter(make_repo: MakeRepo) -> None:
    repo = make_repo(origin=True, files={"a": "1"})
    both(repo, {"a": "theirs"}, {"a": "ours"})
    repo.checkout(repo.head())
    assert seen(repo).conflicts == ("a",)


def test_a_file_that_one_renamed_and_the_other_deleted_is_a_conflict(make_repo: MakeRepo) -> None:
    repo = make_repo(origin=True, files={"old": LINES})
    both(repo, {"old": None}, {"old": None, "new": LINES}, message="Delete old")
    found = seen(repo)
    assert "new" in found.conflicts
    assert [line.partition(" ")[2] for line in found.commits] == ["Delete old"]


def test_a_file_that_both_renamed_is_a_conflict(make_repo: MakeRepo) -> None:
    repo = make_repo(origin=True, files={"old": LINES})
    both(repo, {"old": None, "theirs": LINES}, {"old": None, "ours": LINES})
    assert {"ours", "theirs"} <= set(seen(repo).conflicts)


def test_a_file_against_a_directory_is_a_conflict(make_repo: MakeRepo) -> None:
    repo = make_repo(origin=True)
    both(repo, {"thing": "a file"}, {"thing/inside": "a directory"})
    assert seen(repo).conflicts


@pytest.mark.parametrize(
    "name",
    ["a b", "-rf", ":(top)x", "*", "é", 'q"uo\\te', "tab\there", "line\nend", "\x1b[2J", "#x", os.fsdecode(b"\xff")],
)
def test_whatever_a_file_is_called_it_is_named_and_its_commits_are_found(
    make_repo: MakeRepo, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    monkeypatch.setenv("GIT_LITERAL_PATHSPECS", "1")  # for the commits of this test; our own git is told by itself
    repo = make_repo(origin=True)
    both(repo, {name: "theirs", "beside": "x"}, {name: "ours"})
    on_remote(repo, {"beside": "y"})
    found = seen(repo)
    assert found.conflicts == (name.encode("utf-8", "surrogateescape").decode("utf-8", "backslashreplace"),)
    assert len(found.commits) == 1


def test_files_and_commits_are_named_up_to_a_bound(make_repo: MakeRepo) -> None:
    repo = make_repo(origin=True)
    names = [f"{number:03}" for number in range(MOST_FILES + 20)]
    both(repo, dict.fromkeys(names, "theirs"), dict.fromkeys(names, "ours"))
    for number in range(MOST_COMMITS + 2):
        on_remote(repo, {"000": f"{number}"}, message="s" * 500)
    found = seen(repo)
    assert (len(found.conflicts), len(found.commits)) == (MOST_FILES, MOST_COMMITS)
    assert all(len(line) < 140 for line in found.commits)


def test_a_base_that_is_named_is_the_one_that_counts(make_repo: MakeRepo) -> None:
    repo = make_repo(origin=True, files={"a": "1"})
    repo.checkout("plan", new=True).commit({"a": "ours"})
    on_remote(repo, {"a": "theirs"}, branch="release")
    assert seen(repo).behind == 0
    assert seen(repo, "release") == seen(repo, "origin/release")._replace(base="origin/release")
    assert seen(repo, "release").conflicts == ("a",)


def test_what_cannot_be_told_is_unseen_and_never_a_conflict(make_repo: MakeRepo) -> None:
    repo = make_repo(origin=True, files={"a": "1"})
    both(repo, {"a": "theirs"}, {"a": "ours"})
    on_remote(repo, {"a": "there"}, branch="release")
    assert seen(repo, "release").behind
    bare = GitRepo(Path(repo.run_git("remote", "get-url", "origin")))
    bare.run_git("branch", "-D", "release")
    assert "release" in why(repo, "origin/release")
    assert "names nothing" in why(repo, "release")
    repo.run_git("branch", "-m", "plan", "another")
    assert "no branch plan" in why(repo)
    repo.run_git("branch", "-m", "another", "plan")
    bare.path.rename(bare.path.with_name("away"))
    assert "cannot be reached" in why(repo)
    repo.run_git("remote", "remove", "origin")
    assert "no remote" in why(repo)
    assert isinstance(look(repo.path / "nowhere", "plan", None), Unseen)


def test_histories_without_a_common_beginning_are_unseen(make_repo: MakeRepo) -> None:
    repo = make_repo(origin=True)
    repo.run_git("checkout", "--quiet", "--orphan", "plan")
    repo.commit({"a": "1"})
    repo.checkout("main")
    on_remote(repo, {"b": "1"})
    assert "unrelated" in why(repo)


def test_a_shallow_clone_is_unseen(make_repo: MakeRepo, tmp_path: Path) -> None:
    repo = make_repo(origin=True)
    for number in range(3):
        repo.commit({"a": str(number)})
    repo.push("main")
    bare = GitRepo(Path(repo.run_git("remote", "get-url", "origin")))
    shallow = bare.clone(tmp_path / "shallow", "--depth=1")
    shallow.run_git("branch", "plan")
    on_remote(repo, {"b": "1"})
    for number in range(3):
        on_remote(repo, {"b": f"{number}"})
    shallow.run_git("fetch", "--quiet", "--depth=1", "origin", "main")
    assert "shallow" in why(shallow)


def test_a_git_that_cannot_try_a_merge_says_so(
    make_repo: MakeRepo, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    repo = make_repo(origin=True, files={"a": "1"})
    both(repo, {"a": "theirs"}, {"a": "ours"})
    old = tmp_path / "an old git"
    old.mkdir()
    real = repo.run_git("--exec-path") + "/git"
    script = 'for word; do [ "$word" = --write-tree ] && { echo usage >&2; exit 129; }; done'
    (old / "git").write_text(f'#!/bin/sh\n{script}\nexec "{real}" "$@"\n')
    (old / "git").chmod(0o755)
    monkeypatch.setenv("PATH", f"{old}{os.pathsep}{os.environ['PATH']}")
    assert "newer" in why(repo)


def test_a_conflict_without_files_of_its_own_names_what_it_is_about() -> None:
    said = "tree\0\0" + "2\0old\0new\0CONFLICT (directory rename split)\0words\n\0" + "1\0x\0Auto-merging\0words\n\0"
    assert parse_merge(said).files == ("old", "new")
    assert parse_merge("tree\0").files == ("?",)
