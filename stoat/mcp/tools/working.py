"""What an agent says of its own work: report_activity and declare_node_steps."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from stoat.errors import Refused
from stoat.mcp.schemas import outline
from stoat.mcp.tool import Arguments, ByHolder, Call, Tool
from stoat.plan.state import WorkStep
from stoat.service import working
from stoat.service.working import Working


class ReportActivity(ByHolder):
    """The arguments of report_activity."""

    activity: str = Field(description="What you are doing now, in a few words.", min_length=1)
    step: str | None = Field(None, description="The id of one of your declared steps.")
    state: Literal["pending", "running", "done", "failed", "skipped"] | None = Field(
        None, description="How far that step is (running)."
    )


class StepDeclared(Arguments):
    """A step that an agent means to take."""

    id: str
    title: str
    state: Literal["pending", "running", "done", "failed", "skipped"] = "pending"
    run_tag: str | None = Field(None, description="PLAN/NODE[/STEP]: its test runs are shown beside your word.")


class DeclareNodeSteps(ByHolder):
    """The arguments of declare_node_steps."""

    steps: list[StepDeclared] = Field(description="All of them, in order.")


def _activity(call: Call, given: ReportActivity) -> Working:
    ref = call.assigned.node(given.plan, given.node)
    if given.state is not None and given.step is None:
        raise Refused("there is a state and no step that it is of", hint="name the step")
    return working.activity(
        call.session, ref, given.activity, step=given.step, state=given.state or "running",
        claim_id=given.claim_id or call.assigned.claim_on(ref),
    )  # fmt: skip


def _declare(call: Call, given: DeclareNodeSteps) -> Working:
    ref = call.assigned.node(given.plan, given.node)
    steps = [WorkStep(id=one.id, title=one.title, state=one.state, run_tag=one.run_tag) for one in given.steps]
    own = given.claim_id or call.assigned.claim_on(ref)
    return working.declare_steps(call.session, ref, steps, claim_id=own)


TOOLS = (
    Tool(
        "report_activity",
        "Say what you are at, and how far one of your declared steps is. It keeps your claim; cheap to call often.",
        ReportActivity, _activity, outline(Working),
    ),
    Tool(
        "declare_node_steps",
        "Say which steps you mean to take on the node you hold, for people to follow; again to change them. They are "
        "your word and change no status; a gate's own steps are the plan's.",
        DeclareNodeSteps, _declare, outline(Working),
    ),
)  # fmt: skip
