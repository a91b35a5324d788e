"""Waiting on a condition with a deadline: the only way a test may wait."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import TypeVar

Seen = TypeVar("Seen")


def wait_until(condition: Callable[[], Seen], seconds: float = 10, what: str = "the condition") -> Seen:
    """Ask `condition` until it gives something true, and give that; AssertionError after `seconds`."""
    deadline = time.monotonic() + seconds
    pause = 0.002
    while True:
        seen = condition()
        if seen:
            return seen
        if time.monotonic() >= deadline:
            raise AssertionError(f"waited {seconds} s for {what}; last seen: {seen!r}")
        time.sleep(pause)
        pause = min(pause * 1.5, 0.05)
