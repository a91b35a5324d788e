"""kill -9 of the runner at every step: the next one takes over what is there, and no node ever has two agents."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
from collections import Counter
from collections.abc import Callable
from typing import Any

import pytest

from stoat.errors import Unreachable
from stoat.processes import Identity, is_alive
from stoat.runner import endings, reading
from stoat.runner.state import RunState
from tests.runner.conftest import World
from tests.support.command import Stoat
from tests.support.waiting import wait_until

pytestmark = pytest.mark.slow

DRIVER = '''\
import os, re, signal, sys
from stoat.cli import main
from stoat.gitstore.work import landing as git_landing
from stoat.runner import landing, starting
from stoat.service.session import Session

when, what = sys.argv[1].split(" ", 1)
sys.argv = ["stoat", *sys.argv[2:]]


def die():
    os.kill(os.getpid(), signal.SIGKILL)


commit = Session.commit


def dying(self, decide):
    said = []

    def heard(state, now):
        change = decide(state, now)
        said.append(change.subject if change else "")
        if change and when == "before" and re.search(what, change.subject):
            die()
        return change

    appended = commit(self, heard)
    if when == "after" and said[-1] and re.search(what, said[-1]):
        die()
    return appended


Session.commit = dying
if (when, what) == ("after", "spawn"):
    spawn = starting.spawn

    def spawning(*args, **named):
        spawn(*args, **named)
        die()

    starting.spawn = spawning
if (when, what) == ("after", "git landed"):
    land = git_landing.land

    def lands(*args):
        land(*args)
        die()

    git_landing.land = lands
main.main()
'''

MOMENTS = [
    "before claims a", "after claims a", "after spawn", "before attempt 1 on a runs", "after attempt 1 on a runs",
    "before attempt 1 on a exited", "after attempt 1 on a exited", "before attempt 1 on a: done",
    "after attempt 1 on a: done", "after git landed", "before a landed", "after a landed",
]  # fmt: skip


def kill_at(world: World, moment: str, *flags: str) -> None:
    """Run the plan in a process that kills itself at that moment."""
    driver = world.place / "driver.py"
    driver.write_text(DRIVER, encoding="utf-8")
    ran = subprocess.run(
        [sys.executable, str(driver), moment, *world.flags(*flags)], cwd=world.repo.path, env=world.environ,
        capture_output=True, timeout=60, check=False,
    )  # fmt: skip
    assert ran.returncode == -signal.SIGKILL, ran.stdout.decode() + ran.stderr.decode()


def overlaps(told: list[list[str]]) -> list[str]:
    """Nodes on which an agent started while another one had not ended."""
    out: set[str] = set()
    twice = []
    for _, node, _, _, what, *_ in told:
        if what == "starts":
            twice += [node] if node in out else []
            out.add(node)
        elif what == "ends":
            out.discard(node)
    return twice


@pytest.mark.parametrize("moment", MOMENTS)
def test_a_runner_killed_at_any_moment_is_taken_over_by_the_next(world: World, moment: str) -> None:
    world.plan("branch: i\nnodes: [{id: a, kind: change}, {id: b, kind: change, depends_on: [a]}]")
    world.agent("a", "time.sleep(0.3); commit('a.txt')")
    kill_at(world, moment)
    assert world.run() == 0
    assert world.statuses() == {"a": "done", "b": "done"}
    assert overlaps(world.told()) == []
    assert Counter(world.starts())["a"] == 1
    assert world.repo.run_git("rev-list", "--count", "main..refs/heads/i") == "2"
    landed = [event for event in world.events() if type(event).__name__ == "Landed"]
    assert Counter(event.node for event in landed) == {"a": 1, "b": 1}
    assert world.node("a").claim is None
    assert world.beside("p-integration").run_git("status", "--porcelain") == ""


def test_an_attempt_that_nobody_ever_saw_running_is_lost_and_tried_again(world: World) -> None:
    world.plan("nodes: [{id: a, kind: change}]")
    kill_at(world, "after claims a")
    assert world.run(settle_seconds=600) == 0
    assert world.said("✗ attempt 1 on 'a' was lost")
    assert world.said("→ attempt 2 on 'a'")


def test_two_live_agents_outlive_their_runner_and_are_judged_by_the_next(world: World) -> None:
    world.plan("branch: i\nnodes: [{id: a, kind: change}, {id: b, kind: change}]")
    for node in ("a", "b"):
        world.agent(node, "wait_for('go'); commit(NODE + '.txt')")
    runner = Stoat(world.repo.path).start(*world.flags("--parallel", "2"), env=world.environ)
    wait_until(lambda: all(_process(world, node) for node in "ab"), 30)
    runner.kill()
    runner.communicate()
    assert all(is_alive(Identity.parse(_process(world, node))) for node in "ab")

    ending = Stoat(world.repo.path).start(*world.flags(), env=world.environ)
    lines = _reading(ending)
    wait_until(lambda: lines().count("is still running and is watched from here") == 2, 30)
    world.signal("go")
    assert ending.wait(60) == 0
    assert Counter(world.starts()) == {"a": 1, "b": 1}
    assert world.statuses() == {"a": "done", "b": "done"}


def test_a_setup_that_was_interrupted_is_ended_and_does_not_count(world: World) -> None:
    world.plan("nodes: [{id: a, kind: change}]")
    setup = f"echo x >> '{world.place}/setups'; if [ ! -e '{world.place}/go' ]; then sleep 60; fi"
    runner = Stoat(world.repo.path).start(*world.flags("--agent-setup", setup), env=world.environ)
    wait_until(lambda: (world.place / "setups").exists(), 30)
    runner.kill()
    runner.communicate()
    world.signal("go")
    assert world.run(agent_setup=setup) == 0
    assert world.starts() == ["a"]
    assert world.node("a").tries == 0
    assert (world.place / "setups").read_text().count("x") == 2


def test_a_dead_agents_result_is_judged_although_nobody_saw_it_exit(world: World) -> None:
    world.plan("nodes: [{id: a, kind: change}]")
    world.agent("a", "wait_for('go'); commit('a.txt')")
    runner = Stoat(world.repo.path).start(*world.flags(), env=world.environ)
    wait_until(lambda: _process(world, "a"), 30)
    runner.kill()
    runner.communicate()
    identity = Identity.parse(_process(world, "a"))
    world.signal("go")
    wait_until(lambda: not is_alive(identity), 30)
    assert world.run() == 0
    assert world.said("attempt 1 on 'a' ended while no runner was here")
    assert world.said("'a' is finished")
    assert world.starts() == ["a"]


def test_what_the_store_does_not_take_at_once_is_said_once(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    world.plan("nodes: [{id: a, kind: change}]")
    world.agent("a", "wait_for('go'); commit('a.txt')")
    assert world.run(once=True) == 0
    wait_until(lambda: _process(world, "a"), 30)
    identity = Identity.parse(_process(world, "a"))
    world.signal("go")
    wait_until(lambda: not is_alive(identity), 30)
    append, locked = reading.append, iter([True, True])

    def failing(*given: Any) -> RunState:
        if next(locked, False):
            raise Unreachable("the store is locked")
        return append(*given)

    monkeypatch.setattr(endings, "append", failing)
    assert world.run(poll_seconds=0.1) == 0
    assert len(world.said("attempt 1 on 'a' ended while no runner was here")) == 1
    assert world.said("the store is locked", "trying again")
    assert world.said("'a' is finished")


def test_ctrl_c_once_waits_for_agents_and_twice_leaves_them_to_the_next_runner(world: World) -> None:
    world.plan("nodes: [{id: a, kind: change}, {id: b, kind: change}]")
    world.agent("a", "wait_for('go'); commit('a.txt')")
    runner = Stoat(world.repo.path).start(*world.flags("--parallel", "1"), env=world.environ)
    wait_until(lambda: _process(world, "a"), 30)
    lines = _reading(runner)
    os.kill(runner.pid, signal.SIGINT)
    wait_until(lambda: "stopping: no new claims. 1 agent still at work (a)" in lines(), 20)
    assert runner.poll() is None
    os.kill(runner.pid, signal.SIGINT)
    assert runner.wait(20) == 130
    assert "leaving a at work" in lines()
    assert is_alive(Identity.parse(_process(world, "a")))
    world.signal("go")
    assert world.run() == 0
    assert sorted(world.starts()) == ["a", "b"]


def test_sigterm_stops_claiming_and_lets_the_agent_finish(world: World) -> None:
    world.plan("nodes: [{id: a, kind: change}, {id: b, kind: change}]")
    world.agent("a", "wait_for('go'); commit('a.txt')")
    runner = Stoat(world.repo.path).start(*world.flags("--parallel", "1", "--watch"), env=world.environ)
    wait_until(lambda: world.starts(), 30)
    for _ in range(3):
        os.kill(runner.pid, signal.SIGTERM)
    world.signal("go")
    out, _ = runner.communicate(timeout=40)
    assert runner.returncode == 0
    assert "'a' is finished" in out.decode()
    assert world.starts() == ["a"]


def _process(world: World, node: str) -> str:
    """The key of the process that is recorded for the node's attempt, empty without one."""
    attempt = world.node(node).attempt
    return (attempt.process if attempt is not None else None) or ""


def _reading(process: subprocess.Popen[bytes]) -> Callable[[], str]:
    """Read the process's output beside us; gives a function that tells what came so far."""
    said: list[str] = []

    def read() -> None:
        assert process.stdout is not None
        for line in process.stdout:
            said.append(line.decode())

    threading.Thread(target=read, daemon=True).start()
    return lambda: "".join(said)
