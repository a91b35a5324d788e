"""What was taken over from GitHub into a plan, so that the next time only what GitHub changed is taken over again."""

from __future__ import annotations

from stoat.plan.events.base import PlanEvent
from stoat.plan.state import Imported, PlanState


class IssuesImported(PlanEvent, tag="issues_imported", frozen=True):
    """Issues were taken into the plan as GitHub had them, or had changed since; `issues` by OWNER/NAME#N.

    It changes no node: those changes stand beside it. An issue whose node is gone was removed by somebody, and stays
    out.
    """

    issues: dict[str, Imported]

    def fold(self, plan: PlanState) -> None:
        """Remember them, the newest of each."""
        plan.imported = {**plan.imported, **self.issues}
