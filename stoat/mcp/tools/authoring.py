"""Work found while working: add_plan_node."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from stoat.mcp.schemas import keys
from stoat.mcp.tool import Arguments, Call, OfPlan, Speaker, Tool
from stoat.plan.nodes import Node, Step
from stoat.service import nodes
from stoat.service.authoring import Authored


class StepOfNode(Arguments):
    """A step of a gate or of a change."""

    id: str
    run: str = Field(description="The command.")
    title: str | None = None
    cwd: str | None = None
    timeout: str | None = Field(None, description="As in 20m.")


class AddPlanNode(OfPlan, Speaker):
    """The arguments of add_plan_node. Who merges is not among them: no agent turns merge-on-green on."""

    id: str = Field(description="Lower-case letters, digits and hyphens.")
    kind: Literal["change", "issue", "pr", "slice", "test-run-gate", "review", "person"] = "change"
    title: str | None = None
    brief: str | None = Field(None, description="What is to be done, for whoever works it.")
    depends_on: list[str] = Field([], description="NODE or PLAN/NODE each.")
    discovered_from: str | None = Field(None, description="The node whose work turned it up; yours if left out.")
    repo: str | None = Field(None, description="The plan's alias, or OWNER/NAME.")
    issue: int | None = None
    pr: int | None = None
    specs: list[str] = Field([], description="A slice's Feature/Scenario.")
    steps: list[StepOfNode] = Field([], description="Of a gate or a change.")


def _add(call: Call, given: AddPlanNode) -> Authored:
    slug, own = call.assigned.plan(given.plan), call.assigned.ref
    found_in = given.discovered_from or (str(own) if own is not None else None)
    node = Node(
        id=given.id, kind=given.kind, title=given.title, brief=given.brief, depends_on=tuple(given.depends_on),
        discovered_from=found_in, repo=given.repo, issue=given.issue, pr=given.pr, specs=tuple(given.specs),
        steps=tuple(
            Step(id=one.id, run=one.run, title=one.title, cwd=one.cwd, timeout=one.timeout) for one in given.steps
        ),
    )  # fmt: skip
    return nodes.add(call.session, slug, node)


TOOLS = (
    Tool(
        "add_plan_node",
        "File work that you found while working, as a node of the plan, instead of doing it on the side. It remembers "
        "the node it was found in, and needs a person's go-ahead like any other.",
        AddPlanNode, _add, keys({"plan": "string", "changes": "array", "warnings": "array"}),
    ),
)  # fmt: skip
