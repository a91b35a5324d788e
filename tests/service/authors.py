"""Sessions of a person and of an agent at one fresh store, for the tests of authoring."""

from __future__ import annotations

from pathlib import Path

from stoat.gitstore.log import Store
from stoat.service.session import Session, open_session


def person_at(directory: Path) -> Session:
    """Ada's session at the store of the repository, which is made if there is none."""
    Store.create(directory)
    return open_session(directory, environ={})


def agent_at(directory: Path, name: str = "otter") -> Session:
    """An agent's session at a store that is there."""
    return open_session(directory, environ={"STOAT_AGENT": name})


def events_of(session: Session, slug: str) -> list[str]:
    """The types of a plan's events, oldest first."""
    return [type(recorded.event).__struct_config__.tag for recorded in session.store.history(f"plans/{slug}")]  # type: ignore[union-attr,misc]
