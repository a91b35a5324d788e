"""Questions: asked by anybody, settled once by a person, waited for without asking again and again."""

from __future__ import annotations

import threading
import time

import pytest

from stoat.errors import NotFound, Refused
from stoat.plan.ids import NodeRef
from stoat.service import questions, reading
from tests.service.conftest import As

PARSER = NodeRef("demo", "parser")


def test_an_answer_settles_a_question_once(speak: As) -> None:
    asked = questions.ask(speak("alf", "agent", "s-1"), PARSER, "tabs or\nspaces?")
    assert (asked.state, asked.asked_by, asked.session, asked.question) == ("open", "alf", "s-1", "tabs or\nspaces?")
    settled = questions.answer(speak("ada"), asked.id, "tabs")
    assert settled.state == "answered"
    assert settled.answer is not None
    assert (settled.answer.by, settled.answer.why) == ("ada", "tabs")
    with pytest.raises(Refused, match="answered already by ada"):
        questions.answer(speak("bea"), asked.id, "spaces")
    with pytest.raises(Refused, match="answered already"):
        questions.dismiss(speak("bea"), asked.id)


def test_the_open_ones_are_listed_first(speak: As) -> None:
    first = questions.ask(speak("alf", "agent"), PARSER, "one?")
    second = questions.ask(speak("alf", "agent"), PARSER, "two?")
    questions.dismiss(speak(), second.id)
    listed = reading.questions(speak())
    assert [(one.id, one.state) for one in listed] == [(first.id, "open"), (second.id, "dismissed")]
    assert reading.questions(speak(), "demo") == listed
    with pytest.raises(NotFound):
        reading.questions(speak(), "nope")


def test_nothing_is_asked_or_answered_without_words(speak: As) -> None:
    with pytest.raises(Refused):
        questions.ask(speak(), PARSER, " ")
    with pytest.raises(Refused, match="at most 20000 characters"):
        questions.ask(speak(), PARSER, "x" * 20_001)
    assert not reading.questions(speak())
    asked = questions.ask(speak(), PARSER, "one?")
    with pytest.raises(Refused):
        questions.answer(speak(), asked.id, "")
    with pytest.raises(NotFound, match="q-none"):
        questions.answer(speak(), "q-none", "yes")


def test_who_asks_the_same_again_is_given_the_question_that_is_open(speak: As) -> None:
    first = questions.ask(speak("alf", "agent"), PARSER, "tabs?")
    assert questions.ask(speak("alf", "agent"), PARSER, "tabs?").id == first.id
    others = [
        questions.ask(speak("bob", "agent"), PARSER, "tabs?"),
        questions.ask(speak("alf", "agent"), PARSER, "spaces?"),
        questions.ask(speak("alf", "agent"), NodeRef("demo", "suite"), "tabs?"),
    ]
    questions.answer(speak("ada"), first.id, "yes")
    others.append(questions.ask(speak("alf", "agent"), PARSER, "tabs?"))
    assert len({first.id, *(one.id for one in others)}) == 5


def test_whoever_waits_hears_the_answer_when_it_comes(speak: As) -> None:
    session = speak("alf", "agent")
    asked = questions.ask(session, PARSER, "tabs?")
    person = speak("ada")
    threading.Timer(0.3, lambda: questions.answer(person, asked.id, "yes")).start()
    settled = questions.wait(session, asked.id, 30)
    assert settled.state == "answered"


def test_waiting_ends_when_it_is_stopped(speak: As) -> None:
    session = speak("alf", "agent")
    asked = questions.ask(session, PARSER, "tabs?")
    stopped = threading.Event()
    threading.Timer(0.2, stopped.set).start()
    assert questions.wait(session, asked.id, 60, stopped).state == "open"


def test_waiting_ends_at_its_deadline(speak: As) -> None:
    session = speak("alf", "agent")
    asked = questions.ask(session, PARSER, "tabs?")
    begun = time.monotonic()
    assert questions.wait(session, asked.id, 0.3).state == "open"
    assert time.monotonic() - begun >= 0.3
