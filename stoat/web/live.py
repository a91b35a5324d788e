"""GET /api/events: what changes, as it changes, by server-sent events.

    id: 5f0c2a1b.17                          the version; EventSource sends it back as Last-Event-ID
    event: change
    data: {"plan": "…", "nodes": ["…"], "removed": [], "shape": false, "commit": "…", "at": "…"}

`reset` in place of `change` says that too much was missed: read again what you show. A comment every 15 seconds keeps
the connection and finds out whether anybody is still there.
"""

from __future__ import annotations

import threading
from collections.abc import Collection, Generator, Iterator

import msgspec
from flask import Blueprint, Response, request

from stoat.service.session import plan_of
from stoat.web.current import watch
from stoat.web.problems import ProblemDetails
from stoat.web.watch import PlanChange, View, Watch

STREAMS = 256
"""How many streams may be open at once: each holds a thread of the server, which has more than these."""
HEARTBEAT = 15.0

live = Blueprint("live", __name__)
_places = threading.BoundedSemaphore(STREAMS)


class Happened(PlanChange, frozen=True, rename="camel", kw_only=True):
    """A plan's change as it is sent: with the commit and the moment of the view that has it."""

    commit: str
    at: str


@live.get("/api/events")
def events() -> Response:
    """The stream; `?plan=` (once or more) for these only, `?since=VERSION` or Last-Event-ID to hear what was missed."""
    plans = frozenset(request.args.getlist("plan"))
    view = watch().view()
    for plan in plans:
        plan_of(view.seen, plan)
    since = request.headers.get("Last-Event-ID") or request.args.get("since") or view.version
    if request.method == "HEAD":
        return _as_stream(iter(()))
    if not _places.acquire(blocking=False):
        return ProblemDetails(503, "Could not be reached", f"{STREAMS} event streams are open already").response()
    return _as_stream(_Stream(watch(), plans, since))


def _as_stream(lines: Iterator[bytes]) -> Response:
    response = Response(lines, content_type="text/event-stream; charset=utf-8")
    response.headers["Cache-Control"] = "no-store"
    return response


class _Stream(Iterator[bytes]):
    """One listener's stream. Closing it, which the server does whatever happens, gives its place back."""

    def __init__(self, watch: Watch, plans: Collection[str], since: str) -> None:
        self._lines = _lines(watch, plans, since)
        self._open = True

    def __next__(self) -> bytes:
        return next(self._lines)

    def close(self) -> None:
        """End the stream; a second call does nothing."""
        if self._open:
            self._open = False
            self._lines.close()
            _places.release()


def _lines(watch: Watch, plans: Collection[str], since: str) -> Generator[bytes, None, None]:
    yield b"retry: 1000\n\n"
    while not watch.stopped:
        found = watch.changes(since, plans)
        if found is None:
            view = watch.view()
            since = view.version
            yield _message(view, "reset", {"commit": view.seen.commit, "at": view.derived.at})
            continue
        view, changes = found
        since = view.version
        for change in changes:
            yield _message(view, "change", _happened(view, change))
        if not watch.wait(since, HEARTBEAT):
            yield b":\n\n"


def _happened(view: View, change: PlanChange) -> Happened:
    return Happened(
        change.plan, change.nodes, change.removed, change.shape, commit=view.seen.commit, at=view.derived.at
    )


def _message(view: View, event: str, data: object) -> bytes:
    return b"id: %s\nevent: %s\ndata: %s\n\n" % (view.version.encode(), event.encode(), msgspec.json.encode(data))
