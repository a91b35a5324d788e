"""What the holder of a node says of its own work: the steps it means to take, and how far each is.

That is its word alone. No status follows from it, and it goes with the claim.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from msgspec.structs import replace

from stoat.errors import NotFound, Refused
from stoat.plan.events.base import Actor, NodeEvent
from stoat.plan.events.claims import mine
from stoat.plan.state import NodeState, PlanState, WorkState, WorkStep

MOST = 50
"""Steps of one claim."""
LONGEST_TITLE = 200
"""Characters of a step's title, and of its tag."""

_ID = re.compile(r"[A-Za-z0-9](?:[A-Za-z0-9._-]{0,58}[A-Za-z0-9])?")


class StepsDeclared(NodeEvent, tag="steps_declared", frozen=True):
    """The holder says which steps it means to take, in place of those it said before."""

    claim: str
    steps: tuple[WorkStep, ...]

    def fold(self, plan: PlanState) -> None:
        """Note the steps on the claim if it is still the one that is meant."""
        held = plan.nodes[self.node].claim
        if held is not None and held.id == self.claim:
            plan.change(self.node, claim=replace(held, steps=self.steps))


class StepReported(NodeEvent, tag="step_reported", frozen=True):
    """The holder says how far one of its steps is."""

    claim: str
    step: str
    state: WorkState

    def fold(self, plan: PlanState) -> None:
        """Note it on the step, if the claim has it."""
        held = plan.nodes[self.node].claim
        if held is not None and held.id == self.claim:
            steps = tuple(replace(one, state=self.state) if one.id == self.step else one for one in held.steps)
            plan.change(self.node, claim=replace(held, steps=steps))


def declare(
    plan: PlanState, node: NodeState, steps: Sequence[WorkStep], *, actor: Actor, claim_id: str | None = None
) -> StepsDeclared | None:
    """Say which steps the holder means to take; None when it said just that already.

    Refused for somebody who does not hold the node, and for steps that cannot be told apart or shown in a line.
    """
    held = mine(plan, node, actor, claim_id)
    if len(steps) > MOST:
        raise Refused(f"there are {len(steps)} steps", hint=f"at most {MOST}: say the larger ones")
    seen: set[str] = set()
    for step in steps:
        if not _ID.fullmatch(step.id):
            raise Refused(f"{step.id!r} is no id of a step", hint="letters, digits, '-', '_' and '.', as in tests")
        if step.id in seen:
            raise Refused(f"two steps have the id {step.id!r}", hint="rename one")
        seen.add(step.id)
        for text in (step.title, step.run_tag or step.title):
            if not text.strip() or len(text) > LONGEST_TITLE or not text.isprintable():
                raise Refused(
                    f"step {step.id}: {text!r:.60} is no line of at most {LONGEST_TITLE} characters",
                    hint="say it in a few words",
                )
    if tuple(steps) == held.steps:
        return None
    return StepsDeclared(node=node.spec.id, claim=held.id, steps=tuple(steps))


def report_step(
    plan: PlanState, node: NodeState, step: str, state: WorkState, *, actor: Actor, claim_id: str | None = None
) -> StepReported | None:
    """Say how far a step is; None when that is known. NotFound for a step that the holder never said it would take."""
    held = mine(plan, node, actor, claim_id)
    found = next((one for one in held.steps if one.id == step), None)
    if found is None:
        said = ", ".join(one.id for one in held.steps)
        raise NotFound(
            f"{plan.slug}/{node.spec.id} has no step {step!r} of its holder's",
            hint=f"its steps are: {said}" if said else "declare them first, with declare_node_steps",
        )
    return None if found.state == state else StepReported(node=node.spec.id, claim=held.id, step=step, state=state)
