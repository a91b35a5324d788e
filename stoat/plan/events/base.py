"""The envelope that every event has, and who may stand behind one."""

from __future__ import annotations

from typing import Literal

from msgspec import Struct, field

from stoat.clock import Time
from stoat.plan.state import PlanState

ActorKind = Literal["person", "agent", "runner", "observer"]


class Actor(Struct, frozen=True, omit_defaults=True):
    """Who said or saw it: a person, an agent, a runner, or an observer (a sweep, a gate's wrapper).

    `email` is for the commit's author and is left out of the event.
    """

    name: str
    as_: ActorKind = field(name="as")
    session: str | None = None
    email: str | None = None


NOBODY = Actor("", "observer")


class Event(Struct, frozen=True, kw_only=True, omit_defaults=True, tag_field="type"):
    """A fact in the past tense. `id`, `at` and `by` are stamped by the store when it is appended."""

    id: str = ""
    at: Time = ""
    by: Actor = NOBODY


class PlanEvent(Event, frozen=True, kw_only=True, omit_defaults=True):
    """An event of a plan's stream.

    `fold(plan)` changes the copy of the plan that the fold owns; it raises KeyError when the node it speaks of is
    not there, which the fold reports and steps over.
    """

    def fold(self, plan: PlanState) -> None:
        """Put what happened into the plan's state."""
        raise NotImplementedError(type(self).__name__)


class NodeEvent(PlanEvent, frozen=True, kw_only=True, omit_defaults=True):
    """An event about one node."""

    node: str


class Unknown(Struct, frozen=True):
    """A line that this version cannot take: an event type it does not know, or no event at all, and why."""

    raw: bytes
    type: str | None
    why: str
    node: str | None = None
    at: Time = ""
