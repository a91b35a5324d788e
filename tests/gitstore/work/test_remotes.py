"""What the remote has right now, how its default branch is found, and what happens when it cannot be asked."""

from __future__ import annotations

import shutil
from pathlib import Path

from stoat.gitstore.work.remotes import Fetched, FetchFailed, default_branch, fetch, parse_answer, remote_of
from tests.support.gitrepo import GitRepo, MakeRepo


def fetched(repo: GitRepo, *names: str) -> Fetched:
    got = fetch(repo.path, *names)
    assert isinstance(got, Fetched), got
    return got


def test_origin_is_the_remote_else_the_only_one(make_repo: MakeRepo) -> None:
    repo = make_repo()
    assert remote_of(repo.path) is None
    repo.run_git("remote", "add", "upstream", "/nowhere")
    assert remote_of(repo.path) == "upstream"
    repo.run_git("remote", "add", "fork", "/nowhere")
    assert remote_of(repo.path) is None
    repo.run_git("remote", "add", "origin", "/nowhere")
    assert remote_of(repo.path) == "origin"


def test_a_fetch_brings_new_commits_and_leaves_the_checkout_alone(make_repo: MakeRepo, tmp_path: Path) -> None:
    repo = make_repo(origin=True)
    other = repo.clone(tmp_path / "other")
    other.run_git("remote", "set-url", "origin", repo.run_git("remote", "get-url", "origin"))
    new = other.commit({"n": "1"})
    other.push("main")
    before = sorted(file.name for file in (repo.path / ".git").iterdir())
    assert fetched(repo).tips == {"main": new}
    assert repo.head("refs/remotes/origin/main") == new
    assert repo.head() != new
    assert sorted(file.name for file in (repo.path / ".git").iterdir()) == before


def test_only_what_is_asked_for_is_fetched_so_leases_stay_good(make_repo: MakeRepo, tmp_path: Path) -> None:
    repo = make_repo(origin=True)
    repo.branch("stoat/p/n").push("stoat/p/n")
    seen_by_the_agent = repo.head("refs/remotes/origin/stoat/p/n")
    person = GitRepo(tmp_path / "person")
    repo.run_git("clone", "--quiet", repo.run_git("remote", "get-url", "origin"), str(person.path))
    person.checkout("stoat/p/n").commit({"by a person": "1"})
    person.push("stoat/p/n")
    fetched(repo)
    assert repo.head("refs/remotes/origin/stoat/p/n") == seen_by_the_agent


def test_the_remote_says_which_branch_is_the_default_after_a_rename(make_repo: MakeRepo) -> None:
    repo = make_repo(origin=True)
    bare = GitRepo(Path(repo.run_git("remote", "get-url", "origin")))
    bare.run_git("branch", "-m", "main", "trunk")
    got = fetched(repo)
    assert got.default == "trunk"
    found = default_branch(repo.path, got)
    assert found is not None
    assert (found.ref, found.found) == ("refs/remotes/origin/trunk", "origin says so")


def test_a_missing_origin_head_is_set_and_an_existing_one_is_the_users(make_repo: MakeRepo) -> None:
    repo = make_repo(origin=True)
    repo.branch("dev").push("dev")
    repo.run_git("remote", "set-head", "origin", "dev")
    fetched(repo)
    assert repo.run_git("symbolic-ref", "refs/remotes/origin/HEAD") == "refs/remotes/origin/dev"
    repo.run_git("remote", "set-head", "origin", "--delete")
    fetched(repo)
    assert repo.run_git("symbolic-ref", "refs/remotes/origin/HEAD") == "refs/remotes/origin/main"


def test_a_remote_that_cannot_be_asked_is_said_and_the_fallbacks_say_which_they_are(make_repo: MakeRepo) -> None:
    repo = make_repo(origin=True)
    shutil.rmtree(repo.run_git("remote", "get-url", "origin"))
    failed = fetch(repo.path)
    assert isinstance(failed, FetchFailed)
    assert failed.where == "remote"
    found = default_branch(repo.path, failed)
    assert found is not None
    assert found.found == "origin/HEAD as this clone knows it"
    repo.run_git("remote", "set-head", "origin", "--delete")
    found = default_branch(repo.path, failed)
    assert found is not None
    assert found.found == "origin/main exists"


def test_without_a_remote_the_local_main_or_master_is_the_default(make_repo: MakeRepo) -> None:
    repo = make_repo()
    found = default_branch(repo.path, fetched(repo))
    assert found is not None
    assert (found.ref, found.found) == ("refs/heads/main", "the local branch main")
    repo.run_git("branch", "-m", "main", "master")
    found = default_branch(repo.path, fetched(repo))
    assert found is not None
    assert found.ref == "refs/heads/master"
    repo.run_git("branch", "-m", "master", "else")
    assert default_branch(repo.path, fetched(repo)) is None


