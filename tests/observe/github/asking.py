"""Clients for tests: they never wait, or say what they were asked to wait for."""

from __future__ import annotations

from pathlib import Path

from stoat.observe.github.client import Client, connect
from tests.support.fakehub import FakeHub

TOKEN = "ghp_verysecretverysecretverysecret00"


def ask(url: str, cache: Path | None = None, *, token: str = TOKEN, timeout: float | None = None) -> Client:
    """A client that does not wait for anything."""
    return connect(
        {"STOAT_GITHUB_API": url, "GH_TOKEN": token}, cache, wait=lambda seconds, why: False, timeout=timeout
    )


def ask_hub(hub: FakeHub, cache: Path | None = None) -> Client:
    """The same for the fake GitHub."""
    return ask(hub.url, cache, token=hub.token)


class Waits(list[tuple[float, str]]):
    """What a client asks to wait for. It goes on at once, as if the time had passed; after `most` it has to stop."""

    def __init__(self, most: int = 100) -> None:
        super().__init__()
        self._most = most

    def __call__(self, seconds: float, why: str) -> bool:
        """Note it."""
        self.append((seconds, why))
        return len(self) <= self._most
