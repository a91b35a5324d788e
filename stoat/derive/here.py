"""What is known of one node before its surroundings are told: the input of readiness, launch and stance alike."""

from __future__ import annotations

from msgspec import Struct

from stoat.derive import holds
from stoat.derive.verdict import Verdict
from stoat.plan.nodes import LAUNCHED
from stoat.plan.state import Claim, NodeState, PlanState


class Here(Struct, frozen=True, gc=False):
    """A node in its plan: its verdict, its live claim, and what it waits for.

    `blocked` says that an upstream is not done, `missing` names those that exist nowhere, `circle` the way around when
    the node waits for itself, `unlanded` a done upstream whose work could not be landed. `orphaned` says that the
    process behind the live claim is dead.
    """

    plan: PlanState
    node: NodeState
    verdict: Verdict
    claim: Claim | None
    blocked: bool
    missing: tuple[str, ...] = ()
    circle: tuple[str, ...] = ()
    unlanded: str | None = None
    orphaned: bool = False

    @property
    def slug(self) -> str:
        """The plan's slug."""
        return self.plan.header.plan

    @property
    def id(self) -> str:
        """The node's id."""
        return self.node.spec.id

    @property
    def for_a_person(self) -> bool:
        """Whether no agent may do it."""
        return holds.for_a_person(self.node)

    @property
    def for_the_cloud(self) -> bool:
        """Whether it is kept for a cloud agent."""
        return holds.for_the_cloud(self.node)

    @property
    def launched(self) -> bool:
        """Whether it is of a kind that a runner starts agents for."""
        return self.node.spec.kind in LAUNCHED
