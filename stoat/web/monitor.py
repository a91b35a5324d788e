"""The monitor receiver's routes, on both ports: a publisher's probe and its events, and what is known of test runs."""

from __future__ import annotations

import functools
import importlib.metadata
from typing import Any

import msgspec
from flask import Blueprint, Response, current_app, request

from stoat.errors import Invalid
from stoat.plan.monitor.shown import detail
from stoat.service import exporting
from stoat.service.monitoring import Monitor
from stoat.web.problems import ProblemDetails

EXTENSION = "stoat-monitor"

_MEDIA = {
    "ctrf": ("application/json", "ctrf.json"),
    "junit": ("application/xml; charset=utf-8", "junit.xml"),
    "ndjson": ("application/x-ndjson", "ndjson"),
}

monitor = Blueprint("monitor", __name__, url_prefix="/api")


def receiver() -> Monitor:
    """The receiver that `create_app` was given; only within a request."""
    found = current_app.extensions[EXTENSION]
    assert isinstance(found, Monitor)
    return found


@monitor.get("/ping")
def ping() -> Response:
    """That somebody listens, and for which store. It asks nothing of it: a publisher waits a quarter of a second."""
    return _json({"tool": "stoat", "version": _version(), "store": str(receiver().common)})


@monitor.post("/ingest")
def ingest() -> Response:
    """A batch of events: 202 once they are in their archives, and what of it is none is told; 400 for no batch."""
    try:
        taken = receiver().take(request.get_data())
    except Invalid as problem:
        return ProblemDetails(400, "Not a batch of events", problem.message, problem.problems[0].do).response()
    answer = _json(taken) if taken.refused else Response()
    answer.status_code = 202
    return answer


@monitor.get("/runs")
def runs() -> Response:
    """Every run that was heard of, newest first; `?tag=` those of exactly that tag."""
    found = receiver()
    found.settle()
    return _json(found.runs.listed(request.args.get("tag") or None))


@monitor.get("/runs/<run_id>")
def one_run(run_id: str) -> Response:
    """A run whole."""
    found = receiver()
    found.settle()
    return _json(found.runs.look(run_id, detail))


@monitor.get("/runs/<run_id>/export")
def export(run_id: str) -> Response:
    """A run as a file: `?format=ctrf` (also without one), `junit` or `ndjson`; 400 for another."""
    format = request.args.get("format", "ctrf").lower()
    if format not in _MEDIA:
        hint = f"one of: {', '.join(_MEDIA)}"
        return ProblemDetails(400, "No such format", f"runs are not written as {format!r}", hint).response()
    found = receiver()
    found.settle()
    media, suffix = _MEDIA[format]
    body: Any
    if format == "ndjson":
        body = found.runs.archive.lines(run_id)
    else:
        body = found.runs.look(run_id, lambda run: exporting.document(run, format))
    response = Response(body, content_type=media)
    response.headers.set("Content-Disposition", "attachment", filename=f"{run_id}.{suffix}")
    return response


@monitor.delete("/runs/<run_id>")
def eject(run_id: str) -> Response:
    """Take a run out of sight; its archive is kept aside."""
    found = receiver()
    found.settle()
    found.runs.eject(run_id)
    return Response(status=204)


@functools.cache
def _version() -> str:
    try:
        return importlib.metadata.version("stoat-plans")
    except importlib.metadata.PackageNotFoundError:
        return "unknown"


def _json(document: Any) -> Response:
    return Response(msgspec.json.encode(document), content_type="application/json")
