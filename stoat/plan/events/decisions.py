"""What a person decided about a node or a plan. No agent appends one of these."""

from __future__ import annotations

from msgspec.structs import replace

from stoat.plan.events.base import NodeEvent, PlanEvent
from stoat.plan.nodes import MergePolicy
from stoat.plan.state import Mark, PlanState


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
    """Begin again: its claim, its runs that never ended, its questions and what was given up or parked are let go."""

    def fold(self, plan: PlanState) -> None:
        """Clear what held the node back; its worktree, its evidence and its history stay."""
        mark = Mark(self.by.name, self.at)
        plan.change(
            self.node, restarted=mark, claim=None, running={}, tries=0, gave_up=None, parked=None, done=None,
            open_questions=0,
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
