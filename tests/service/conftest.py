"""Sessions of people and agents over one store, in this process."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from stoat.gitstore.log import Change, Store
from stoat.plan.events.authoring import NodeAdded
from stoat.plan.events.base import Actor, Event
from stoat.plan.events.plans import PlanCreated
from stoat.plan.nodes import Header, Node, Step
from stoat.service.session import Session
from tests.support.gitrepo import GitRepo, MakeRepo

NODES = (
    Node(id="parser", kind="change"),
    Node(id="suite", kind="test-run-gate", steps=(Step(id="unit", run="true"), Step(id="lint", run="exit 4"))),
    Node(id="bare", kind="test-run-gate"),
    Node(id="send", kind="slice", pattern="command", specs=("Parcels/Send one", "Parcels/Lose one")),
    Node(id="film", kind="person"),
    Node(id="bug", kind="issue", repo="o/n", issue=7),
    Node(id="pull", kind="pr", repo="o/n", pr=8),
)

As = Callable[..., Session]


@pytest.fixture
def repo(make_repo: MakeRepo) -> GitRepo:
    """A repository with a store that holds the plan `demo`."""
    made = make_repo()
    store, _ = Store.create(made.path)
    entries: list[tuple[str, Event]] = [("plans/demo", PlanCreated(header=Header(plan="demo", title="A demo")))]
    entries += [("plans/demo", NodeAdded(node=node.id, spec=node)) for node in NODES]
    store.append(lambda state, now: Change(entries, "demo: begins"), Actor("ada", "person"))
    return made


@pytest.fixture
def speak(repo: GitRepo) -> As:
    """A factory: `speak("ada")` is a person's session, `speak("alf", "agent")` an agent's; each opens the store."""

    def session(name: str = "ada", kind: str = "person", session: str | None = None) -> Session:
        return Session(Store.open(Path(repo.path)), Actor(name, kind, session), repo.path)  # type: ignore[arg-type]

    return session
