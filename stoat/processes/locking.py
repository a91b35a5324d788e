"""A file's lock, tried for a while: the kernel lets go of it when its holder dies, so it needs nobody's belief."""

from __future__ import annotations

import fcntl
import time

_FIRST_PAUSE, _LONGEST_PAUSE = 0.01, 0.1


def taken(handle: int, deadline: float) -> bool:
    """Take the lock of an open file for whoever shares this handle; False where another has it still at `deadline`.

    The deadline is a time of `time.monotonic`; the lock is tried once in any case.
    """
    pause = _FIRST_PAUSE
    while True:
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
            return True
        except BlockingIOError:
            left = deadline - time.monotonic()
            if left <= 0:
                return False
        time.sleep(min(pause, left))
        pause = min(pause * 1.5, _LONGEST_PAUSE)
