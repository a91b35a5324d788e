"""What wakes a runner before its next poll: the ref moved, GitHub was seen, an agent exited, another runner took or
gave back something of the machine, a stop file appeared, a signal came.

Files are watched (the loose ref's directory, packed-refs, the project directory …), processes by pidfd. What cannot be
watched here is seen at the next poll: slower, never missed.
"""

from __future__ import annotations

import contextlib
import os
import select
import socket
import time
from collections.abc import Collection
from pathlib import Path
from typing import Any

from stoat.gitstore.refs import REF
from stoat.observe import files, reserved
from stoat.observe.github import now
from stoat.processes import Identity, is_alive

STOP_FILE = ".stoat-stop"
_QUIET = 0.02
"""Seconds that follow a wake-up before the runner looks: one append touches several files."""
_WITHOUT_PIDFD = 0.5


class Waker:
    """A socket pair that watchers and signal handlers write to and the loop sleeps on."""

    def __init__(self, common_dir: Path, project: Path) -> None:
        self._ear, self._mouth = socket.socketpair()
        self._ear.setblocking(False)
        self._mouth.setblocking(False)
        self._observer: Any = None
        self._watch(common_dir, project)

    def wake(self) -> None:
        """End the sleep that is going on, or the next one. Safe from any thread and from a signal handler."""
        with contextlib.suppress(OSError):
            self._mouth.send(b".")

    def sleep(self, seconds: float, processes: Collection[Identity]) -> None:
        """Sleep until woken, until one of the processes ends, or for `seconds`."""
        handles: list[int] = []
        waiter = select.poll()
        waiter.register(self._ear, select.POLLIN)
        try:
            for identity in processes:
                try:
                    handle = os.pidfd_open(identity.pid)
                except AttributeError:
                    seconds = min(seconds, _WITHOUT_PIDFD)
                    continue
                except OSError:
                    return
                handles.append(handle)
                if not is_alive(identity):
                    return
                waiter.register(handle, select.POLLIN)
            if waiter.poll(max(0.0, seconds) * 1000):
                self._drain()
        finally:
            for handle in handles:
                os.close(handle)

    def close(self) -> None:
        """Stop watching."""
        if self._observer is not None:
            self._observer.stop()
            self._observer.join(2)
        self._ear.close()
        self._mouth.close()

    def _drain(self) -> None:
        with contextlib.suppress(BlockingIOError):
            if self._ear.recv(4096):
                time.sleep(_QUIET)
                while self._ear.recv(4096):
                    pass

    def _watch(self, common_dir: Path, project: Path) -> None:
        from watchdog.events import FileSystemEvent, FileSystemEventHandler

        ref, machine = common_dir / REF, reserved.folder()
        seen = now.folder(common_dir)
        with contextlib.suppress(OSError):
            seen.mkdir(parents=True, exist_ok=True)
            machine.mkdir(parents=True, exist_ok=True, mode=0o700)
        names = {str(ref), str(common_dir / "packed-refs"), str(seen / now.NAME), str(project / STOP_FILE)}
        waker = self

        class Handler(FileSystemEventHandler):
            def on_any_event(self, event: FileSystemEvent) -> None:
                # Reading is no news, and our own reading would wake us for ever.
                if event.event_type in ("opened", "closed_no_write"):
                    return
                paths = {os.fsdecode(event.src_path), os.fsdecode(event.dest_path or "")}
                if names & paths or any(reserved.is_one(Path(path)) for path in paths):
                    waker.wake()

        observer = files.observer()
        # `git pack-refs` may remove the ref's own directory and a later append make it anew: hence all of refs/.
        flat = (common_dir, seen, project, machine)
        for directory, deep in ((common_dir / "refs", True), *((one, False) for one in flat)):
            # No inotify watch left, a network disk: then the poll has to do.
            with contextlib.suppress(OSError):
                observer.schedule(Handler(), str(directory), recursive=deep)
        with contextlib.suppress(OSError):
            observer.start()
            self._observer = observer
