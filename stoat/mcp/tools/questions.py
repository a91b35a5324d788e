"""Asking a person: ask_person, which waits for the answer."""

from __future__ import annotations

from msgspec import Struct
from pydantic import Field

from stoat.clock import Time
from stoat.errors import Refused
from stoat.mcp.schemas import outline
from stoat.mcp.tool import ByAgent, Call, Tool
from stoat.plan.ids import NodeRef
from stoat.service import questions, working
from stoat.service.reading import AnswerShown, question_shown


class AskPerson(ByAgent):
    """The arguments of ask_person."""

    question: str | None = Field(None, description="The question, with what one needs to decide it.")
    question_id: str | None = Field(None, description="One you asked: wait for its answer.")
    wait: bool = Field(True, description="false: only ask, and go on.")


class QuestionAsked(Struct, frozen=True, rename="camel"):
    """A question as every door shows it, and what to do while it is open."""

    id: str
    plan: str
    node: str
    question: str
    asked_by: str
    at: Time
    state: str
    answer: AnswerShown | None
    hint: str | None


def _ask(call: Call, given: AskPerson) -> QuestionAsked:
    if (given.question is None) == (given.question_id is None):
        raise Refused("say either question or questionId", hint="questionId is for one that you asked before")
    session, waiting = call.session, call.waiting
    if given.question is not None:
        asked = questions.ask(session, call.assigned.node(given.plan, given.node), given.question)
    else:
        asked = questions.find(session.state(), given.question_id or "")[1]
    plan = questions.find(session.state(), asked.id)[0]
    if given.wait and asked.state == "open":
        ref = NodeRef(plan.slug, asked.node)
        working.keep(session, ref, claim_id=call.assigned.claim_on(ref))
        waiting.tell(f"asked as {asked.id}; waiting for a person's answer")
        asked = questions.wait(session, asked.id, waiting.seconds, waiting.stopped)
    shown = question_shown(plan, asked)
    return QuestionAsked(
        shown.id, shown.plan, shown.node, shown.question, shown.asked_by, shown.at, shown.state, shown.answer,
        _hint(given.wait, shown.state, shown.id),
    )  # fmt: skip


def _hint(waited: bool, state: str, question_id: str) -> str | None:
    if state == "open":
        still = "no answer yet" if waited else "asked"
        return f"{still}; wait for it by calling ask_person again with questionId {question_id}"
    return "nobody will answer it: decide yourself, or release the node" if state == "dismissed" else None


TOOLS = (
    Tool(
        "ask_person",
        "Put a question about your node to a person and wait for the answer. The node is held until it is answered or "
        "dismissed. With no answer in the time a call may take, state is open: call again with questionId. "
        "Ask only what you cannot find out; the answer decides.",
        AskPerson, _ask, outline(QuestionAsked), waits=True,
    ),
)  # fmt: skip
