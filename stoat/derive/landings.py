"""Work that may be on its branch with no landing on record: by a runner's attempt, or by hand on `stoat/PLAN/NODE`.

`expected` says whose landing would be news wherever git shows it; `by_hand` which of the work that no runner began a
runner lands by itself, once `integration.finish` finds it complete:

| a change that no attempt of a runner is on          | is landed                                     |
|-----------------------------------------------------|-----------------------------------------------|
| held by somebody, a run of it going, a question open | no                                           |
| every step passed since it was last restarted       | yes                                           |
| steps that have not all passed                      | no                                            |
| without steps, nobody's claim on record, not restarted | yes: whoever had it gave it back           |
| without steps, after a lapsed claim or a restart    | no: nobody said that it is finished           |
"""

from __future__ import annotations

from collections.abc import Container

from msgspec import Struct

from stoat.derive import rounds
from stoat.derive.answers import NodeAnswer, PlanAnswer
from stoat.plan.ids import node_branch
from stoat.plan.nodes import CHANGE, ISSUE, REVIEW
from stoat.plan.state import NodeState, PlanState

NEVER_LANDED = frozenset({ISSUE, REVIEW})
"""Kinds whose work no runner brings onto a branch."""


class Expected(Struct, frozen=True):
    """The branch that a node's work is on, and the commit it began at (None: git is asked).

    `before` is the commit of an earlier landing: found again, it is no news.
    """

    branch: str
    base: str | None = None
    before: str | None = None


def awaited(node: NodeState) -> bool:
    """Whether a runner's attempt finished the node's work and no landing of it is on record.

    An issue's work is landed by nobody here: its pull request is merged on GitHub (`upstream.py`). A review has none.
    """
    attempt = node.current_attempt
    if node.spec.kind in NEVER_LANDED:
        return False
    return attempt is not None and attempt.outcome == "done" and node.current_landing is None


def expected(plan: str, node: NodeState) -> Expected | None:
    """Where the node's work would be found; None where a landing is on record, or nothing was to land yet.

    A change may be finished and merged by anybody, unless an attempt on it is still to be judged. A base is only known
    of an attempt that was judged done: any other may have left nothing on its branch.
    """
    attempt, before = node.current_attempt, node.landing.commit if node.landing is not None else None
    if attempt is not None and awaited(node):
        return Expected(attempt.branch, attempt.base, before)
    if node.spec.kind != CHANGE or node.current_landing is not None:
        return None
    if attempt is not None and attempt.outcome is None:
        return None
    return Expected(attempt.branch if attempt is not None else node_branch(plan, node.spec.id), None, before)


def by_hand(node: NodeState, shown: NodeAnswer) -> bool:
    """Whether a runner may look at the node's branch as finished work that no runner began: see the module."""
    if node.spec.kind != CHANGE or node.current_attempt is not None or node.current_landing is not None:
        return False
    if shown.claim is not None or shown.status == "running" or node.open_questions:
        return False
    if node.spec.steps:
        runs = [rounds.counting(node, step.id).finished for step in node.spec.steps]
        return all(of and all(run.order > node.restarted_seq for run in of) for of in runs)
    return node.claim is None and node.restarted is None


def finished(node: NodeState, shown: NodeAnswer) -> bool:
    """Whether an attempt's work is complete and nothing of it is on record as landed: it is to be seen through."""
    attempt = node.current_attempt
    if attempt is None or attempt.outcome is None or node.current_landing is not None or node.spec.kind in NEVER_LANDED:
        return False
    return attempt.outcome == "done" if node.spec.kind == CHANGE else shown.status == "done"


def pending(plan: PlanState, node: NodeState) -> bool:
    """Whether an attempt on the node is not judged, or finished work of one has still to land on the plan's branch or
    to be got out of a worktree that cannot be used."""
    attempt = node.attempt
    if attempt is None or attempt.outcome is None:
        return attempt is not None
    return awaited(node) and (plan.header.branch is not None or node.stuck is not None)


def unlanded(plan: PlanState, answer: PlanAnswer, alone: Container[str]) -> frozenset[str]:
    """The done nodes, worked by an attempt, whose work is not on the plan's branch; without those left `alone`, and
    without issues and reviews."""
    if plan.header.branch is None:
        return frozenset()
    states = ((shown, plan.nodes[shown.id]) for shown in answer.nodes if shown.id not in alone)
    return frozenset(
        shown.id
        for shown, node in states
        if shown.status == "done" and node.attempt is not None and node.current_landing is None
        if node.spec.kind not in NEVER_LANDED
    )


def follows(node: NodeState, *, ours: bool, busy: bool, troubled: bool) -> bool:
    """Whether the landing of a done node that has not landed will come by itself, from this very run.

    `ours`: its attempt is this run's to judge · `busy`: its agent or verification still runs · `troubled`: a landing
    was tried, or its branch looked at, and a person has to do something.
    """
    return busy or (ours and not troubled and node.current_attempt is not None)
