"""Repositories' icons: looked for once a day, after a sweep, and only what changed is fetched."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import msgspec
import pytest

from stoat.gitstore.log import Change
from stoat.plan.events.base import Actor
from stoat.plan.events.github import RepositorySeen
from stoat.plan.github import Repository as Seen
from stoat.service import icons
from stoat.service.session import Session
from stoat.service.sweeper import Sweeper
from tests.service.conftest import As
from tests.support.fakehub import FakeHub, Repository
from tests.support.waiting import wait_until

SVG = b'<svg xmlns="http://www.w3.org/2000/svg"/>'
PNG = b"\x89PNG\r\n\x1a\n0000"


@pytest.fixture
def hub(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[FakeHub]:
    """The GitHub that this process is pointed at."""
    with FakeHub(tmp_path / "hub") as hub:
        monkeypatch.setenv("STOAT_GITHUB_API", hub.url)
        monkeypatch.setenv("GH_TOKEN", hub.token)
        yield hub


@pytest.fixture
def there(hub: FakeHub) -> Repository:
    """o/n on it, with an icon."""
    repo = hub.repository("o/n")
    repo.issue("Fix lanes", number=7)
    repo.push("main", "An icon", {"docs/favicon.svg": SVG})
    return repo


@pytest.fixture
def session(speak: As, there: Repository) -> Session:
    """A session in which o/n was seen."""
    session = speak()
    seen = RepositorySeen(repository=Seen(name="o/n", default_branch="main"))
    session.store.append(lambda state, now: Change([("github/o/n", seen)], "github: seen"), Actor("sweep", "observer"))
    return session


def yesterday(session: Session) -> None:
    """Let what was looked at have been looked at long ago."""
    for place in (session.store.common / "stoat" / "icons").glob("*.json"):
        known = {**msgspec.json.decode(place.read_bytes()), "at": "2026-01-01T00:00:00.000Z"}
        place.write_bytes(msgspec.json.encode(known))


def test_the_tree_is_read_once_a_day_and_the_file_only_when_it_changed(
    session: Session, there: Repository, hub: FakeHub
) -> None:
    assert (icons.refresh(session, os.environ), icons.refresh(session, os.environ)) == (2, 0)
    found = icons.find(session, "O/N")
    assert found is not None and (found.image, found.kind) == (SVG, "image/svg+xml")
    yesterday(session)
    assert icons.refresh(session, os.environ) == 1
    there.push("main", "Another", {"docs/favicon.svg": None, "favicon.png": PNG})
    yesterday(session)
    assert icons.refresh(session, os.environ) == 2
    again = icons.find(session, "o/n")
    assert again is not None and (again.image, again.kind) == (PNG, "image/png") and again.mark != found.mark
    assert icons.marks(session) == {"o/n": again.mark}
    there.push("main", "None", {"favicon.png": None})
    yesterday(session)
    icons.refresh(session, os.environ)
    assert icons.find(session, "o/n") is None and icons.marks(session) == {}


def test_what_calls_itself_an_icon_and_is_none_is_not_shown(session: Session, there: Repository) -> None:
    there.push("main", "A page", {"docs/favicon.svg": b"<html><script>alert(1)</script>"})
    icons.refresh(session, os.environ)
    assert icons.find(session, "o/n") is None


def test_it_stands_down_in_trouble_and_keeps_what_it_has(session: Session, hub: FakeHub) -> None:
    assert icons.refresh(session, {"STOAT_GITHUB_API": hub.url, "PATH": ""}) == 0
    icons.refresh(session, os.environ)
    yesterday(session)
    hub.faults.rate_limit(times=9)
    assert icons.refresh(session, os.environ) == 1
    hub.faults.clear()
    hub.faults.html(times=9)
    icons.refresh(session, os.environ)
    assert icons.find(session, "o/n") is not None


def test_after_a_sweep_the_sweeper_has_them_looked_for(speak: As, there: Repository) -> None:
    session = speak()
    sweeper = Sweeper(session, os.environ, "a test", then=icons.refresh)
    sweeper.start()
    try:
        wait_until(lambda: icons.find(speak(), "o/n"), 20, "the icon")
    finally:
        sweeper.stop()
