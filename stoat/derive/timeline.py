"""A plan's stream as lines to read: Activity (newest first, only news) and history (every change, oldest first).

Not news: a renewal whose note is the one before, the start of a run or process whose end is a line of its own.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator

from msgspec import Struct

from stoat.clock import Time
from stoat.derive.wording import events as say
from stoat.plan.events.attempts import (
    AgentSpawned,
    AttemptExited,
    AttemptJudged,
    AttemptStarted,
    GaveUp,
    WorktreeFreed,
    WorktreeParked,
)
from stoat.plan.events.base import Event, Unknown
from stoat.plan.events.claims import Claimed, ClaimRenewed
from stoat.plan.events.evidence import GateFinished, GateStarted, RunLost, RunRecorded, RunStarted
from stoat.plan.events.github import GitHubEvent
from stoat.plan.events.landings import BranchMoved, Landed, LandingParked
from stoat.plan.events.sync import Rejected

OBSERVED = (
    GateStarted, GateFinished, RunStarted, RunRecorded, RunLost, AgentSpawned, AttemptStarted, AttemptExited,
    AttemptJudged, GaveUp, Landed, LandingParked, BranchMoved, WorktreeParked, WorktreeFreed, Rejected, GitHubEvent,
)  # fmt: skip
"""What a program saw happen; everything else is somebody's word (a cost is what an agent says it was)."""
NO_NEWS = (GateStarted, RunStarted, AgentSpawned)

Recorded = tuple[Event | Unknown, str | None]
"""An event and the commit it came with."""


class Line(Struct, frozen=True, rename="camel"):
    """One thing that happened: what to read, to which node, by whom, and whether it was observed or asserted.

    `by_kind` is person, agent, runner or observer; `session` the agent session behind it, where one is named.
    """

    id: str
    at: Time
    plan: str
    node: str | None
    type: str
    by: str
    by_kind: str
    session: str | None
    observed: bool
    text: str
    commit: str | None = None


def activity(plan: str, recorded: Iterable[Recorded], node: str | None = None) -> Iterator[Line]:
    """The news of a plan, or of one node of it, from its events newest first; lazily, in the same order."""
    return _only_news(plan, _about(recorded, node))


def history(plan: str, recorded: Iterable[Recorded], node: str | None = None) -> Iterator[Line]:
    """Every change, from the events oldest first; lazily, in the same order."""
    return (_line(plan, event, commit) for event, commit in _about(recorded, node))


def _about(recorded: Iterable[Recorded], node: str | None) -> Iterator[Recorded]:
    for event, commit in recorded:
        if node is None or getattr(event, "node", None) == node:
            yield event, commit


class _Held:
    """A line that may turn out to be none: a renewal, until the note before it is known."""

    __slots__ = ("line", "note")

    def __init__(self, line: Line | None, note: str | None = None) -> None:
        self.line = line
        self.note = note


def _only_news(plan: str, recorded: Iterable[Recorded]) -> Iterator[Line]:
    queue: deque[_Held] = deque()
    open_: dict[str, _Held] = {}
    for event, commit in recorded:
        if isinstance(event, NO_NEWS):
            continue
        if isinstance(event, Claimed | ClaimRenewed):
            later = open_.get(event.claim)
            if later is not None and (event.note is not None or isinstance(event, Claimed)):
                if later.note == event.note:
                    later.line = None
                del open_[event.claim]
        if isinstance(event, ClaimRenewed):
            if event.note is None:
                continue
            held = open_[event.claim] = _Held(_line(plan, event, commit), event.note)
            queue.append(held)
        else:
            queue.append(_Held(_line(plan, event, commit)))
        waiting = set(map(id, open_.values()))
        while queue and id(queue[0]) not in waiting:
            line = queue.popleft().line
            if line is not None:
                yield line
    for held in queue:
        if held.line is not None:
            yield held.line


def _line(plan: str, event: Event | Unknown, commit: str | None) -> Line:
    if isinstance(event, Unknown):
        return Line("", event.at, plan, event.node, event.type or "", "", "", None, True, say.unknown(event), commit)
    return Line(
        id=event.id,
        at=event.at,
        plan=plan,
        node=getattr(event, "node", None),
        type=str(event.__struct_config__.tag),
        by=event.by.name,
        by_kind=event.by.as_,
        session=event.by.session or getattr(event, "session", None),
        observed=isinstance(event, OBSERVED),
        text=say.told(event),
        commit=commit,
    )
