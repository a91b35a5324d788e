"""What a run knows: `Run`, which stays the same, and `RunState`, which every step takes and returns.

What has to survive the runner is not here but on the ref: claims, attempts, landings.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from stoat.clock import Time
from stoat.derive.answers import Answers, NeedKind, PlanAnswer
from stoat.derive.drift import Told
from stoat.derive.holds import Hold
from stoat.derive.limits import Stop
from stoat.derive.quota import Pause
from stoat.derive.resume import Resume
from stoat.derive.schedule import Offer
from stoat.derive.troubles import Trouble
from stoat.gitstore.work.integration import Integration
from stoat.gitstore.work.worktrees import Project
from stoat.observe.agents import SeenLimit
from stoat.observe.live import Live
from stoat.plan.facts import DriftFact, RunnerFact
from stoat.plan.github import GitHubNow
from stoat.plan.state import PlanState, State
from stoat.processes import Identity, Process, is_alive
from stoat.runner.issues.texts import Texts
from stoat.runner.narration import Narrator
from stoat.runner.options import RunOptions
from stoat.runner.waking import Waker
from stoat.service.session import Session
from stoat.service.sweeper import Sweeper

if TYPE_CHECKING:
    from stoat.runner.cloud.dispatch import Dispatch
    from stoat.runner.drifting import Drifts
    from stoat.runner.issues.filing import Filing

JobKind = Literal["agent", "setup", "verify"]


@dataclass(frozen=True, kw_only=True)
class Job:
    """A process that the run watches: an agent, a worktree's setup, or a verification.

    `process` is None for one that an earlier runner started. `commit` is what a verification verifies, `told` the byte
    up to which an agent's output is in its log.
    """

    kind: JobKind
    node: str
    identity: Identity
    claim: str
    attempt: int
    worktree: Path
    log: Path
    offer: Offer
    process: Process | None = None
    commit: str = ""
    told: int = 0

    def ended(self) -> bool:
        """Whether the process is gone."""
        return (self.process.poll() is not None) if self.process is not None else not is_alive(self.identity)

    def code(self) -> int | None:
        """Its exit code, where it is ours to know."""
        return self.process.poll() if self.process is not None else None


@dataclass(frozen=True)
class Verification:
    """What the verification of a node's commit came to."""

    commit: str
    passed: bool


@dataclass(frozen=True)
class Filed:
    """When a look began that did not find the node's issue, when GitHub was asked for one that it did not make, and the
    moment (monotonic) before which nothing is asked; `waits` says whether the run stays for that.

    `bound` says that the node has its number, and that the run waits for a look at the issue until that moment.
    """

    looked: Time | None = None
    declined: Time | None = None
    not_before: float = 0.0
    waits: bool = False
    bound: bool = False


@dataclass(kw_only=True)
class Interrupts:
    """How often the run was asked to stop by a signal; written by the handler, read by the loop."""

    count: int = 0


@dataclass(frozen=True, kw_only=True)
class Run:
    """The run's fixed surroundings. `stoat` is a program that runs this very Stoat."""

    options: RunOptions
    session: Session
    project: Project
    repo: str | None
    runner_id: str
    machine: str
    narrator: Narrator
    live: Live
    waker: Waker
    sweeper: Sweeper
    texts: Texts
    drifts: Drifts
    filing: Filing
    environ: Mapping[str, str]
    stoat: Path
    interrupts: Interrupts
    monotonic: Callable[[], float]
    started: float
    home: Path
    fact: RunnerFact

    @property
    def plan(self) -> str:
        """The slug of the plan that is worked."""
        return self.options.plan


@dataclass(frozen=True, kw_only=True)
class RunState:
    """Where a run stands between two steps. `answer` is its plan's among the `answers`.

    `last_words` says how a node's attempt before this one was judged. `unlaunchable` are nodes whose setup or launcher
    failed, with their `restarted_seq` then. `left_alone` are nodes that were done before the run began, with
    nothing of a runner's pending. `troubles` are what the run ends with code 1 for, by node (`""`: the run itself).
    `unlanded` are done nodes whose work is not on the plan's branch, `by_hand` changes that somebody finished without a
    runner and that have not landed. `due` is the moment (monotonic) at which
    something is to be looked at again, however quiet it is.
    """

    state: State
    plan: PlanState
    answers: Answers
    answer: PlanAnswer
    now: Time
    github: GitHubNow
    """What was last seen of GitHub, at the latest when `state` was read."""
    jobs: Mapping[str, Job] = field(default_factory=dict)
    verified: Mapping[str, Verification] = field(default_factory=dict)
    statuses: Mapping[str, str] | None = None
    left_alone: frozenset[str] = frozenset()
    unlanded: frozenset[str] = frozenset()
    by_hand: frozenset[str] = frozenset()
    landing_tried: Mapping[str, tuple[str, str]] = field(default_factory=dict)
    """The (commit, tip of the plan's branch) with which a node's landing did not go through."""
    troubles: Mapping[str, Trouble] = field(default_factory=dict)
    stop: Stop | None = None
    stopped_at: Time = ""
    """Since when `stop` holds."""
    called: frozenset[tuple[NeedKind, str | None]] = frozenset()
    """What was called out for a person, by kind and node, and is not settled."""
    launched: int = 0
    failures: int = 0
    spent_before: float = 0.0
    last_spawn: float | None = None
    last_fetch: float | None = None
    last_words: Mapping[str, str] = field(default_factory=dict)
    unlaunchable: Mapping[str, int] = field(default_factory=dict)
    resuming: Mapping[str, Resume] = field(default_factory=dict)
    """The session that the agent of a node goes on in, by node, for those that this run began so."""
    hung: Mapping[str, SeenLimit] = field(default_factory=dict)
    """The limit that a node's agent hung on, until its end is recorded."""
    pause: Pause | None = None
    """What keeps every agent from starting: the account has no quota left."""
    holds: tuple[Hold, ...] = ()
    due: float | None = None
    pending: bool = False
    """Whether something is under way that this run will see through (an attempt to judge, a launch to come)."""
    others: frozenset[str] = frozenset()
    """The ids of other runners that are alive on this machine."""
    integration: Integration | None = None
    brought: frozenset[str] = frozenset()
    """The merge commits of upstream issues that the plan's branch has, at the commit `brought_on`."""
    brought_on: str = ""
    reading: bool = False
    """Whether a launch waits for the text of its issue."""
    asked: Time | None = None
    """When this run last asked for a look at GitHub."""
    dispatches: Mapping[str, Dispatch] = field(default_factory=dict)
    """The dispatchers that hand nodes over to cloud agents."""
    doubted: frozenset[str] = frozenset()
    """Claims of which it is not known whether a cloud agent was told of them."""
    filed: Mapping[str, Filed] = field(default_factory=dict)
    """How far this run is with issues that it creates, by node."""
    drift: DriftFact | None = None
    """How the plan's branch stood to its base when that was last looked at."""
    drift_told: Told = field(default_factory=Told)
    drift_asked: tuple[float, str | None] | None = None
    """When (monotonic) the last look at the drift began, and where the plan's branch was then."""

    def with_trouble(self, node: str, trouble: Trouble) -> RunState:
        """The same with a trouble noted."""
        return replace(self, troubles={**self.troubles, node: trouble})

    def without_trouble(self, node: str) -> RunState:
        """The same with the node's trouble over."""
        return replace(self, troubles={name: why for name, why in self.troubles.items() if name != node})

    def agents(self) -> tuple[Job, ...]:
        """The jobs that take a slot."""
        return tuple(job for job in self.jobs.values() if job.kind != "verify")
