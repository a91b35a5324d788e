"""A resident run reacts to what happens at once, and does nothing while nothing happens."""

from __future__ import annotations

import threading
import time

import psutil
import pytest

from stoat.processes import spawn
from stoat.runner.waking import Waker
from stoat.service import decisions
from stoat.service.session import parse_ref
from tests.runner.conftest import World
from tests.support.command import Stoat
from tests.support.waiting import wait_until

pytestmark = pytest.mark.slow


def test_a_go_ahead_a_commit_on_the_ref_and_an_exit_are_seen_long_before_the_next_poll(world: World) -> None:
    world.plan("branch: i\nnodes: [{id: a, kind: change}, {id: b, kind: change, depends_on: [a]}]", approve=False)
    runner = Stoat(world.repo.path).start(*world.flags("--watch", "--poll-seconds", "3600"), env=world.environ)
    assert runner.stdout is not None
    said = [runner.stdout.readline().decode() for _ in range(5)]
    assert any("awaiting a person's go-ahead" in line for line in said), said
    decisions.approve(world.session, [parse_ref("p/a"), parse_ref("p/b")])
    wait_until(lambda: world.statuses() == {"a": "done", "b": "done"}, 40)
    assert world.starts() == ["a", "b"]

    process = psutil.Process(runner.pid)
    time.sleep(1)  # what the last landing woke has settled
    before, begun = sum(process.cpu_times()[:2]), time.monotonic()
    time.sleep(2)
    assert (sum(process.cpu_times()[:2]) - before) / (time.monotonic() - begun) < 0.05
    assert [fact.state for fact in world.session.facts().runners] == ["waiting"]

    (world.repo.path / ".stoat-stop").touch()
    out, _ = runner.communicate(timeout=20)
    assert runner.returncode == 0
    assert "staying for new work" in out.decode()
    assert world.session.facts().runners == ()


@pytest.fixture
def waker(world: World):  # type: ignore[no-untyped-def]
    made = Waker(world.session.store.common, world.repo.path)
    made.sleep(0.3, [])
    yield made
    made.close()


def slept(waker: Waker, seconds: float = 30.0) -> float:
    begun = time.monotonic()
    waker.sleep(seconds, [])
    return time.monotonic() - begun


def test_a_sleeper_is_woken_by_the_ref_wherever_git_keeps_it(world: World, waker: Waker) -> None:
    world.plan("nodes: [{id: a, kind: change}]", approve=False)
    assert slept(waker) < 15
    slept(waker, 0.5)
    world.repo.run_git("pack-refs", "--all")
    slept(waker, 0.5)
    beside = threading.Timer(0.3, lambda: decisions.approve_plan(world.session, "p"))
    beside.start()
    assert slept(waker) < 15
    beside.join()


def test_a_sleeper_is_not_woken_by_what_does_not_concern_it(world: World, waker: Waker) -> None:
    world.repo.commit({"x.txt": "x"}, "On main")
    (world.repo.path / "untracked").touch()
    assert slept(waker, 0.5) >= 0.45


def test_a_sleeper_is_woken_by_a_process_that_ends(world: World, waker: Waker) -> None:
    process = spawn(["sleep", "0.3"], cwd=world.place, env={"PATH": "/usr/bin:/bin"}, output=world.place / "log")
    begun = time.monotonic()
    waker.sleep(30, [process.identity])
    assert time.monotonic() - begun < 15
    waker.sleep(30, [process.identity])  # one that has ended already
    assert time.monotonic() - begun < 15
