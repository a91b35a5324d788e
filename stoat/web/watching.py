"""File events that may mean news: the ref moved, git packed refs, a live process said something, GitHub was seen."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from watchdog.events import FileSystemEvent, FileSystemEventHandler

from stoat.observe import files
from stoat.observe.github import now

if TYPE_CHECKING:
    from watchdog.observers.api import BaseObserver

_NEWS = ("state", "packed-refs")


class _Poke(FileSystemEventHandler):
    """Calls back on an event of a file that is of interest; a lock file that comes and goes is not."""

    def __init__(self, poke: Callable[[], None]) -> None:
        self._poke = poke

    def on_any_event(self, event: FileSystemEvent) -> None:
        """See one file event."""
        if event.event_type in ("opened", "closed_no_write"):
            return
        for path in (event.src_path, event.dest_path):
            name = Path(str(path)).name if path else ""
            if name in _NEWS or (name.endswith(".json") and Path(str(path)).parent.name in ("live", "volatile")):
                self._poke()
                return


def watch_files(common: Path, poke: Callable[[], None]) -> BaseObserver:
    """Call `poke` from a thread whenever something moved under the common git directory; stop the observer to end.

    The whole of `refs` is watched, as git removes a folder of it that it has packed and makes it anew.
    """
    live = common / "stoat" / "live"
    live.mkdir(parents=True, exist_ok=True)
    seen = now.folder(common)
    seen.mkdir(parents=True, exist_ok=True)
    observer = files.observer()
    handler = _Poke(poke)
    observer.schedule(handler, str(common), recursive=False)
    observer.schedule(handler, str(common / "refs"), recursive=True)
    observer.schedule(handler, str(live), recursive=False)
    observer.schedule(handler, str(seen), recursive=False)
    observer.daemon = True
    observer.start()
    return observer
