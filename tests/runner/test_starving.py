"""A node that cannot start keeps no other one waiting: it takes no slot, and the run goes on with the next."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from stoat.gitstore.work.bases import Base
from stoat.gitstore.work.worktrees import Project
from stoat.plan.state import NodeState
from stoat.runner import workspace
from tests.runner.conftest import World

pytestmark = pytest.mark.slow

ANOTHER_BRANCH = "git('checkout', '-q', '-b', 'other-' + NODE)"


def test_one_unusable_worktree_does_not_keep_the_only_slot(world: World) -> None:
    world.plan("branch: i\nnodes: [{id: a, kind: change}, {id: b, kind: change}]")
    world.agent("a", ANOTHER_BRANCH)
    assert world.run(parallel=1) == 1
    assert world.starts() == ["a", "b"]
    assert world.statuses()["b"] == "done"
    assert world.said("✗ the worktree of 'a' cannot be used", "has the branch other-a checked out")


def test_every_other_node_is_worked_beside_two_unusable_ones(world: World) -> None:
    nodes = ", ".join(f"{{id: n{number}, kind: change}}" for number in range(6))
    world.plan(f"branch: i\nnodes: [{nodes}]")
    for number in (0, 1):
        world.agent(f"n{number}", ANOTHER_BRANCH)
    assert world.run(parallel=2) == 1
    done = {node for node, status in world.statuses().items() if status == "done"}
    assert done == {"n2", "n3", "n4", "n5"}


def test_a_remote_that_does_not_answer_is_asked_once_for_all_nodes(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    world.plan("nodes: [{id: a, kind: change}, {id: b, kind: change}, {id: c, kind: change}]")
    origin = world.repo.path.with_name("app.git")
    origin.rename(origin.with_name("away.git"))
    asked: list[object] = []
    fetch = workspace.fetch_for

    def counted(*given: Any) -> object:
        asked.append(given)
        return fetch(*given)

    monkeypatch.setattr(workspace, "fetch_for", counted)
    assert world.run(parallel=1) == 1
    assert len(world.said("origin cannot be reached")) == 3
    assert len(asked) == 1


def test_a_worktree_that_git_fails_on_is_told_and_the_others_are_worked(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    world.plan("branch: i\nnodes: [{id: a, kind: change}, {id: b, kind: change}]")
    prepare = workspace.prepare

    def failing(project: Project, plan: str, node: NodeState, base: Base) -> object:
        if node.spec.id == "a":
            raise PermissionError(13, "Permission denied", str(Path("app-a")))
        return prepare(project, plan, node, base)

    monkeypatch.setattr(workspace, "prepare", failing)
    assert world.run(parallel=1) == 1
    assert world.said("⚠ a: not launched", "Permission denied")
    assert world.statuses() == {"a": "open", "b": "done"}
