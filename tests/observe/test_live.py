"""What runners say of themselves: files of others that cannot be read are no runners."""

from __future__ import annotations

import os
import time
from pathlib import Path

import pytest
from msgspec.structs import replace

from stoat.observe import live
from stoat.plan.facts import HeldBack, RunnerFact, StopFact
from tests.support.waiting import wait_until

FACT = RunnerFact(
    runner_id="r-1", plan="p", host="box", checkout="/code/x", state="running", parallel=2, running={"a": 1}, pid=7
)


@pytest.mark.parametrize("content", [b"", b"{torn", b"\xff\x00", b'{"stop":' * 2000, b"[]"])
def test_a_file_that_says_nothing_is_passed_over(tmp_path: Path, content: bytes) -> None:
    directory = tmp_path / "stoat" / "live"
    directory.mkdir(parents=True)
    (directory / "runner-p.json").write_bytes(content)
    (directory / "runner-q.json").mkdir()
    assert live.read_runners(tmp_path) == ()


def silent(common: Path, seconds: float) -> None:
    """Make the runner's file that old."""
    (place,) = (common / "stoat" / "live").glob("runner-*.json")
    then = place.stat().st_mtime - seconds
    os.utime(place, (then, then))


@pytest.mark.parametrize(("seconds", "state"), [(29.0, "running"), (31.0, "disconnected"), (-60.0, "running")])
def test_a_runner_that_is_silent_for_half_a_minute_is_disconnected(tmp_path: Path, seconds: float, state: str) -> None:
    held = live.announce(tmp_path, "runner", "p", FACT)
    silent(tmp_path, seconds)
    (one,) = live.read_runners(tmp_path)
    assert one.state == state
    assert (one.running, one.was) == (({}, {"a": 1}) if state == "disconnected" else ({"a": 1}, {}))
    held.close()


def test_a_runner_of_a_newer_version_is_read_whatever_reasons_it_has(tmp_path: Path) -> None:
    newer = replace(
        FACT, state="dreaming", stopped=StopFact("moon", 1.0, 2.0, ""), reasons={"b": HeldBack("moon", "it is full")}
    )
    held = live.announce(tmp_path, "runner", "p", newer)
    (place,) = (tmp_path / "stoat" / "live").glob("runner-*.json")
    place.write_bytes(place.read_bytes().replace(b"{", b'{"ofAnotherVersion":[1],', 1))
    assert live.read_runners(tmp_path) == (newer,)
    held.close()


def test_a_runner_that_lives_is_heard_though_it_has_nothing_new_to_say(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(live, "HEARTBEAT", 0.02)
    held = live.announce(tmp_path, "runner", "p", FACT)
    silent(tmp_path, 60)
    wait_until(lambda: live.read_runners(tmp_path)[0].state == "running")
    held.close()
    assert live.read_runners(tmp_path) == ()


class Clock:
    """A clock on which nothing passes but what it is told; it counts how often it is asked, which a heartbeat does that
    finds work going on."""

    def __init__(self) -> None:
        self.passed = 0.0
        self.asked = 0
        self.time = time.time

    def monotonic(self) -> float:
        self.asked += 1
        return self.passed

    def wait_for(self, heartbeats: int) -> None:
        until = self.asked + heartbeats
        wait_until(lambda: self.asked >= until, what=f"{heartbeats} heartbeats")


def test_one_whose_work_hangs_is_not_heard(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(live, "HEARTBEAT", 0.02)
    clock = Clock()
    monkeypatch.setattr(live, "time", clock)
    held = live.announce(tmp_path, "runner", "p", FACT)
    with held.at_work():
        clock.passed = live.STUCK + 1
        clock.wait_for(2)  # a touch that was under way is over
        silent(tmp_path, 60)
        clock.wait_for(10)
        assert live.read_runners(tmp_path)[0].state == "disconnected"
    wait_until(lambda: live.read_runners(tmp_path)[0].state == "running")
    held.close()
