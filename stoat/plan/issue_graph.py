"""A graph of GitHub issues as it was read: what was asked for, the issues in scope, and what is known of those around.

A sub-issue and a blocker are edges. The issues outside the scope that something in it waits for are there for their
own edges, so that a cycle is seen whole.
"""

from __future__ import annotations

from typing import Literal

from msgspec import Struct

from stoat.clock import Time
from stoat.plan.github import Numbered, PullState


class Selection(Struct, frozen=True, kw_only=True):
    """What of a repository is meant: the tree under a parent, what has a label or a milestone, or single issues.

    Exactly one of the four is set. `milestone` is its number or its title.
    """

    repo: str
    parent: int | None = None
    label: str | None = None
    milestone: str | None = None
    issues: tuple[int, ...] = ()

    def __str__(self) -> str:
        """As it is written on the command line."""
        if self.parent is not None:
            return f"--parent {self.parent}"
        if self.label is not None:
            return f"--label {self.label}"
        if self.milestone is not None:
            return f"--milestone {self.milestone}"
        return f"--issues {','.join(str(number) for number in self.issues)}"


class Edge(Struct, frozen=True):
    """The other end of an edge, as seen from an issue: a blocker or a sub-issue.

    `open` is None for one that cannot be read; where GitHub does not even say which it is, `at` is None as well.
    `reason` says why it was closed, lower case.
    """

    at: Numbered | None = None
    open: bool | None = None
    reason: str | None = None


class LinkedPull(Struct, frozen=True, order=True):
    """A pull request that closes an issue, by GitHub's own link or by the words in its text."""

    repo: str
    number: int
    state: PullState

    @property
    def open(self) -> bool:
        """Whether it is being worked on, as a draft or not."""
        return self.state in ("open", "draft")


class GraphIssue(Struct, frozen=True, kw_only=True):
    """An issue with all its edges. `named` are the issues that its text calls blockers, whatever the edges say."""

    at: Numbered
    title: str
    url: str
    open: bool
    reason: str | None = None
    labels: tuple[str, ...] = ()
    assignees: tuple[str, ...] = ()
    updated_at: Time = ""
    parent: Numbered | None = None
    blockers: tuple[Edge, ...] = ()
    children: tuple[Edge, ...] = ()
    pulls: tuple[LinkedPull, ...] = ()
    named: tuple[Numbered, ...] = ()

    @property
    def needs_human(self) -> bool:
        """Whether it is labelled as a person's work, in any case."""
        return any(label.casefold() == NEEDS_HUMAN for label in self.labels)


class Graph(Struct, frozen=True, kw_only=True):
    """All that was read. `selection.repo` is spelled as GitHub spells it.

    `named_open` tells of the issues that texts name, and that are not in the graph otherwise, whether they are open;
    None where that cannot be read.
    """

    selection: Selection
    issues: tuple[GraphIssue, ...]
    outside: tuple[GraphIssue, ...] = ()
    named_open: dict[Numbered, bool | None] = {}


NEEDS_HUMAN = "needs-human"
"""The label of an issue whose work only a person can do."""

Class = Literal["done", "split", "split_complete", "in_flight", "blocked", "human", "ready"]
"""Where an issue of a graph stands; in the order in which they are tried (`derive/frontier.py`)."""
