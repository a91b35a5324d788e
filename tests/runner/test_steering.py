"""A resident runner steered from elsewhere: pause, resume, restart, whether it is there to hear it; and its callouts.

The runner is a process of its own here, as are the commands that steer it.
"""

from __future__ import annotations

import json
import os
import shlex
import signal
import sys
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from stoat.processes import Identity, is_alive
from stoat.runner.launchers import choose
from stoat.service import decisions
from stoat.service.session import parse_ref
from tests.runner.conftest import World
from tests.support.command import Stoat
from tests.support.waiting import wait_until

pytestmark = pytest.mark.slow

TWO = "nodes: [{id: a, kind: change}, {id: b, kind: change}]"
HELD = "(TOLD.parent / f'up-{NODE}-{ATTEMPT}').touch(); wait_for(f'go-{NODE}-{ATTEMPT}'); commit(NODE)"


class Resident:
    """A runner in a process of its own, its output read as it comes."""

    def __init__(self, world: World, *more: str) -> None:
        self.world = world
        self.stoat = Stoat(world.repo.path, {"TOLD": str(world.told_at), "SCRIPTS": str(world.place / "scripts")})
        self.process = self.stoat.start(*world.flags("--poll-seconds", "0.5", *more))
        self.lines: list[str] = []
        self._reader = threading.Thread(target=self._read)
        self._reader.start()

    def _read(self) -> None:
        assert self.process.stdout is not None
        for line in self.process.stdout:
            self.lines.append(line.decode().rstrip("\n"))

    def says(self, *words: str) -> str:
        """Wait for a line with all of these words, and give it."""

        def found() -> str | None:
            return next((line for line in self.lines if all(word in line for word in words)), None)

        return str(wait_until(found, 60, f"a line with {words}"))

    def shown(self) -> dict[str, Any]:
        """The one runner that `stoat runners` shows."""
        (one,) = self.stoat.json("runners", "p")["runners"]
        return dict(one)

    def end(self) -> int:
        """Let it end as with Ctrl-C, once nothing is at work any more; its exit code."""
        self.process.send_signal(signal.SIGINT)
        code = self.process.wait(60)
        self._reader.join()
        return code

    def kill(self) -> None:
        """End it at once, whatever it is at."""
        self.process.kill()
        self.process.wait(30)
        self._reader.join()


@pytest.fixture
def resident(world: World) -> Iterator[Callable[..., Resident]]:
    begun: list[Resident] = []

    def start(*more: str) -> Resident:
        begun.append(Resident(world, *more))
        return begun[-1]

    yield start
    for one in begun:
        one.kill()


def up(world: World, node: str, attempt: int = 1) -> Path:
    return world.place / f"up-{node}-{attempt}"


def test_a_run_that_is_started_paused_waits_for_a_persons_start(
    world: World, resident: Callable[..., Resident]
) -> None:
    world.plan(TWO)
    runner = resident("--watch", "--paused")
    runner.says("⏸ paused by Ada", "stoat resume p")
    assert runner.shown()["state"] == "paused"
    status = runner.stoat.json("status", "p")
    assert status["runner"]["paused"]["by"] == "Ada Tester"
    assert [node["launch"]["reason"] for node in status["nodes"]] == ["paused", "paused"]
    assert "paused by Ada" in runner.stoat.ok("status", "p")
    assert world.starts() == []
    assert runner.stoat.ok("resume", "p") == "p goes on\n"
    runner.says("↻ going on")
    wait_until(lambda: world.statuses() == {"a": "done", "b": "done"} or sorted(world.starts()) == ["a", "b"], 60)
    types = [type(event).__name__ for event in world.events()]
    assert types.count("RunnerPaused") == types.count("RunnerResumed") == 1
    assert runner.end() == 0


def test_a_pause_lets_agents_finish_and_starts_nothing_more_until_it_is_over(
    world: World, resident: Callable[..., Resident]
) -> None:
    world.plan(TWO + "\nbranch: next")
    world.agent("a", HELD)
    runner = resident("--watch", "--parallel", "1")
    wait_until(up(world, "a").exists, 60)
    assert runner.stoat.ok("pause", "p") == "p is paused\n"
    before = len(world.events())
    assert "paused already" in runner.stoat.ok("pause", "p")
    assert len(world.events()) == before
    runner.says("⏸ paused by Ada")
    world.signal("go-a-1")
    runner.says("✓ 'a'", "landed on 'next'")
    assert world.starts() == ["a"]
    wait_until(lambda: runner.shown()["slotsInUse"] == 0, 30)
    runner.stoat.ok("resume", "p")
    wait_until(lambda: world.starts() == ["a", "b"], 60)
    assert "not paused" in runner.stoat.ok("resume", "p")


def test_a_restart_right_after_a_pause_stops_the_agent_and_launches_once_it_is_over(
    world: World, resident: Callable[..., Resident]
) -> None:
    world.plan("nodes: [{id: a, kind: change}]")
    world.agent("a", HELD)
    runner = resident("--watch")
    wait_until(up(world, "a").exists, 60)
    wait_until(lambda: world.node("a").attempt.process, 30)  # type: ignore[union-attr]
    first = Identity.parse(world.node("a").attempt.process)  # type: ignore[union-attr,arg-type]
    runner.stoat.ok("pause", "p")
    runner.stoat.ok("restart", "p/a")
    runner.says("'a' was restarted: its agent is stopped")
    wait_until(lambda: not is_alive(first), 30)
    wait_until(lambda: world.node("a").claim is None and world.node("a").attempt.outcome == "given-back", 30)  # type: ignore[union-attr]
    worktree = world.beside("a").path
    assert worktree.is_dir() and world.starts() == ["a"]
    runner.stoat.ok("resume", "p")
    wait_until(up(world, "a", 2).exists, 60)
    assert world.starts() == ["a", "a"] and world.beside("a").path == worktree
    world.signal("go-a-2")


