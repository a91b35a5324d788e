"""What was looked at just now rather than read from the log: the runners alive here, the processes known dead,
and of GitHub what changes too often to be recorded.

Facts are gathered by `observe/` and handed to the pure `derive/`, so that an answer depends on nothing else.
"""

from __future__ import annotations

from msgspec import Struct

from stoat.clock import Time
from stoat.plan.github import GitHubNow
from stoat.plan.reservations import Reservation


class HeldBack(Struct, frozen=True):
    """Why a runner does not launch a node that is ready: `resource` where one is full, else `held`; `detail` in words.

    The reason is any text: a runner of a newer version may say one that is not known here, and is read all the same.
    """

    reason: str
    detail: str


class DriftFact(Struct, frozen=True, kw_only=True):
    """How a plan's branch stood to its base when a runner last looked: the commits that it lacks, the files that a
    merge would leave in conflict, and those of the base's commits that touch them (short id and subject).

    `problem` says why nothing could be seen; then the rest says nothing.
    """

    at: Time
    base: str = ""
    behind: int = 0
    conflicts: tuple[str, ...] = ()
    commits: tuple[str, ...] = ()
    problem: str | None = None


class StopFact(Struct, frozen=True):
    """A stop condition that a runner reached (budget, cost, time, failures), in its own unit, and since when.

    The reason is any text, as in `HeldBack`; `derive/runners.stop_of` makes one of ours of it.
    """

    reason: str
    used: float
    limit: float
    at: Time


class RunnerFact(Struct, frozen=True, kw_only=True, rename="camel"):
    """A runner as its live file says it: who, for which plan, from which checkout, and in what state.

    `state` is running, paused, waiting, limited or stopping, else gone (its process is dead) or disconnected (it is
    alive and has said nothing for a while). `repo` is the OWNER/NAME of its checkout, None when the checkout has no
    remote. `running` maps a node id to its attempt number; of one that is gone or disconnected it is empty, and `was`
    has what it was doing.
    """

    runner_id: str
    plan: str
    host: str
    checkout: str
    state: str
    parallel: int
    repo: str | None = None
    running: dict[str, int] = {}
    paused_by: str | None = None
    paused_at: Time | None = None
    since: Time = ""
    reasons: dict[str, HeldBack] = {}
    """Why a node is not launched although it is ready, by node id, as the runner last said it."""
    pid: int | None = None
    was: dict[str, int] = {}
    cloud: str | None = None
    """The launcher with which it hands nodes to cloud agents; None where it hands over none."""
    stopped: StopFact | None = None
    spend: str | None = None
    """In the tool's words, that its account has no money left: only a person ends that."""
    disk: str | None = None
    """Why it starts nothing, in a sentence, when that is for want of disk."""
    integration: str | None = None
    """The worktree in which it lands work on the plan's branch; None where it has none."""
    drift: DriftFact | None = None
    """How its plan's branch stands to the base; None where there is none, or nobody has looked yet."""
    limited_until: Time | None = None
    """When it goes on, while its agents' account has no quota left."""
    limited: tuple[str, ...] = ()
    """The nodes whose agents wait for that."""

    @property
    def is_reachable(self) -> bool:
        """Whether it is there and heard from: only such a one can be told something, or has anything to say."""
        return self.state not in ("gone", "disconnected")


class Facts(Struct, frozen=True, kw_only=True):
    """Everything a derivation may use beside the state and the time.

    `machine` is the name of this machine; `dead` holds the keys of recorded processes that are known to be dead
    here. A process of another machine is never in it: it cannot be seen. `lost` holds the test runs on record as going
    that nobody publishes any more.
    """

    machine: str = ""
    runners: tuple[RunnerFact, ...] = ()
    dead: frozenset[str] = frozenset()
    lost: frozenset[str] = frozenset()
    github: GitHubNow = GitHubNow()
    exclusive: tuple[Reservation, ...] = ()
    """The reservations of this machine by nodes that have it to themselves, or wait for their turn."""
    store: str = ""
    """The path of the store that is derived from, as reservations name it."""


NOTHING = Facts()
