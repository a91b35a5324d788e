"""Issues that runners create on GitHub for a plan: whether they may, and that GitHub is being asked for one."""

from __future__ import annotations

from stoat.errors import Refused
from stoat.plan.creation import Creation
from stoat.plan.events.base import NodeEvent, PlanEvent
from stoat.plan.nodes import ISSUE, repository_of
from stoat.plan.state import Mark, NodeState, PlanState


class IssueCreationAllowed(PlanEvent, tag="issue_creation_allowed", frozen=True):
    """A person lets runners create the issues that the plan's nodes do not have yet."""

    def fold(self, plan: PlanState) -> None:
        """Mark the plan."""
        plan.creates_issues = Mark(self.by.name, self.at)


class IssueCreationWithdrawn(PlanEvent, tag="issue_creation_withdrawn", frozen=True):
    """Runners create no issues for the plan any more."""

    def fold(self, plan: PlanState) -> None:
        """Forget the mark."""
        plan.creates_issues = None


class IssueCreationBegun(NodeEvent, tag="issue_creation_begun", frozen=True):
    """A runner is about to ask GitHub for the node's issue: appended before it does.

    `mark` is in the issue's text: by it the issue is found again where GitHub's answer was lost.
    """

    repo: str
    mark: str
    runner: str

    def fold(self, plan: PlanState) -> None:
        """Remember what to look for, and since when."""
        known = plan.nodes[self.node].creation
        since = known.since if known is not None and known.mark == self.mark else self.at
        asked = Creation(repo=self.repo, mark=self.mark, since=since, at=self.at, by_runner=self.runner)
        plan.change(self.node, creation=asked)


def allow_creation(plan: PlanState, *, off: bool = False) -> IssueCreationAllowed | IssueCreationWithdrawn | None:
    """Let runners create the plan's issues (`off`: no more); None when it is so already."""
    if off:
        return IssueCreationWithdrawn() if plan.creates_issues is not None else None
    return IssueCreationAllowed() if plan.creates_issues is None else None


def may_be_created(plan: PlanState, node: NodeState) -> bool:
    """Whether it is an issue that the plan has not got yet, and runners may create it where it belongs."""
    lacking = node.spec.kind == ISSUE and node.spec.issue is None
    return lacking and plan.creates_issues is not None and repository_of(plan.header, node.spec) is not None


def begin_creation(
    plan: PlanState, node: NodeState, *, repo: str, mark: str, runner: str, known: Creation | None
) -> IssueCreationBegun:
    """Say that GitHub is about to be asked for the node's issue.

    `known` is what was on record when that was decided. Refused when something else is by now: another runner asks.
    """
    if plan.creates_issues is None:
        raise Refused(f"issues of plan {plan.slug} are not created any more", hint=f"stoat create-issues {plan.slug}")
    if node.spec.kind != ISSUE or node.spec.issue is not None:
        raise Refused(f"{plan.slug}/{node.spec.id} needs no issue any more", hint=f"stoat status {plan.slug}")
    if node.creation != known:
        raise Refused(f"another runner creates the issue of {plan.slug}/{node.spec.id}", hint="wait for it")
    return IssueCreationBegun(node=node.spec.id, repo=repo, mark=mark, runner=runner)
