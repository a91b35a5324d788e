"""A runner's attempts on a node: launched, exited, judged, given up; and what they cost."""

from __future__ import annotations

from typing import Literal

from msgspec.structs import replace

from stoat.plan.events.base import NodeEvent
from stoat.plan.state import Attempt, Mark, PlanState, Stuck

Outcome = Literal["done", "failed", "nothing", "given-back", "lost"]
"""done: the evidence says so · failed: it says no · nothing: the agent left nothing to judge · given-back: it does not
count against the node · lost: the agent vanished without a result."""
GOT_NOWHERE: frozenset[Outcome] = frozenset({"failed", "nothing", "lost"})
"""The outcomes that use up one of a node's attempts."""


class AttemptStarted(NodeEvent, tag="attempt_started", frozen=True):
    """A runner is about to start an agent: appended before the process exists, so that no agent is ever unknown.

    `base` is the commit its worktree stands on, `base_ref` the name that was cut from.
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
    """The attempt's process is gone; its exit code where it is known. It moves no status."""

    attempt: int
    exit_code: int | None = None
    seconds: float | None = None

    def fold(self, plan: PlanState) -> None:
        """Note when it went."""
        attempt = plan.nodes[self.node].attempt
        if attempt is not None and attempt.number == self.attempt:
            plan.change(self.node, attempt=replace(attempt, exited_at=self.at, exit_code=self.exit_code))


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
    """What an agent says it cost, in US dollars."""

    usd: float
    turns: int = 0
    session: str | None = None

    def fold(self, plan: PlanState) -> None:
        """Add it up, for the node and the plan."""
        node = plan.nodes[self.node]
        plan.spent_usd = (plan.spent_usd or 0.0) + self.usd
        plan.change(self.node, spent_usd=(node.spent_usd or 0.0) + self.usd, turns=node.turns + self.turns)
