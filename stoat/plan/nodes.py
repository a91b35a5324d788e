"""A plan as it is written: its header, its nodes of nine kinds, and which field belongs to which kind.

The names are those of the YAML document, of the events and of the flags of `stoat node add`; there is one spelling.
"""

from __future__ import annotations

from typing import Literal

from msgspec import Struct

ISSUE = "issue"
PR = "pr"
PUBLISH = "publish"
CONSUME = "consume"
GATE = "test-run-gate"
SLICE = "slice"
REVIEW = "review"
PERSON = "person"
CHANGE = "change"

KINDS = (CHANGE, CONSUME, ISSUE, PERSON, PR, PUBLISH, REVIEW, SLICE, GATE)
LAUNCHED = frozenset({CHANGE, ISSUE, REVIEW, SLICE, GATE})
"""The kinds that a runner launches an agent for."""
NEEDS_GO_AHEAD = frozenset({CHANGE, ISSUE})
"""The kinds whose scope is open text, so that a person says go before an agent starts."""
PATTERNS = ("command", "view", "automation", "translation", "query")
BUMPS = ("fix", "minor", "major")
MERGES = ("manual-review", "merge-on-green")
HEAVY = "heavy"
"""A resource every plan has: one such node at a time on a machine, in no need of declaring."""

MergePolicy = Literal["manual-review", "merge-on-green"]
GoAhead = Literal["node", "plan"]


class Step(Struct, frozen=True, omit_defaults=True, kw_only=True):
    """One command of a gate. `timeout` is a duration as it was written (`20m`)."""

    id: str
    run: str | None = None
    title: str | None = None
    cwd: str | None = None
    env: dict[str, str] = {}
    timeout: str | None = None


class Repo(Struct, frozen=True, omit_defaults=True):
    """A repository of the plan under an alias: OWNER/NAME, and the branch its pins are read from."""

    repo: str
    branch: str | None = None


class Resource(Struct, frozen=True, omit_defaults=True):
    """Infrastructure that nodes take turns on: how many at once, in this plan or on the whole machine."""

    capacity: int
    scope: Literal["machine"] | None = None


class Header(Struct, frozen=True, omit_defaults=True, kw_only=True):
    """What a plan says about itself, beside its nodes."""

    plan: str
    title: str | None = None
    anchor: str | None = None
    color: str | None = None
    repos: dict[str, Repo] = {}
    branch: str | None = None
    resources: dict[str, Resource] = {}
    model: str | None = None
    skills: tuple[str, ...] = ()
    go_ahead: GoAhead = "node"


class Node(Struct, frozen=True, omit_defaults=True, kw_only=True):
    """A piece of work. Which fields a kind takes is in FIELDS_OF; every other one stays at its default.

    `depends_on` holds node ids of this plan and `PLAN/NODE` of others. `repo` is an alias or OWNER/NAME. `version` is
    the text as written ("1.10" is not 1.1). `brief` has `\\n` line ends and no blank at its end.
    """

    id: str
    kind: str
    title: str | None = None
    brief: str | None = None
    depends_on: tuple[str, ...] = ()
    discovered_from: str | None = None
    repo: str | None = None
    issue: int | None = None
    pr: int | None = None
    package: str | None = None
    feed: str | None = None
    version: str | None = None
    bump: str | None = None
    rehearses: str | None = None
    manifest: str | None = None
    branch: str | None = None
    bumped_by: str | None = None
    merge: MergePolicy | None = None
    pattern: str | None = None
    specs: tuple[str, ...] = ()
    steps: tuple[Step, ...] = ()
    reverify: Literal["on-branch-change"] | None = None
    agent: Literal["cloud"] | None = None
    uses: tuple[str, ...] = ()
    model: str | None = None
    skills: tuple[str, ...] = ()
    assignee: Literal["person"] | None = None
    exclusive: Literal["machine"] | None = None


_EVERY = frozenset(KINDS)

FIELDS_OF: dict[str, frozenset[str]] = {
    "agent": LAUNCHED,
    "assignee": LAUNCHED,
    "branch": frozenset({CONSUME}),
    "brief": _EVERY,
    "bump": frozenset({PUBLISH}),
    "bumped_by": frozenset({CONSUME}),
    "depends_on": _EVERY,
    "discovered_from": _EVERY,
    "exclusive": LAUNCHED,
    "feed": frozenset({PUBLISH}),
    "id": _EVERY,
    "issue": frozenset({ISSUE}),
    "kind": _EVERY,
    "manifest": frozenset({CONSUME}),
    "merge": frozenset({ISSUE, PR, CONSUME}),
    "model": LAUNCHED,
    "package": frozenset({PUBLISH, CONSUME}),
    "pattern": frozenset({SLICE}),
    "pr": frozenset({PR}),
    "rehearses": frozenset({PUBLISH}),
    "repo": _EVERY - {PERSON},
    "reverify": frozenset({GATE}),
    "skills": _EVERY,
    "specs": frozenset({SLICE}),
    "steps": frozenset({GATE, CHANGE}),
    "title": _EVERY,
    "uses": _EVERY,
    "version": frozenset({PUBLISH}),
}
"""Which kinds take which field of a node; a field on any other kind is refused."""


def repository_of(header: Header, node: Node) -> str | None:
    """The OWNER/NAME of a node's repository: its alias looked up, or the name as written; None without one."""
    if node.repo is None:
        return None
    declared = header.repos.get(node.repo)
    return declared.repo if declared else node.repo
