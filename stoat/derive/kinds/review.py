"""A review is done when a person decided every finding and what was accepted is mended, or signed off one with none.

The first row that applies:

| what                                                                  | status   |
|-----------------------------------------------------------------------|----------|
| a finding is not decided, or its fix is no longer in the plan         | findings |
| it is kept for a person, who marked it done                           | done     |
| somebody holds it, and no round was submitted since its last restart  | claimed  |
| no round was submitted since its last restart                         | open     |
| the newest round found nothing, and nobody signed it off              | findings |
| the fix of an accepted finding is not done                            | fixing   |
| else                                                                  | done     |

Commits that came to the branch after it was reviewed change none of this; the detail names them.
"""

from __future__ import annotations

from stoat.derive.verdict import Context, Verdict
from stoat.derive.wording import review as say
from stoat.derive.wording import status as words
from stoat.plan.review import Review
from stoat.plan.state import NodeState, PlanState


def status(node: NodeState, plan: PlanState, context: Context) -> Verdict:
    """Where a review stands. Whether the fixes are done is settled among the nodes (settling.py)."""
    review, current = node.review, node.current_review
    waiting = [one for one in review.found if one.waits(plan.nodes)] if review is not None else []
    if review is not None and waiting:
        lost = [one for one in waiting if one.state == "accepted"]
        return Verdict("findings", _since(say.to_decide(waiting, review, lost), review, plan))
    if node.done is not None and node.spec.assignee == "person":
        return Verdict("done", words.person_done(node.done))
    if current is None:
        return Verdict("open", say.not_since(review) if review is not None else say.NOT_YET)
    if not current.newest and current.signed_by is None:
        return Verdict("findings", _since(say.to_sign_off(current), current, plan))
    ended = Verdict("done", _since(say.decided(current) if current.newest else say.nothing(current), current, plan))
    fixes = tuple(one.fix for one in current.found if one.mending(plan.nodes) and one.fix is not None)
    if not fixes:
        return ended
    return Verdict("fixing", _since(say.fixing(fixes, len(current.found)), current, plan), fixes=fixes, mended=ended)


def _since(detail: str, review: Review, plan: PlanState) -> str:
    """The detail, and that the branch moved since it was reviewed, where it did."""
    tip = plan.tip_in(review.repo)
    if tip is None or tip in (review.tip, review.commit) or (review.tip is None and review.commit is None):
        return detail
    return words.with_remark(detail, say.moved(review.branch or plan.header.branch, review.commit, tip))
