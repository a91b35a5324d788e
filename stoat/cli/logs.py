"""Where the log of a process that stays goes: standard error, with nothing in it that a terminal would obey.

What is logged may quote what others wrote: names from GitHub, what a test run published, an error with either in it.
"""

from __future__ import annotations

import logging
from collections.abc import Callable

from stoat.plan.characters import spelled


class Spelling(logging.Formatter):
    """The message and the traceback, the characters that act spelled out; line ends stay."""

    def format(self, record: logging.LogRecord) -> str:
        """One entry as it is printed."""
        return spelled(super().format(record))


class _Lines(logging.Handler):
    """Hands every entry to whoever writes lines."""

    def __init__(self, say: Callable[[str], None]) -> None:
        super().__init__()
        self._say = say

    def emit(self, record: logging.LogRecord) -> None:
        """Say one entry."""
        self._say(self.format(record))


def to_stderr(say: Callable[[str], None] | None = None) -> None:
    """Print warnings and worse from now on, ours and those of libraries; what is set up already stays.

    `say` takes them in place of stderr, where somebody draws on the terminal.
    """
    handler = logging.StreamHandler() if say is None else _Lines(say)
    handler.setFormatter(Spelling("%(message)s"))
    logging.basicConfig(handlers=[handler], level=logging.WARNING)
