"""What a guard refused when local events were replayed on another machine's."""

from __future__ import annotations

from typing import Any

from stoat.plan.events.base import PlanEvent
from stoat.plan.state import PlanState


class Rejected(PlanEvent, tag="rejected", frozen=True):
    """An event that no longer held on the newer state; it is kept inside, with the reason. It changes nothing."""

    event: dict[str, Any]
    why: str
    node: str | None = None

    def fold(self, plan: PlanState) -> None:
        """Nothing: it is there to be read."""