def test_a_runner_that_starts_later_keeps_to_the_pause_and_a_run_that_does_not_stay_ends_with_0(
    world: World, resident: Callable[..., Resident]
) -> None:
    world.plan(TWO)
    first = resident("--watch", "--paused")
    first.says("⏸ paused by Ada")
    assert first.end() == 0
    assert world.run() == 0
    assert world.said("p is paused by Ada", "--watch", "stoat resume p") and world.starts() == []
    second = resident("--watch")
    second.says("⏸ paused by Ada", "stoat resume p")
    second.stoat.ok("resume", "p")
    wait_until(lambda: sorted(world.starts()) == ["a", "b"], 60)


@pytest.mark.parametrize("command", ["pause", "resume"])
def test_a_command_that_no_runner_hears_is_refused_with_the_one_that_starts_one(world: World, command: str) -> None:
    world.plan(TWO)
    ran = Stoat(world.repo.path).run(command, "p")
    assert ran.code == 3 and "has no runner on this machine" in ran.err
    assert "hint: stoat run-plan p CHECKOUT --watch" in ran.err
    assert world.events()[-1].__class__.__name__ == "PlanApproved"


def test_a_command_to_a_runner_that_was_killed_is_refused(world: World, resident: Callable[..., Resident]) -> None:
    world.plan(TWO)
    world.agent("a", HELD)
    runner = resident("--watch", "--parallel", "1")
    wait_until(up(world, "a").exists, 60)
    wait_until(lambda: runner.shown()["running"], 30)
    runner.kill()
    shown = runner.shown()
    assert (shown["state"], shown["running"], shown["was"]) == ("gone", [], ["a"])
    ran = runner.stoat.run("pause", "p")
    assert ran.code == 3 and "is gone" in ran.err and "--watch" in ran.err
    launch = runner.stoat.json("status", "p")["nodes"][1]["launch"]
    assert launch["reason"] == "no-runner" and "is gone" in launch["detail"]


def test_a_runner_that_is_stopped_reads_disconnected_and_comes_back(
    world: World, resident: Callable[..., Resident]
) -> None:
    world.plan(TWO)
    runner = resident("--watch", "--paused")
    runner.says("⏸ paused by Ada")
    runner.process.send_signal(signal.SIGSTOP)
    (live,) = (world.session.store.common / "stoat" / "live").glob("runner-*.json")
    old = live.stat().st_mtime - 31
    os.utime(live, (old, old))  # half a minute of silence
    assert runner.shown()["state"] == "disconnected"
    ran = runner.stoat.run("resume", "p")
    assert ran.code == 3 and "disconnected" in ran.err and f"kill -CONT {runner.process.pid}" in ran.err
    launch = runner.stoat.json("status", "p")["nodes"][0]["launch"]
    assert launch["reason"] == "no-runner" and "disconnected" in launch["detail"]
    runner.process.send_signal(signal.SIGCONT)
    wait_until(lambda: runner.shown()["state"] == "paused", 30)


def test_only_a_person_pauses_resumes_or_starts_paused(world: World, resident: Callable[..., Resident]) -> None:
    world.plan(TWO)
    runner = resident("--watch", "--paused")
    runner.says("⏸ paused by Ada")
    for command in ("pause", "resume"):
        assert runner.stoat.run(command, "p", env={"STOAT_AGENT": "bot"}).code == 3
    runner.end()
    ran = runner.stoat.run(*world.flags("--watch", "--paused"), env={"STOAT_AGENT": "bot"})
    assert ran.code == 3 and "only a person" in ran.err
    ran = runner.stoat.run(*world.flags("--paused"))
    assert ran.code == 3 and "--watch" in ran.err


def test_a_give_up_has_the_way_back_into_its_agents_session(world: World) -> None:
    arguments = ["-S", "-E", str(world.place / "agent.py"), "{prompt}"]
    profile = {"name": "claude", "command": sys.executable, "arguments": arguments,
               "sessionArguments": ["--session-id", "{session}"], "result": "none"}  # fmt: skip
    world.launchers.write_text(json.dumps([profile]))
    world.profile = choose("claude", world.launchers, world.place)
    world.plan("nodes: [{id: a, kind: change}, {id: b, kind: change}]")
    world.agent("a", "pass")
    decisions.withdraw(world.session, [parse_ref("p/b")])
    assert world.run(max_attempts=1) == 1
    attempt = world.node("a").attempt
    assert attempt is not None
    back = f"cd {shlex.quote(attempt.worktree)} && claude --resume {attempt.session}"
    assert world.said("↩ a: ", back)
    stoat = Stoat(world.repo.path)
    needs = {need["kind"]: need for need in stoat.json("needs")["needs"]}
    assert needs["give-up"]["resume"] == back
    assert needs["go-ahead"]["resume"] is None
    assert back in stoat.ok("needs") and back in stoat.ok("node", "show", "p/a")
    assert stoat.json("status", "p")["nodes"][0]["resume"] == back


def test_a_callout_is_told_once_and_told_again_when_it_is_settled(
    world: World, resident: Callable[..., Resident]
) -> None:
    world.plan("nodes: [{id: demo, kind: person}, {id: a, kind: change}]")
    decisions.withdraw(world.session, [parse_ref("p/a")])
    runner = resident("--watch")
    runner.says("✋ demo:", "stoat done p/demo")
    runner.stoat.ok("done", "p/demo")
    runner.says("✓ demo: settled (a step of yours)")
    runner.stoat.ok("approve", "p/a")
    runner.says("✓ a: settled (your go-ahead)")
    assert len([line for line in runner.lines if "✋ demo" in line]) == 1
