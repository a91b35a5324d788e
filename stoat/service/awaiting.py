"""Waiting for something to become so: asked again when what it hangs on changed, and ended from outside at any time."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from typing import TypeVar

Seen = TypeVar("Seen")

LOOK_AGAIN = 0.2
"""Seconds between two looks at whether anything changed, which is to cost next to nothing."""
AT_LEAST = 10.0
"""Seconds after which one looks again even so: some things become so by time alone."""


def wait(
    look: Callable[[], Seen | None], changed: Callable[[], object], seconds: float,
    stopped: threading.Event | None = None,
) -> Seen | None:  # fmt: skip
    """What `look` gives, as soon as it gives something; None after `seconds`, or once `stopped` is set.

    It looks at once, and again whenever `changed` gives another value than before.
    """
    stopped = stopped or threading.Event()
    deadline = time.monotonic() + seconds
    while True:
        before, looked = changed(), time.monotonic()
        seen = look()
        if seen is not None:
            return seen
        while changed() == before and time.monotonic() - looked < AT_LEAST:
            left = deadline - time.monotonic()
            if left <= 0 or stopped.wait(min(left, LOOK_AGAIN)):
                return None
