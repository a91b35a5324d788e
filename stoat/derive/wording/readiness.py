"""Readiness in words."""

from __future__ import annotations

from collections.abc import Sequence

from stoat.derive.wording.text import KEPT_FOR_THE_CLOUD, moment, quoted
from stoat.plan.state import Claim

READY = "ready"
AWAITING_GO_AHEAD = "ready, awaiting a go-ahead"
A_PERSONS = "ready, for a person"
FOR_THE_CLOUD = f"ready, {KEPT_FOR_THE_CLOUD}"
FINISHED = "finished, waiting to land"
OVER = "merged, and its issue is still open"
PR_OPEN = "ready, its pull request is open"
DONE = "done"
ARCHIVED = "its plan is archived"


def waiting_on(names: Sequence[str]) -> str:
    """A node with upstreams that are not done: ``waiting on `x` ``."""
    return f"waiting on {quoted(names)}"


def held(claim: Claim) -> str:
    """A node that would be ready for anybody, and has somebody."""
    return f"ready, held by {claim.holder} until {moment(claim.expires_at)}"


def circle(way: Sequence[str]) -> str:
    """A node that waits for itself."""
    return f"waits for itself: {way_around(way)}"


def way_around(way: Sequence[str]) -> str:
    """A circle as it runs: `a → b → a`, cut short in its middle when it is long."""
    shown = list(way) if len(way) <= 5 else [*way[:3], "…", way[-1]]
    return " → ".join([*shown, way[0]])
