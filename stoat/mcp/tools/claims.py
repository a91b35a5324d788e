"""Working on a node: report_node and release_node."""

from __future__ import annotations

from typing import Literal

from msgspec import Struct
from pydantic import Field

from stoat.mcp.schemas import outline
from stoat.mcp.tool import ByHolder, Call, Tool
from stoat.service import claims, reporting
from stoat.service.reporting import Reported


class ReportNode(ByHolder):
    """The arguments of report_node."""

    note: str | None = Field(None, description="How it goes, in a sentence.")
    link: str | None = Field(None, description="Where the work can be seen.")
    lease_minutes: float | None = Field(
        None, description="How long the claim lasts from now (30).", gt=0, allow_inf_nan=False
    )
    diagnosis: str | None = Field(
        None, description="Of a red gate you cannot make green: why. It then waits for a person."
    )
    result: Literal["passed", "failed"] | None = Field(
        None, description="A gate's result by your word; counts only where a person allowed that."
    )
    why: str | None = Field(None, description="What the result rests on.")
    step: str | None = Field(None, description="The gate's step that it is the result of.")


class ReleaseNode(ByHolder):
    """The arguments of release_node."""

    why: str | None = Field(None, description="Why it is given back.")


class Released(Struct, frozen=True, rename="camel"):
    """A node that is free again, and who had it."""

    plan: str
    node: str
    holder: str


def _report(call: Call, given: ReportNode) -> Reported:
    ref = call.assigned.node(given.plan, given.node)
    lease = None if given.lease_minutes is None else given.lease_minutes * 60
    return reporting.report(
        call.session, ref, note=given.note, link=given.link, lease=lease, claim_id=given.claim_id,
        launched_with=call.assigned.claim_on(ref), diagnosis=given.diagnosis, result=given.result, why=given.why,
        step=given.step,
    )  # fmt: skip


def _release(call: Call, given: ReleaseNode) -> Released:
    ref = call.assigned.node(given.plan, given.node)
    own = given.claim_id or call.assigned.claim_on(ref)
    return Released(ref.plan, ref.node, claims.release(call.session, *ref, claim_id=own, why=given.why))


TOOLS = (
    Tool(
        "report_node",
        "Say how your node goes and keep it: its lease runs anew from now. Or say of a gate, in a call of its own, "
        "what `diagnosis` or `result` is for. It makes nothing done: work is done when it is seen to be.",
        ReportNode, _report, outline(Reported),
    ),
    Tool(
        "release_node",
        "Give your node back, for somebody else to take. It changes no status.",
        ReleaseNode, _release, outline(Released),
    ),
)  # fmt: skip
