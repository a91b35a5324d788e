"""Reservations on disk: alive as long as their processes, cleaned up by who comes next, decided by one at a time."""

from __future__ import annotations

import os
import random
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from stoat import clock
from stoat.observe import machine_limits, reserved
from stoat.plan.reservations import Limits, Reservation
from stoat.processes import identity_of
from tests.support.waiting import wait_until

AT = "2026-11-30T12:00:00.000Z"


@pytest.fixture
def other() -> Iterator[subprocess.Popen[bytes]]:
    """A process that runs until it is killed."""
    process = subprocess.Popen(["sleep", "600"])
    yield process
    process.kill()
    process.wait()


def key(pid: int) -> str:
    identity = identity_of(pid)
    assert identity is not None
    return identity.key


def one(**given: object) -> Reservation:
    return Reservation(**{"id": "c-1", "kind": "agent", "since": AT, **given})  # type: ignore[arg-type]


@pytest.mark.parametrize("runner", ["alive", "dead", None])
@pytest.mark.parametrize("process", ["alive", "dead", None])
def test_what_runs_decides_and_before_that_is_noted_its_runner_does(
    other: subprocess.Popen[bytes], runner: str | None, process: str | None
) -> None:
    keys = {"alive": key(os.getpid()), "dead": key(other.pid), None: None}
    other.kill()
    other.wait()
    reserved.write(one(runner=keys[runner], process=keys[process]))
    alive = process == "alive" if process is not None else runner == "alive"
    assert bool(reserved.read()) == alive
    with reserved.locked() as table:
        assert table is not None
        assert bool(table.live) == alive
    known = "dead" in (process or runner or "",)
    assert (reserved.folder() / "c-1.json").exists() == (alive or not known)


def test_what_a_killed_runner_started_and_did_not_note_is_found_by_its_claim(other: subprocess.Popen[bytes]) -> None:
    reserved.write(one(runner=key(other.pid), claim="c-1"))
    started = subprocess.Popen(["sleep", "600"], env={**os.environ, "STOAT_CLAIM": "c-1"})
    other.kill()
    other.wait()
    try:
        assert wait_until(reserved.read)[0].claim == "c-1"
    finally:
        started.kill()
        started.wait()
    assert reserved.read() == ()


def test_a_turn_is_over_when_its_runner_says_it_no_more() -> None:
    now = clock.now()
    turn = one(kind="turn", exclusive=True, runner=key(os.getpid()), until=clock.plus(now, 60))
    reserved.write(turn)
    assert reserved.exclusive() == (turn,)
    reserved.write(one(kind="turn", exclusive=True, runner=key(os.getpid()), until=clock.plus(now, -1)))
    assert reserved.exclusive() == ()
    with reserved.locked():
        pass
    assert not (reserved.folder() / "c-1.json").exists()


@pytest.mark.parametrize(
    "text",
    [
        b"",
        b"{",
        b"[]",
        b'{"id": "other", "kind": "agent", "since": ""}',
        b'{"id": "c-1", "kind": "later"}',
        b"[" * 9000,
    ],
)
def test_what_cannot_be_read_may_be_a_reservation_and_stays(text: bytes) -> None:
    reserved.folder().mkdir(parents=True, exist_ok=True)
    place = reserved.folder() / "c-1.json"
    place.write_bytes(text)
    [said] = reserved.look().unreadable
    assert said.startswith(f"{place}: ")
    with reserved.locked() as table:
        assert table is not None
        assert table.unreadable == (said,)
    assert place.exists()


