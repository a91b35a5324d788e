"""Where the events of a run go: to the monitor that answers, else into the archive of the repository's own store."""

from __future__ import annotations

import contextlib
import http.client
import json
import os
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Protocol
from urllib.parse import urlsplit

from stoat.pytest_plugin.story import Event

DEFAULT_URL = "http://localhost:5525"
PROBE = 0.25
"""Seconds in which a monitor has to answer that it is there."""

ANSWER = 1.0
"""Seconds in which it has to take a batch."""

SETTLING = 10.0
"""Seconds that the end of a run waits for its result to be on the ref; what takes longer goes on alone."""


class Outlet(Protocol):
    """Somewhere that events go; with `may_hang` a run does not wait for it to take them all."""

    may_hang: bool
    store: str | None
    """The common git directory of the store that keeps the events, as far as that is known."""

    def send(self, events: Sequence[Event]) -> bool:
        """Whether they arrived."""

    def settle(self) -> None:
        """The run is over and all of it was sent."""


class Monitor:
    """A monitor over HTTP, on one connection that is made again when it broke."""

    may_hang = True

    def __init__(self, url: str) -> None:
        self.store: str | None = None
        parts = urlsplit(url)
        if parts.scheme not in ("http", "https") or not parts.hostname:
            raise ValueError(url)
        kind = http.client.HTTPSConnection if parts.scheme == "https" else http.client.HTTPConnection
        self._connection = kind(parts.hostname, parts.port, timeout=PROBE)
        self._path = parts.path.rstrip("/")

    @classmethod
    def reach(cls, url: str, store: Path | None = None) -> Monitor | None:
        """The monitor at `url`, None when nothing there says that it is one; with `store`, the common git directory of
        the tests' own, None also for one that says it is another's: there a run would be kept and never count."""
        try:
            monitor = cls(url)
        except ValueError:
            return None
        answer = monitor._ask("GET", "/api/ping", None)
        monitor.store = _store_in(answer) if answer is not None else None
        if answer is None or (store is not None and monitor.store not in (None, str(store))):
            monitor._connection.close()
            return None
        monitor._connection.timeout = ANSWER
        if monitor._connection.sock is not None:
            monitor._connection.sock.settimeout(ANSWER)
        return monitor

    def send(self, events: Sequence[Event]) -> bool:
        """Post one batch."""
        return self._ask("POST", "/api/ingest", encoded({"events": list(events)})) is not None

    def settle(self) -> None:
        """The monitor puts the result on record itself."""
        self._connection.close()

    def _ask(self, method: str, path: str, body: bytes | None) -> bytes | None:
        """What is answered; None for no answer and for one that refuses."""
        try:
            headers = {"Content-Type": "application/json"} if body is not None else {}
            self._connection.request(method, self._path + path, body, headers)
            answer = self._connection.getresponse()
            said = answer.read()
        except Exception:
            # Not only OSError: suites forbid sockets with exceptions of their own.
            self._connection.close()
            return None
        return said if 200 <= answer.status < 300 else None


class Archive:
    """The run's own archive, in the common git directory of the repository that holds the store."""

    may_hang = False

    def __init__(self, common: Path, run_id: str, root: Path, environ: Mapping[str, str]) -> None:
        from stoat.observe import archive

        self.common = common
        self.store: str | None = str(common)
        self._kept = archive.Archive.of(common)
        self._run_id = run_id
        self._root = root
        self._environ = environ

    @classmethod
    def find(cls, root: Path, run_id: str, environ: Mapping[str, str]) -> Archive | None:
        """The archives of the store that a command in `root` would go by; None where there is no such store."""
        from stoat.errors import StoatError
        from stoat.gitstore import opening, refs

        try:
            common = opening.common_directory(opening.locate(root, None, environ))
            if refs.read_tip(common) is None:
                return None
        except (StoatError, OSError):
            return None
        return cls(common, run_id, root, environ)

    def send(self, events: Sequence[Event]) -> bool:
        """Append them."""
        try:
            self._kept.append(self._run_id, [encoded(event) for event in events])
        except Exception:
            return False
        if any(event["type"] == "run_started" for event in events):
            # A shell leaves it behind: pytest keeps no child that a test could meet, and nobody waits for it.
            self._keep(("/bin/sh", "-c", '"$@" &', "sh"), ("begun",))
        return True

    def has_begun(self) -> bool:
        """Whether there is an archive of the run already."""
        return self._kept.has(self._run_id)

    def settle(self) -> None:
        """Have the result put on the ref by a process of its own, which no test has changed anything in."""
        self._keep((), ())

    def _keep(self, through: tuple[str, ...], what: tuple[str, ...]) -> None:
        command = (*through, sys.executable, "-P", "-m", "stoat.pytest_plugin.keeping", self._run_id, *what)
        with contextlib.suppress(OSError, subprocess.TimeoutExpired):
            keeper = subprocess.Popen(
                command, cwd=self._root, env=dict(self._environ), stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL, start_new_session=True,
            )  # fmt: skip
            keeper.wait(SETTLING)


def chosen(url: str | None, own: Archive | None) -> Monitor | None:
    """The monitor at `url`, which somebody chose; without it one that serves the `own` archive's store, else this
    machine's if it is not another store's."""
    if url is not None:
        return Monitor.reach(url)
    store, places = None, [DEFAULT_URL]
    if own is not None:
        from stoat.observe import live

        store, places = own.common, [*live.read_monitors(own.common), DEFAULT_URL]
    return next((found for place in places if (found := Monitor.reach(place, store)) is not None), None)


def _store_in(answer: bytes) -> str | None:
    """The store of which a monitor says that it serves it; any other one than Stoat's says nothing."""
    try:
        said = json.loads(answer)
    except ValueError:
        return None
    store = said.get("store") if isinstance(said, dict) else None
    return store if isinstance(store, str) else None


def stray_in(store: str | None, tag: str) -> str | None:
    """What is to be said of a tag that names no node of a store; None where it names one, and where nobody can see."""
    if store is None:
        return None
    try:
        from stoat.service import tags

        return tags.stray_in(Path(store), tag)
    except Exception:
        # A remark is not worth a run's being heard.
        return None


def about(root: Path) -> Event:
    """What a run's start says of the checkout that it runs in, and of its own process."""
    from stoat.observe import tree
    from stoat.processes.identity import identity_of, machine_name

    seen = tree.tree_of(root)
    process = identity_of(os.getpid())
    return {
        "repository": tree.repository_at(root) or tree.top_of(root).name, "branch": seen.branch, "commit": seen.commit,
        "dirty": seen.dirty, "machine": machine_name(), "process": process.key if process else None,
    }  # fmt: skip


def at_end(root: Path) -> Event:
    """What the end of a run says of the checkout: a result is of a commit only if nothing changed meanwhile."""
    from stoat.observe import tree

    seen = tree.tree_of(root)
    return {"commit": seen.commit, "dirty": seen.dirty}


def encoded(value: object) -> bytes:
    """JSON on one line. What is no text (half a surrogate pair) is a question mark: strict readers refuse it."""
    import msgspec

    try:
        return msgspec.json.encode(value)
    except UnicodeEncodeError:
        return json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode("utf-8", "replace")
