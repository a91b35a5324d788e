"""Graphs of issues, written short: `graph(issue(1, blocked=[2]), issue(2))`."""

from __future__ import annotations

from collections.abc import Sequence

from stoat.plan.github import Numbered, PullState
from stoat.plan.issue_graph import Edge, Graph, GraphIssue, LinkedPull, Selection

HOME = "acme/widgets"
NOW = "2026-12-01T00:00:00.000Z"
RECENT = "2026-11-30T00:00:00.000Z"
Name = int | str


def at(name: Name) -> Numbered:
    """`7` in the repository asked for, or `other/repo#7`."""
    if isinstance(name, int):
        return Numbered(HOME, name)
    repo, _, number = name.partition("#")
    return Numbered(repo, int(number))


def edge(end: Name | Edge) -> Edge:
    """An edge to an open issue, unless it is one already."""
    return end if isinstance(end, Edge) else Edge(at(end), True)


def closed(name: Name, reason: str = "completed") -> Edge:
    """An edge to a closed issue."""
    return Edge(at(name), False, reason)


def unread(name: Name | None = None) -> Edge:
    """An edge to an issue that cannot be read, or that does not even have a name."""
    return Edge(None if name is None else at(name))


def issue(
    name: Name,
    *,
    open: bool = True,
    reason: str | None = None,
    blocked: Sequence[Name | Edge] = (),
    children: Sequence[Name | Edge] = (),
    parent: Name | None = None,
    labels: Sequence[str] = (),
    assignees: Sequence[str] = (),
    pulls: Sequence[tuple[int, PullState]] = (),
    named: Sequence[Name] = (),
    updated: str = RECENT,
) -> GraphIssue:
    """An issue, open and alone unless it says otherwise."""
    place = at(name)
    return GraphIssue(
        at=place, title=f"Issue {place.number}", url=f"https://github.com/{place.repo}/issues/{place.number}",
        open=open, reason=reason if open else reason or "completed", labels=tuple(labels), assignees=tuple(assignees),
        updated_at=updated, parent=None if parent is None else at(parent), blockers=tuple(map(edge, blocked)),
        children=tuple(map(edge, children)), pulls=tuple(LinkedPull(place.repo, *pull) for pull in pulls),
        named=tuple(map(at, named)),
    )  # fmt: skip


def graph(
    *issues: GraphIssue, outside: Sequence[GraphIssue] = (), named_open: dict[Name, bool | None] | None = None
) -> Graph:
    """A graph of what has the label `lane`."""
    return Graph(
        selection=Selection(repo=HOME, label="lane"), issues=issues, outside=tuple(outside),
        named_open={at(name): is_open for name, is_open in (named_open or {}).items()},
    )  # fmt: skip


GRAPHS = {
    "cycle": graph(
        issue(1, blocked=[3]), issue(2, blocked=[1]), issue(3, blocked=[2]), issue(4, blocked=[4]),
        issue(5, children=[6]), issue(6, parent=5, blocked=[5]), issue(7, blocked=["acme/gadgets#9"]),
        issue(8), issue(9, blocked=[1]),
        outside=[issue("acme/gadgets#9", blocked=[7])],
    ),
    "split": graph(
        issue(10, children=[11, closed(12)], assignees=["ada"], pulls=[(90, "open")]),
        issue(11, parent=10), issue(12, parent=10, open=False),
        issue(20, children=[closed(21), closed(22, "not_planned")]),
        issue(21, parent=20, open=False), issue(22, parent=20, open=False, reason="not_planned"),
        issue(30, blocked=[20]), issue(40, open=False, children=[41]), issue(41, parent=40),
    ),
    "nested-split": graph(
        issue(1, children=[2, 3]), issue(2, parent=1, children=[4, 5]), issue(3, parent=1, blocked=[2]),
        issue(4, parent=2, children=[closed(6)]), issue(5, parent=2, blocked=[4]), issue(6, parent=4, open=False),
    ),
    "cross-repo": graph(
        issue(1, children=["acme/gadgets#1", "acme/gadgets#7"]),
        issue("acme/gadgets#1", parent=1), issue("acme/gadgets#7", parent=1, blocked=["acme/gadgets#1"]),
        issue(7, blocked=["acme/tools#3", closed("acme/tools#4")]), issue(2),
        outside=[issue("acme/tools#3", pulls=[(30, "draft"), (29, "merged"), (28, "merged"), (27, "closed")])],
    ),
    "traps": graph(
        issue(1, labels=["Needs-Human", "lane"]),
        issue(2, labels=["needs-human"], assignees=["ada"]),
        issue(3, labels=["needs-human"], blocked=[1]),
        issue(4, assignees=["ada", "bot"], updated="2026-11-20T00:00:00.000Z"),
        issue(5, assignees=["ada"], pulls=[(50, "draft")], updated="2026-11-20T00:00:00.000Z"),
        issue(6, pulls=[(60, "closed"), (61, "merged")]),
        issue(7, pulls=[(70, "open")], blocked=[1]),
        issue(8, blocked=[closed(80, "not_planned"), closed(81, "duplicate"), closed(82)]),
        issue(9, blocked=[unread(), unread("acme/secret#2")]),
        issue(10, named=[1, 82, 83, 84, 10, "acme/secret#3"], blocked=[83]),
        issue(11, open=False, named=[1], blocked=[1], assignees=["ada"], updated="2026-11-01T00:00:00.000Z"),
        issue(12, children=[unread()]),
        outside=[issue(83)],
        named_open={82: False, 84: True, "acme/secret#3": None},
    ),
    "complete": graph(issue(1, open=False), issue(2, open=False, blocked=[3]), outside=[issue(3)]),
    "deadlocked": graph(issue(1, blocked=["acme/tools#3"]), issue(2, blocked=[1]), outside=[issue("acme/tools#3")]),
}  # fmt: skip
"""Graphs by name; what stands in `frontiers/` is the answer to each."""