def test_a_remote_with_a_detached_head_or_no_branches_has_no_default(make_repo: MakeRepo) -> None:
    repo = make_repo(origin=True)
    bare = GitRepo(Path(repo.run_git("remote", "get-url", "origin")))
    bare.run_git("update-ref", "--no-deref", "HEAD", bare.head("refs/heads/main"))
    got = fetched(repo)
    assert got.default is None
    found = default_branch(repo.path, got)
    assert found is not None
    assert found.found == "origin/HEAD as this clone knows it"
    empty = make_repo("empty")
    empty.run_git("remote", "add", "origin", str(GitRepo(empty.path.with_name("none.git")).init(bare=True).path))
    assert default_branch(empty.path, fetched(empty)) is None


def test_a_single_branch_clone_gets_a_named_branch_into_its_tracking_ref(make_repo: MakeRepo, tmp_path: Path) -> None:
    repo = make_repo(origin=True)
    repo.branch("dev").checkout("dev")
    tip = repo.commit({"d": "1"})
    repo.push("dev")
    bare = GitRepo(Path(repo.run_git("remote", "get-url", "origin")))
    clone = bare.clone(tmp_path / "single", "--single-branch", "--branch=main")
    assert fetched(clone, "dev").tips["dev"] == tip
    assert clone.head("refs/remotes/origin/dev") == tip
    assert fetched(clone, "origin/dev").tips["dev"] == tip
    assert "nothing" not in fetched(clone, "nothing").tips


def test_a_directory_and_a_file_that_changed_places_on_the_remote_do_not_stop_a_fetch(make_repo: MakeRepo) -> None:
    repo = make_repo(origin=True)
    bare = GitRepo(Path(repo.run_git("remote", "get-url", "origin")))
    bare.branch("agent", "main").branch("kept", "main")
    repo.run_git("fetch", "--quiet", "origin")
    bare.run_git("branch", "-D", "agent", "kept")
    bare.branch("agent/sub", "main")
    assert "agent/sub" in fetched(repo, "agent/sub").tips
    assert repo.head("refs/remotes/origin/agent/sub") == repo.head()
    assert repo.head("refs/remotes/origin/kept") == repo.head()  # stale, but in nobody's way
    bare.run_git("branch", "-D", "agent/sub")
    bare.branch("agent", "main")
    assert "agent" in fetched(repo, "agent").tips


def test_a_ref_in_the_way_that_alone_names_its_commits_is_kept_and_named(make_repo: MakeRepo, tmp_path: Path) -> None:
    repo = make_repo(origin=True)
    bare = GitRepo(Path(repo.run_git("remote", "get-url", "origin")))
    other = bare.clone(tmp_path / "other")
    other.branch("agent").checkout("agent")
    only_here = other.commit({"work": "1"})
    other.push("agent")
    repo.run_git("fetch", "--quiet", "origin")
    bare.run_git("branch", "-D", "agent")
    bare.branch("agent/sub", "main")
    failed = fetch(repo.path, "agent/sub")
    assert isinstance(failed, FetchFailed)
    assert failed.where == "here"
    assert "refs/remotes/origin/agent " in failed.why
    assert repo.head("refs/remotes/origin/agent") == only_here
    repo.run_git("branch", "rescued", only_here)
    assert "agent/sub" in fetched(repo, "agent/sub").tips


def test_damage_here_is_not_called_an_unreachable_remote(make_repo: MakeRepo) -> None:
    repo = make_repo(origin=True)
    bare = GitRepo(Path(repo.run_git("remote", "get-url", "origin")))
    bare.branch("dev", "main")
    (repo.path / ".git" / "refs" / "remotes" / "origin" / "dev.lock").touch()
    failed = fetch(repo.path, "dev")
    assert isinstance(failed, FetchFailed)
    assert failed.where == "here"


def test_a_mirror_clone_keeps_its_local_branches(make_repo: MakeRepo) -> None:
    repo = make_repo(origin=True)
    repo.run_git("config", "remote.origin.fetch", "+refs/*:refs/*")
    repo.commit({"mine": "1"})
    mine = repo.head()
    bare = GitRepo(Path(repo.run_git("remote", "get-url", "origin")))
    bare.run_git("update-ref", "refs/heads/main", bare.run_git("commit-tree", "-m", "x", "main^{tree}", "-p", "main"))
    fetched(repo)
    assert repo.head("refs/heads/main") == mine


def test_the_answer_of_a_remote_is_read_line_by_line() -> None:
    text = "ref: refs/heads/a/b\tHEAD\n1111\tHEAD\n2222\trefs/heads/c\n3333\trefs/remotes/x/HEAD\n"
    assert parse_answer(text) == ("a/b", {"a/b": "1111", "c": "2222"})
    assert parse_answer("1111\tHEAD\n") == (None, {})
    assert parse_answer("") == (None, {})
