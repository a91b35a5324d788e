"""A worktree that only a person can put right calls that person, and is used again as soon as it can be."""

from __future__ import annotations

import shlex
import subprocess

import pytest

from stoat.plan.events.attempts import WorktreeFreed, WorktreeParked
from tests.runner.conftest import World

pytestmark = pytest.mark.slow

REBASE = (
    "commit('mine'); subprocess.run(['git', 'rebase', '-q', '-i', 'HEAD~1'], check=True,"
    " env={**os.environ, 'GIT_SEQUENCE_EDITOR': 'echo break >'})"
)


@pytest.mark.parametrize(
    ("does", "why", "command"),
    [
        ("git('checkout', '-q', '-b', 'other')", "has the branch other checked out", "switch stoat/p/a"),
        ("git('checkout', '-q', '--detach')", "has no branch, at", "switch stoat/p/a"),
        (REBASE, "a rebase was left in progress", "status"),
    ],
    ids=["other branch", "detached", "rebase"],
)
def test_the_status_calls_the_person_with_the_reason_and_a_command(
    world: World, does: str, why: str, command: str
) -> None:
    world.plan("branch: i\nnodes: [{id: a, kind: change}]")
    world.agent("a", f"if ATTEMPT == 1: {does}\nelse: commit('a.txt')")
    assert world.run() == 1
    shown = world.shown("a")
    assert (shown.stance, why in shown.stance_why) == ("you", True)
    [need] = world.session.answers().needs
    assert (need.node, need.kind, need.why) == ("a", "fix", shown.stance_why)
    assert need.action == f"git -C {shlex.quote(str(world.beside('a').path))} {command}"
    assert world.said("✗ the worktree of 'a' cannot be used", f"try: {need.action}")
    before = len(world.events())
    assert world.run() == 1
    assert len(world.events()) == before  # said once, however often it is looked at

    if command == "status":
        subprocess.run(["git", "rebase", "--continue"], cwd=world.beside("a").path, check=True, capture_output=True)
    else:
        subprocess.run(shlex.split(need.action), check=True, capture_output=True)
    assert world.run() == 0
    assert world.statuses() == {"a": "done"}
    assert world.session.answers().needs == ()


def test_a_run_goes_on_by_itself_once_the_worktree_is_in_order(world: World) -> None:
    world.plan("branch: i\nnodes: [{id: a, kind: change}, {id: b, kind: change}]")
    world.agent("a", "git('checkout', '-q', '-b', 'other') if ATTEMPT == 1 else commit('a.txt')")
    world.agent("b", "wait_for('parked'); git('-C', '../app-a', 'switch', '-q', 'stoat/p/a'); commit('b.txt')")

    class Lines(list[str]):
        def append(self, line: str) -> None:
            super().append(line)
            if "cannot be used" in line:
                world.signal("parked")

    world.lines = Lines()
    assert world.run(parallel=2) == 0
    assert [node for node in world.starts() if node == "a"] == ["a", "a"]
    assert set(world.statuses().values()) == {"done"}
    assert len([event for event in world.events() if isinstance(event, WorktreeParked)]) == 1


def test_a_commit_that_only_a_detached_head_has_is_named_before_it_is_left(world: World) -> None:
    world.plan("nodes: [{id: a, kind: change}]")
    world.agent("a", "git('checkout', '-q', '--detach'); commit('a.txt')")
    assert world.run() == 1
    head = world.beside("a").head()
    [need] = world.session.answers().needs
    subprocess.run(need.action, shell=True, check=True, capture_output=True)
    assert world.repo.head(f"refs/heads/rescued-{head[:7]}") == head


def test_a_done_slice_whose_work_is_on_another_branch_calls_the_person_until_it_is_in_order(world: World) -> None:
    world.plan("nodes: [{id: s, kind: slice, pattern: command, specs: [F/One]}]")
    world.agent("s", "git('checkout', '-q', '-b', 'other'); commit('s.txt'); specs(passed=['F/One'])")
    assert world.run() == 1
    [need] = world.session.answers().needs
    assert (need.node, need.kind) == ("s", "fix")
    assert "other is checked out, not stoat/p/s" in need.why

    world.beside("s").run_git("switch", "-q", "stoat/p/s")
    world.beside("s").run_git("merge", "-q", "other")
    assert world.run() == 0
    assert world.session.answers().needs == ()
    assert [event for event in world.events() if isinstance(event, WorktreeFreed)]
