"""When a pull request without checks counts as one that has none: not in the first minutes after a push.

| no checks at all on the head                                    | then         |
|------------------------------------------------------------------|--------------|
| they are on record as none for this very head                   | none         |
| the pull request was touched less than DWELL ago, and is open    | pending      |
| else                                                             | none         |

A push touches a pull request, as a comment does; that of a comment must not take back what is on record.
"""

from __future__ import annotations

from msgspec.structs import replace

from stoat import clock
from stoat.clock import Time
from stoat.plan.github import GitHubState, Looked, PullLooked, Reading
from stoat.plan.state import State

DWELL = 300.0
"""Seconds. GitHub lists no check before an app has taken up a push. Most take seconds; one whose queue is long, or that
another workflow starts, minutes. Whoever has no CI waits that long once for each push; whoever has it is never said to
lack it.
"""


def dwelt(state: State, reading: Reading, at: Time) -> Reading:
    """The reading, with the checks of what was pushed to a moment before `at` pending where there are none yet."""
    known = state.repositories()
    return replace(reading, repositories=tuple(_looked(known, one, at) for one in reading.repositories))


def _looked(known: dict[str, GitHubState], looked: Looked, at: Time) -> Looked:
    # A renamed repository is on record under the name it was asked for by.
    renamed = looked.repository.name.lower() if looked.repository is not None else ""
    found = []
    for one in looked.pulls:
        name = looked.name if one.repo.lower() == renamed else one.repo
        found.append(_pending(one) if _is_too_soon(known.get(name.lower()), one, at) else one)
    return replace(looked, pulls=tuple(found))


def _is_too_soon(known: GitHubState | None, looked: PullLooked, at: Time) -> bool:
    pull, ci = looked.pull, looked.now.ci
    if pull.state not in ("open", "draft") or ci.verdict != "none" or ci.total:
        return False
    record = known.pulls.get(pull.number) if known is not None else None
    fact = record.fact if record is not None else None
    if fact is not None and fact.head == pull.head and fact.ci == "none":
        return False
    return bool(pull.updated_at) and clock.seconds_between(pull.updated_at, at) < DWELL


def _pending(looked: PullLooked) -> PullLooked:
    ci = replace(looked.now.ci, verdict="pending")
    return replace(looked, pull=replace(looked.pull, ci=None), now=replace(looked.now, ci=ci))
