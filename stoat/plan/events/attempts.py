"""A runner's attempts on a node: launched, exited, judged, given up; and what they cost."""

from __future__ import annotations

from typing import Literal

from msgspec.structs import replace

from stoat.clock import Time
from stoat.plan.events.base import NodeEvent
from stoat.plan.state import Attempt, Limited, LimitKind, Mark, PlanState, Stuck

Outcome = Literal["done", "failed", "nothing", "given-back", "lost", "limited"]
"""done: the evidence says so · failed: it says no · nothing: the agent left nothing to judge · given-back: it does not
count against the node · lost: the agent vanished without a result · limited: its account had no quota left, which does
not count either."""
GOT_NOWHERE: frozenset[Outcome] = frozenset({"failed", "nothing", "lost"})
"""The outcomes that use up one of a node's attempts."""


class AttemptStarted(NodeEvent, tag="attempt_started", frozen=True):
    """A runner is about to start an agent: appended before the process exists, so that no agent is ever unknown.

    `base` is the commit its worktree stands on, `base_ref` the name that was cut from. `output` is the file that takes
    what the agent's tool says for programs, `log` what it says for people, from byte `log_from` on. `resumes` says that
    `session` is an earlier attempt's, which goes on.
    """

    attempt: int
    claim: str
    runner: str
    machine: str
    launcher: str
    worktree: str
    branch: str
    base: str
    base_ref: str
    log: str
    model: str | None = None
    session: str | None = None
    output: str | None = None
    log_from: int = 0
    resumes: bool = False

    def fold(self, plan: PlanState) -> None:
        """It is the node's attempt now."""
        node = plan.nodes[self.node]
        plan.attempts += 1
        plan.change(
            self.node,
            attempts=node.attempts + 1,
            parked=None,
            stuck=None,
            attempt=Attempt(
                number=self.attempt, claim=self.claim, started=self.at, runner=self.runner, machine=self.machine,
                launcher=self.launcher, worktree=self.worktree, branch=self.branch, base=self.base,
                base_ref=self.base_ref, log=self.log, seq=plan.seq, model=self.model, session=self.session,
                output=self.output, log_from=self.log_from, resumes=self.resumes,
            ),
        )  # fmt: skip


class AgentSpawned(NodeEvent, tag="agent_spawned", frozen=True):
    """The attempt's process exists; `process` is its key (machine, boot, pid, start time)."""

    attempt: int
    process: str

    def fold(self, plan: PlanState) -> None:
        """Remember whom to watch."""
        attempt = plan.nodes[self.node].attempt
        if attempt is not None and attempt.number == self.attempt:
            plan.change(self.node, attempt=replace(attempt, process=self.process))


class AttemptExited(NodeEvent, tag="attempt_exited", frozen=True):
    """The attempt's process is gone; its exit code where it is known. It moves no status.

    `session` is the one that the tool itself named, where it could not be given one. `unpriced` says that its tool
    tells what an attempt cost, and that this one ended without a word. `cut_off` says that it did not end by itself: it
    was killed, or interrupted, by its exit code or by its tool's own word.
    """

    attempt: int
    exit_code: int | None = None
    seconds: float | None = None
    session: str | None = None
    unpriced: bool = False
    cut_off: bool = False

    def fold(self, plan: PlanState) -> None:
        """Note when it went."""
        attempt = plan.nodes[self.node].attempt
        if attempt is not None and attempt.number == self.attempt:
            session = self.session or attempt.session
            gone = replace(
                attempt, exited_at=self.at, exit_code=self.exit_code, session=session, cut_off=self.cut_off
            )
            plan.change(self.node, attempt=gone)
            if self.unpriced:
                plan.unpriced = plan.unpriced | {session or f"{self.node}#{self.attempt}"}


class AttemptLimited(NodeEvent, tag="attempt_limited", frozen=True):
    """The attempt's agent ran into a limit of its account: the tool's own words, and when it says that it resets.

    `kind` is usage (the account's quota is used up), rate (too many requests just now), overloaded (the service is) or
    spend (money ran out; only a person ends that).
    """

    attempt: int
    kind: LimitKind
    text: str
    resets_at: Time | None = None

    def fold(self, plan: PlanState) -> None:
        """Remember what its agent waits for."""
        attempt = plan.nodes[self.node].attempt
        if attempt is not None and attempt.number == self.attempt:
            limit = Limited(kind=self.kind, text=self.text, at=self.at, resets_at=self.resets_at)
            plan.change(self.node, attempt=replace(attempt, limit=limit))


class AttemptJudged(NodeEvent, tag="attempt_judged", frozen=True):
    """What the evidence said of the attempt, once it had time to show."""

    attempt: int
    outcome: Outcome
    detail: str

    def fold(self, plan: PlanState) -> None:
        """Count it, unless it was given back."""
        node = plan.nodes[self.node]
        judged = node.attempt
        if judged is not None and judged.number == self.attempt:
            judged = replace(judged, outcome=self.outcome, detail=self.detail)
        counts = self.outcome in GOT_NOWHERE
        plan.change(self.node, attempt=judged, tries=node.tries + (1 if counts else 0))


class GaveUp(NodeEvent, tag="gave_up", frozen=True):
    """A runner tries no more, until a person restarts the node."""

    why: str

    def fold(self, plan: PlanState) -> None:
        """Hold the node."""
        plan.change(self.node, gave_up=Mark(self.by.name, self.at, self.why))


class WorktreeParked(NodeEvent, tag="worktree_parked", frozen=True):
    """The node's worktree is in a state that only a person can end; `commands` is what would settle it."""

    why: str
    commands: tuple[str, ...] = ()

    def fold(self, plan: PlanState) -> None:
        """A person is called, until it is used again."""
        plan.change(self.node, stuck=Stuck(why=self.why, at=self.at, commands=self.commands))


class WorktreeFreed(NodeEvent, tag="worktree_freed", frozen=True):
    """The node's worktree was seen in order again, with no new attempt to be made in it."""

    def fold(self, plan: PlanState) -> None:
        """Nobody is called any more."""
        plan.change(self.node, stuck=None)


class CostReported(NodeEvent, tag="cost_reported", frozen=True):
    """What an agent says it cost, in US dollars.

    `session_usd` is what its whole session cost so far, where the tool counts that: it says what attempts cost that
    were killed before they could.
    """

    usd: float
    turns: int = 0
    session: str | None = None
    session_usd: float | None = None

    def fold(self, plan: PlanState) -> None:
        """Add it up, for the node and the plan."""
        node = plan.nodes[self.node]
        if self.session is not None and self.session_usd is not None:
            plan.session_usd = {**plan.session_usd, self.session: self.session_usd}
            plan.unpriced = plan.unpriced - {self.session}
        plan.spent_usd = (plan.spent_usd or 0.0) + self.usd
        plan.change(self.node, spent_usd=(node.spent_usd or 0.0) + self.usd, turns=node.turns + self.turns)
