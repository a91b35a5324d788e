"""What GitHub showed as lines of a plan's Activity: a repository's stream, told of the plan's nodes.

A recorded fact is whole, so a line says what is different from the fact before it; one that differs in nothing a
reader minds (a label, an order) is no line. All of it was observed.

    for one in followed(state, plan, node):  lines(one, store.history(one.stream), node)    newest first, merged by time
"""

from __future__ import annotations

from collections.abc import Iterable

from msgspec import Struct

from stoat.derive import kinds
from stoat.derive.timeline import Line, Recorded
from stoat.derive.verdict import Context
from stoat.derive.watched import Watched
from stoat.derive.wording import observed as say
from stoat.plan import streams
from stoat.plan.events.base import Event, Unknown
from stoat.plan.events.github import GitHubEvent, IssueSeen, NotSeen, PullSeen
from stoat.plan.github import GitHubNow, GitHubState
from stoat.plan.nodes import ISSUE, PR
from stoat.plan.state import PlanState, State

_EVER = "9999-12-31T23:59:59.000Z"
"""A time at which no lease runs: what a node hangs on is the same whoever holds it."""

About = dict[tuple[str, int], tuple[str, ...]]
"""Node ids by what they hang on: ("issue" or "pull", number)."""


class Followed(Struct, frozen=True):
    """A repository's stream, and which nodes of a plan what is in it concerns."""

    plan: str
    stream: str
    about: About


def followed(state: State, plan: PlanState, only: str | None = None) -> tuple[Followed, ...]:
    """The streams of the repositories that a plan's issues and pull requests are in, in the order of their names.

    With `only` those of that one node.
    """
    context = Context(_EVER, github=Watched(state.repositories(), GitHubNow()))
    found: dict[str, About] = {}
    for node in plan.nodes.values():
        if node.spec.kind not in (ISSUE, PR) or only not in (None, node.spec.id):
            continue
        for name, what, number in kinds.verdict(node, plan, context).reads:
            if name:
                about = found.setdefault(name, {})
                if isinstance(number, int):
                    about[what, number] = (*about.get((what, number), ()), node.spec.id)
    known = {repo.lower(): stream for stream in state.parts if (repo := streams.repository_of(stream)) is not None}
    return tuple(Followed(plan.slug, known[name], about) for name, about in sorted(found.items()) if name in known)


def lines(of: Followed, recorded: Iterable[Recorded], node: str | None = None) -> list[Line]:
    """The news of a plan, or of one node of it, in a repository's events given oldest first; newest first."""
    before, told = GitHubState(), []
    home = streams.repository_of(of.stream) or ""
    for event, commit in recorded:
        if isinstance(event, Unknown) or not isinstance(event, GitHubEvent):
            continue
        concerned = [one for one in _concerned(of.about, event) if node is None or one == node]
        if concerned and (text := say.told(before, event, home)):
            told += [_line(of.plan, event, commit, one, text) for one in concerned]
        event.fold(before)
    told.reverse()
    return told


def _concerned(about: About, event: GitHubEvent) -> tuple[str | None, ...]:
    """The nodes that an event concerns; None stands for the whole plan."""
    match event:
        case IssueSeen(issue=issue):
            return about.get(("issue", issue.number), ())
        case PullSeen(pull=pull):
            return about.get(("pull", pull.number), ())
        case NotSeen(what=what, number=int(number)) if what != "repository":
            return about.get((what, number), ())
        case _:
            return (None,)


def _line(plan: str, event: Event, commit: str | None, node: str | None, text: str) -> Line:
    return Line(
        id=event.id,
        at=event.at,
        plan=plan,
        node=node,
        type=str(event.__struct_config__.tag),
        by=event.by.name,
        by_kind=event.by.as_,
        session=None,
        observed=True,
        text=text,
        commit=commit,
    )
