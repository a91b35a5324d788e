"""What every change of a plan's document comes to: the events, shown as changes, and the warnings that go with them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from msgspec import Struct

from stoat import clock
from stoat.clock import Time
from stoat.derive.wording import authoring as say
from stoat.gitstore.log import Change
from stoat.plan import streams
from stoat.plan.events.authoring import DependencyAdded, DependencyRemoved, NodeAdded, NodeBound, NodeChanged
from stoat.plan.events.base import PlanEvent
from stoat.plan.events.issues import IssuesImported
from stoat.plan.events.plans import NodesReordered, PlanHeaderChanged
from stoat.plan.state import PlanState, State
from stoat.service.session import Session


class Authored(Struct, frozen=True):
    """What became of a change: `changes` is empty when it was so already.

    A change is `{type, node, …}`: the event's type, the node (None for the plan itself), and what else tells it apart.
    """

    plan: str
    changes: tuple[dict[str, Any], ...]
    warnings: tuple[str, ...] = ()


Author = Callable[[State, Time], tuple[Sequence[PlanEvent], Sequence[str]]]
"""Checks a change on the state it would land on; gives its events and its warnings, or raises."""


def author(session: Session, slug: str, decide: Author, *, dry_run: bool = False) -> Authored:
    """Record a change of plan `slug`, all or nothing; `dry_run` only says what it would be."""
    authored = Authored(slug, ())

    def land(state: State, now: Time) -> Change | None:
        nonlocal authored
        events, warnings = decide(state, now)
        before = state.plan(slug)
        # What was taken over from GitHub is told by the changes that it made; alone it has to speak for itself.
        told = [event for event in events if not isinstance(event, IssuesImported)] or events
        authored = Authored(slug, tuple(_shown(event, before) for event in told), tuple(warnings))
        entries = [(streams.of_plan(slug), event) for event in events]
        return Change(entries, f"{slug}: {session.actor.name} {say.subject(authored.changes)}") if entries else None

    if dry_run:
        land(session.state(), clock.now())
    else:
        session.commit(land)
    return authored


def other_plans(state: State, slug: str) -> dict[str, PlanState]:
    """Every plan but that one."""
    return {other: plan for other, plan in state.plans.items() if other != slug}


def _shown(event: PlanEvent, plan: PlanState | None) -> dict[str, Any]:
    shown: dict[str, Any] = {"type": _type(event), "node": getattr(event, "node", None)}
    match event:
        case NodeAdded():
            shown["kind"] = event.spec.kind
        case NodeChanged():
            before = plan.nodes[event.node].spec if plan and event.node in plan.nodes else None
            shown["fields"] = _differing(before, event.spec)
        case PlanHeaderChanged():
            shown["fields"] = _differing(plan.header if plan else None, event.header)
        case DependencyAdded() | DependencyRemoved():
            shown["on"] = event.on
        case NodeBound():
            shown["number"] = event.number
        case NodesReordered():
            shown["order"] = list(event.order)
    return shown


def _differing(before: Struct | None, after: Struct) -> list[str]:
    return [name for name in after.__struct_fields__ if getattr(before, name, None) != getattr(after, name)]


def _type(event: PlanEvent) -> str:
    tag = type(event).__struct_config__.tag
    assert isinstance(tag, str)
    return tag
