"""The integration branch and its worktree, the facts about a node's work, and whether git could commit at all."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from stoat.gitstore.work.bases import Hold, base_for_integration
from stoat.gitstore.work.integration import Integration, ensure_integration, identity_problem
from stoat.gitstore.work.landing import Landed
from stoat.gitstore.work.nodetrees import Parked
from stoat.gitstore.work.places import integration_place
from stoat.gitstore.work.remotes import fetch
from stoat.gitstore.work.worktrees import project_at
from tests.support.gitrepo import GitRepo, MakeRepo
from tests.support.landing import BRANCH, PLAN, Plan


def ensured(repo: GitRepo) -> Integration | Parked | Hold:
    project = project_at(repo.path)
    base = base_for_integration(repo.path, fetch(repo.path, BRANCH), BRANCH)
    return ensure_integration(project, integration_place(project, PLAN, BRANCH), base)


def test_a_new_branch_is_cut_from_the_default_branch_whatever_is_checked_out(make_repo: MakeRepo) -> None:
    repo = make_repo(origin=True)
    repo.checkout("elsewhere", new=True).commit({"unmerged": "1"})
    made = ensured(repo)
    assert isinstance(made, Integration), made
    assert made.cut_from is not None
    assert made.cut_from.label == "origin/main"
    assert made.tip == repo.head("refs/remotes/origin/main") == repo.head(f"refs/heads/{BRANCH}")
    assert made.place.path == repo.path.resolve().with_name("project-p-integration")
    again = ensured(repo)
    assert isinstance(again, Integration)
    assert again.cut_from is None


def test_a_branch_that_exists_is_used_as_it_is_and_one_on_origin_is_taken_from_there(make_repo: MakeRepo) -> None:
    repo = make_repo(origin=True)
    tip = repo.checkout(BRANCH, new=True).commit({"t": "1"})
    repo.push(BRANCH).checkout("main").run_git("branch", "-D", BRANCH)
    repo.run_git("update-ref", "-d", f"refs/remotes/origin/{BRANCH}")
    made = ensured(repo)
    assert isinstance(made, Integration), made
    assert made.tip == tip
    mine = GitRepo(made.place.path).commit({"t": "2"})
    repo.commit({"m": "1"})
    repo.push("main")
    again = ensured(repo)
    assert isinstance(again, Integration)
    assert again.tip == mine


def test_a_branch_checked_out_anywhere_else_refuses_the_start(make_repo: MakeRepo) -> None:
    repo = make_repo()
    repo.checkout(BRANCH, new=True)
    refused = ensured(repo)
    assert isinstance(refused, Parked)
    assert str(repo.path) in refused.why
    repo.checkout("main")
    other = repo.path.with_name("other")
    repo.run_git("worktree", "add", "--quiet", str(other), BRANCH)
    assert isinstance(ensured(repo), Parked)


def test_nothing_is_cut_while_the_remote_cannot_be_asked_but_what_is_there_is_used(make_repo: MakeRepo) -> None:
    repo = make_repo(origin=True)
    origin = Path(repo.run_git("remote", "get-url", "origin"))
    origin.rename(origin.with_name("away"))
    assert isinstance(ensured(repo), Hold)
    assert repo.run_git("branch", "--list", BRANCH) == ""
    origin.with_name("away").rename(origin)
    assert isinstance(ensured(repo), Integration)
    shutil.rmtree(origin)
    assert isinstance(ensured(repo), Integration)


def test_an_integration_worktree_deleted_by_hand_is_made_again(make_repo: MakeRepo) -> None:
    plan = Plan(make_repo())
    assert isinstance(plan.land(plan.node("a", {"a": "1"})), Landed)
    shutil.rmtree(plan.tree.path)
    assert isinstance(ensured(plan.repo), Integration)
    assert plan.tree.read("a") == "1"
    plan.check_at_rest()


def test_somebodys_directory_at_its_name_is_not_used(make_repo: MakeRepo) -> None:
    repo = make_repo()
    repo.path.with_name("project-p-integration").mkdir()
    refused = ensured(repo)
    assert isinstance(refused, Parked)
    assert refused.state == "taken"
    assert repo.run_git("branch", "--list", BRANCH) == ""


def test_a_node_called_like_the_integration_worktree_does_not_keep_it_from_its_place(make_repo: MakeRepo) -> None:
    plan = Plan(make_repo())
    nodes = [plan.node(name, {name: "1"}) for name in ("integration", "p-integration")]
    assert all(isinstance(plan.land(node), Landed) for node in nodes)


def test_an_identity_that_git_lacks_is_named_before_anything_starts(make_repo: MakeRepo, home: Path) -> None:
    repo = make_repo()
    assert identity_problem(repo.path) is None
    (home / ".gitconfig").write_text("[user]\nuseConfigOnly = true\n")
    assert "git does not know who commits" in (identity_problem(repo.path) or "")


@pytest.mark.parametrize(("program", "fails"), [("exit 1", True), ("sleep 600", True), ("", False)])
def test_a_key_that_cannot_sign_is_named_and_one_that_can_is_not(
    make_repo: MakeRepo, monkeypatch: pytest.MonkeyPatch, program: str, fails: bool
) -> None:
    monkeypatch.setattr("stoat.gitstore.work.integration._SIGN_SECONDS", 2.0 if program == "sleep 600" else 60.0)
    repo = make_repo()
    signer = repo.path.parent / "signer"
    # It reads the whole commit, as gpg does: a signer that ends before leaves git with a broken pipe.
    signed = 'cat >/dev/null; echo "[GNUPG:] SIG_CREATED D" >&2; echo signature'
    signer.write_text(f"#!/bin/sh\n{program}\n{signed}\n")
    signer.chmod(0o755)
    repo.run_git("config", "gpg.program", str(signer))
    assert identity_problem(repo.path) is None
    repo.run_git("config", "commit.gpgSign", "true")
    problem = identity_problem(repo.path)
    assert (problem is not None) is fails, problem
    if problem is not None:
        assert "commit.gpgSign" in problem
