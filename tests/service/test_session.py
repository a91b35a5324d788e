"""Who speaks, and answers that are derived again only when they can have changed."""

from __future__ import annotations

import pytest

from stoat.errors import NotAPerson, Refused
from stoat.plan.ids import NodeRef
from stoat.service import decisions
from stoat.service.session import mint, open_session
from tests.service.conftest import As
from tests.support.gitrepo import GitRepo


def test_an_agent_is_whoever_its_environment_says(repo: GitRepo) -> None:
    environ = {"STOAT_AGENT": "alf", "STOAT_SESSION": "s-1"}
    session = open_session(repo.path, environ=environ)
    assert (session.actor.name, session.actor.as_, session.actor.session) == ("alf", "agent", "s-1")
    named = open_session(repo.path, by="bob", environ=environ)
    assert (named.actor.name, named.actor.as_) == ("bob", "agent")
    with pytest.raises(NotAPerson):
        named.person()


def test_a_person_is_whoever_git_or_the_flag_says(repo: GitRepo) -> None:
    session = open_session(repo.path, environ={})
    assert (session.actor.name, session.actor.as_, session.actor.email) == ("Ada Tester", "person", "ada@example.org")
    named = open_session(repo.path, by="Carol", environ={})
    assert (named.actor.name, named.actor.as_) == ("Carol", "person")
    assert named.actor.email != "ada@example.org"


def test_a_nameless_person_reads_and_does_not_append(repo: GitRepo) -> None:
    repo.run_git("config", "user.name", "")
    session = open_session(repo.path, environ={})
    assert session.answers().plans["demo"].total == 7
    with pytest.raises(Refused, match="git does not know who you are"):
        decisions.note(session, "demo", None, "x")


def test_answers_are_the_same_until_something_happens(speak: As) -> None:
    session = speak()
    first = session.answers()
    assert session.answers() is first
    decisions.approve(session, [NodeRef("demo", "parser")])
    assert session.answers() is not first
    assert session.answers().by_ref["demo/parser"].approved_for_agents is not None


def test_answers_run_out_when_a_lease_does(speak: As) -> None:
    from stoat.service import claims

    session = speak("alf", "agent")
    granted = claims.claim(session, "demo", "bare", lease=60)
    held = session.answers()
    assert held.by_ref["demo/bare"].claim is not None
    assert held.until is not None
    assert held.until <= granted.expires_at
    assert session.answers(granted.expires_at).by_ref["demo/bare"].claim is None


def test_minted_ids_are_short_and_differ() -> None:
    minted = {mint("q") for _ in range(1000)}
    assert len(minted) == 1000
    assert all(len(one) == 10 and one.startswith("q-") for one in minted)
