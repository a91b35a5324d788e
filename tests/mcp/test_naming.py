"""What a tool is about: each tool, each way of naming it, by an agent launched on a node and by one that was not."""

from __future__ import annotations

import itertools
import re
from typing import Any

import pytest

from stoat.mcp.calling import call
from stoat.mcp.desk import Desk
from stoat.mcp.protocol import Endpoint
from stoat.mcp.tool import OfNode, OfPlan, Tool, Waiting
from stoat.mcp.tools import TOOLS
from stoat.mcp.tools.runs import OfRun

NEEDED: dict[str, dict[str, Any]] = {
    "get_node": {"github": False}, "ask_person": {"question": "tabs?", "wait": False},
    "report_activity": {"activity": "reading"}, "declare_node_steps": {"steps": []}, "submit_review": {"findings": []},
    "add_plan_node": {"id": "found"},
}  # fmt: skip

# The ways of naming a subject, and whether one that was launched on no node names something by it.
PLANS: dict[str, tuple[dict[str, str], bool]] = {"nothing": ({}, False), "the plan": ({"plan": "demo"}, True)}
NODES: dict[str, tuple[dict[str, str], bool]] = {
    "nothing": ({}, False), "the plan": ({"plan": "demo"}, False), "the node": ({"node": "parser"}, False),
    "the node of the plan": ({"node": "demo/parser"}, True),
    "plan and node": ({"plan": "demo", "node": "parser"}, True),
}  # fmt: skip
RUNS: dict[str, tuple[dict[str, str], bool]] = {
    "nothing": ({}, False), "the run": ({"runId": "r-1"}, True), "the tag": ({"tag": "demo/suite"}, True),
}  # fmt: skip


def ways(tool: Tool) -> dict[str, tuple[dict[str, str], bool]]:
    if issubclass(tool.arguments, OfNode):
        return NODES
    return PLANS if issubclass(tool.arguments, OfPlan) else RUNS


CASES = [(tool, way) for tool in TOOLS for way in ways(tool)]


@pytest.mark.parametrize("launched", [True, False], ids=["launched on a node", "launched on none"])
@pytest.mark.parametrize(("tool", "way"), CASES, ids=[f"{tool.name} by {way}" for tool, way in CASES])
def test_what_is_named_is_found_and_what_is_not_is_said(
    endpoint: Endpoint, tool: Tool, way: str, launched: bool
) -> None:
    named, alone = ways(tool)[way]
    environ = dict(endpoint._desk.environ)
    if not launched:
        environ = {name: value for name, value in environ.items() if not name.startswith("STOAT_")}
    desk = Desk(endpoint._desk.directory, environ)
    given = {**NEEDED.get(tool.name, {}), **named}
    said = call(tool, given, desk, "anybody", Waiting())["content"][0]["text"]
    unnamed = re.match("no (plan|node|run) is named.*\nhint: ", said)
    assert bool(unnamed) is not (alone or launched), said


def test_every_tool_is_about_a_plan_a_node_or_a_run() -> None:
    assert all(issubclass(tool.arguments, OfPlan | OfRun) for tool in TOOLS)


@pytest.mark.parametrize("launched", [True, False])
def test_a_question_is_found_by_its_id_alone(endpoint: Endpoint, launched: bool) -> None:
    desk = endpoint._desk
    ask = endpoint.tools["ask_person"]
    asked = call(ask, {"question": "tabs?", "wait": False}, desk, "x", Waiting())["structuredContent"]
    if not launched:
        environ = itertools.filterfalse(lambda one: one[0].startswith("STOAT_"), desk.environ.items())
        desk = Desk(desk.directory, dict(environ))
    again = call(ask, {"questionId": asked["id"]}, desk, "x", Waiting())["structuredContent"]
    assert (again["id"], again["node"], again["state"]) == (asked["id"], "parser", "open")
