"""GET /icons/OWNER/NAME: a repository's icon, as an image and nothing else, whatever is in it."""

from __future__ import annotations

from flask import Blueprint, Response

from stoat.errors import NotFound
from stoat.service import icons
from stoat.web.current import watch

repository_icons = Blueprint("icons", __name__)

_A_WEEK = 7 * 24 * 3600


@repository_icons.get("/icons/<owner>/<name>")
def icon(owner: str, name: str) -> Response:
    """The icon kept of a repository; not found where there is none. `?v=` is its mark, so that it may be kept."""
    found = icons.find(watch().view(), f"{owner}/{name}")
    if found is None:
        raise NotFound(f"{owner}/{name} has no icon here")
    answer = Response(found.image, content_type=found.kind)
    # An SVG is a document when it is opened by itself: then it may run nothing and load nothing.
    answer.headers["Content-Security-Policy"] = "default-src 'none'; style-src 'unsafe-inline'; sandbox"
    answer.headers["Cache-Control"] = f"private, max-age={_A_WEEK}"
    return answer
