"""The watch of the running application, for its blueprints."""

from __future__ import annotations

from flask import current_app

from stoat.web.watch import Watch

EXTENSION = "stoat"


def watch() -> Watch:
    """The watch that `create_app` was given; only within a request."""
    found = current_app.extensions[EXTENSION]
    assert isinstance(found, Watch)
    return found
