"""What may be taken up now: every dependency is done, wherever it lives, and the node is not where taking it is wrong.

| the node                                                       | ready |
|----------------------------------------------------------------|-------|
| its plan is archived                                           | no    |
| done, missing, running, partial, findings or fixing            | no    |
| a change whose finished work waits to land                     | no    |
| an issue whose pull request was merged, and that is still open | no    |
| a dependency is not done, or is nowhere                        | no    |
| else, claimed or not                                           | yes   |

A ready node that somebody holds, or whose pull request is open, says so; whoever looks for work passes it by.
"""

from __future__ import annotations

from stoat.derive import goahead
from stoat.derive.answers import Status
from stoat.derive.here import Here
from stoat.derive.wording import readiness as say

NOT_TO_TAKE: frozenset[Status] = frozenset({"done", "missing", "running", "partial", "findings", "fixing"})


def ready(here: Here) -> bool:
    """Whether the node may be taken up now."""
    return not (
        here.blocked
        or here.verdict.status in NOT_TO_TAKE
        or here.verdict.finished
        or here.verdict.over
        or here.plan.archived is not None
        or here.circle
    )


def phrase(here: Here, is_ready: bool, waits_on: tuple[str, ...]) -> str:
    """The same in words: `ready`, `ready, awaiting a go-ahead`, ``waiting on `x` ``, or why it is not to be taken."""
    if here.verdict.status == "done":
        return say.DONE
    if here.plan.archived is not None:
        return say.ARCHIVED
    if here.circle:
        return say.circle(here.circle)
    if here.verdict.finished:
        return say.FINISHED
    if here.verdict.over:
        return say.OVER
    if here.verdict.status in NOT_TO_TAKE:
        return here.verdict.status
    if not is_ready:
        return say.waiting_on(waits_on)
    if here.claim is not None:
        return say.held(here.claim)
    if here.verdict.status == "pr-open":
        return say.PR_OPEN
    if here.for_a_person:
        return say.A_PERSONS
    if goahead.awaited(here.plan, here.node):
        return say.AWAITING_GO_AHEAD
    return say.FOR_THE_CLOUD if here.for_the_cloud else say.READY
