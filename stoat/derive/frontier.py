"""Where a graph of issues stands: one class for each issue, what can start now, and what keeps the graph from ending.

    frontier(graph, now)    the same answer for the same graph, in whatever order it was read

An issue has the first class that fits: done, split (it has open sub-issues), split_complete (all of them are closed,
and it is not), in_flight (somebody has it, or a pull request closes it), blocked, human, ready.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Literal

from msgspec import Struct, field

from stoat.clock import Time, seconds_between
from stoat.derive.wording import frontier as say
from stoat.plan import cycles
from stoat.plan.github import Numbered
from stoat.plan.ids import same_repository
from stoat.plan.issue_graph import Class, Edge, Graph, GraphIssue, LinkedPull, Selection

Warned = Literal[
    "cycle", "blocker_out_of_scope", "prose_only_blocker", "unreadable", "not_planned_blocker", "stale_assignment"
]
_WARNINGS: tuple[Warned, ...] = (
    "cycle", "unreadable", "blocker_out_of_scope", "prose_only_blocker", "not_planned_blocker", "stale_assignment",
)  # fmt: skip
STALE_AFTER = 7 * 86400.0
MOVES = frozenset({"ready", "in_flight", "human", "split_complete"})
"""The classes from which a graph goes on: by an agent, by somebody, by a person, by closing what is finished."""


class BlockedBy(Struct, frozen=True, rename="camel"):
    """A blocker of an issue; `state` is unknown where it cannot be read, and then it may have no number either."""

    number: int | None
    repo: str | None
    state: Literal["open", "closed", "unknown"]
    in_scope: bool
    open_pr: int | None
    merged_pr: int | None


class Placed(Struct, frozen=True, rename="camel"):
    """An issue in scope, with its class."""

    number: int
    repo: str
    title: str
    standing: Class = field(name="class")
    labels: tuple[str, ...]
    assignees: tuple[str, ...]
    parent: Numbered | None
    blocked_by: tuple[BlockedBy, ...]
    children: tuple[int, ...]
    open_pr: int | None
    merged_pr: int | None
    url: str

    @property
    def at(self) -> Numbered:
        """Which issue it is."""
        return Numbered(self.repo, self.number)


class Warning(Struct, frozen=True):
    """Something about the graph that a person should know before agents start on it."""

    kind: Warned
    issues: tuple[int, ...]
    text: str


class Frontier(Struct, frozen=True):
    """The whole answer. A cycle is all issues that wait for each other, in the order of their numbers."""

    scope: Selection
    verdict: Literal["running", "complete", "deadlocked"]
    issues: tuple[Placed, ...]
    ready: tuple[int, ...]
    cycles: tuple[tuple[int, ...], ...]
    warnings: tuple[Warning, ...]

    @property
    def bad(self) -> bool:
        """Whether it cannot end: nothing that is started could change that."""
        return self.verdict == "deadlocked" or bool(self.cycles)


def frontier(graph: Graph, now: Time) -> Frontier:
    """Where the graph stands at `now`."""
    known = _Known(graph)
    placed = tuple(known.placed(issue) for issue in known.scope)
    rings = known.rings()
    warnings = [*known.warnings(rings, now)]
    warnings.sort(key=lambda warning: _WARNINGS.index(warning.kind))
    standings = {issue.standing for issue in placed}
    verdict: Literal["running", "complete", "deadlocked"] = "running"
    if standings <= {"done"}:
        verdict = "complete"
    elif not standings & MOVES:
        verdict = "deadlocked"
    return Frontier(
        graph.selection, verdict, placed, tuple(issue.number for issue in placed if issue.standing == "ready"),
        tuple(tuple(at.number for at in ring) for ring in rings), tuple(dict.fromkeys(warnings)),
    )  # fmt: skip


class _Known:
    """The graph with its issues by name; an issue's own state goes before what an edge said of it."""

    def __init__(self, graph: Graph) -> None:
        self.home = graph.selection.repo
        self.graph = graph
        self.by_name = {issue.at: issue for issue in (*graph.outside, *graph.issues)}
        self.in_scope = {issue.at for issue in graph.issues}
        self.scope = [self.by_name[at] for at in sorted(self.in_scope, key=self.order)]

    def order(self, at: Numbered) -> tuple[int, bool, str]:
        """By number; of two with the same number that of the repository asked for goes first."""
        return at.number, not same_repository(at.repo, self.home), at.repo

    def placed(self, issue: GraphIssue) -> Placed:
        """The issue with its class and its edges."""
        children = sorted({edge.at for edge in issue.children if edge.at is not None}, key=self.order)
        return Placed(
            issue.at.number, issue.at.repo, issue.title, self.standing(issue), tuple(sorted(issue.labels)),
            tuple(sorted(issue.assignees)), issue.parent,
            tuple(self.blocked_by(edge) for edge in self.blockers(issue)),
            tuple(at.number for at in children), _open_pull(issue.pulls), _merged_pull(issue.pulls), issue.url,
        )  # fmt: skip

    def standing(self, issue: GraphIssue) -> Class:
        """The first class that fits; what cannot be read is taken for open."""
        if not issue.open:
            return "done"
        if issue.children:
            return "split_complete" if all(self.is_open(edge) is False for edge in issue.children) else "split"
        if issue.assignees or _open_pull(issue.pulls) is not None:
            return "in_flight"
        if any(self.is_open(edge) is not False for edge in issue.blockers):
            return "blocked"
        return "human" if issue.needs_human else "ready"

    def is_open(self, edge: Edge) -> bool | None:
        """Whether the other end of an edge is open; None when that cannot be read."""
        issue = self.by_name.get(edge.at) if edge.at is not None else None
        return edge.open if issue is None else issue.open

    def blockers(self, issue: GraphIssue) -> list[Edge]:
        """Its blockers in order, each once; those without a name come last."""
        named = {edge.at: edge for edge in sorted(issue.blockers, key=_firmness) if edge.at is not None}
        unnamed = [edge for edge in issue.blockers if edge.at is None]
        return [*(named[at] for at in sorted(named, key=self.order)), *unnamed]

    def blocked_by(self, edge: Edge) -> BlockedBy:
        """A blocker as it is shown."""
        state: Literal["open", "closed", "unknown"] = "unknown"
        if (is_open := self.is_open(edge)) is not None:
            state = "open" if is_open else "closed"
        if edge.at is None:
            return BlockedBy(None, None, state, False, None, None)
        issue = self.by_name.get(edge.at)
        pulls = issue.pulls if issue else ()
        return BlockedBy(
            edge.at.number, edge.at.repo, state, edge.at in self.in_scope, _open_pull(pulls), _merged_pull(pulls)
        )

    def waits_for(self, at: Numbered) -> list[Numbered]:
        """The open issues that an issue cannot end without: its blockers and its sub-issues."""
        issue = self.by_name.get(at)
        if issue is None or not issue.open:
            return []
        ends = {edge.at for edge in (*issue.blockers, *issue.children) if edge.at is not None and self.is_open(edge)}
        return sorted(ends, key=self.order)

    def rings(self) -> list[list[Numbered]]:
        """The issues that wait for each other, each ring in order, the rings by their first."""
        found = []
        for group in cycles.groups([issue.at for issue in self.scope], self.waits_for):
            if len(group) > 1 or group[0] in self.waits_for(group[0]):
                found.append(sorted(group, key=self.order))
        return sorted(found, key=lambda ring: [self.order(at) for at in ring])

    def warnings(self, rings: Sequence[Sequence[Numbered]], now: Time) -> Iterator[Warning]:
        """All warnings, issue by issue, some perhaps twice."""
        for ring in rings:
            way = cycles.way_around(ring[0], self.waits_for, ring)
            named = [self.name(at) for at in (*way, ring[0])]
            yield Warning("cycle", tuple(at.number for at in ring), say.cycle(named, len(ring)))
        for issue in self.scope:
            if issue.open:
                yield from self.about(issue, now)

    def about(self, issue: GraphIssue, now: Time) -> Iterator[Warning]:
        """The warnings of one open issue but for cycles."""
        here, name = (issue.at.number,), self.name(issue.at)
        for edge in self.blockers(issue):
            is_open = self.is_open(edge)
            blocker = self.name(edge.at) if edge.at is not None else None
            if is_open is None:
                yield Warning("unreadable", here, say.unreadable_blocker(name, blocker))
            elif is_open and edge.at not in self.in_scope and blocker is not None:
                yield Warning("blocker_out_of_scope", here, say.out_of_scope(name, blocker))
            elif not is_open and blocker is not None and (reason := self.reason(edge)) in ("not_planned", "duplicate"):
                yield Warning("not_planned_blocker", here, say.not_planned(name, blocker, reason == "duplicate"))
        if any(self.is_open(edge) is None for edge in issue.children):
            yield Warning("unreadable", here, say.unreadable_child(name))
        native = {edge.at for edge in issue.blockers}
        for at in sorted(issue.named, key=self.order):
            if at not in native and at != issue.at and (is_open := self.named_is_open(at)) is not False:
                yield Warning("prose_only_blocker", here, say.prose_only(name, self.name(at), is_open is None))
        idle = seconds_between(issue.updated_at, now) if issue.updated_at else 0.0
        in_flight = self.standing(issue) == "in_flight" and _open_pull(issue.pulls) is None
        if in_flight and idle >= STALE_AFTER:
            yield Warning("stale_assignment", here, say.stale(name, sorted(issue.assignees), int(idle // 86400)))

    def reason(self, edge: Edge) -> str | None:
        """Why the other end of an edge was closed."""
        issue = self.by_name.get(edge.at) if edge.at is not None else None
        return issue.reason if issue else edge.reason

    def named_is_open(self, at: Numbered) -> bool | None:
        """Whether an issue that a text names is open; what was never looked up counts as not there."""
        issue = self.by_name.get(at)
        return issue.open if issue else self.graph.named_open.get(at, False)

    def name(self, at: Numbered) -> str:
        """The issue as a sentence names it."""
        return say.name(at.repo, at.number, self.home)


def _firmness(edge: Edge) -> tuple[bool, bool, str]:
    """Of two edges to one issue that one stands which says most of it; of two that disagree, that it is open."""
    return edge.open is not None, edge.open is True, edge.reason or ""


def _open_pull(pulls: Sequence[LinkedPull]) -> int | None:
    return min((pull.number for pull in pulls if pull.open), default=None)


def _merged_pull(pulls: Sequence[LinkedPull]) -> int | None:
    return max((pull.number for pull in pulls if pull.state == "merged"), default=None)
