"""A graph of issues imported at a real store: who may, what is said with it, what is refused."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from stoat.errors import Invalid, Refused
from stoat.observe.github.trouble import NoToken
from stoat.plan.issue_graph import Selection
from stoat.service import plans
from stoat.service.authoring import Authored
from stoat.service.frontier import frontier, import_issues
from stoat.service.session import Session
from tests.service.authors import agent_at, person_at
from tests.support.fakehub import FakeHub
from tests.support.fakehub.repository import Repository
from tests.support.gitrepo import MakeRepo

LANE = Selection(repo="acme/widgets", label="lane")


def never(seconds: float, why: str) -> bool:
    return False


@pytest.fixture
def hub(tmp_path: Path) -> Iterator[FakeHub]:
    with FakeHub(tmp_path / "hub") as running:
        yield running


@pytest.fixture
def widgets(hub: FakeHub) -> Repository:
    widgets = hub.repository("acme/widgets")
    widgets.issue("One", number=1, labels=["lane"])
    widgets.issue("Two", number=2, labels=["lane"], blocked_by=[1])
    return widgets


@pytest.fixture
def ada(make_repo: MakeRepo) -> Session:
    return person_at(make_repo().path)


def take(session: Session, hub: FakeHub, slug: str = "lanes", *, dry_run: bool = False) -> Authored:
    environ = {"STOAT_GITHUB_API": hub.url, "GH_TOKEN": hub.token}
    return import_issues(session, slug, LANE, wait=never, dry_run=dry_run, environ=environ)


def test_it_is_one_commit_or_none(hub: FakeHub, widgets: Repository, ada: Session) -> None:
    before = ada.state().commit
    assert take(ada, hub, dry_run=True).changes == take(ada, hub).changes != ()
    once = ada.state().commit
    assert once != before
    assert take(ada, hub).changes == ()
    assert ada.state().commit == once


def test_what_a_person_did_first_is_told_as_taken_over(hub: FakeHub, widgets: Repository, ada: Session) -> None:
    take(ada, hub)
    widgets.issues[2].unblock(1)
    text = plans.export(ada, "lanes").replace("\n    depends_on: [one-1]", "")
    plans.import_document(ada, text)
    assert take(ada, hub).changes == ({"type": "issues_imported", "node": None},)
    assert take(ada, hub).changes == ()


def test_what_the_graph_warns_of_is_said_with_it(hub: FakeHub, widgets: Repository, ada: Session) -> None:
    widgets.issues[2].block(hub.repository("acme/tools").issue("Sharpen", number=9))
    widgets.issues[1].body = "Depends on #3"
    widgets.issue("Three", number=3)
    done = take(ada, hub)
    assert [warning.partition(" ")[0] for warning in done.warnings] == ["#2", "#1", "acme/tools#9"]
    assert done.changes[-1] == {"type": "node_added", "node": "tools-sharpen-9", "kind": "issue"}


def test_an_agent_may_and_an_archived_plan_is_left_alone(hub: FakeHub, widgets: Repository, ada: Session) -> None:
    assert take(agent_at(ada.directory), hub).changes
    plans.archive(ada, "lanes")
    with pytest.raises(Refused, match="archived"):
        take(ada, hub)


def test_what_cannot_be_a_plan_is_refused_before_anything_is_recorded(
    hub: FakeHub, widgets: Repository, ada: Session
) -> None:
    with pytest.raises(Invalid):
        take(ada, hub, "Not a slug")
    widgets.issues[1].block(2)
    with pytest.raises(Refused, match="#1 → #2 → #1"):
        take(ada, hub)
    assert ada.state().plans == {}


def test_a_cycle_with_what_a_person_added_is_said(hub: FakeHub, widgets: Repository, ada: Session) -> None:
    widgets.issue("Three", number=3, labels=["lane"])
    take(ada, hub)
    plans.import_document(
        ada, plans.export(ada, "lanes").replace("issue: 1\n", "issue: 1\n    depends_on: [three-3]\n")
    )
    widgets.issues[3].block(2)
    with pytest.raises(Invalid, match="a cycle: one-1 → three-3 → two-2 → one-1"):
        take(ada, hub)


def test_without_a_token_nothing_is_asked(hub: FakeHub, widgets: Repository) -> None:
    with pytest.raises(NoToken):
        frontier(LANE, wait=never, environ={"STOAT_GITHUB_API": hub.url, "PATH": ""})
    assert hub.journal == []
