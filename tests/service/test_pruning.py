"""What a prune makes of pull requests on record, of runners, and of what changes while it goes."""

from __future__ import annotations

import os
import shutil
from pathlib import Path
from typing import Any

import pytest

from stoat.errors import Unreachable
from stoat.gitstore.log import Change, Store
from stoat.observe import live
from stoat.plan.events.authoring import NodeAdded
from stoat.plan.events.base import Actor, Event
from stoat.plan.events.github import PullSeen
from stoat.plan.events.plans import PlanCreated
from stoat.plan.facts import RunnerFact
from stoat.plan.github import Pull
from stoat.plan.ids import NodeRef
from stoat.plan.nodes import Header, Node
from stoat.service import decisions
from stoat.service.pruning import Pruned, prune
from stoat.service.session import Session
from tests.support.gitrepo import GitRepo, MakeRepo
from tests.support.pruning import Yard, branch


@pytest.fixture
def yard(make_repo: MakeRepo) -> Yard:
    """A project of the repository acme/widgets whose plan has the node `film`, an issue's."""
    yard = Yard(make_repo)
    yard.repo.run_git("config", "stoat.repo", "Acme/widgets")
    store, _ = Store.create(yard.repo.path)
    film = Node(id="film", kind="issue", repo="acme/widgets", issue=3)
    append(store, "plans/demo", PlanCreated(header=Header(plan="demo", title="A")), NodeAdded(node="film", spec=film))
    return yard


def append(store: Store, stream: str, *events: Event) -> None:
    store.append(lambda state, now: Change([(stream, event) for event in events], "demo: said"), Actor("ada", "person"))


def session(yard: Yard) -> Session:
    return Session(Store.open(yard.repo.path), Actor("ada", "person"), yard.repo.path)


def seen(yard: Yard, head: str, state: str, **fields: Any) -> None:
    given = {"head_branch": branch("film"), "base": "main", **fields}
    pull = Pull(number=7, url="", title="", state=state, head=head, **given)  # type: ignore[arg-type]
    append(session(yard).store, "github/acme/widgets", PullSeen(pull=pull))


def why(done: Pruned, tree: GitRepo) -> str:
    return next(one.why for one in done.kept if one.path == str(tree.path))


def squash(yard: Yard, tree: GitRepo) -> None:
    """The pull request 7 is merged as one new commit, and its branch deleted, as GitHub does."""
    yard.pull(7, tree.head())
    yard.repo.run_git("merge", "--quiet", "--squash", branch("film"))
    yard.repo.commit(message="Film (#7)")
    yard.repo.push("main", f":{branch('film')}")


def test_squash_merged_work_goes_by_the_ref_of_its_pull_request(yard: Yard) -> None:
    tree = yard.node()
    seen(yard, tree.head(), "open")
    assert why(prune(session(yard), apply=True), tree) == "its pull request #7 is open"
    squash(yard, tree)
    seen(yard, tree.head(), "merged")
    done = prune(session(yard), apply=True)
    assert (done.removed, done.branches) == ([str(tree.path)], [branch("film")])
    assert done.reasons[str(tree.path)].startswith("its pull request #7 is merged; ")


def test_without_such_a_ref_squash_merged_work_is_nowhere_and_stays(yard: Yard) -> None:
    tree = yard.node()
    squash(yard, tree)
    yard.origin.run_git("update-ref", "-d", "refs/pull/7/head")
    seen(yard, tree.head(), "merged")
    assert why(prune(session(yard), apply=True), tree) == f"1 commit not on origin: {tree.head()[:7]}"


@pytest.mark.parametrize("pushed", [True, False])
def test_an_agent_that_went_on_after_the_merge_keeps_its_worktree(yard: Yard, pushed: bool) -> None:
    tree = yard.node()
    head = tree.head()
    squash(yard, tree)
    seen(yard, head, "merged")
    late = tree.commit({"late": "1"})
    if pushed:
        tree.push(branch("film"))
    said = why(prune(session(yard), apply=True), tree)
    assert said.startswith("it has commits that its pull request #7 does not have")
    assert (f"not on origin: {late[:7]}" in said) is not pushed
    assert tree.head() == late


def test_a_head_that_only_grew_on_github_is_still_its_own(yard: Yard, tmp_path: Path) -> None:
    tree = yard.node()
    clone = yard.origin.clone(tmp_path / "clone")
    clone.checkout(branch("film"))
    grown = clone.commit({"by": "the button"})
    clone.run_git("push", "--quiet", "origin", "HEAD:refs/pull/7/head")
    yard.origin.run_git("update-ref", "-d", f"refs/heads/{branch('film')}")
    seen(yard, grown, "closed")
    assert prune(session(yard), apply=False).removed == [str(tree.path)]


def test_a_runner_that_works_in_it_keeps_it(yard: Yard) -> None:
    tree = yard.node()
    yard.pull(7, tree.head())
    seen(yard, tree.head(), "merged")
    fact = RunnerFact(
        runner_id="r1", plan="demo", host="h", checkout=str(yard.repo.path), state="running", parallel=1,
        running={"film": 1},
    )  # fmt: skip
    runner = live.announce(yard.project.common, "runner", "demo", fact)
    try:
        assert why(prune(session(yard), apply=True), tree) == "the runner r1 uses it"
    finally:
        runner.close()
    assert prune(session(yard), apply=True).removed == [str(tree.path)]


def test_a_remote_that_is_nowhere_is_an_error_before_anything_goes(yard: Yard) -> None:
    tree = yard.node()
    yard.repo.run_git("remote", "set-url", "origin", "file:///nowhere/at/all")
    with pytest.raises(Unreachable):
        prune(session(yard), apply=True)
    assert tree.path.exists()


def test_many_worktrees_cost_a_bounded_number_of_git_commands_each(
    yard: Yard, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    counted = tmp_path / "counted"
    (tmp_path / "bin").mkdir()
    shim = tmp_path / "bin" / "git"
    shim.write_text(f"#!/bin/sh\necho >>'{counted}'\nexec '{shutil.which('git')}' \"$@\"\n")
    shim.chmod(0o755)

    def commands(names: list[str]) -> int:
        for name in names:
            node = NodeAdded(node=name, spec=Node(id=name, kind="person"))
            append(session(yard).store, "plans/demo", node)
            decisions.done(session(yard), NodeRef("demo", name))
            yard.node(name)
        counted.write_text("")
        with monkeypatch.context() as patch:
            patch.setenv("PATH", f"{shim.parent}{os.pathsep}{os.environ['PATH']}")
            assert len(prune(session(yard), apply=True).removed) == len(names)
        return len(counted.read_text())

    one, four = commands(["a"]), commands(["b", "c", "d", "e"])
    assert (four - one) / 3 <= 24
