"""The turnstile: one at a time and in turn, and never a reason to wait for ever."""

from __future__ import annotations

import threading
import time
from pathlib import Path

from stoat.gitstore.locks import Turnstile
from tests.support.waiting import wait_until


def test_only_one_is_inside_at_a_time_and_everybody_gets_in(tmp_path: Path) -> None:
    inside: list[int] = []
    most: list[int] = []

    def visit(number: int) -> None:
        for _ in range(20):
            with Turnstile(tmp_path / "locks").turn(30) as ours:
                assert ours
                inside.append(number)
                most.append(len(inside))
                inside.remove(number)

    threads = [threading.Thread(target=visit, args=(number,)) for number in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(most) == 120 and max(most) == 1


def test_the_one_who_just_left_does_not_get_in_before_the_one_who_waits(tmp_path: Path) -> None:
    order: list[str] = []
    turnstile = Turnstile(tmp_path)
    waiting = threading.Event()

    def wait() -> None:
        waiting.set()
        with Turnstile(tmp_path).turn():
            order.append("waiter")

    with turnstile.turn():
        thread = threading.Thread(target=wait)
        thread.start()
        waiting.wait()
        # the waiter holds the first lock once it cannot be taken any more
        wait_until(lambda: not _free(tmp_path / "next.lock"))
    with turnstile.turn():
        order.append("greedy")
    thread.join()
    assert order == ["waiter", "greedy"]


def test_a_holder_that_is_stopped_is_passed_after_a_while(tmp_path: Path) -> None:
    with Turnstile(tmp_path).turn():
        began = time.monotonic()
        with Turnstile(tmp_path).turn(0.1) as ours:
            assert not ours
        assert time.monotonic() - began < 5
    wait_until(lambda: _free(tmp_path / "inside.lock"))
    with Turnstile(tmp_path).turn(5) as ours:
        assert ours


def test_where_no_lock_can_be_had_the_turn_is_given_all_the_same(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with Turnstile(tmp_path / "file").turn() as ours:
        assert not ours


def _free(path: Path) -> bool:
    import fcntl

    with path.open("a") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
        return True
