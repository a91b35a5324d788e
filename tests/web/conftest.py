"""A store with two small plans, the board over it, and the board really served."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from flask import Flask
from flask.testing import FlaskClient
from werkzeug.test import TestResponse

from stoat.gitstore.log import Store
from stoat.service import plans
from stoat.service.session import Session, open_session
from stoat.web.app import PORT, create_app
from stoat.web.server import BoardServer, listen
from tests.support.gitrepo import MakeRepo

PARCELS = """
schema: 1
plan: parcels
title: Parcels learns to price by zone
nodes:
  - {id: zones, kind: change, title: A table of zones, brief: Keep the public signature.}
  - {id: weights, kind: change, title: Weights in grams}
  - {id: price, kind: slice, pattern: command, title: By zone, depends_on: [zones, weights], specs: [Pricing/Zone]}
  - id: suite
    kind: test-run-gate
    title: The suite is green
    depends_on: [price, rates/publish]
    steps:
      - {id: build, run: make build}
      - {id: unit, run: make test}
  - {id: tell, kind: person, title: Tell the customers, depends_on: [suite]}
"""
RATES = """
schema: 1
plan: rates
title: Rates as a service
nodes:
  - {id: publish, kind: person, title: Publish the rates}
"""


@pytest.fixture
def session(make_repo: MakeRepo) -> Session:
    """A person's session at a store with the plans `parcels` and `rates`."""
    repo = make_repo()
    Store.create(repo.path)
    session = open_session(repo.path)
    for document in (RATES, PARCELS):
        plans.import_document(session, document)
    return session


@pytest.fixture
def app(session: Session) -> Flask:
    """The board over a session of its own at that store."""
    return create_app(open_session(session.directory))


class AtTheLink(FlaskClient):
    """A client that asks as a browser at the printed link would."""

    def open(self, *args: Any, **given: Any) -> TestResponse:
        given.setdefault("base_url", f"http://127.0.0.1:{PORT}")
        return super().open(*args, **given)


@pytest.fixture
def client(app: Flask) -> FlaskClient:
    """A client that asks as a browser at the printed link would."""
    app.test_client_class = AtTheLink
    return app.test_client()


@pytest.fixture
def served(session: Session) -> Iterator[str]:
    """The board served on a free port; gives its address without the last slash."""
    with serving(session.directory) as address:
        yield address


class serving:
    """The board of a store, served by a thread of this process for as long as the block runs."""

    def __init__(self, directory: Path, port: int = 0) -> None:
        self.server = BoardServer(create_app(open_session(directory)), listen("127.0.0.1", port))
        self._thread = threading.Thread(target=self.server.run)

    def __enter__(self) -> str:
        self._thread.start()
        return self.server.url.rstrip("/")

    def __exit__(self, *_: object) -> None:
        self.server.stop()
        self._thread.join(timeout=20)
        assert not self._thread.is_alive(), "the server did not end"
