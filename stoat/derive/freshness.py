"""Whether a pass still counts, and whether it proves as much as a clean one; the same for gates and slices.

| what                                                                     | then                            |
|--------------------------------------------------------------------------|---------------------------------|
| a person asked for it to be verified again, after the oldest run began   | stale                           |
| `reverify: on-branch-change`, and the branch moved after the oldest run  | stale, unless it was of the tip |
| began                                                                    |                                 |
| the tree was dirty, its commit moved during the run, its branch had left | done, but stale while something |
| that commit before the run began, or a slice's specs were green on       | undone waits on the node        |
| different commits                                                        |                                 |
| none of these                                                            | done                            |

The branch is the plan's, in the node's own repository where its tip there is known. It had left a commit that was seen
as its tip before; or the checkout's own branch was behind the remote one that it follows.
"""

from __future__ import annotations

from collections.abc import Sequence

from msgspec import Struct
from msgspec.structs import replace

from stoat.derive.answers import StepShown
from stoat.derive.verdict import Verdict
from stoat.derive.wording import status
from stoat.plan.evidence import Evidence, SpecResult
from stoat.plan.nodes import repository_of
from stoat.plan.state import NodeState, PlanState


class Proof(Struct, frozen=True):
    """One run or spec that a pass rests on: its name, when it began in the log, and what it ran on."""

    name: str
    began: int
    commit: str | None
    dirty: bool
    moved: bool
    behind: str | None = None
    """The branch whose remote one was ahead of what it ran on."""

    @classmethod
    def of_run(cls, run: Evidence) -> Proof:
        """A run of a step or of the whole gate."""
        moved = run.commit is not None and run.commit_after is not None and run.commit != run.commit_after
        commit, behind = run.commit_after or run.commit, run.branch if run.behind else None
        return cls(run.step or "", run.order, commit, run.dirty is True, moved, behind)

    @classmethod
    def of_spec(cls, name: str, spec: SpecResult) -> Proof:
        """The newest word on a spec."""
        behind = spec.branch if spec.behind else None
        return cls(name, spec.began or spec.seq, spec.commit, spec.dirty is True, False, behind)


class _Branch(Struct, frozen=True):
    """Where the plan's branch is, when it moved there, and which commits it was at before, with when it left them."""

    tip: str | None
    moved: int
    left: dict[str, int]


def passed(
    node: NodeState, plan: PlanState, proofs: Sequence[Proof], detail: str, steps: tuple[StepShown, ...] = (), *,
    together: bool = False,
) -> Verdict:  # fmt: skip
    """What a complete pass is worth now: done, stale, or done as long as nothing waits on it.

    `together`: it proves a commit only where all of it ran on one.
    """
    branch = _branch(node, plan)
    why, outdated = _outdated(node, plan, branch, proofs)
    if why:
        owed = _names(outdated)
        shown = [
            replace(step, state="pending", detail=status.again(step.detail)) if step.id in owed else step
            for step in steps
        ]
        return Verdict("stale", status.stale(why, owed), tuple(shown))
    remark = _lesser(plan, branch, proofs, together)
    if not remark:
        return Verdict("done", detail, steps)
    return Verdict(
        "done",
        status.with_remark(detail, remark),
        steps,
        weaker=Verdict("stale", status.still_waited_on(remark), steps),
    )


def _branch(node: NodeState, plan: PlanState) -> _Branch:
    where = (repository_of(plan.header, node.spec) or "").lower()
    if where in plan.moved_seqs:
        return _Branch(plan.branch_tips.get(where), plan.moved_seqs[where], plan.left_tips.get(where, {}))
    left = {commit: seq for tips in plan.left_tips.values() for commit, seq in tips.items()}
    return _Branch(plan.branch_tip, plan.moved_seq, left)


def _outdated(
    node: NodeState, plan: PlanState, branch: _Branch, proofs: Sequence[Proof]
) -> tuple[str, Sequence[Proof]]:
    oldest = min(proof.began for proof in proofs)
    if node.reverify_seq > oldest:
        return status.reverify_asked(node.reverify_asked), [p for p in proofs if p.began < node.reverify_seq]
    if node.spec.reverify is not None and branch.moved > oldest:
        behind = [p for p in proofs if p.began < branch.moved and (branch.tip is None or p.commit != branch.tip)]
        if behind:
            return status.branch_moved(plan.header.branch), behind
    return "", ()


def _lesser(plan: PlanState, branch: _Branch, proofs: Sequence[Proof], together: bool) -> str:
    """Why a pass proves less than a clean one; empty when it does not."""
    dirty = [proof for proof in proofs if proof.dirty]
    if dirty:
        return status.dirty(_names(dirty))
    moved = [proof for proof in proofs if proof.moved]
    if moved:
        return status.moved(_names(moved))
    behind = [
        proof
        for proof in proofs
        if proof.commit not in (None, branch.tip) and branch.left.get(proof.commit or "", proof.began) < proof.began
    ]
    if behind:
        return status.behind(_names(behind), plan.header.branch)
    old = [proof for proof in proofs if proof.behind is not None]
    if old:
        return status.behind_remote(_names(old), old[0].behind or "")
    commits = sorted({proof.commit for proof in proofs if proof.commit is not None})
    return status.apart([commit[:7] for commit in commits]) if together and len(commits) > 1 else ""


def _names(proofs: Sequence[Proof]) -> list[str]:
    return list(dict.fromkeys(proof.name for proof in proofs if proof.name))
