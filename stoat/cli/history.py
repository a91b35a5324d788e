"""`stoat log`: what happened."""

from __future__ import annotations

from typing import Annotated

import typer

from stoat.cli import context, render
from stoat.cli.context import Json, complete_node


def log(
    where: Annotated[str | None, typer.Argument(metavar="PLAN[/NODE]", autocompletion=complete_node)] = None,
    limit: Annotated[int | None, typer.Option("--limit", metavar="N", min=1, help="At most so many lines.")] = None,
    history: Annotated[
        bool, typer.Option("--history", help="Every change of the plan, oldest first, instead of the news.")
    ] = False,
    json: Json = False,
) -> None:
    """What happened, newest first: of all plans, of one, or of one of its nodes.

    “saw” is what a program observed, “said” what somebody asserted. Git reads the same: git log stoat/state.
    """
    from stoat.service import reading

    plan, node = (None, None) if where is None else context.plan_or_node(where)
    if history and plan is None:
        raise typer.BadParameter("name the plan whose history is meant", param_hint="PLAN")
    session = context.session()
    if history and plan is not None:
        lines = reading.history(session, plan, node, limit)
    else:
        lines = reading.timeline(session, plan, node, limit)
    if json:
        render.json({"lines": lines})
        return
    render.table(
        ("when", "node", "who", "", "what"),
        [
            (line.at, f"{line.plan}/{line.node}" if line.node else line.plan, line.by,
             "saw" if line.observed else "said", line.text)
            for line in lines
        ],
        empty="nothing happened yet",
    )  # fmt: skip
