"""Whether a pass still counts, and whether it proves as much as a clean one; the same for gates and slices.

| what                                                                     | then                            |
|--------------------------------------------------------------------------|---------------------------------|
| a person asked for it to be verified again, after the oldest run         | stale                           |
| `reverify: on-branch-change`, and the branch moved after the oldest run  | stale, unless it was of the tip |
| the tree was dirty, or its commit moved during the run                   | done, but stale while something |
|                                                                          | undone waits on the node        |
| none of these                                                            | done                            |
"""

from __future__ import annotations

from collections.abc import Sequence

from msgspec import Struct

from stoat.clock import Time
from stoat.derive.answers import StepShown
from stoat.derive.verdict import Verdict
from stoat.derive.wording import status
from stoat.plan.evidence import Evidence, SpecResult
from stoat.plan.state import NodeState, PlanState


class Proof(Struct, frozen=True):
    """One run or spec that a pass rests on: its name, its place in the log, and what it ran on."""

    name: str
    seq: int
    at: Time
    commit: str | None
    dirty: bool
    moved: bool

    @classmethod
    def of_run(cls, run: Evidence) -> Proof:
        """A run of a step or of the whole gate."""
        moved = run.commit is not None and run.commit_after is not None and run.commit != run.commit_after
        return cls(run.step or "", run.seq, run.at, run.commit_after or run.commit, run.dirty is True, moved)

    @classmethod
    def of_spec(cls, name: str, spec: SpecResult) -> Proof:
        """The newest word on a spec."""
        return cls(name, spec.seq, spec.at, spec.commit, spec.dirty is True, False)


def passed(
    node: NodeState, plan: PlanState, proofs: Sequence[Proof], detail: str, steps: tuple[StepShown, ...] = ()
) -> Verdict:
    """What a complete pass is worth now: done, stale, or done as long as nothing waits on it."""
    why, outdated = _outdated(node, plan, proofs)
    if why:
        return Verdict("stale", status.stale(why, [proof.name for proof in outdated if proof.name]), steps)
    dirty = [proof for proof in proofs if proof.dirty]
    lesser = dirty or [proof for proof in proofs if proof.moved]
    if not lesser:
        return Verdict("done", detail, steps)
    names = [proof.name for proof in lesser if proof.name]
    remark = status.dirty(names) if dirty else status.moved(names)
    return Verdict(
        "done",
        status.with_remark(detail, remark),
        steps,
        weaker=Verdict("stale", status.still_waited_on(remark), steps),
    )


def _outdated(node: NodeState, plan: PlanState, proofs: Sequence[Proof]) -> tuple[str, Sequence[Proof]]:
    oldest = min(proof.seq for proof in proofs)
    if node.reverify_seq > oldest:
        return status.reverify_asked(node.reverify_asked), [p for p in proofs if p.seq < node.reverify_seq]
    if node.spec.reverify is not None and plan.moved_seq > oldest:
        tip = plan.branch_tip
        behind = [p for p in proofs if p.seq < plan.moved_seq and (tip is None or p.commit != tip)]
        if behind:
            return status.branch_moved(plan.header.branch), behind
    return "", ()
