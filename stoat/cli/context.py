"""What the flags before the command say: which store, which actor, which directory; and the session they open.

    context.session()           the Session of this command
    context.Json                the type of a command's --json flag
    context.NodeArgument        the type of a PLAN/NODE argument, completed from the store; PlanArgument likewise
"""

from __future__ import annotations

import contextlib
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from stoat.service.session import Session


@dataclass
class _Given:
    """The global flags. -C has been followed already: the process stands there."""

    store: Path | None = None
    by: str | None = None


_given = _Given()


def remember(store: Path | None, by: str | None) -> None:
    """Keep the global flags for the command that follows."""
    _given.store, _given.by = store, by


def session() -> Session:
    """Open the session of this command: the store by the flags, else the environment, else where one stands."""
    from stoat.service.session import open_session

    return open_session(Path.cwd(), store=_given.store, by=_given.by)


def store_flag() -> Path | None:
    """The directory given with --store."""
    return _given.store


def by_flag() -> str | None:
    """The name given with --by."""
    return _given.by


def duration(written: str, flag: str) -> float:
    """A length of time as it was written on the command line, in seconds; a usage error when it is none."""
    from stoat import clock

    try:
        return clock.duration(written)
    except ValueError as problem:
        raise typer.BadParameter(f"{problem}: write it as 90s, 20m, 1h30m or 00:20:00", param_hint=flag) from problem


def plan_or_node(written: str) -> tuple[str, str | None]:
    """PLAN or PLAN/NODE taken apart."""
    from stoat.service.session import parse_ref

    if "/" not in written:
        return written, None
    plan, node = parse_ref(written)
    return plan, node


def complete_plan(incomplete: str) -> list[str]:
    """The plans whose slug begins that way; none where the store cannot be read."""
    with contextlib.suppress(Exception):
        return [slug for slug in session().state().plans if slug.startswith(incomplete)]
    return []


def complete_node(incomplete: str) -> list[str]:
    """`PLAN/` until there is a slash, then the nodes of that plan."""
    with contextlib.suppress(Exception):
        plans = session().state().plans
        slug, slash, start = incomplete.partition("/")
        if not slash:
            return [f"{name}/" for name in plans if name.startswith(slug)]
        if slug in plans:
            return [f"{slug}/{node_id}" for node_id in plans[slug].nodes if node_id.startswith(start)]
    return []


def complete_question(incomplete: str) -> list[str]:
    """The ids of open questions that begin that way."""
    with contextlib.suppress(Exception):
        return [
            asked.id
            for plan in session().state().plans.values()
            for asked in plan.questions.values()
            if asked.state == "open" and asked.id.startswith(incomplete)
        ]
    return []


Json = Annotated[bool, typer.Option("--json", help="Print one JSON document and nothing else.")]
PlanArgument = Annotated[str, typer.Argument(metavar="PLAN", autocompletion=complete_plan)]
OptionalPlan = Annotated[str | None, typer.Argument(metavar="PLAN", autocompletion=complete_plan)]
NodeArgument = Annotated[str, typer.Argument(metavar="PLAN/NODE", autocompletion=complete_node)]
