"""What a kind's rule is given beside the node, and what it gives back."""

from __future__ import annotations

from msgspec import Struct

from stoat.clock import Time
from stoat.derive.answers import Status, StepShown
from stoat.plan.facts import NOTHING, Facts


class Context(Struct, frozen=True):
    """What a verdict may use beside the log: the moment, and what is seen of this machine."""

    now: Time
    facts: Facts = NOTHING


class Verdict(Struct, frozen=True, gc=False):
    """Where a node stands by its kind's own rule, and why.

    `weaker` is what it is instead while something undone waits on the node: set when a pass proves less than a clean
    one. `finished` says that a change's work is complete and only has to reach its branch.
    """

    status: Status
    detail: str
    steps: tuple[StepShown, ...] = ()
    weaker: Verdict | None = None
    finished: bool = False
