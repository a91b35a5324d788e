"""What counts as being on the remote, and what does not, when a worktree is to go."""

from __future__ import annotations

from pathlib import Path

import pytest

from stoat.derive.prune import Keep, Meaning, Remove, Source, judge
from stoat.errors import Unreachable
from stoat.gitstore.work import proofs, pruning
from stoat.gitstore.work.landed import LANDED
from stoat.gitstore.work.landing import Landed
from stoat.gitstore.work.pruning import Removed
from tests.support.gitrepo import MakeRepo
from tests.support.landing import BRANCH, Plan
from tests.support.pruning import OVER, Yard, branch


def test_work_is_proven_by_any_ref_of_the_remote(yard: Yard) -> None:
    tree = yard.node(push=False)
    yard.origin.run_git("fetch", "--quiet", str(yard.repo.path), branch("film"))
    yard.pull(7, tree.head())
    assert isinstance(yard.verdict(tree), Remove)


def test_work_behind_a_ref_that_is_not_here_yet_is_fetched_under_no_ref(yard: Yard, tmp_path: Path) -> None:
    tree = yard.node()
    other = yard.origin.clone(tmp_path / "other")
    other.checkout(branch("film"))
    head = other.commit({"from": "the web"})
    other.run_git("push", "--quiet", "origin", "HEAD:refs/pull/7/head", f":refs/heads/{branch('film')}")
    before = yard.repo.run_git("for-each-ref")
    now = proofs.ask(yard.project)
    assert now.missing == ("refs/pull/7/head",)
    assert proofs.lacking(yard.project.common, now, [tree.head()]) == (tree.head(),)
    assert isinstance(yard.verdict(tree), Remove)
    assert yard.repo.run_git("for-each-ref") == before
    assert yard.has(head)


def test_a_landing_by_rebase_counts_if_the_remote_has_it_and_the_branch_stays(yard: Yard) -> None:
    tree = yard.node(push=False)
    work = tree.head()
    yard.repo.commit({"train": "1"})
    yard.repo.run_git("cherry-pick", work)
    copy = yard.repo.head()
    assert isinstance(yard.verdict(tree), Keep)
    yard.repo.push("main")
    assert isinstance(yard.verdict(tree), Keep)  # nobody says that this is what became of it
    yard.repo.run_git("update-ref", f"{LANDED}main/{work}", copy)
    verdict = yard.verdict(tree)
    assert verdict == Remove(
        f"{OVER}; clean, and its work is on origin as {copy[:7]}; the branch {branch('film')} stays", None
    )
    yard.origin.run_git("update-ref", "refs/heads/main", f"{copy}~1")
    assert isinstance(yard.verdict(tree), Keep)
    yard.repo.push("main")
    gone = pruning.remove(yard.project, yard.look(tree).fact, lambda *_: yard.look(tree), verdict.branch)
    assert gone == Removed(None)
    yard.repo.run_git("gc", "--prune=now", "--quiet")
    assert yard.repo.head(branch("film")) == work


def test_the_repository_itself_is_no_remote(yard: Yard) -> None:
    tree = yard.node()
    for url in (".", str(yard.repo.path), yard.repo.path.as_uri(), str(tree.path)):
        yard.repo.run_git("remote", "set-url", "origin", url)
        assert yard.verdict(tree) == Keep("the remote origin is this very repository")
    borrower = yard.repo.path.with_name("borrower.git")
    yard.repo.run_git("clone", "--quiet", "--bare", "--shared", str(yard.repo.path), str(borrower))
    yard.repo.run_git("remote", "set-url", "origin", str(borrower))
    assert yard.verdict(tree) == Keep("the remote origin borrows its objects from this repository")
    yard.repo.run_git("remote", "remove", "origin")
    assert yard.verdict(tree) == Keep("there is no remote that has its commits")


def test_a_replacement_proves_nothing(yard: Yard) -> None:
    tree = yard.node()
    commit = tree.commit({"more": "1"})
    yard.repo.run_git("replace", "--graft", yard.repo.head("main"), commit)
    assert "not on origin" in getattr(yard.verdict(tree), "why", "")


def test_a_shallow_clone_proves_less_and_never_more(yard: Yard, tmp_path: Path) -> None:
    yard.node()
    clone = yard.origin.clone(tmp_path / "shallow", "--depth=1", "--no-single-branch")
    clone.checkout(branch("film"))
    old = yard.repo.head("main")
    now = proofs.ask_of(clone.path, "origin", clone.path / ".git")
    assert proofs.lacking(clone.path, now, [clone.head()]) == ()
    new = clone.commit({"a": "1"})
    assert proofs.lacking(clone.path, now, [new]) == (new,)
    assert proofs.lacking(clone.path, now, ["0" * 39 + "1"]) is None
    assert yard.has(old)


def test_a_remote_that_cannot_be_asked_is_an_error(yard: Yard) -> None:
    yard.node()
    yard.origin.path.rename(yard.origin.path.with_name("away"))
    with pytest.raises(Unreachable, match="could not be asked"):
        proofs.ask(yard.project)


def test_the_commits_of_a_pull_request(yard: Yard) -> None:
    start = yard.repo.head("main")
    tree = yard.node()
    first = tree.head()
    second = tree.commit({"more": "1"})
    tree.push(branch("film"))
    yard.pull(7, second)
    now = proofs.ask(yard.project)
    assert proofs.commits_of_pull(yard.project, now, 7, None) == {first, second}
    yard.repo.commit({"other": "1"})
    yard.repo.run_git("merge", "--quiet", "--no-ff", "--message", "Merge 7", branch("film"))
    yard.repo.commit({"later": "1"})
    yard.repo.push("main")
    now = proofs.ask(yard.project)
    assert proofs.commits_of_pull(yard.project, now, 7, None) == {first, second}
    assert yard.look(tree, 7).fact.in_pull
    assert yard.look(yard.agent(at=first), 7).fact.in_pull
    assert not yard.look(yard.agent("agent-b2", at=start), 7).fact.in_pull
    assert not yard.look(yard.agent("agent-c3", at="main"), 7).fact.in_pull


def test_what_another_branch_leads_to_is_not_forgotten(yard: Yard) -> None:
    tree = yard.node()
    commit = tree.commit({"more": "1"})
    tree.run_git("reset", "--quiet", "--hard", "HEAD~1")
    assert isinstance(yard.verdict(tree), Keep)
    yard.repo.branch("kept-aside", commit)
    assert isinstance(yard.verdict(tree), Remove)
    assert isinstance(yard.remove(tree), Removed)
    yard.repo.run_git("gc", "--prune=now", "--quiet")
    assert yard.repo.head("kept-aside") == commit


def test_a_tree_that_was_landed_in_goes_once_the_remote_has_the_branch(make_repo: MakeRepo) -> None:
    yard = Yard(make_repo)
    plan = Plan(yard.repo)
    one, two = plan.node("one", {"one": "1"}), plan.node("two", {"two": "1"})
    assert isinstance(plan.land(one), Landed)
    assert isinstance(plan.land(two), Landed)
    assert isinstance(yard.verdict(plan.tree), Keep)
    yard.repo.push(BRANCH)
    now = proofs.ask(yard.project)
    verdict = judge(yard.look(plan.tree).fact, Meaning(True, "over"), Source(now.name))
    assert verdict == Remove("over; clean, and all its commits are on origin", None)
    rebased = judge(yard.look(two).fact, Meaning(True, "over", branch="stoat/p/two"), Source(now.name))
    assert rebased == Remove(
        f"over; clean, and its work is on origin as {plan.tip[:7]}; the branch stoat/p/two stays", None
    )
