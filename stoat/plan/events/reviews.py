"""A review's rounds: findings submitted, and what a person decided of each; and what may be said of which.

Each rule gives the event to append, or None when it is so already; Refused says what is in the way. That it is a person
who decides is the service's to see: submitting is open to agents.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

from msgspec.structs import replace

from stoat.errors import Invalid, NotFound, Problem, Refused
from stoat.plan.events.base import NodeEvent
from stoat.plan.findings import Draft
from stoat.plan.nodes import REVIEW
from stoat.plan.review import Finding, Found, Review, Standing
from stoat.plan.state import NodeState, PlanState

MOST_KEPT = 2000
"""Findings of one node, over all its rounds."""


class ReviewSubmitted(NodeEvent, tag="review_submitted", frozen=True):
    """A reviewer is through: what was found (nothing, when `findings` is empty) on `commit` of `branch`.

    `repo` is the OWNER/NAME that it was reviewed in, None where the checkout names none. `standing` is what the commit
    was to the branch: its tip, contained in it, or beyond it (a reviewer's own commit); None where nobody could see.
    """

    findings: tuple[Finding, ...] = ()
    branch: str | None = None
    commit: str | None = None
    repo: str | None = None
    standing: Standing | None = None

    def fold(self, plan: PlanState) -> None:
        """Begin the next round; what earlier ones found stays, decided or not."""
        before = plan.nodes[self.node].review
        number = before.round + 1 if before is not None else 1
        found = tuple(Found(finding=finding, round=number) for finding in self.findings)
        review = Review(
            round=number, seq=plan.seq, at=self.at, by=self.by.name, branch=self.branch, commit=self.commit,
            repo=self.repo, tip=plan.tip_in(self.repo), found=(*(before.found if before is not None else ()), *found),
            standing=self.standing,
        )  # fmt: skip
        plan.change(self.node, review=review)


class FindingAccepted(NodeEvent, tag="finding_accepted", frozen=True):
    """A person agrees with a finding: the node `fix` is to mend it, and the review waits for that."""

    finding: str
    fix: str
    why: str | None = None

    def fold(self, plan: PlanState) -> None:
        """Note the decision and the node."""
        _decide(plan, self, "accepted", self.fix)


class FindingRejected(NodeEvent, tag="finding_rejected", frozen=True):
    """A person does not agree with a finding, or will not have it mended."""

    finding: str
    why: str | None = None

    def fold(self, plan: PlanState) -> None:
        """Note the decision."""
        _decide(plan, self, "rejected", None)


class ReviewSignedOff(NodeEvent, tag="review_signed_off", frozen=True):
    """A person takes a round with nothing left to decide as the last word."""

    def fold(self, plan: PlanState) -> None:
        """Note whose word it was."""
        review = _review(plan, self.node)
        plan.change(self.node, review=replace(review, signed_by=self.by.name, signed_at=self.at))


def submit(
    plan: PlanState, node: NodeState, drafts: Sequence[Draft], *, branch: str | None, commit: str | None,
    repo: str | None, standing: Standing | Literal["off"] | None,
) -> ReviewSubmitted | None:  # fmt: skip
    """The next round of a review; None when it is the very round that was submitted last, of the same commit.

    A finding without an id gets the next free one. Invalid for an id that an earlier round has, with every one of them;
    Refused for a commit that is known to be off the branch.
    """
    if node.spec.kind != REVIEW:
        raise Refused(
            f"{_ref(plan, node)} is a {node.spec.kind} node: findings are submitted on a review node",
            hint=f"say what you found in other ways: stoat ask {_ref(plan, node)} '…'",
        )
    if standing == "off":
        raise Refused(
            f"{(commit or '?')[:7]}, which is checked out here, is not on {branch}: it is no review of that branch",
            hint=f"submit it where {branch} is checked out (git switch {branch}), or in the review's own worktree",
        )
    known = node.review
    kept = known.found if known is not None else ()
    if len(kept) + len(drafts) > MOST_KEPT:
        raise Refused(f"{_ref(plan, node)} has {len(kept)} findings already, and at most {MOST_KEPT} are kept")
    current = node.current_review
    if current is not None and current.commit == commit and _said_already(current, drafts):
        return None
    taken = {one.finding.id.casefold() for one in kept}
    again = [draft.id for draft in drafts if draft.id is not None and draft.id.casefold() in taken]
    if again:
        do = "leave `id` out, and it is given one"
        raise Invalid([Problem(0, 0, f"the id {name!r} is a finding's of an earlier round", do) for name in again])
    taken |= {draft.id.casefold() for draft in drafts if draft.id is not None}
    findings, number = [], 0
    for draft in drafts:
        name = draft.id
        while name is None or (draft.id is None and name in taken):
            number += 1
            name = f"f{number}"
        taken.add(name.casefold())
        findings.append(draft.named(name))
    return ReviewSubmitted(
        node=node.spec.id, findings=tuple(findings), branch=branch, commit=commit, repo=repo, standing=standing
    )


def check_kind(plan: PlanState, node: NodeState) -> None:
    """Refused on a node of another kind: only a review has rounds and findings."""
    if node.spec.kind != REVIEW:
        ref = _ref(plan, node)
        raise Refused(
            f"{ref} is a {node.spec.kind} node: only a review has findings", hint=f"see it: stoat node show {ref}"
        )


def finding_of(plan: PlanState, node: NodeState, finding_id: str) -> Found:
    """The finding of that id; NotFound (with those there are) without one."""
    found = node.review.get(finding_id) if node.review is not None else None
    if found is None:
        known = ", ".join(one.finding.id for one in node.review.found[:20]) if node.review is not None else ""
        hint = f"its findings are: {known}" if known else "nobody submitted any"
        raise NotFound(f"{_ref(plan, node)} has no finding {finding_id!r}", hint=hint)
    return found


def may_accept(plan: PlanState, node: NodeState, finding_id: str) -> Found | None:
    """The finding, when it may be accepted now; None when it was, and its fix is in the plan."""
    found = finding_of(plan, node, finding_id)
    return None if found.mending(plan.nodes) else found


def reject(plan: PlanState, node: NodeState, finding_id: str, why: str) -> FindingRejected | None:
    """Take a finding as not to be mended. Refused while the node that is to mend it is in the plan."""
    found = finding_of(plan, node, finding_id)
    if found.mending(plan.nodes):
        raise Refused(
            f"{found.finding.id} was accepted by {found.by}, and {plan.slug}/{found.fix} is to mend it",
            hint=f"take that out first: stoat node unlink {_ref(plan, node)} --on {found.fix}"
            f" && stoat node remove {plan.slug}/{found.fix}",
        )
    if found.state == "rejected" and why == found.why:
        return None
    return FindingRejected(node=node.spec.id, finding=found.finding.id, why=why)


def sign_off(plan: PlanState, node: NodeState) -> ReviewSignedOff | None:
    """Take a review's newest round as the last word. Refused before there is one, and while a finding is open."""
    ref, review = _ref(plan, node), node.current_review
    if node.spec.kind != REVIEW:
        raise Refused(f"{ref} is a {node.spec.kind} node: only a review is signed off")
    waiting = [one.finding.id for one in node.review.found if one.waits(plan.nodes)] if node.review is not None else []
    if waiting:
        many = f"{len(waiting)} findings are" if len(waiting) > 1 else "a finding is"
        raise Refused(
            f"{ref} cannot be signed off: {many} not decided ({', '.join(waiting[:20])})",
            hint=f"decide first: stoat review accept {ref} {waiting[0]}, or reject it",
        )
    if review is None:
        if node.spec.assignee == "person":
            raise Refused(f"nobody submitted a review of {ref}", hint=f"it is yours: stoat done {ref}")
        since = f" since it was restarted (round {node.review.round} was before that)" if node.review else " yet"
        raise Refused(
            f"nobody submitted a review of {ref}{since}",
            hint=f"where you reviewed it yourself and found nothing: echo '[]' | stoat review submit {ref} -",
        )
    return None if review.signed_by is not None else ReviewSignedOff(node=node.spec.id)


def _said_already(review: Review, drafts: Sequence[Draft]) -> bool:
    """Whether the newest round is of these very findings, as when a submission is repeated."""
    newest = review.newest
    return len(newest) == len(drafts) and all(
        draft.named(one.finding.id) == one.finding and draft.id in (None, one.finding.id)
        for draft, one in zip(drafts, newest, strict=True)
    )


def _decide(
    plan: PlanState, event: FindingAccepted | FindingRejected, state: Literal["accepted", "rejected"], fix: str | None
) -> None:
    review = _review(plan, event.node)
    decided = review.decided(event.finding, state=state, by=event.by.name, at=event.at, why=event.why, fix=fix)
    plan.change(event.node, review=decided)


def _review(plan: PlanState, node: str) -> Review:
    review = plan.nodes[node].review
    if review is None:
        raise ValueError(f"speaks of a review of {node} that nobody submitted")
    return review


def _ref(plan: PlanState, node: NodeState) -> str:
    return f"{plan.slug}/{node.spec.id}"
