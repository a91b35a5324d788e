"""Finished work reaching a branch, or not being able to."""

from __future__ import annotations

from typing import Literal

from stoat.plan.events.base import NodeEvent, PlanEvent
from stoat.plan.state import Landing, Parked, PlanState

How = Literal["rebased", "merged", "fast-forwarded", "nothing", "observed"]


class Landed(NodeEvent, tag="landed", frozen=True):
    """The node's `commit` (of its `branch`) is on `onto`, whose tip was `tip` then; `head` carries it there.

    `repo` is the OWNER/NAME that it happened in, None where the checkout names none.
    """

    branch: str
    commit: str
    onto: str
    tip: str
    how: How
    head: str | None = None
    commits: int = 0
    repo: str | None = None

    def fold(self, plan: PlanState) -> None:
        """Note the landing; unless nothing moved, the plan's branch did."""
        landing = Landing(
            branch=self.branch, commit=self.commit, onto=self.onto, tip=self.tip, how=self.how, head=self.head,
            commits=self.commits, at=self.at, by=self.by.name, seq=plan.seq,
        )  # fmt: skip
        plan.change(self.node, landing=landing, parked=None, stuck=None)
        if self.how != "nothing" and self.onto == plan.header.branch:
            plan.move_branch(self.repo, self.tip)


class LandingParked(NodeEvent, tag="landing_parked", frozen=True):
    """The work is done and could not be landed; nothing moved."""

    commit: str
    why: str
    files: tuple[str, ...] = ()

    def fold(self, plan: PlanState) -> None:
        """Note why."""
        plan.change(self.node, parked=Parked(why=self.why, at=self.at, commit=self.commit, files=self.files))


class BranchMoved(PlanEvent, tag="branch_moved", frozen=True):
    """The plan's integration branch was seen at a new tip that no landing of ours made, in the repository `repo`."""

    branch: str
    tip: str
    repo: str | None = None

    def fold(self, plan: PlanState) -> None:
        """Note the new tip."""
        if self.branch == plan.header.branch and self.tip != plan.tip_in(self.repo):
            plan.move_branch(self.repo, self.tip)
