"""“Merge when ready” is checked, not assumed: what a finished node's branch is, from what git shows of it.

The rules in their order are `finish`; the first that applies decides. Nothing here merges anything.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

from msgspec import Struct

from stoat.derive import rounds
from stoat.derive.rounds import Round
from stoat.plan.evidence import EXEC, Evidence
from stoat.plan.nodes import CHANGE, GATE, SLICE, Step
from stoat.plan.state import NodeState

Proof = Literal["none", "needed", "passed", "failed"]
"""What `--verify-command` says of the branch's commit; none: there is no such command for the node."""


class Tree(Struct, frozen=True, kw_only=True):
    """What git shows of a node's worktree: its commit, what is not committed, what is in the way.

    `commits` counts those beyond the base that the worktree was cut from, None where git cannot tell. `trouble` is a
    state in which the tree cannot be judged (a rebase left in progress, another branch checked out).
    """

    head: str
    commits: int | None
    dirty: tuple[str, ...] = ()
    trouble: str | None = None


class Running(Struct, frozen=True):
    """The agent still works: a green run in its middle may be of code that is not committed."""


class Elsewhere(Struct, frozen=True):
    """There is no worktree of the node: it was done outside this run, and nothing here is to be merged."""


class Unusable(Struct, frozen=True):
    """The worktree is in a state that only a person can end."""

    why: str


class Uncommitted(Struct, frozen=True):
    """Not mergeable until these files are committed or discarded."""

    files: tuple[str, ...]


class NeverCommitted(Struct, frozen=True):
    """The node is green and its branch has nothing new: what was green never reached the branch."""


class Verified(Struct, frozen=True):
    """Done, with nothing to land."""


class StepsOpen(Struct, frozen=True):
    """A change whose steps have not all passed on exactly the branch's commit: those ids."""

    steps: tuple[str, ...]


class ToVerify(Struct, frozen=True):
    """Mergeable once the verification passed on this commit."""

    commit: str


class Red(Struct, frozen=True):
    """The verification failed on this commit."""

    commit: str


class Mergeable(Struct, frozen=True):
    """Committed work on a clean tree, verified where that was asked for."""

    commit: str
    commits: int | None


Finish = (
    Running | Elsewhere | Unusable | Uncommitted | NeverCommitted | Verified | StepsOpen | ToVerify | Red | Mergeable
)


def finish(node: NodeState, tree: Tree | None, *, running: bool, proof: Proof = "none") -> Finish:
    """What a node's branch is, once its agent is through (`running`: it is not). `tree` is None without a worktree."""
    kind = node.spec.kind
    if running:
        return Running()
    if tree is None:
        return Elsewhere()
    if tree.trouble is not None:
        return Unusable(tree.trouble)
    if tree.dirty:
        return Uncommitted(tree.dirty)
    if tree.commits == 0:
        verified = kind == GATE or (kind == SLICE and proved_by_exec(node, tree.head))
        return Verified() if verified else NeverCommitted()
    if kind == CHANGE:
        unproved = unproved_steps(node, tree.head)
        if unproved:
            return StepsOpen(unproved)
    if proof == "needed":
        return ToVerify(tree.head)
    if proof == "failed":
        return Red(tree.head)
    return Mergeable(tree.head, tree.commits)


def unproved_steps(node: NodeState, commit: str) -> tuple[str, ...]:
    """The declared steps whose own command, with all its units, has no clean pass on exactly that commit, in their
    order."""
    return tuple(step.id for step in node.spec.steps if not _proved(step, rounds.counting(node, step.id), commit))


def _proved(step: Step, of: Round, commit: str) -> bool:
    return rounds.passed(step, of) and all(proves(run, commit) for run in of.deciding)


def of_another_command(node: NodeState, steps: Sequence[str]) -> tuple[tuple[Step, Evidence], ...]:
    """Those of the steps, by their ids, whose newest run passed and was of another command, or in another directory;
    with that run."""
    found = []
    for step in node.spec.steps:
        of = rounds.counting(node, step.id)
        green = of.red is None and not of.open
        if step.id in steps and green and of.word is not None and not rounds.as_declared(step, of.word):
            found.append((step, of.word))
    return tuple(found)


def proof(node: NodeState, head: str, command: Sequence[str], verified: bool | None) -> Proof:
    """What the verification says of commit `head`: `command` is what it would run (empty: there is none).

    `verified` is how this run's own verification of that commit ended; else one on record counts, if it passed.
    """
    if not command or node.spec.kind not in (SLICE, GATE):
        return "none"
    if verified is not None:
        return "passed" if verified else "failed"
    recorded = node.evidence.get("")
    ran = recorded is not None and recorded.command == tuple(command)
    return "passed" if ran and proves(recorded, head) else "needed"


def proved_by_exec(node: NodeState, commit: str) -> bool:
    """Whether every recorded `gate exec` run that decides the slice passed on that commit, and there is one.

    Runs read from a file name no commit of their own making; each spec that only such a run vouches for is no proof.
    """
    runs = [one for one in node.evidence.values() if one.source == EXEC]
    return bool(runs) and all(proves(one, commit) for one in runs)


def proves(evidence: Evidence | None, commit: str) -> bool:
    """Whether a run is a clean pass that began and ended on exactly that commit."""
    return (
        evidence is not None
        and evidence.state == "passed"
        and evidence.commit == commit == evidence.commit_after
        and evidence.dirty is False
    )
