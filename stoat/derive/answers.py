"""The answers that every door shows: the status document, the ready list and the needs, as shapes.

The field names are those of the public JSON in snake case; encoded they are camelCase. A key is never missing: what
does not apply is null or empty.
"""

from __future__ import annotations

from typing import Literal

from msgspec import Struct

from stoat.clock import Time
from stoat.plan.github import Mergeable, PullState, Review, Verdict

Status = Literal[
    "unrealized", "unknown", "missing", "open", "claimed", "pr-open", "abandoned", "done", "waiting", "running",
    "failed", "mismatch", "partial", "stale", "findings", "fixing",
]  # fmt: skip
Stance = Literal["you", "broken", "held", "moving", "waiting"]
StepState = Literal["pending", "running", "passed", "failed", "timed-out", "mismatch"]
LaunchReason = Literal[
    "paused", "waiting-for-slot", "no-runner", "stopping", "limited", "held", "resource", "go-ahead", "next"
]
NeedKind = Literal[
    "go-ahead", "question", "review", "merge", "fix", "unmergeable", "give-up", "partial", "findings", "bump",
    "person", "main-red", "drift", "cloud", "limit", "disk",
]  # fmt: skip


class Decision(Struct, frozen=True, gc=False, rename="camel"):
    """A person's decision as shown: who and when."""

    by: str
    at: Time


class WaitsOn(Struct, frozen=True, gc=False, rename="camel"):
    """An upstream node that is not done, and how it stands."""

    plan: str
    node: str
    why: str


class ClaimShown(Struct, frozen=True, gc=False, rename="camel"):
    """A live lease."""

    holder: str
    since: Time
    expires_at: Time
    session: str | None = None
    note: str | None = None
    where: str | None = None
    link: str | None = None


class Launch(Struct, frozen=True, gc=False, rename="camel"):
    """Why a ready node is not launched, or that it is next."""

    reason: LaunchReason
    detail: str


class UnitShown(Struct, frozen=True, gc=False, rename="camel"):
    """A unit of a step that published runs of its own (PROJECT.FRAMEWORK): where it stands, and by which run."""

    id: str
    state: StepState
    detail: str
    run: str | None


class StepShown(Struct, frozen=True, gc=False, rename="camel"):
    """A step of a gate: where it stands, what decided it, the command that runs it again, and its units."""

    id: str
    title: str | None
    state: StepState
    detail: str
    command: str | None
    run: str | None
    units: tuple[UnitShown, ...] = ()


class CiShown(Struct, frozen=True, gc=False, rename="camel"):
    """The checks of a pull request's head, counted; `total` counts skipped ones too, `failing` names what failed."""

    verdict: Verdict
    passed: int
    failed: int
    pending: int
    total: int
    failing: tuple[str, ...]


class PullShown(Struct, frozen=True, gc=False, rename="camel", kw_only=True):
    """A pull request of a node: where it is, how it stands, and all of that as one `line` for people."""

    number: int
    url: str
    title: str
    repo: str
    state: PullState
    ci: CiShown
    review: Review | None
    mergeable: Mergeable
    merge_state: str
    head: str
    base: str
    merged_at: Time | None
    line: str

    @property
    def is_open(self) -> bool:
        """Whether it can still be merged; a draft is open."""
        return self.state in ("open", "draft")


class ReviewShown(Struct, frozen=True, gc=False, rename="camel"):
    """A review's newest round, and how many findings of all its rounds wait for a person, were accepted, rejected."""

    round: int
    by: str
    at: Time
    branch: str | None
    commit: str | None
    open: int
    accepted: int
    rejected: int
    signed_off: Decision | None


class AgentShown(Struct, frozen=True, rename="camel"):
    """An agent at work: its node, which attempt it is, since when, and the model that it asked for."""

    node: str
    attempt: int
    since: Time | None = None
    model: str | None = None


class RunnerShown(Struct, frozen=True, rename="camel"):
    """A runner of the plan; `state` is none without one. `paused` is the plan's, whether a runner is there or not.

    `running` is empty of one that is gone or disconnected, and `was` names the nodes that it had then. `stopped` says
    which limit it reached and `drift` how the plan's branch stands to its base, in words. `limited` are the nodes whose
    agents wait for a limit of their account, until `limited_until`; `out_of_money` that only a person ends it.
    """

    state: str = "none"
    paused: Decision | None = None
    parallel: int | None = None
    slots_in_use: int = 0
    runner_id: str | None = None
    host: str | None = None
    checkout: str | None = None
    pid: int | None = None
    since: Time | None = None
    running: tuple[AgentShown, ...] = ()
    was: tuple[str, ...] = ()
    stopped: str | None = None
    drift: str | None = None
    limited_until: Time | None = None
    limited: tuple[str, ...] = ()
    out_of_money: bool = False
    start: str = ""
    """The command that gets a runner going, where this one can be told nothing."""


class NodeAnswer(Struct, frozen=True, gc=False, rename="camel", kw_only=True):
    """Where a node stands, and why: one entry of the status document's `nodes`."""

    id: str
    kind: str
    title: str
    repo: str | None
    status: Status
    detail: str
    ready: bool
    readiness: str
    depends_on: tuple[str, ...]
    unblocks: int
    stance: Stance | None
    stance_why: str
    waits_on: tuple[WaitsOn, ...]
    claim: ClaimShown | None
    approvable: bool
    approved_for_agents: Decision | None
    expedited: Decision | None
    cloud: Decision | None
    assignee: str | None
    merge: str | None
    launch: Launch | None
    prs: tuple[PullShown, ...]
    steps: tuple[StepShown, ...]
    attempts: int
    spent_usd: float | None
    url: str | None
    review: ReviewShown | None = None
    root_blocker: WaitsOn | None = None
    resume: str | None = None
    """The way back into the session of the agent that this need comes from, where there is one."""


class PlanAnswer(Struct, frozen=True, rename="camel", kw_only=True):
    """The status document of a plan. `runner` is the first of its `runners` on this machine."""

    plan: str
    title: str
    at: Time
    archived: bool
    done: int
    total: int
    spent_usd: float | None
    spent_at_least: bool
    """Whether some attempt ended without saying what it cost."""
    attempts: int
    lead: Decision | None
    runner: RunnerShown
    runners: tuple[RunnerShown, ...]
    nodes: tuple[NodeAnswer, ...]


class Need(Struct, frozen=True, rename="camel", kw_only=True):
    """Something a person owes: what it holds up, since when, and what settles it (a command or a link).

    `resume` goes back into the session of the agent that it comes from, where that is over and was on this machine.
    """

    plan: str
    node: str | None
    kind: NeedKind
    why: str
    holds: int
    since: Time | None
    action: str
    resume: str | None = None


class Answers(Struct, kw_only=True):
    """Everything derived at one moment.

    `ready` lists (plan, node) of the ready nodes, the one that unblocks most first. `until` is the first moment at
    which an answer may change with no new event (a lease runs out), None when there is none.
    """

    at: Time
    plans: dict[str, PlanAnswer]
    by_ref: dict[str, NodeAnswer]
    """Every node's answer by `PLAN/NODE`."""
    ready: tuple[tuple[str, NodeAnswer], ...]
    needs: tuple[Need, ...]
    until: Time | None
