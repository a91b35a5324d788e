"""Waiting: what is looked at, when again, and when it is over."""

from __future__ import annotations

import threading
import time

from stoat.service import awaiting


def test_it_looks_again_only_when_something_changed() -> None:
    looks, changes = [], iter([1, 1, 1, 2, *[2] * 1000])

    def look() -> str | None:
        looks.append(time.monotonic())
        return "seen" if len(looks) == 2 else None

    assert awaiting.wait(look, lambda: next(changes), 30) == "seen"
    assert len(looks) == 2
    assert looks[1] - looks[0] >= awaiting.LOOK_AGAIN


def test_a_change_between_looking_and_waiting_is_not_missed() -> None:
    changes = iter(range(1000))
    found = iter([None, "seen"])
    begun = time.monotonic()
    assert awaiting.wait(lambda: next(found), lambda: next(changes), 30) == "seen"
    assert time.monotonic() - begun < 5


def test_it_ends_at_its_deadline_and_when_it_is_stopped() -> None:
    assert awaiting.wait(lambda: None, lambda: 0, 0) is None
    assert awaiting.wait(lambda: None, lambda: 0, 0.25) is None
    stopped = threading.Event()
    threading.Timer(0.2, stopped.set).start()
    begun = time.monotonic()
    assert awaiting.wait(lambda: None, lambda: 0, 60, stopped) is None
    assert time.monotonic() - begun < 20
