"""Reviews: findings submitted by whoever reviewed, and decided by a person."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Literal

from stoat.clock import Time
from stoat.derive.branches import news
from stoat.errors import Refused, StoatError
from stoat.gitstore.log import Change
from stoat.gitstore.work.tips import standing
from stoat.observe import tree
from stoat.plan import findings, guards, streams
from stoat.plan.events import reviews as rules
from stoat.plan.events.authoring import DependencyAdded, NodeAdded
from stoat.plan.events.base import PlanEvent
from stoat.plan.events.evidence import Tree
from stoat.plan.ids import NodeRef
from stoat.plan.normal import normal_node
from stoat.plan.review import Standing
from stoat.plan.state import NodeState, PlanState, State
from stoat.service import branch_moves
from stoat.service.nodes import check_right
from stoat.service.session import Session, node_of

if TYPE_CHECKING:
    from stoat.derive.review import ReviewListed

LONGEST_WHY = 2000
"""Characters of a reason."""

Decide = Callable[[State, PlanState, NodeState], Sequence[PlanEvent]]


def submit(session: Session, ref: NodeRef, data: bytes) -> ReviewListed:
    """Record the next round of a review, of the checkout that one stands in: `data` is the submission's JSON.

    Anybody with a name may. Invalid with every problem of the submission at once; Refused on another kind of node, and
    where what is checked out is known not to be on the plan's branch.
    """
    drafts = findings.read(data)
    node_of(session.state(), ref)
    seen, repo = tree.tree_of(session.directory), tree.repository_at(session.directory)

    def decide(state: State, plan: PlanState, node: NodeState) -> Sequence[PlanEvent]:
        branch = plan.header.branch or seen.branch
        made = rules.submit(
            plan,
            node,
            drafts,
            branch=branch,
            commit=seen.commit,
            repo=repo,
            standing=_standing(session, plan, node, seen),
        )
        return [made] if made is not None else []

    return _commit(session, ref, decide, f"reviews {ref.node}", sees_branch=True)


def listed(session: Session, ref: NodeRef) -> ReviewListed:
    """A review: its newest round, and every finding with what became of it.

    NotFound without such a node, Refused on another kind of node.
    """
    from stoat.derive.review import listed as shown

    plan, node = node_of(session.state(), ref)
    rules.check_kind(plan, node)
    answer = session.answers().by_ref[str(ref)]
    return shown(plan, node, answer.status, answer.detail)


def accept(
    session: Session, ref: NodeRef, finding: str, why: str | None = None, *, issue: int | None = None
) -> ReviewListed:
    """Accept a finding, as a person: a node that mends it is added, and the review waits for it.

    It is a change, or (`issue`) an issue node bound to that number; it takes its go-ahead like any other.
    """
    from stoat.derive.review import fix_of

    session.person()
    reason = _reason(why)

    def decide(state: State, plan: PlanState, node: NodeState) -> Sequence[PlanEvent]:
        found = rules.may_accept(plan, node, finding)
        if found is None:
            return []
        fix = normal_node(fix_of(plan, node, found, why=reason, issue=issue), ref.plan)
        check_right(state, plan, fix)
        return [
            NodeAdded(node=fix.id, spec=fix),
            DependencyAdded(node=ref.node, on=fix.id),
            rules.FindingAccepted(node=ref.node, finding=found.finding.id, fix=fix.id, why=reason),
        ]

    return _commit(session, ref, decide, f"accepts a finding of {ref.node}")


def reject(session: Session, ref: NodeRef, finding: str, why: str | None) -> ReviewListed:
    """Reject a finding, as a person. Refused without a reason, and while the node that is to mend it is in the plan."""
    session.person()
    reason = _reason(why)
    if reason is None:
        raise Refused(
            "a finding is rejected with the reason: the next reviewer is told it",
            hint=f"stoat review reject {ref} {finding} --why '…'",
        )

    def decide(state: State, plan: PlanState, node: NodeState) -> Sequence[PlanEvent]:
        made = rules.reject(plan, node, finding, reason)
        return [made] if made is not None else []

    return _commit(session, ref, decide, f"rejects a finding of {ref.node}")


def sign_off(session: Session, ref: NodeRef) -> ReviewListed:
    """Take the newest round as the last word, as a person. Refused before there is one, and while a finding is open."""
    session.person()

    def decide(state: State, plan: PlanState, node: NodeState) -> Sequence[PlanEvent]:
        made = rules.sign_off(plan, node)
        return [made] if made is not None else []

    return _commit(session, ref, decide, f"signs {ref.node} off", sees_branch=True)


def _commit(session: Session, ref: NodeRef, decide: Decide, what: str, *, sees_branch: bool = False) -> ReviewListed:
    """Append what is decided; before it (`sees_branch`) where the plan's branch is, which is what was looked at."""
    tips = branch_moves.look(session, [ref.plan]).tips if sees_branch else ()

    def land(state: State, now: Time) -> Change | None:
        plan, node = node_of(state, ref)
        guards.not_archived(plan)
        entries = [(streams.of_plan(ref.plan), event) for event in decide(state, plan, node)]
        return Change([*news(state, tips), *entries], f"{ref.plan}: {session.actor.name} {what}") if entries else None

    session.commit(land)
    return listed(session, ref)


def _standing(session: Session, plan: PlanState, node: NodeState, seen: Tree) -> Standing | Literal["off"] | None:
    """What the checkout's commit is to the plan's branch; None where that cannot be seen."""
    branch = plan.header.branch
    if seen.commit is None:
        return None
    if branch is None:
        return "tip" if seen.branch is not None else None
    recorded = plan.tip_in(tree.repository_at(session.directory))
    known = [recorded] if recorded is not None else []
    try:
        found = standing(session.directory, branch, seen.commit, known, timeout=branch_moves.PATIENCE)
    except (StoatError, OSError):
        return None
    own = node.attempt is not None and node.attempt.branch is not None and node.attempt.branch == seen.branch
    # Its worktree was cut from the branch: what its agent committed there is left behind with it.
    return "beyond" if found == "off" and own else found


def _reason(why: str | None) -> str | None:
    reason = (why or "").strip()
    if len(reason) > LONGEST_WHY:
        raise Refused(f"the reason has {len(reason)} characters", hint=f"at most {LONGEST_WHY}")
    return reason or None
