"""Sessions for calls that come at the same time: each call has one to itself, and they are kept for the next."""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from stoat.plan.variables import AGENT
from stoat.service.session import Session, open_session

_KEPT = 4
"""Sessions that nobody uses: what one has read of the store, the next call need not read again."""


@dataclass
class Desk:
    """Where calls get their session: at the store by the flag, the environment or the directory, as for a command.

    Whoever calls is an agent, also where the environment does not say so: MCP is never a person.
    """

    directory: Path
    environ: Mapping[str, str]
    store: Path | None = None
    by: str | None = None
    _idle: list[tuple[str, Session]] = field(default_factory=list)
    _lock: threading.Lock = field(default_factory=threading.Lock)

    @contextlib.contextmanager
    def session(self, agent: str | None, client: str) -> Iterator[Session]:
        """A session of `agent`, else of the name in the environment, else of `client`, the name of the program.

        Raises as `open_session` does: NotFound where there is no store.
        """
        name = agent or self.by or self.environ.get(AGENT) or client
        session = self._taken(name)
        if session is None:
            speaks = {**self.environ, AGENT: name}
            session = open_session(self.directory, store=self.store, environ=speaks)
        try:
            yield session
        finally:
            with self._lock:
                self._idle.append((name, session))
                del self._idle[:-_KEPT]

    def _taken(self, name: str) -> Session | None:
        with self._lock:
            for place in reversed(range(len(self._idle))):
                if self._idle[place][0] == name:
                    return self._idle.pop(place)[1]
        return None
