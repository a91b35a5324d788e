"""Waiting for something to become so: asked again when what it hangs on changed, and ended from outside at any time."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from typing import TypeVar

from stoat.errors import Unreachable
from stoat.observe.archive import Archive
from stoat.service import run_list
from stoat.service.run_list import RunShown
from stoat.service.session import Session

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


def run_ended(
    session: Session, seconds: float, *, run_id: str | None = None, tag: str | None = None,
    stopped: threading.Event | None = None,
) -> RunShown | None:  # fmt: skip
    """Wait until a run ended, finished or lost: the one of that id, else the newest of `tag` or below it.

    Gives it as it was seen last, which after `seconds` may be one that goes on, or None where none of the tag began.
    NotFound for an id that nothing is known of, Refused for what is no tag, Unreachable where nobody can see the runs.
    """
    archive = Archive.of(session.store.common)
    seen: RunShown | None = None

    def ended() -> RunShown | None:
        nonlocal seen
        if run_id is not None:
            seen = run_list.show(session, run_id).run
        else:
            seen = next(iter(run_list.listed(session, tag, 1)), None)
        return seen if seen is not None and (seen.finished or seen.orphaned) else None

    def changed() -> object:
        # What a run tells while it goes is in its archive alone, and that it began perhaps, too.
        own = archive.touched(seen.run_id) if seen is not None and seen.archived else None
        return session.store.tip(), archive.touched(), own

    try:
        wait(ended, changed, seconds, stopped)
    except OSError as problem:
        hidden = f"test runs cannot be read: {problem.strerror}"
        raise Unreachable(hidden, hint=f"look at {archive.directory}, and wait again") from problem
    return seen
