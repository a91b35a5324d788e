"""Something moves on the terminal while a command works for longer than a second; in a pipe nothing does."""

from __future__ import annotations

import contextlib
import os
import sys
import threading
from collections.abc import Iterator

_OFTEN = 1.0
"""Seconds of work before anything is shown, and between two changes of it."""


@contextlib.contextmanager
def moving(what: str) -> Iterator[None]:
    """Say on a line of stderr what is being done and for how long; the line is empty again at the end.

    `what` is our own words. Nothing else may be printed meanwhile.
    """
    if not sys.stderr.isatty() or os.environ.get("TERM") == "dumb":
        yield
        return
    over = threading.Event()
    drawing = threading.Thread(target=_draw, args=(what, over), name="stoat-moving", daemon=True)
    drawing.start()
    try:
        yield
    finally:
        over.set()
        drawing.join()


def _draw(what: str, over: threading.Event) -> None:
    seconds = 0
    with contextlib.suppress(OSError, ValueError):
        while not over.wait(_OFTEN):
            seconds += 1
            sys.stderr.write(f"\r{what} … {seconds} s")
            sys.stderr.flush()
        if seconds:
            sys.stderr.write(f"\r{' ' * (len(what) + len(str(seconds)) + 5)}\r")
            sys.stderr.flush()
