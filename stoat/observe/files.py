"""Watching files for the runner and the board: watchdog's observer, kept from talking on their terminal."""

from __future__ import annotations

import logging
import warnings
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from watchdog.observers.api import BaseObserver


def observer() -> BaseObserver:
    """A new observer, not started.

    Git makes and removes folders below `refs` faster than watchdog keeps its books, which it then warns of. What it
    misses by that the poll finds.
    """
    from watchdog.observers import Observer

    logging.getLogger("watchdog").setLevel(logging.CRITICAL)
    warnings.filterwarnings("ignore", category=RuntimeWarning, module="watchdog")
    return Observer()
