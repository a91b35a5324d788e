"""docs/mcp.md has every tool and every argument, and promises none that there is not."""

from __future__ import annotations

import re

import pytest

from stoat.cli.reference import DOCS
from stoat.mcp.schemas import arguments_schema
from stoat.mcp.tool import Tool
from stoat.mcp.tools import TOOLS

PAGE = DOCS / "mcp.md"


@pytest.mark.parametrize("tool", TOOLS, ids=lambda tool: tool.name)
def test_every_tool_is_described_with_its_arguments(tool: Tool) -> None:
    row = re.search(rf"^\| `{tool.name}` \|(.*)\|$", PAGE.read_text(encoding="utf-8"), re.MULTILINE)
    assert row, f"{tool.name} is not in {PAGE}"
    missing = [name for name in arguments_schema(tool.arguments)["properties"] if f"`{name}`" not in row[1]]
    assert missing == [] or set(missing) <= {"plan", "node", "agent", "claimId"}


def test_no_tool_is_described_that_there_is_not() -> None:
    described = re.findall(r"^\| `([a-z_]+)` \|", PAGE.read_text(encoding="utf-8"), re.MULTILINE)
    assert described == [tool.name for tool in TOOLS]
