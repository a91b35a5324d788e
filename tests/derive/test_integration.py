"""“Merge when ready”, as the whole table: every kind in every combination of what git and the evidence can show."""

from __future__ import annotations

import itertools

import pytest

from stoat.derive.integration import (
    Elsewhere,
    Finish,
    Mergeable,
    NeverCommitted,
    Proof,
    Red,
    Running,
    StepsOpen,
    ToVerify,
    Tree,
    Uncommitted,
    Unusable,
    Verified,
    finish,
    proof,
    unproved_steps,
)
from stoat.plan.evidence import Evidence
from stoat.plan.nodes import CHANGE, GATE, SLICE, Node, Step
from stoat.plan.state import Mark, NodeState

HEAD = "c" * 40
OTHER = "d" * 40


def run_of(step: str = "", *, state: str = "passed", commit: str = HEAD, after: str = HEAD, dirty: bool | None = False,
           command: tuple[str, ...] = ("make", "test"), source: str = "exec") -> Evidence:  # fmt: skip
    return Evidence(
        run="r-1", source=source, state=state, at="2026-11-30T10:00:00.000Z", by="x", seq=1, step=step or None,
        commit=commit, commit_after=after, dirty=dirty, command=command,
    )  # fmt: skip


def node_of(kind: str, *, steps: tuple[Step, ...] = (), evidence: tuple[Evidence, ...] = ()) -> NodeState:
    return NodeState(
        spec=Node(id="n", kind=kind, steps=steps), added=Mark("ada", "2026-11-30T09:00:00.000Z"),
        evidence={run.step or "": run for run in evidence},
    )  # fmt: skip


TREES: dict[str, Tree | None] = {
    "none": None,
    "in trouble": Tree(head=HEAD, commits=1, trouble="a rebase was left in progress"),
    "dirty, no commits": Tree(head=HEAD, commits=0, dirty=("a.txt",)),
    "dirty, commits": Tree(head=HEAD, commits=2, dirty=("a.txt",)),
    "clean, no commits": Tree(head=HEAD, commits=0),
    "clean, commits": Tree(head=HEAD, commits=2),
    "clean, git cannot tell": Tree(head=HEAD, commits=None),
}


def expected(kind: str, tree: str, running: bool, proof: Proof, proved: bool) -> Finish:
    """The table of docs/runner.md, “Merge when ready”, written down once more in its own order."""
    if running:
        return Running()
    match tree:
        case "none":
            return Elsewhere()
        case "in trouble":
            return Unusable("a rebase was left in progress")
        case "dirty, no commits" | "dirty, commits":
            return Uncommitted(("a.txt",))
        case "clean, no commits":
            return Verified() if kind == GATE or (kind == SLICE and proved) else NeverCommitted()
    if proof == "needed":
        return ToVerify(HEAD)
    if proof == "failed":
        return Red(HEAD)
    return Mergeable(HEAD, 2 if tree == "clean, commits" else None)


@pytest.mark.parametrize(
    ("kind", "tree", "running", "proof", "proved"),
    list(
        itertools.product(
            (CHANGE, GATE, SLICE), TREES, (False, True), ("none", "needed", "passed", "failed"), (False, True)
        )
    ),
)
def test_the_table(kind: str, tree: str, running: bool, proof: Proof, proved: bool) -> None:
    node = node_of(kind, evidence=(run_of(),) if proved else ())
    assert finish(node, TREES[tree], running=running, proof=proof) == expected(kind, tree, running, proof, proved)


@pytest.mark.parametrize(
    "weak",
    [
        run_of(state="failed"),
        run_of(state="timed-out"),
        run_of(commit=OTHER, after=OTHER),
        run_of(commit=OTHER),
        run_of(after=OTHER),
        run_of(dirty=True),
        run_of(dirty=None),
        run_of(source="junit"),
    ],
    ids=["red", "timed out", "another commit", "began elsewhere", "ended elsewhere", "dirty", "unknown", "a report"],
)
def test_a_slice_without_commits_needs_every_deciding_run_on_its_very_commit(weak: Evidence) -> None:
    clean = Tree(head=HEAD, commits=0)
    assert finish(node_of(SLICE, evidence=(weak,)), clean, running=False) == NeverCommitted()


def test_one_weak_run_beside_a_good_one_is_not_enough_for_a_slice() -> None:
    node = node_of(SLICE, evidence=(run_of("a"), run_of("b", commit=OTHER, after=OTHER)))
    assert finish(node, Tree(head=HEAD, commits=0), running=False) == NeverCommitted()


def test_a_change_is_mergeable_once_all_its_steps_passed_on_exactly_its_commit() -> None:
    steps = (Step(id="lint", run="make lint"), Step(id="test", run="make test"))
    tree = Tree(head=HEAD, commits=1)
    lint, test = run_of("lint", command=("make", "lint")), run_of("test")
    assert finish(node_of(CHANGE, steps=steps), tree, running=False) == StepsOpen(("lint", "test"))
    assert finish(node_of(CHANGE, steps=steps, evidence=(lint,)), tree, running=False) == StepsOpen(("test",))
    assert finish(node_of(CHANGE, steps=steps, evidence=(lint, test)), tree, running=False) == Mergeable(HEAD, 1)


def test_a_step_that_ran_another_command_is_not_proved() -> None:
    node = node_of(CHANGE, steps=(Step(id="t", run="make test"),), evidence=(run_of("t", command=("true",)),))
    assert unproved_steps(node, HEAD) == ("t",)


def test_a_step_is_proved_by_a_report_and_by_a_command_that_nobody_declared() -> None:
    report = run_of("t", source="junit", command=())
    reported = node_of(CHANGE, steps=(Step(id="t", run="make test"),), evidence=(report,))
    free = node_of(CHANGE, steps=(Step(id="t"),), evidence=(run_of("t", command=("anything",)),))
    assert unproved_steps(reported, HEAD) == unproved_steps(free, HEAD) == ()


RECORDED = {
    None: (),
    "passed": (run_of(command=("make", "check")),),
    "another command": (run_of(command=("true",)),),
    "another commit": (run_of(command=("make", "check"), commit=OTHER, after=OTHER),),
    "red": (run_of(state="failed", command=("make", "check")),),
}


@pytest.mark.parametrize(
    ("kind", "command", "verified", "recorded"),
    list(itertools.product((SLICE, GATE, CHANGE), ((), ("make", "check")), (None, True, False), RECORDED)),
)
def test_what_the_verification_says(
    kind: str, command: tuple[str, ...], verified: bool | None, recorded: str | None
) -> None:
    found = proof(node_of(kind, evidence=RECORDED[recorded]), HEAD, command, verified)
    if not command or kind == CHANGE:
        assert found == "none"
    elif verified is not None:
        assert found == ("passed" if verified else "failed")
    else:
        assert found == ("passed" if recorded == "passed" else "needed")
