"""A change that no runner worked: an agent or a person on the node's own branch, and a merge by hand."""

from __future__ import annotations

import pytest

from stoat.service import claims
from tests.runner.conftest import World
from tests.support.gitrepo import GitRepo

pytestmark = pytest.mark.slow

STEPS = "steps: [{id: t, run: test -f a.txt}]"


def works(world: World, node: str = "a") -> GitRepo:
    """Somebody's own worktree on the node's branch, with a commit of theirs."""
    place = world.repo.path.with_name(f"mine {node}")
    world.repo.run_git("worktree", "add", "--quiet", "-b", f"stoat/p/{node}", str(place))
    tree = GitRepo(place)
    tree.commit({f"{node}.txt": "by hand"}, "By hand")
    return tree


def prove(world: World, tree: GitRepo, node: str = "a") -> None:
    """Run the node's steps there as evidence."""
    from stoat.plan.ids import NodeRef
    from stoat.service import gates

    runs = gates.run(world.session, NodeRef("p", node), None, tree.path, warn=print, begin=lambda step: None)
    assert [run.code for run in runs] == [0]


def test_work_that_an_agent_steered_itself_is_landed_once_it_gave_the_node_back(world: World) -> None:
    world.plan(f"branch: i\nnodes: [{{id: a, kind: change, {STEPS}}}, {{id: b, kind: change, depends_on: [a]}}]")
    granted = claims.claim(world.session, "p", "a", holder="bot")
    tree = works(world)
    prove(world, tree)
    assert world.run(only=frozenset({"a"})) == 0
    assert world.node("a").landing is None
    claims.release(world.session, "p", "a", claim_id=granted.claim_id)
    assert world.run() == 0
    assert world.said("✓ 'a' is done", "worked without a runner", "landed on 'i'")
    assert world.statuses() == {"a": "done", "b": "done"}
    assert world.starts() == ["b"]
    assert world.repo.read("a.txt", at="refs/heads/i") == "by hand"


def test_it_is_not_landed_while_it_is_dirty_or_its_steps_passed_on_another_commit(world: World) -> None:
    world.plan(f"branch: i\nnodes: [{{id: a, kind: change, {STEPS}}}]", approve=False)
    tree = works(world)
    world.run()
    assert world.node("a").landing is None
    prove(world, tree)
    (tree.path / "left.txt").write_text("x")
    world.run()
    assert world.node("a").landing is None
    (tree.path / "left.txt").unlink()
    tree.commit({"more.txt": "x"}, "More")
    world.run()
    assert world.node("a").landing is None
    prove(world, tree)
    assert world.run() == 0
    assert world.statuses() == {"a": "done"}


def test_a_branch_that_was_only_cut_is_neither_landed_nor_seen_as_landed(world: World) -> None:
    world.plan("branch: i\nnodes: [{id: a, kind: change}]", approve=False)
    world.repo.branch("stoat/p/a")
    world.repo.commit({"other.txt": "x"}, "Other")
    world.run()
    assert world.statuses() == {"a": "open"}


def test_a_persons_merge_is_seen_whichever_copy_of_the_default_branch_has_it(world: World) -> None:
    world.plan("nodes: [{id: a, kind: change}, {id: b, kind: change}]", approve=False)
    works(world, "a")
    works(world, "b")
    world.repo.run_git("merge", "--quiet", "--ff-only", "stoat/p/a")
    there = world.repo.clone(world.place / "theirs", "--origin", "app")
    bare = world.repo.run_git("remote", "get-url", "origin")
    there.run_git("remote", "add", "origin", bare)
    there.run_git("fetch", "--quiet", "--all")
    there.run_git("merge", "--quiet", "--no-ff", "-m", "Merge b", "app/stoat/p/b")
    there.push("HEAD:main")
    assert world.run(once=True) == 0
    assert world.said("'a' is on 'main'", "seen in git")
    assert world.said("'b' is on 'main'", "seen in git")
    assert not world.said("done by a run outside this one")
    assert world.statuses() == {"a": "done", "b": "done"}
    assert world.starts() == []


def test_without_a_plans_branch_the_merge_command_is_offered_and_no_agent_is_put_on_it(world: World) -> None:
    world.plan("nodes: [{id: a, kind: change}]")
    works(world)
    assert world.run() == 0
    [line] = world.said("✓ 'a' is finished", "Merge when ready")
    assert line.endswith("merge stoat/p/a")
    assert not world.said("⚠ a:")
    assert world.starts() == []
    world.repo.run_git("merge", "--quiet", "--ff-only", "stoat/p/a")
    assert world.run(once=True) == 0
    assert world.statuses() == {"a": "done"}


def test_what_conflicts_is_parked_and_landed_once_it_is_resolved_on_its_branch(world: World) -> None:
    world.plan("branch: i\nnodes: [{id: a, kind: change}, {id: b, kind: change}]")
    works(world, "a").commit({"same.txt": "a"}, "Same")
    tree = works(world, "b")
    tree.commit({"same.txt": "b"}, "Same")
    assert world.run() == 1
    [line] = world.said("'b' is done and conflicts with 'i' in same.txt")
    assert tree.path.name in line
    tree.run_git("merge", "--quiet", "i", check=False)
    tree.commit({"same.txt": "both"}, "Resolve")
    assert world.run() == 0
    assert world.statuses() == {"a": "done", "b": "done"}
    assert world.starts() == []
