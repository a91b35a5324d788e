"""The application: `create_app(session)` puts the blueprints together behind the guard."""

from __future__ import annotations

import os

from flask import Flask, Response, request

from stoat.service.monitoring import Monitor
from stoat.service.session import Session
from stoat.web import PORT, payloads, problems
from stoat.web import monitor as receiving
from stoat.web.api import api
from stoat.web.current import EXTENSION
from stoat.web.following import Following
from stoat.web.icons import repository_icons
from stoat.web.live import live
from stoat.web.pages import pages
from stoat.web.person import EXTENSION as PERSON
from stoat.web.person import Door, person
from stoat.web.security import Guard
from stoat.web.steering import steering
from stoat.web.watch import Watch


def create_app(session: Session, *, port: int = PORT) -> Flask:
    """The board of a session's store, to be served on a loopback address at `port` (also `app.config["PORTS"]`).

    Nothing is looked at and no thread begins until the watch and the monitor receiver (`app.extensions`) are started;
    without that the pages are right all the same, and event streams hear only of what pages noticed.
    """
    app = Flask("stoat.web")
    app.config["PORTS"] = (port,)
    app.jinja_options = {"finalize": payloads.shown, "trim_blocks": True, "lstrip_blocks": True}
    watch = app.extensions[EXTENSION] = Watch(session)
    following = Following(watch.tell)
    monitor = app.extensions[receiving.EXTENSION] = Monitor(session, os.environ, follow=following.look)
    following.runs = monitor.runs
    app.extensions[PERSON] = Door()
    app.jinja_env.globals["going"] = following
    app.jinja_env.globals["show"] = payloads
    app.register_blueprint(pages)
    app.register_blueprint(api)
    app.register_blueprint(live)
    app.register_blueprint(person)
    app.register_blueprint(steering)
    app.register_blueprint(receiving.monitor)
    app.register_blueprint(repository_icons)
    problems.register(app)

    @app.after_request
    def freshness(response: Response) -> Response:
        """What is shown is always asked for anew; files of ours carry their own rule."""
        if request.endpoint != "static":
            response.headers.setdefault("Cache-Control", "no-cache")
        return response

    app.wsgi_app = Guard(app.wsgi_app, lambda: app.config["PORTS"])  # type: ignore[method-assign]
    return app
