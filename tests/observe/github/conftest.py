"""A fake GitHub with nothing on it, for everything that asks one."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from stoat.observe.github.client import Client
from tests.observe.github.asking import ask_hub
from tests.support.fakehub import FakeHub
from tests.support.fakehub.repository import Repository


@pytest.fixture
def hub(tmp_path: Path) -> Iterator[FakeHub]:
    """The fake GitHub."""
    with FakeHub(tmp_path / "a hub") as running:
        yield running


@pytest.fixture
def repo(hub: FakeHub) -> Repository:
    """acme/widgets on it."""
    return hub.repository("acme/widgets")


@pytest.fixture
def client(hub: FakeHub) -> Client:
    """A client of that GitHub which never waits."""
    return ask_hub(hub)
