"""The plan itself: created, its header changed, archived, and its node order."""

from __future__ import annotations

from msgspec.structs import replace

from stoat.clock import Time
from stoat.errors import Refused
from stoat.plan.events.base import PlanEvent
from stoat.plan.nodes import Header
from stoat.plan.state import Mark, PlanState


class PlanCreated(PlanEvent, tag="plan_created", frozen=True):
    """A plan begins, with its whole header."""

    header: Header

    def begin(self) -> PlanState:
        """The plan's first state."""
        return PlanState(header=self.header, created=Mark(self.by.name, self.at), nodes={}, questions={})

    def fold(self, plan: PlanState) -> None:
        """A second creation of a plan that is there changes its header only."""
        plan.header = self.header


class PlanHeaderChanged(PlanEvent, tag="plan_header_changed", frozen=True):
    """The header, whole, as it is from now on. A change of `go_ahead` takes back what was approved as a whole."""

    header: Header

    def fold(self, plan: PlanState) -> None:
        """Replace the header; the slug is the plan's identity and stays."""
        if self.header.go_ahead != plan.header.go_ahead:
            plan.approved = None
        plan.header = replace(self.header, plan=plan.header.plan)


class NodesReordered(PlanEvent, tag="nodes_reordered", frozen=True):
    """The order of the plan's nodes, which decides ties. Ids it does not name keep their order at the end."""

    order: tuple[str, ...]

    def fold(self, plan: PlanState) -> None:
        """Put the nodes into that order."""
        named = {node_id: plan.nodes[node_id] for node_id in self.order if node_id in plan.nodes}
        plan.nodes = {**named, **plan.nodes}


class PlanArchived(PlanEvent, tag="plan_archived", frozen=True):
    """The plan leaves the active set; its stream stays."""

    def fold(self, plan: PlanState) -> None:
        """Mark it archived."""
        plan.archived = Mark(self.by.name, self.at)


class PlanUnarchived(PlanEvent, tag="plan_unarchived", frozen=True):
    """The plan is active again."""

    def fold(self, plan: PlanState) -> None:
        """Take the mark away."""
        plan.archived = None


class LeadTaken(PlanEvent, tag="lead_taken", frozen=True):
    """Somebody leads the plan from now on."""

    def fold(self, plan: PlanState) -> None:
        """Note who leads."""
        plan.lead = Mark(self.by.name, self.at)


class LeadReleased(PlanEvent, tag="lead_released", frozen=True):
    """Nobody leads the plan any more."""

    def fold(self, plan: PlanState) -> None:
        """Forget the lead."""
        plan.lead = None


def archive(plan: PlanState, now: Time) -> PlanArchived | None:
    """Archive a plan; None when it is archived already, Refused while an agent holds one of its nodes."""
    if plan.archived:
        return None
    for node_id, node in plan.nodes.items():
        held = node.lease(now)
        if held is not None:
            raise Refused(
                f"{plan.slug}/{node_id} is held by {held.holder}",
                hint="wait for the agent, or take the node back with `stoat release` first",
            )
    return PlanArchived()


def unarchive(plan: PlanState) -> PlanUnarchived | None:
    """Bring an archived plan back; None when it is active."""
    return PlanUnarchived() if plan.archived else None


def take_lead(plan: PlanState, name: str) -> LeadTaken | None:
    """Lead a plan as `name`, whoever led it before; None when that name leads it."""
    return LeadTaken() if plan.lead is None or plan.lead.by != name else None


def release_lead(plan: PlanState) -> LeadReleased | None:
    """Lead a plan no more; None when nobody does."""
    return LeadReleased() if plan.lead is not None else None
