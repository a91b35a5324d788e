"""Pausing a plan's runners and letting them go on, from the board; in a browser of a person alone."""

from __future__ import annotations

import msgspec
from flask import Blueprint, Response, request

from stoat.service import steering as service
from stoat.web.current import watch
from stoat.web.person import session

steering = Blueprint("steering", __name__)


@steering.post("/api/plans/<slug>/pause")
def pause(slug: str) -> Response:
    """Pause the plan's runners, as `stoat pause`; `{"runner": ID}` says which one was meant."""
    return _steered(slug, service.pause(session(), slug, _meant()))


@steering.delete("/api/plans/<slug>/pause")
def resume(slug: str) -> Response:
    """Let them go on, as `stoat resume`; `{"runner": ID}` says which one was meant."""
    return _steered(slug, service.resume(session(), slug, _meant()))


def _steered(slug: str, changed: bool) -> Response:
    watch().poke()
    said = {"plan": slug, "paused": request.method == "POST", "changed": changed}
    return Response(msgspec.json.encode(said), content_type="application/json")


def _meant() -> str | None:
    asked = request.get_json(silent=True)
    runner = asked.get("runner") if isinstance(asked, dict) else None
    return runner if isinstance(runner, str) else None
