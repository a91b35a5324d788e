"""What becomes of an agent that runs, by what its node's claim has become.

| the node's claim is …                              | then                                                        |
|----------------------------------------------------|-------------------------------------------------------------|
| gone with its node, which the plan no longer has   | Stop, removed                                               |
| none, since a person restarted the node            | Stop, restarted: the node starts afresh                     |
| none, released by whomever                         | RunsOn: the agent goes on and is judged                     |
| another one                                        | Stop, taken: the agent's own claim can do nothing more      |
| its own, the lease half over                       | Renew, also after it lapsed while nobody took it            |
| its own                                            | Keep                                                        |
"""

from __future__ import annotations

from typing import Literal

from msgspec import Struct

from stoat.clock import Time, seconds_between
from stoat.plan.events.claims import DEFAULT_LEASE
from stoat.plan.state import NodeState

RENEW_AFTER = DEFAULT_LEASE / 2
"""Seconds since the last renewal after which a lease is renewed."""


class Keep(Struct, frozen=True):
    """Nothing to do."""


class Renew(Struct, frozen=True):
    """Renew the lease."""


class RunsOn(Struct, frozen=True):
    """The claim was released; the agent is let be."""


class Stop(Struct, frozen=True):
    """End the agent; `holder` has the node now, where that is why."""

    why: Literal["removed", "restarted", "taken"]
    holder: str = ""


Action = Keep | Renew | RunsOn | Stop


def decide(node: NodeState | None, *, claim: str, attempt: int, now: Time) -> Action:
    """What becomes of the agent of that attempt, which works under that claim. `node` is None where it is removed."""
    if node is None:
        return Stop("removed")
    held = node.claim
    if held is None:
        last = node.attempt
        restarted = last is not None and last.number == attempt and node.current_attempt is None
        return Stop("restarted") if restarted else RunsOn()
    if held.id != claim:
        return Stop("taken", held.holder)
    return Renew() if seconds_between(held.renewed_at, now) >= RENEW_AFTER else Keep()
