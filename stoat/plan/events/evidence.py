"""Runs of gates and specs: what was executed, on which commit, and how it ended."""

from __future__ import annotations

from typing import Literal

from msgspec import Struct

from stoat.clock import Time
from stoat.plan.events.base import NodeEvent
from stoat.plan.state import Evidence, PlanState, SpecResult


class Tree(Struct, frozen=True, omit_defaults=True):
    """Where something ran: commit and cleanliness, None for what could not be told (no repository, no git)."""

    commit: str | None = None
    branch: str | None = None
    dirty: bool | None = None


class GateStarted(NodeEvent, tag="gate_started", frozen=True):
    """A command began under `stoat gate`, as the whole gate (`step` None) or as one of its steps.

    `limit` is its timeout in seconds; `process` the key of the wrapper's process, by which a run that never ended can
    be told from one that goes on.
    """

    run: str
    command: tuple[str, ...]
    machine: str
    step: str | None = None
    cwd: str | None = None
    limit: float | None = None
    process: str | None = None
    tree: Tree = Tree()

    def fold(self, plan: PlanState) -> None:
        """Note the run as going."""
        node = plan.nodes[self.node]
        going = Evidence(
            run=self.run, source="exec", state="running", at=self.at, by=self.by.name, seq=plan.seq, step=self.step,
            command=self.command, started=self.at, limit=self.limit, commit=self.tree.commit, dirty=self.tree.dirty,
            branch=self.tree.branch, machine=self.machine, process=self.process, session=self.by.session,
        )  # fmt: skip
        plan.change(self.node, running={**node.running, self.run: going})


class GateFinished(NodeEvent, tag="gate_finished", frozen=True):
    """A command under `stoat gate` ended. `seconds` is how long it took; `timed_out` that Stoat killed it at `limit`.

    `dirty` in either tree means the result is of more than the commit.
    """

    run: str
    command: tuple[str, ...]
    machine: str
    exit_code: int
    seconds: float
    step: str | None = None
    signal: str | None = None
    timed_out: bool = False
    limit: float | None = None
    started: Time | None = None
    before: Tree = Tree()
    after: Tree = Tree()

    def fold(self, plan: PlanState) -> None:
        """The newest run of its step decides the step."""
        node = plan.nodes[self.node]
        passed = self.exit_code == 0 and not self.timed_out
        ended = Evidence(
            run=self.run, source="exec", state="timed-out" if self.timed_out else "passed" if passed else "failed",
            at=self.at, by=self.by.name, seq=plan.seq, step=self.step, command=self.command, exit_code=self.exit_code,
            signal=self.signal, started=self.started, seconds=self.seconds, limit=self.limit, commit=self.before.commit,
            commit_after=self.after.commit, dirty=_either(self.before.dirty, self.after.dirty),
            branch=self.after.branch or self.before.branch, machine=self.machine, session=self.by.session,
        )  # fmt: skip
        going = {run: one for run, one in node.running.items() if run != self.run}
        plan.change(self.node, running=going, evidence={**node.evidence, self.step or "": ended})


class RunRecorded(NodeEvent, tag="run_recorded", frozen=True):
    """A test run's results were read from a file or a stream: its counts, and which specs passed and failed.

    `specs_passed` and `specs_failed` name `{Feature}/{Scenario}`; `source` the format it came in.
    """

    run: str
    source: str
    state: Literal["passed", "failed"]
    machine: str
    step: str | None = None
    passed: int = 0
    failed: int = 0
    skipped: int = 0
    seconds: float | None = None
    specs_passed: tuple[str, ...] = ()
    specs_failed: tuple[str, ...] = ()
    tree: Tree = Tree()

    def fold(self, plan: PlanState) -> None:
        """The run decides its step, and each spec that it names."""
        node = plan.nodes[self.node]
        seen = Evidence(
            run=self.run, source=self.source, state=self.state, at=self.at, by=self.by.name, seq=plan.seq,
            step=self.step, seconds=self.seconds, commit=self.tree.commit, commit_after=self.tree.commit,
            dirty=self.tree.dirty, branch=self.tree.branch, machine=self.machine, session=self.by.session,
            passed=self.passed, failed=self.failed, skipped=self.skipped,
        )  # fmt: skip
        specs = dict(node.specs)
        for names, green in ((self.specs_passed, True), (self.specs_failed, False)):
            for name in names:
                specs[name] = SpecResult(
                    green, self.run, plan.seq, self.at, self.tree.commit, self.tree.dirty, self.source
                )
        plan.change(self.node, specs=specs, evidence={**node.evidence, self.step or "": seen})


def _either(before: bool | None, after: bool | None) -> bool | None:
    """Dirty at either end is dirty; clean needs both ends seen clean."""
    if before or after:
        return True
    return None if before is None or after is None else False
