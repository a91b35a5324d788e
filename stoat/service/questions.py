"""What agents ask and people answer."""

from __future__ import annotations

import threading
from collections.abc import Callable

from stoat.clock import Time
from stoat.errors import NotFound, Refused
from stoat.gitstore.log import Change
from stoat.plan import guards, streams
from stoat.plan.events import questions as rules
from stoat.plan.events.base import NodeEvent
from stoat.plan.events.questions import Answered, QuestionDismissed, open_question
from stoat.plan.ids import NodeRef
from stoat.plan.state import PlanState, Question, State
from stoat.service import awaiting
from stoat.service.session import Session, mint, node_of


def ask(session: Session, ref: NodeRef, text: str) -> Question:
    """Put a question about a node to a person; the node is held until it is settled. Anybody with a name may ask.

    Who asks the same again while it is open, having lost sight of it, is given the question that is there. Refused for
    what is no question, or a longer one than a person reads.
    """
    question_id = minted = mint("q")

    def decide(state: State, now: Time) -> Change | None:
        nonlocal question_id
        plan, node = node_of(state, ref)
        guards.not_archived(plan)
        event = rules.ask(node, minted, text)
        asked = (ref.node, text, session.actor.name, "open")
        same = (one for one in plan.questions.values() if (one.node, one.question, one.asked_by, one.state) == asked)
        twin = next(same, None)
        question_id = minted if twin is None else twin.id
        if twin is not None:
            return None
        return Change([(streams.of_plan(ref.plan), event)], f"{ref.plan}: {session.actor.name} asks about {ref.node}")

    return find(session.commit(decide).state, question_id)[1]


def answer(session: Session, question_id: str, text: str) -> Question:
    """Answer an open question, as a person."""
    session.person()
    if not text.strip():
        raise Refused("there is no answer in that", hint=f"to settle it without one: stoat dismiss {question_id}")
    return _settle(
        session, question_id, lambda asked: Answered(node=asked.node, question=asked.id, text=text), "answers"
    )


def dismiss(session: Session, question_id: str) -> Question:
    """Settle an open question without an answer, as a person."""
    session.person()
    return _settle(
        session, question_id, lambda asked: QuestionDismissed(node=asked.node, question=asked.id), "dismisses"
    )


def find(state: State, question_id: str) -> tuple[PlanState, Question]:
    """The question of that id and its plan; NotFound when there is none."""
    for plan in state.plans.values():
        if question_id in plan.questions:
            return plan, plan.questions[question_id]
    raise NotFound(f"there is no question {question_id!r}", hint="see them with `stoat questions`")


def wait(session: Session, question_id: str, seconds: float, stopped: threading.Event | None = None) -> Question:
    """Wait until the question is settled, at most `seconds` or until `stopped` is set; gives it as it is then, which
    may be still open."""

    def settled() -> Question | None:
        asked = find(session.state(), question_id)[1]
        return asked if asked.state != "open" else None

    # The ref's value is one read of a small file.
    found = awaiting.wait(settled, session.store.tip, seconds, stopped)
    return found or find(session.state(), question_id)[1]


def _settle(session: Session, question_id: str, make: Callable[[Question], NodeEvent], what: str) -> Question:
    def decide(state: State, now: Time) -> Change:
        plan, _ = find(state, question_id)
        asked = open_question(plan, question_id)
        subject = f"{plan.slug}: {session.actor.name} {what} a question on {asked.node}"
        return Change([(streams.of_plan(plan.slug), make(asked))], subject)

    return find(session.commit(decide).state, question_id)[1]
