"""`stoat ask`, `questions`, `answer`, `dismiss`: what agents ask and people answer."""

from __future__ import annotations

from typing import Annotated

import typer

from stoat.cli import context, render
from stoat.cli.context import Json, NodeArgument, OptionalPlan

QuestionArgument = Annotated[str, typer.Argument(metavar="ID", autocompletion=context.complete_question)]


def ask(
    node: NodeArgument,
    question: Annotated[str, typer.Argument(metavar="QUESTION")],
    wait: Annotated[
        str | None, typer.Option("--wait", metavar="TIME", help="Wait that long for the answer, and print it.")
    ] = None,
    json: Json = False,
) -> None:
    """Put a question about a node to a person; the node is held until it is answered or dismissed.

    Prints the question's id; with --wait the answer, and then the exit code is 1 when none came in time.
    """
    from stoat.service import questions as service
    from stoat.service.reading import question_shown
    from stoat.service.session import parse_ref

    seconds = None if wait is None else context.duration(wait, "--wait")
    session = context.session()
    asked = service.ask(session, parse_ref(node), question)
    if seconds is not None:
        render.tell(f"asked as {asked.id}; waiting for an answer")
        asked = service.wait(session, asked.id, seconds)
    if json:
        render.json(question_shown(service.find(session.state(), asked.id)[0], asked))
    elif seconds is None:
        render.say(asked.id)
    elif asked.answer is not None and asked.state == "answered":
        render.say(render.clean(asked.answer.why or "", lines=True))
    else:
        render.tell(f"no answer: {asked.id} is {asked.state}")
    if seconds is not None and asked.state != "answered":
        raise typer.Exit(1)


def questions(plan: OptionalPlan = None, json: Json = False) -> None:
    """What agents asked: the open questions first."""
    from stoat.service import reading

    found = reading.questions(context.session(), plan)
    if json:
        render.json({"questions": found})
        return
    render.table(
        ("id", "state", "node", "asked by", "question", "answer"),
        [
            (one.id, one.state, f"{one.plan}/{one.node}", one.asked_by, one.question, one.answer and one.answer.text)
            for one in found
        ],
        empty="nobody asked anything",
    )


def answer(question: QuestionArgument, text: Annotated[str, typer.Argument(metavar="TEXT")]) -> None:
    """Answer a question; the agent that asked goes on with it."""
    from stoat.service import questions as service

    settled = service.answer(context.session(), question, text)
    render.say(f"answered {settled.id} ({render.clean(settled.asked_by)} asked about {settled.node})")


def dismiss(question: QuestionArgument) -> None:
    """Settle a question without an answer."""
    from stoat.service import questions as service

    settled = service.dismiss(context.session(), question)
    render.say(f"dismissed {settled.id} ({render.clean(settled.asked_by)} asked about {settled.node})")