def test_a_folder_that_is_not_there_has_nothing_and_one_that_cannot_be_listed_is_not_empty(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("STOAT_MACHINE", str(tmp_path / "machine"))
    assert reserved.look() == ((), ())
    place = reserved.folder()
    place.parent.mkdir(parents=True, exist_ok=True)
    place.write_text("in the way")
    [said] = reserved.look().unreadable
    assert said.startswith(f"{place}: ")
    assert reserved.exclusive() == ()


@pytest.mark.parametrize("mode", [0o700, 0o777, None], ids=["ours", "anybody's", "a link"])
def test_without_a_home_the_place_for_everybodys_files_is_used_only_where_it_is_ours_alone(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, mode: int | None
) -> None:
    def no_home() -> Path:
        raise RuntimeError("no home")

    monkeypatch.delenv("STOAT_MACHINE", raising=False)
    monkeypatch.setattr(Path, "home", no_home)
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    root = tmp_path / f"stoat-machine-{os.getuid()}"
    if mode is None:
        (tmp_path / "elsewhere").mkdir()
        root.symlink_to(tmp_path / "elsewhere")
    else:
        root.mkdir()
        root.chmod(mode)
    if mode == 0o700:
        reserved.write(one(runner=key(os.getpid())))
        assert [seen.id for seen in reserved.read()] == ["c-1"]
        return
    [said] = reserved.look().unreadable
    assert "STOAT_MACHINE=DIR" in said
    with pytest.raises(PermissionError):
        reserved.write(one())
    with pytest.raises(PermissionError), reserved.locked():
        pass


def test_who_finds_it_locked_is_told_so_and_never_waits_for_ever() -> None:
    with reserved.locked() as table, reserved.locked(0.05) as second:
        assert table is not None
        assert second is None


def test_limits_of_a_store_that_is_gone_count_no_more(tmp_path: Path) -> None:
    store = tmp_path / "store"
    store.mkdir()
    machine_limits.keep_limits(store, Limits(agents=1))
    assert [given.agents for given in machine_limits.limits() if given.agents] == [1]
    store.rmdir()
    assert [given.agents for given in machine_limits.limits() if given.agents] == []
    store.mkdir()
    machine_limits.keep_limits(store, None)
    assert [given.agents for given in machine_limits.limits() if given.agents] == []


HAMMER = """
import os, sys, time
from stoat.derive.reservations import Shared, why_not
from stoat.observe import machine_limits, reserved
from stoat.plan.reservations import Reservation, Use
from stoat.processes import identity_of

me, told, name = identity_of(os.getpid()).key, sys.argv[1], sys.argv[2]
log = os.open(told, os.O_WRONLY | os.O_APPEND | os.O_CREAT)
while True:
    wanted = Reservation(id=name, kind="agent", since="x", store=name, plan="p", node="n", runner=me, process=me,
                         uses={"db": Use(2, True)})
    time.sleep(0.005)
    with reserved.locked() as table:
        if table is None or why_not(wanted, Shared(live=table.live)) is not None:
            continue
        table.put(wanted)
        os.write(log, f"{name} + {','.join(sorted(one.id for one in table.live))}\\n".encode())
    time.sleep(0.005)
    with reserved.locked() as table:
        if table is not None:
            table.drop(wanted)
"""


@pytest.mark.slow
def test_many_processes_that_are_killed_at_random_are_never_over_capacity_and_leave_nothing(tmp_path: Path) -> None:
    told, chance = tmp_path / "told", random.Random(7)
    processes: list[subprocess.Popen[bytes]] = []
    try:
        for index in range(6):
            processes.append(subprocess.Popen([sys.executable, "-c", HAMMER, str(told), f"r{index}"]))
            wait_until(lambda: told.exists() and told.stat().st_size > 0, 30)
            if index % 2:
                time.sleep(chance.random() / 10)  # any moment will do
                processes[chance.randrange(len(processes))].kill()
        wait_until(lambda: len(told.read_text().splitlines()) > 60, 30)
    finally:
        for process in processes:
            process.kill()
            process.wait()
    taken = [line.split(" + ")[1].split(",") for line in told.read_text().splitlines() if " + " in line]
    assert max(len(live) for live in taken) == 2
    assert reserved.read() == ()
    with reserved.locked() as table:
        assert table is not None and table.live == ()
    assert list(reserved.folder().glob("r*.json")) == []
