"""Where the log of a process that stays goes: standard error, with nothing in it that a terminal would obey.

What is logged may quote what others wrote: names from GitHub, what a test run published, an error with either in it.
"""

from __future__ import annotations

import logging

from stoat.plan.characters import spelled


class Spelling(logging.Formatter):
    """The message and the traceback, the characters that act spelled out; line ends stay."""

    def format(self, record: logging.LogRecord) -> str:
        """One entry as it is printed."""
        return spelled(super().format(record))


def to_stderr() -> None:
    """Print warnings and worse from now on, ours and those of libraries; what is set up already stays."""
    handler = logging.StreamHandler()
    handler.setFormatter(Spelling("%(message)s"))
    logging.basicConfig(handlers=[handler], level=logging.WARNING)
