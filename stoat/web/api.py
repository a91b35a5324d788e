"""The read routes of REST. Every answer is the command line's JSON, made by the same function of `service/`."""

from __future__ import annotations

from typing import Any

import msgspec
from flask import Blueprint, Response, request

from stoat.derive.wording import later
from stoat.errors import NotFound
from stoat.plan.ids import NodeRef
from stoat.service import plans, reading, zoom
from stoat.web.current import watch

NEWEST = 200
TEXT_SECONDS = 8.0
"""How long an answer may wait for GitHub."""

api = Blueprint("api", __name__, url_prefix="/api")


def _json(document: Any) -> Response:
    data = document if isinstance(document, bytes) else msgspec.json.encode(document)
    return Response(data, content_type="application/json")


@api.get("/plans")
def all_plans() -> Response:
    """The overview, as `stoat status --json`."""
    return _json({"plans": reading.overview(watch().view())})


@api.get("/plans/ready")
def ready() -> Response:
    """What could be worked on now, as `stoat ready --json`; `?plan=`, `?explain=1`."""
    slug = request.args.get("plan")
    return _json(reading.ready_document(watch().view(), slug, explain=_flag("explain")))


@api.get("/plans/<slug>")
def one_plan(slug: str) -> Response:
    """The plan as it is written, as `stoat plan show --json`."""
    return _json(plans.show(watch().view(), slug))


@api.get("/plans/<slug>/status")
def status(slug: str) -> Response:
    """The status document, as `stoat status PLAN --json`."""
    return _json(reading.status(watch().view(), slug))


@api.get("/plans/<slug>/export")
def export(slug: str) -> Response:
    """The plan as YAML, as `stoat plan export`."""
    return Response(plans.export(watch().view(), slug), content_type="application/yaml; charset=utf-8")


@api.get("/plans/<slug>/nodes/<node_id>")
def one_node(slug: str, node_id: str) -> Response:
    """All there is of a node, as `stoat node show --json`; with `?github=0` nothing is asked of GitHub.

    GitHub's text is waited for a few seconds. What comes later is in the next answer.
    """
    ask = _flag("github", "1")
    return _json(zoom.show(watch().view(), NodeRef(slug, node_id), ask=ask, seconds=TEXT_SECONDS))


@api.get("/plans/<slug>/timeline")
def timeline(slug: str) -> Response:
    """Activity, newest first, as `stoat log PLAN --json`; `?node=`, `?limit=` (200 lines without it)."""
    node, limit = request.args.get("node"), request.args.get("limit", NEWEST, type=_count)
    return _json({"lines": reading.timeline(watch().view(), slug, node, limit)})


@api.get("/plans/<slug>/history")
def history(slug: str) -> Response:
    """Every change, oldest first, as `stoat log PLAN --history --json`; `?node=`, `?limit=`."""
    node, limit = request.args.get("node"), request.args.get("limit", type=_count)
    return _json({"lines": reading.history(watch().view(), slug, node, limit)})


@api.get("/needs")
def needs() -> Response:
    """What waits for a person, as `stoat needs --json`; `?plan=`."""
    return _json({"needs": reading.needs(watch().view(), request.args.get("plan"))})


@api.get("/agents")
@api.get("/openapi.json")
def not_yet() -> Response:
    """A path that a later version answers: not found, and why."""
    what = later.ROUTES[request.path.removeprefix("/api")]
    raise NotFound(later.sentence(what), hint="the paths of this version are in docs/board.md")


def _flag(name: str, without: str = "") -> bool:
    return request.args.get(name, without) not in ("", "0", "false")


def _count(text: str) -> int:
    """A number of lines, at least one; anything else counts as not given."""
    count = int(text)
    if count < 1:
        raise ValueError(text)
    return count
