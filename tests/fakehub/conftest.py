"""A fake GitHub that listens, and a client that speaks to it as anybody would."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import requests

from tests.support.fakehub import FakeHub


class Asker:
    """Real HTTP with the token on it."""

    def __init__(self, hub: FakeHub) -> None:
        self.hub = hub
        self.session = requests.Session()
        self.session.trust_env = False
        self.session.headers["Authorization"] = f"Bearer {hub.token}"

    def rest(self, method: str, path: str, body: Any = None, **headers: str) -> requests.Response:
        """One REST request; redirects are not followed."""
        named = {name.replace("_", "-"): value for name, value in headers.items()}
        return self.session.request(
            method, self.hub.url + path, json=body, headers=named, allow_redirects=False, timeout=10
        )

    def get(self, path: str, **headers: str) -> requests.Response:
        """GET."""
        return self.rest("GET", path, **headers)

    def graphql(self, query: str, **variables: Any) -> dict[str, Any]:
        """The answer's JSON, errors and all."""
        body = {"query": query, "variables": variables}
        return self.session.post(f"{self.hub.url}/graphql", json=body, timeout=10).json()  # type: ignore[no-any-return]

    def data(self, query: str, **variables: Any) -> dict[str, Any]:
        """The data of an answer that has no errors."""
        answer = self.graphql(query, **variables)
        assert "errors" not in answer, answer["errors"]
        return answer["data"]  # type: ignore[no-any-return]


@pytest.fixture
def hub(tmp_path: Path) -> Iterator[FakeHub]:
    """A fake GitHub with nothing on it."""
    with FakeHub(tmp_path / "fake hub") as hub:
        yield hub


@pytest.fixture
def ask(hub: FakeHub) -> Iterator[Asker]:
    """Somebody who asks it."""
    asker = Asker(hub)
    yield asker
    asker.session.close()
