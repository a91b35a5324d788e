"""What a person decided about a node or a plan: the events, and what may be decided about which node.

Each rule gives the event to append, or None when it is decided that way already; Refused says what is in the way. That
it is a person who decides is the service's to see; the one decision open to an agent is turning merge-on-green off.
"""

from __future__ import annotations

from msgspec.structs import replace

from stoat.errors import Refused
from stoat.plan.events.base import NodeEvent, PlanEvent
from stoat.plan.events.creation import may_be_created
from stoat.plan.nodes import CHANGE, FIELDS_OF, GATE, ISSUE, LAUNCHED, MERGES, PERSON, SLICE, MergePolicy
from stoat.plan.state import Mark, NodeState, PlanState


class NodeApproved(NodeEvent, tag="node_approved", frozen=True):
    """A person's go-ahead: agents may start on the node."""

    def fold(self, plan: PlanState) -> None:
        """Mark it approved."""
        plan.change(self.node, go_ahead=Mark(self.by.name, self.at))


class NodeApprovalWithdrawn(NodeEvent, tag="node_approval_withdrawn", frozen=True):
    """The go-ahead is taken back, the node's share of one for the whole plan as well."""

    def fold(self, plan: PlanState) -> None:
        """Forget it."""
        plan.change(self.node, go_ahead=None, cleared_seq=plan.seq)


class PlanApproved(PlanEvent, tag="plan_approved", frozen=True):
    """With `go_ahead: plan`: one go-ahead for the plan's change nodes as they stand now."""

    def fold(self, plan: PlanState) -> None:
        """Mark the plan approved."""
        plan.approved, plan.approved_seq = Mark(self.by.name, self.at), plan.seq


class PlanApprovalWithdrawn(PlanEvent, tag="plan_approval_withdrawn", frozen=True):
    """The plan's go-ahead is taken back."""

    def fold(self, plan: PlanState) -> None:
        """Forget it."""
        plan.approved = None


class NodeExpedited(NodeEvent, tag="node_expedited", frozen=True):
    """The node goes ahead of every other one that could be launched."""

    def fold(self, plan: PlanState) -> None:
        """Mark it expedited."""
        plan.change(self.node, expedited=Mark(self.by.name, self.at))


class NodeExpediteWithdrawn(NodeEvent, tag="node_expedite_withdrawn", frozen=True):
    """The node waits its turn again."""

    def fold(self, plan: PlanState) -> None:
        """Forget it."""
        plan.change(self.node, expedited=None)


class NodeSentToCloud(NodeEvent, tag="node_sent_to_cloud", frozen=True):
    """The node is kept for a cloud agent."""

    def fold(self, plan: PlanState) -> None:
        """Mark it."""
        plan.change(self.node, cloud=Mark(self.by.name, self.at))


class NodeCloudWithdrawn(NodeEvent, tag="node_cloud_withdrawn", frozen=True):
    """The node may run on this machine again."""

    def fold(self, plan: PlanState) -> None:
        """Forget the mark."""
        plan.change(self.node, cloud=None)


class MergePolicySet(NodeEvent, tag="merge_policy_set", frozen=True):
    """Who merges the node's pull request. Unlike a change of the node it keeps the go-ahead."""

    policy: MergePolicy

    def fold(self, plan: PlanState) -> None:
        """Set the policy in the node."""
        plan.change(self.node, spec=replace(plan.nodes[self.node].spec, merge=self.policy))


class NodeMarkedDone(NodeEvent, tag="node_marked_done", frozen=True):
    """A person did what a person's node asks for."""

    def fold(self, plan: PlanState) -> None:
        """Mark it done."""
        plan.change(self.node, done=Mark(self.by.name, self.at))


class NodeRestarted(NodeEvent, tag="node_restarted", frozen=True):
    """Begin again: its claim, its runs that never ended, its questions, its findings that nobody decided, and what was
    given up or parked are let go."""

    def fold(self, plan: PlanState) -> None:
        """Clear what held the node back; its worktree, its evidence and its history stay."""
        mark, review = Mark(self.by.name, self.at), plan.nodes[self.node].review
        plan.change(
            self.node, restarted=mark, restarted_seq=plan.seq, claim=None, running={}, tries=0, gave_up=None,
            parked=None, stuck=None, done=None, open_questions=0,
            review=review.let_go(self.by.name, self.at) if review is not None else None,
        )  # fmt: skip
        for key, asked in plan.questions.items():
            if asked.node == self.node and asked.state == "open":
                plan.questions[key] = replace(asked, state="dismissed", answer=mark)


