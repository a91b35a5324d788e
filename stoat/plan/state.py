"""What the events add up to: plans, their nodes, a machine's controls (and `github.py` for repositories).

Everything here is a value. The fold copies what it changes; nobody else changes anything. Nothing here is a status:
a status is derived from this, from facts and from the time.
"""

from __future__ import annotations

from typing import Any, Literal

from msgspec import Struct
from msgspec.structs import replace

from stoat.clock import Time, plus, seconds_between
from stoat.plan import streams
from stoat.plan.creation import Creation
from stoat.plan.evidence import EXEC, Evidence, SpecResult
from stoat.plan.facts import NOTHING, Facts
from stoat.plan.github import GitHubState
from stoat.plan.imported import Imported as Imported
from stoat.plan.nodes import Header, Node
from stoat.plan.reservations import Limits
from stoat.plan.review import Review


class Mark(Struct, frozen=True, omit_defaults=True):
    """That somebody decided something: who, when, and why where a reason was given."""

    by: str
    at: Time
    why: str | None = None


WorkState = Literal["pending", "running", "done", "failed", "skipped"]


class WorkStep(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A step that a node's holder means to take, and its own word for how far that is: it decides nothing.

    `run_tag` names the test runs that show what was seen of it.
    """

    id: str
    title: str
    state: WorkState = "pending"
    run_tag: str | None = None


class Claim(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A lease on a node, by what was recorded of it; whether it runs is `NodeState.lease`.

    `id` is the fence: whoever names another id cannot renew or release it. `where` is `cloud` or None (this machine's
    or unknown). `steps` is what its holder means to do.
    """

    id: str
    holder: str
    since: Time
    renewed_at: Time
    expires_at: Time
    session: str | None = None
    note: str | None = None
    where: str | None = None
    link: str | None = None
    steps: tuple[WorkStep, ...] = ()

    def seen_at(self, now: Time) -> Claim:
        """The same as it looks at `now`: one that a clock ahead of ours stamped is counted from `now`."""
        if self.renewed_at <= now:
            return self
        return replace(self, expires_at=plus(now, seconds_between(self.renewed_at, self.expires_at)))


LimitKind = Literal["usage", "rate", "overloaded", "spend"]
"""What an agent can run out of: its account's quota, requests a minute, a service that answers, money."""


class Limited(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """That an agent ran into a limit of its account: in the tool's words, and when that resets, where it said so."""

    kind: LimitKind
    text: str
    at: Time
    resets_at: Time | None = None


class Attempt(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """One launch of an agent on a node, by a runner. `outcome` is None until it was judged.

    `seq` is its place in the plan's stream: what has a larger one came after it began, whatever the clocks say.
    """

    number: int
    claim: str
    started: Time
    runner: str
    machine: str
    launcher: str
    worktree: str
    branch: str
    base: str
    base_ref: str
    log: str
    seq: int = 0
    model: str | None = None
    session: str | None = None
    process: str | None = None
    exited_at: Time | None = None
    exit_code: int | None = None
    cut_off: bool = False
    outcome: str | None = None
    detail: str | None = None
    output: str | None = None
    log_from: int = 0
    resumes: bool = False
    limit: Limited | None = None


class Landing(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """That a node's work is on a branch: `commit` was the node's, `tip` is where `onto` stood afterwards.

    `how` is rebased, merged, fast-forwarded, nothing (there was nothing to land) or observed (somebody else did it).
    `head` is the commit that carries the work on `onto`; a rebase makes it differ from `commit`.
    """

    branch: str
    commit: str
    onto: str
    tip: str
    how: str
    at: Time
    by: str
    seq: int
    head: str | None = None
    commits: int = 0


class Parked(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """That finished work could not be landed: why, and the files in conflict."""

    why: str
    at: Time
    commit: str
    files: tuple[str, ...] = ()


class Stuck(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """That a node's worktree cannot be used until a person put it right: why, and what would settle it."""

    why: str
    at: Time
    commands: tuple[str, ...] = ()


class Question(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """What an agent asked a person about a node."""

    id: str
    node: str
    question: str
    asked_by: str
    at: Time
    session: str | None = None
    seq: int = 0
    """Its place in the plan's stream."""
    state: Literal["open", "answered", "dismissed"] = "open"
    answer: Mark | None = None
    """Who settled it and when; `why` holds the answer's text."""


class NodeState(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A node and all that was said and seen of it.

    `evidence` has the newest finished run of each step, unit and source by `Evidence.key`, `running` the runs that
    started and did not finish, by run id; those that were lost, too. `places` says where in the stream the newest test
    runs began, by run id: newer ones may have taken their place in `evidence`. `tries` counts the attempts that used
    up the node's allowance since it was last restarted, which was at `restarted_seq`. `cleared_seq` is when the node
    was last written or its go-ahead withdrawn: a go-ahead for the whole plan covers the node only if it came later
    (PlanState.approved_seq).
    """

    spec: Node
    added: Mark
    cleared_seq: int = 0
    go_ahead: Mark | None = None
    expedited: Mark | None = None
    cloud: Mark | None = None
    done: Mark | None = None
    asserted_allowed: Mark | None = None
    partial_accepted: Mark | None = None
    reverify_asked: Mark | None = None
    reverify_seq: int = 0
    restarted: Mark | None = None
    restarted_seq: int = 0
    claim: Claim | None = None
    evidence: dict[str, Evidence] = {}
    running: dict[str, Evidence] = {}
    places: dict[str, int] = {}
    specs: dict[str, SpecResult] = {}
    diagnosed: Mark | None = None
    diagnosed_seq: int = 0
    attempt: Attempt | None = None
    attempts: int = 0
    tries: int = 0
    gave_up: Mark | None = None
    landing: Landing | None = None
    parked: Parked | None = None
    stuck: Stuck | None = None
    spent_usd: float | None = None
    turns: int = 0
    open_questions: int = 0
    review: Review | None = None
    creation: Creation | None = None

    def lease(self, now: Time, facts: Facts = NOTHING) -> Claim | None:
        """The claim that runs on the node at `now`, None when it is free to be taken: the one rule of expiry.

        It is over from `expires_at` on, without anybody writing that down; a stamp from the future is counted from
        `now`. A holder whose agent's process is alive on this machine keeps the node, however old the renewal is.
        """
        claim = self.claim
        if claim is None or now >= claim.expires_at:
            return claim if claim is not None and self._is_worked_here(claim, facts) else None
        return claim.seen_at(now)

    def _is_worked_here(self, claim: Claim, facts: Facts) -> bool:
        attempt = self.attempt
        return (
            attempt is not None
            and attempt.claim == claim.id
            and attempt.machine == facts.machine != ""
            and attempt.outcome is None
            and attempt.exited_at is None
            and attempt.process is not None
            and attempt.process not in facts.dead
        )

    @property
    def current_attempt(self) -> Attempt | None:
        """The last attempt, unless a person restarted the node after it began: then it is history."""
        attempt = self.attempt
        return attempt if attempt is not None and attempt.seq >= self.restarted_seq else None

    @property
    def current_review(self) -> Review | None:
        """The newest round of a review, unless a person restarted the node after it was submitted."""
        review = self.review
        return review if review is not None and review.seq >= self.restarted_seq else None

    @property
    def current_landing(self) -> Landing | None:
        """The last landing, unless it is of an attempt before the last one."""
        landing, attempt = self.landing, self.attempt
        return landing if landing is not None and (attempt is None or landing.seq >= attempt.seq) else None


MOST_TIPS = 200
"""Earlier tips of a branch that are kept: an older one than these proves nothing any more anyway."""


class PlanState(Struct, kw_only=True, omit_defaults=True):
    """A plan: what is written, in plan order, and what happened to it. Never changed outside the fold.

    `seq` counts the stream's events; `moved_seq` and `branch_tip` say when and where its integration branch last moved,
    `branch_tips` where it is in each repository of the plan that a runner works (OWNER/NAME in lower case),
    `moved_seqs` when it last moved there, and `left_tips` the commits that it was at before, with when it left them.
    `imported` has the issues that were taken from GitHub, as they were then, by OWNER/NAME#N. `session_usd` is what an
    agent's session cost so far, by its id; `unpriced` are sessions (or NODE#ATTEMPT) of which something is not known.
    """

    header: Header
    created: Mark
    nodes: dict[str, NodeState] = {}
    questions: dict[str, Question] = {}
    archived: Mark | None = None
    paused: Mark | None = None
    approved: Mark | None = None
    approved_seq: int = 0
    lead: Mark | None = None
    seq: int = 0
    moved_seq: int = 0
    branch_tip: str | None = None
    branch_tips: dict[str, str] = {}
    moved_seqs: dict[str, int] = {}
    left_tips: dict[str, dict[str, int]] = {}
    spent_usd: float | None = None
    session_usd: dict[str, float] = {}
    unpriced: frozenset[str] = frozenset()
    attempts: int = 0
    imported: dict[str, Imported] = {}
    creates_issues: Mark | None = None

    @property
    def slug(self) -> str:
        """The plan's identity."""
        return self.header.plan

    @property
    def spent_at_least(self) -> bool:
        """Whether an attempt ended without saying what it cost, so that what was spent is a floor."""
        return bool(self.unpriced)

    def tip_in(self, repo: str | None) -> str | None:
        """Where its integration branch was last seen in a repository (None: one without a name)."""
        return self.branch_tips.get((repo or "").lower())

    def move_branch(self, repo: str | None, tip: str) -> None:
        """Its integration branch moved in a repository. For the fold only."""
        where = (repo or "").lower()
        before = self.branch_tips.get(where)
        if before is not None and before != tip:
            left = {**self.left_tips.get(where, {}), before: self.seq}
            self.left_tips = {**self.left_tips, where: dict(list(left.items())[-MOST_TIPS:])}
        self.moved_seq, self.branch_tip = self.seq, tip
        self.moved_seqs = {**self.moved_seqs, where: self.seq}
        self.branch_tips = {**self.branch_tips, where: tip}

    def change(self, node_id: str, **fields: Any) -> None:
        """Replace fields of a node's state. For the fold only; KeyError when there is no such node."""
        self.nodes[node_id] = replace(self.nodes[node_id], **fields)


class MachineState(Struct, kw_only=True, omit_defaults=True):
    """A machine's controls. `held` keeps every runner on it from new claims; `limits` is what a person set."""

    held: Mark | None = None
    limits: Limits | None = None
    seq: int = 0


class OtherState(Struct, kw_only=True, omit_defaults=True):
    """A stream whose events this version keeps and does not read."""

    seq: int = 0


Part = PlanState | MachineState | GitHubState | OtherState


class State(Struct, frozen=True):
    """All streams folded at one commit."""

    commit: str
    parts: dict[str, Part]

    @property
    def plans(self) -> dict[str, PlanState]:
        """The plans by slug, in the order of their slugs."""
        return {
            part.slug: part
            for stream, part in sorted(self.parts.items())
            if streams.plan_of(stream) is not None and isinstance(part, PlanState)
        }

    def plan(self, slug: str) -> PlanState | None:
        """The plan of that slug, None when the store has none."""
        part = self.parts.get(streams.of_plan(slug))
        return part if isinstance(part, PlanState) else None

    def processes(self) -> frozenset[str]:
        """The keys of the processes that are on record as at work: those of gates' runs and of agents."""
        return frozenset(
            key
            for plan in self.plans.values()
            for node in plan.nodes.values()
            if node.running or node.attempt is not None
            for key in (
                *(run.process for run in node.running.values()),
                node.attempt.process if node.attempt is not None and node.attempt.outcome is None else None,
            )
            if key is not None
        )

    def published(self) -> frozenset[str]:
        """The test runs that are on record as going."""
        return frozenset(
            run.run
            for plan in self.plans.values()
            for node in plan.nodes.values()
            for run in node.running.values()
            if run.source != EXEC and run.state == "running"
        )

    def repositories(self) -> dict[str, GitHubState]:
        """What is on record of each repository, by OWNER/NAME in lower case: GitHub's names know no case."""
        return {
            name.lower(): part
            for stream, part in self.parts.items()
            if (name := streams.repository_of(stream)) is not None and isinstance(part, GitHubState)
        }

    def machine(self, name: str) -> MachineState:
        """The controls of a machine; those of one never heard of are at rest."""
        part = self.parts.get(streams.of_machine(name))
        return part if isinstance(part, MachineState) else MachineState()
