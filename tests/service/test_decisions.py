"""A person's decisions: refused to agents, said once, and each to the nodes it is for."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from stoat.errors import NotAPerson, NotFound, Refused
from stoat.plan.ids import NodeRef
from stoat.service import claims, decisions, plans, questions
from stoat.service.session import Session
from tests.service.conftest import As

PARSER, FILM, BARE, PULL, BUG = (NodeRef("demo", node) for node in ("parser", "film", "bare", "pull", "bug"))

DECISIONS: dict[str, Callable[[Session], object]] = {
    "approve": lambda session: decisions.approve(session, [PARSER]),
    "withdraw": lambda session: decisions.withdraw(session, [PARSER]),
    "approve a plan": lambda session: decisions.approve_plan(session, "demo"),
    "withdraw a plan": lambda session: decisions.withdraw_plan(session, "demo"),
    "expedite": lambda session: decisions.expedite(session, PARSER),
    "expedite off": lambda session: decisions.expedite(session, PARSER, off=True),
    "merge on green": lambda session: decisions.merge_policy(session, PULL, "merge-on-green"),
    "cloud": lambda session: decisions.cloud(session, PARSER),
    "cloud off": lambda session: decisions.cloud(session, PARSER, off=True),
    "done": lambda session: decisions.done(session, FILM),
    "restart": lambda session: decisions.restart(session, PARSER),
    "reverify": lambda session: decisions.reverify(session, BARE),
    "allow asserted": lambda session: decisions.allow_asserted(session, BARE),
    "accept partial": lambda session: decisions.accept_partial(session, BUG),
    "note": lambda session: decisions.note(session, "demo", "parser", "text"),
    "hold": lambda session: decisions.hold(session, "box"),
    "hold off": lambda session: decisions.hold(session, "box", off=True),
    "lead": lambda session: decisions.lead(session, "demo"),
    "lead released": lambda session: decisions.lead(session, "demo", release=True),
    "answer": lambda session: questions.answer(session, "q-x", "yes"),
    "dismiss": lambda session: questions.dismiss(session, "q-x"),
}


def test_no_decision_is_open_to_anything_but_a_person(speak: As) -> None:
    before = speak().store.tip()
    for kind in ("agent", "runner", "observer"):
        session = speak("alf", kind)
        for name, decide in DECISIONS.items():
            with pytest.raises(NotAPerson) as refused:
                decide(session)
            assert "only a person" in refused.value.message, name
            assert refused.value.hint, name
    assert speak().store.tip() == before


def test_nothing_is_decided_or_asked_about_an_archived_plan_and_every_refusal_says_the_way_back(speak: As) -> None:
    person = speak()
    plans.archive(person, "demo")
    lasting = {"note", "hold", "hold off", "lead released", "answer", "dismiss"}
    asked = {name: decide for name, decide in DECISIONS.items() if name not in lasting}
    asked |= {
        "ask": lambda session: questions.ask(session, PARSER, "why?"),
        "claim": lambda session: claims.claim(session, "demo", "parser"),
    }
    for name, decide in asked.items():
        with pytest.raises(Refused, match="plan demo is archived") as refused:
            decide(person)
        assert refused.value.hint == "bring it back first: stoat plan archive demo --off", name


def test_an_agent_may_turn_merge_on_green_off_and_never_on(speak: As) -> None:
    assert decisions.merge_policy(speak(), PULL, "merge-on-green")
    assert decisions.merge_policy(speak("alf", "agent"), PULL, "manual-review")
    with pytest.raises(NotAPerson):
        decisions.merge_policy(speak("alf", "agent"), PULL, "merge-on-green")


def test_deciding_again_appends_nothing(speak: As) -> None:
    session = speak()
    for decide in (
        lambda: decisions.expedite(session, PARSER),
        lambda: decisions.cloud(session, PARSER),
        lambda: decisions.done(session, FILM),
        lambda: decisions.hold(session, "box", why="battery"),
        lambda: decisions.lead(session, "demo"),
        lambda: decisions.allow_asserted(session, BARE),
    ):
        assert decide()
        tip = session.store.tip()
        assert not decide()
        assert session.store.tip() == tip


def test_what_cannot_take_a_go_ahead_is_named_and_the_rest_is_approved_in_one_commit(speak: As) -> None:
    session = speak()
    before = session.store.tip()
    decided = decisions.approve(session, [PARSER, FILM, BUG, PARSER])
    assert decided.changed == (PARSER, BUG)
    assert [(left.ref, left.why) for left in decided.skipped] == [
        (FILM, "demo/film (person) cannot take a go-ahead: no agent is launched on it")
    ]
    ada = session.state().plans["demo"].nodes["parser"].go_ahead
    assert ada is not None
    assert ada.by == "ada"
    again = decisions.approve(session, [PARSER, BUG])
    assert again.changed == ()
    assert [left.why for left in again.skipped] == [
        "demo/parser has its go-ahead already",
        "demo/bug has its go-ahead already",
    ]
    assert len(list(_commits(session, before))) == 1


def test_where_none_can_take_it_the_go_ahead_is_refused(speak: As) -> None:
    with pytest.raises(Refused, match=r"demo/film \(person\)"):
        decisions.approve(speak(), [FILM, PULL])


def test_a_node_that_is_not_there_approves_nothing(speak: As) -> None:
    session = speak()
    before = session.store.tip()
    with pytest.raises(NotFound):
        decisions.approve(session, [PARSER, NodeRef("demo", "typo")])
    assert session.store.tip() == before


def test_an_empty_note_is_none(speak: As) -> None:
    with pytest.raises(Refused, match="needs a text"):
        decisions.note(speak(), "demo", None, "  \n")


def test_the_lead_passes_to_whoever_takes_it(speak: As) -> None:
    assert decisions.lead(speak("ada"), "demo")
    assert decisions.lead(speak("bea"), "demo")
    assert not decisions.lead(speak("bea"), "demo")
    led = speak().state().plans["demo"].lead
    assert led is not None
    assert led.by == "bea"
    assert decisions.lead(speak("ada"), "demo", release=True)
    assert not decisions.lead(speak("ada"), "demo", release=True)


def _commits(session: Session, since: str) -> list[str]:
    from stoat.gitstore.porcelain import git

    return git(session.directory, "rev-list", f"{since}..refs/stoat/state").out.split()