class ReverifyAsked(NodeEvent, tag="reverify_asked", frozen=True):
    """What passed so far no longer counts: prove it again."""

    def fold(self, plan: PlanState) -> None:
        """Evidence up to here is stale."""
        plan.change(self.node, reverify_asked=Mark(self.by.name, self.at), reverify_seq=plan.seq)


class AssertedAllowed(NodeEvent, tag="asserted_allowed", frozen=True):
    """An agent's word may count as this gate's result."""

    def fold(self, plan: PlanState) -> None:
        """Mark it allowed."""
        plan.change(self.node, asserted_allowed=Mark(self.by.name, self.at))


class AssertedDisallowed(NodeEvent, tag="asserted_disallowed", frozen=True):
    """An agent's word counts no more."""

    def fold(self, plan: PlanState) -> None:
        """Forget it."""
        plan.change(self.node, asserted_allowed=None)


class PartialAccepted(NodeEvent, tag="partial_accepted", frozen=True):
    """What the worker left out is accepted as it is."""

    def fold(self, plan: PlanState) -> None:
        """Mark it accepted."""
        plan.change(self.node, partial_accepted=Mark(self.by.name, self.at))


class NoteAdded(PlanEvent, tag="note_added", frozen=True):
    """A person's note on the plan, or on one of its nodes. It is history only; nothing derives from it."""

    text: str
    node: str | None = None

    def fold(self, plan: PlanState) -> None:
        """A note changes no state; one about a node that is not there is reported."""
        if self.node is not None:
            plan.nodes[self.node]


def approve(plan: PlanState, node: NodeState) -> NodeApproved | None:
    """Let agents start on a node of a kind that agents are launched on."""
    _launched(plan, node, "a go-ahead")
    if node.spec.assignee == "person":
        raise _refused(plan, node, "is kept for a person", f"mark it done when it is: stoat done {_ref(plan, node)}")
    if node.spec.kind == ISSUE and node.spec.issue is None and not may_be_created(plan, node):
        raise _refused(
            plan, node, "is not bound to an issue yet, so there is nothing to say go to",
            f"bind it: stoat node bind {_ref(plan, node)} --issue N; or let runners create it: stoat create-issues "
            f"{plan.slug}",
        )  # fmt: skip
    return None if node.go_ahead else NodeApproved(node=node.spec.id)


def withdraw(plan: PlanState, node: NodeState) -> NodeApprovalWithdrawn | None:
    """Take a node's go-ahead back, its own or its share of its plan's."""
    return NodeApprovalWithdrawn(node=node.spec.id) if node.go_ahead or covered(plan, node) else None


def covered(plan: PlanState, node: NodeState) -> bool:
    """Whether the plan's go-ahead as a whole is one for this node: a change that was not written anew since."""
    whole = plan.header.go_ahead == "plan" and plan.approved is not None and node.spec.kind == CHANGE
    return whole and plan.approved_seq > node.cleared_seq


def approve_plan(plan: PlanState) -> PlanApproved | None:
    """One go-ahead for a plan's change nodes as they stand; given again only when one of them changed since."""
    if plan.header.go_ahead != "plan":
        raise Refused(
            f"plan {plan.slug} takes go-aheads node by node",
            hint=f"name its nodes (`stoat approve {plan.slug}/NODE …`), or write `go_ahead: plan` in its header",
        )
    fresh = any(node.spec.kind == CHANGE and not covered(plan, node) for node in plan.nodes.values())
    return PlanApproved() if fresh or not plan.approved else None


def withdraw_plan(plan: PlanState) -> PlanApprovalWithdrawn | None:
    """Take a whole plan's go-ahead back."""
    return PlanApprovalWithdrawn() if plan.approved else None


def expedite(plan: PlanState, node: NodeState, *, off: bool = False) -> NodeExpedited | NodeExpediteWithdrawn | None:
    """Send a node ahead of the others, or let it wait its turn again."""
    if off:
        return NodeExpediteWithdrawn(node=node.spec.id) if node.expedited else None
    _launched(plan, node, "a place ahead of the others")
    return None if node.expedited else NodeExpedited(node=node.spec.id)


