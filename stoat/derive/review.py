"""What is made of a review beside its status: the node that mends a finding, and the review as it is shown."""

from __future__ import annotations

from msgspec import Struct

from stoat.clock import Time
from stoat.derive.answers import Decision, ReviewShown
from stoat.derive.wording import commands
from stoat.derive.wording import review as say
from stoat.plan.characters import FORBIDDEN, spelled
from stoat.plan.ids import LONGEST, node_id_problem
from stoat.plan.nodes import CHANGE, ISSUE, Node
from stoat.plan.review import Found
from stoat.plan.state import NodeState, PlanState


class FindingShown(Struct, frozen=True, rename="camel", kw_only=True):
    """A finding, and what became of it: `state` is open, accepted or rejected, `fix` the node that mends it.

    `waits` says that a person has to decide it, which is also so of an accepted one whose fix is no longer in the plan.
    """

    id: str
    round: int
    title: str
    severity: str
    file: str | None
    line: int | None
    text: str
    state: str
    waits: bool
    decided: Decision | None
    why: str | None
    fix: str | None


class ReviewListed(Struct, frozen=True, rename="camel", kw_only=True):
    """A review node's newest round, and the findings of all rounds; `round` is 0 before there is one."""

    plan: str
    node: str
    status: str
    detail: str
    round: int
    by: str | None
    at: Time | None
    branch: str | None
    commit: str | None
    signed_off: Decision | None
    findings: tuple[FindingShown, ...]


def fix_of(plan: PlanState, node: NodeState, found: Found, *, why: str | None = None, issue: int | None = None) -> Node:
    """The node that mends a finding: a change, or the issue of that number; where the review is, and found by it."""
    review, finding = node.review, found.finding
    assert review is not None
    ref = commands.ref(plan.slug, node.spec.id)
    return Node(
        id=_free_id(plan, node.spec.id, finding.id), kind=CHANGE if issue is None else ISSUE, issue=issue,
        title=spelled(say.title(finding), FORBIDDEN),
        brief=spelled(_lines(say.brief(ref, found, review, why)), FORBIDDEN),
        repo=node.spec.repo, discovered_from=node.spec.id,
    )  # fmt: skip


def shown(plan: PlanState, node: NodeState) -> ReviewShown | None:
    """A review as its entry in the status document has it; None before there is a round."""
    review = node.review
    if review is None:
        return None
    waits = [found for found in review.found if found.waits(plan.nodes)]
    states = [found.state for found in review.found if found not in waits]
    return ReviewShown(
        review.round, review.by, review.at, review.branch, review.commit, len(waits), states.count("accepted"),
        states.count("rejected"), _mark(review.signed_by, review.signed_at),
    )  # fmt: skip


def listed(plan: PlanState, node: NodeState, status: str, detail: str) -> ReviewListed:
    """A review as it is shown."""
    review = node.review
    return ReviewListed(
        plan=plan.slug, node=node.spec.id, status=status, detail=detail,
        round=review.round if review else 0, by=review.by if review else None, at=review.at if review else None,
        branch=review.branch if review else None, commit=review.commit if review else None,
        signed_off=_mark(review.signed_by, review.signed_at) if review else None,
        findings=findings(plan, node),
    )  # fmt: skip


def findings(plan: PlanState, node: NodeState) -> tuple[FindingShown, ...]:
    """The findings of all rounds, the first one first; none of a node that is no review."""
    return tuple(_shown(plan, found) for found in (node.review.found if node.review else ()))


def _shown(plan: PlanState, found: Found) -> FindingShown:
    finding = found.finding
    return FindingShown(
        id=finding.id, round=found.round, title=finding.title, severity=finding.severity, file=finding.file,
        line=finding.line, text=finding.text, state=found.state, waits=found.waits(plan.nodes),
        decided=_mark(found.by, found.at), why=found.why, fix=found.fix,
    )  # fmt: skip


def _mark(by: str | None, at: Time | None) -> Decision | None:
    return None if by is None or at is None else Decision(by, at)


def _free_id(plan: PlanState, review: str, finding: str) -> str:
    """`<review>-<finding>`, as far as a node may be called that and none is yet."""
    base = "-".join((review[: LONGEST - len(finding) - 6].rstrip("-._"), finding.lower()))
    while ".." in base:
        base = base.replace("..", ".")
    if node_id_problem(base):
        base = base.replace(".", "-")
    name, number = base, 1
    while name in plan.nodes:
        number += 1
        name = "-".join((base, str(number)))
    return name


def _lines(text: str) -> str:
    return text.replace("\r\n", "\n").replace("\r", "\n")
