"""What the process that speaks was launched for: the node that it works on, and under which claim.

The runner says it in an agent's environment, so that an agent need not name its node and its claim in every command.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from stoat.errors import Refused
from stoat.plan.ids import NodeRef
from stoat.plan.variables import CLAIM, NODE, PLAN
from stoat.service.session import parse_ref


class Assigned(NamedTuple):
    """The node and the claim of an agent; None where nobody said."""

    ref: NodeRef | None
    claim: str | None

    def plan(self, plan: str | None) -> str:
        """The plan that is meant: the one that is named, else one's own; Refused where there is neither."""
        if plan is not None:
            return plan
        if self.ref is None:
            raise Refused(
                "no plan is named, and this process was launched for none", hint="name it: see `stoat status`"
            )
        return self.ref.plan

    def node(self, plan: str | None, node: str | None) -> NodeRef:
        """The node that is meant: the one that is named, as NODE of that plan or as PLAN/NODE, else one's own.

        Refused where a node is left out and none is one's own, or where two plans are named; NotFound for what is no
        node's name.
        """
        if node is None:
            if self.ref is None or plan not in (None, self.ref.plan):
                raise Refused("no node is named", hint="name it: plan and node, or node as PLAN/NODE")
            return self.ref
        if "/" not in node:
            return parse_ref(f"{self.plan(plan)}/{node}")
        ref = parse_ref(node)
        if plan not in (None, ref.plan):
            raise Refused(f"{node} is not in plan {plan}", hint="name the plan once")
        return ref

    def claim_on(self, ref: NodeRef) -> str | None:
        """The claim that one was launched with, so that who lost its node cannot touch the next holder's."""
        return self.claim if ref == self.ref else None


def assigned(environ: Mapping[str, str]) -> Assigned:
    """What the environment of a process says that it works on."""
    plan, node = environ.get(PLAN), environ.get(NODE)
    return Assigned(NodeRef(plan, node) if plan and node else None, environ.get(CLAIM) or None)