def cloud(plan: PlanState, node: NodeState, *, off: bool = False) -> NodeSentToCloud | NodeCloudWithdrawn | None:
    """Keep a node for a cloud agent, or let it run here again."""
    if off:
        if node.spec.agent == "cloud":
            raise _refused(plan, node, "is written `agent: cloud`", "take that line out of the plan")
        return NodeCloudWithdrawn(node=node.spec.id) if node.cloud else None
    _launched(plan, node, "a cloud agent")
    return None if node.cloud else NodeSentToCloud(node=node.spec.id)


def set_merge(plan: PlanState, node: NodeState, policy: str) -> MergePolicySet | None:
    """Say who merges a node's pull request."""
    if node.spec.kind not in FIELDS_OF["merge"]:
        kinds = ", ".join(sorted(FIELDS_OF["merge"]))
        raise _refused(plan, node, "has no pull request to merge", f"the kinds that have one: {kinds}")
    for known in MERGES:
        if policy == known:
            now = node.spec.merge or MERGES[0]
            return None if now == known else MergePolicySet(node=node.spec.id, policy=known)  # type: ignore[arg-type]
    raise Refused(f"{policy!r} is not a merge policy", hint=f"it is one of {' and '.join(MERGES)}")


def mark_done(plan: PlanState, node: NodeState) -> NodeMarkedDone | None:
    """Mark a person's node done; no other node is ever done by anybody's word."""
    if node.spec.kind != PERSON and node.spec.assignee != "person":
        raise _refused(
            plan, node, "is done when Stoat sees it done, not when somebody says so",
            f"see what it waits for: stoat status {plan.slug}",
        )  # fmt: skip
    return None if node.done else NodeMarkedDone(node=node.spec.id)


def restart(plan: PlanState, node: NodeState) -> NodeRestarted | None:
    """Begin a node again; None when nothing holds it back and nobody has begun."""
    begun = node.current_attempt is not None
    held = (
        node.claim, node.running, node.gave_up, node.parked, node.stuck, node.done, node.tries, node.open_questions,
        node.current_review, node.diagnosed_seq > node.restarted_seq,
    )  # fmt: skip
    return NodeRestarted(node=node.spec.id) if begun or any(held) else None


def reverify(plan: PlanState, node: NodeState) -> ReverifyAsked | None:
    """Let what passed so far count no more; None when nothing passed since that was last asked."""
    if node.spec.kind not in (GATE, SLICE):
        raise _refused(plan, node, "is not proved by runs", "only a test-run-gate and a slice can be verified again")
    seen = [run.seq for run in node.evidence.values()] + [spec.seq for spec in node.specs.values()]
    return ReverifyAsked(node=node.spec.id) if any(seq > node.reverify_seq for seq in seen) else None


def allow_asserted(
    plan: PlanState, node: NodeState, *, off: bool = False
) -> AssertedAllowed | AssertedDisallowed | None:
    """Let an agent's word count as a gate's result, or no more."""
    if off:
        return AssertedDisallowed(node=node.spec.id) if node.asserted_allowed else None
    if node.spec.kind != GATE:
        raise _refused(plan, node, "has no result that could be asserted", "only a test-run-gate has")
    return None if node.asserted_allowed else AssertedAllowed(node=node.spec.id)


def accept_partial(plan: PlanState, node: NodeState) -> PartialAccepted | None:
    """Accept what an issue's worker left out."""
    if node.spec.kind != ISSUE:
        raise _refused(plan, node, "cannot be left in part", "only an issue's worker reports what it left out")
    return None if node.partial_accepted else PartialAccepted(node=node.spec.id)


def _launched(plan: PlanState, node: NodeState, what: str) -> None:
    if node.spec.kind not in LAUNCHED:
        kinds = ", ".join(sorted(LAUNCHED))
        raise _refused(plan, node, f"cannot take {what}: no agent is launched on it", f"the kinds that do: {kinds}")


def _ref(plan: PlanState, node: NodeState) -> str:
    return f"{plan.slug}/{node.spec.id}"


def _refused(plan: PlanState, node: NodeState, why: str, hint: str) -> Refused:
    return Refused(f"{_ref(plan, node)} ({node.spec.kind}) {why}", hint=hint)
