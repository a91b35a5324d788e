"""Whatever arguments a tool is called with: an answer, never a crash of ours."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from stoat.mcp.calling import call
from stoat.mcp.desk import Desk
from stoat.mcp.schemas import arguments_schema
from stoat.mcp.tool import Tool, Waiting
from stoat.mcp.tools import TOOLS
from tests.mcp.conftest import PLAN
from tests.support.command import Stoat
from tests.support.gitrepo import GitRepo

SCALARS = st.none() | st.booleans() | st.integers(-(2**63), 2**63) | st.floats(allow_nan=False, allow_infinity=False)
TEXTS = st.text(st.characters(codec="utf-8"), max_size=30) | st.sampled_from(
    ["demo", "parser", "suite", "demo/suite", "demo/suite/unit", "final", "", "\x00", "\x1b[2J", "..", "a/b/c", "‮"]
)
VALUES = st.recursive(
    SCALARS | TEXTS, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXTS, inner, max_size=3), max_leaves=8
)


@pytest.fixture(scope="module")
def desk(_isolated_session: None, tmp_path_factory: pytest.TempPathFactory) -> Desk:
    """An agent on the node `parser` of a plan that these tests may fill with anything."""
    repo = GitRepo(tmp_path_factory.mktemp("anything") / "project").init()
    repo.commit({"plan.yaml": PLAN}, "Start")
    stoat = Stoat(Path(repo.path))
    stoat.ok("init")
    stoat.ok("plan", "import", "plan.yaml")
    stoat.ok("approve", "demo/parser")
    stoat.ok("claim", "demo/parser", "--agent", "box/parser")
    worker = {"STOAT_AGENT": "box/parser", "STOAT_PLAN": "demo", "STOAT_NODE": "parser"}
    return Desk(Path(repo.path), {**os.environ, **worker})


def arguments_of(tool: Tool) -> st.SearchStrategy[dict[str, Any]]:
    """Its own arguments with any values, and now and then some that it does not have."""
    names = arguments_schema(tool.arguments)["properties"]
    own = st.fixed_dictionaries({}, optional={name: TEXTS | VALUES for name in names if name != "github"})
    return own | st.dictionaries(TEXTS, VALUES, max_size=2)


@pytest.mark.parametrize("tool", TOOLS, ids=lambda tool: tool.name)
@settings(max_examples=25, suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow])
@given(data=st.data())
def test_any_arguments_are_answered(desk: Desk, tool: Tool, data: st.DataObject) -> None:
    arguments = data.draw(arguments_of(tool))
    if tool.name == "get_node":
        arguments["github"] = False
    result = call(tool, arguments, desk, "anybody", Waiting(seconds=0))
    assert isinstance(result["isError"], bool)
    assert "Traceback" not in json.dumps(result)
