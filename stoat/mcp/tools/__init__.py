"""The table of tools, a module a family. What only a person may decide is not in it, and a test says so."""

from __future__ import annotations

from stoat.mcp.tool import Tool
from stoat.mcp.tools import authoring, claims, plans, questions, reviews, runs, working

TOOLS: tuple[Tool, ...] = (
    *plans.TOOLS, *claims.TOOLS, *questions.TOOLS, *working.TOOLS, *reviews.TOOLS, *runs.TOOLS, *authoring.TOOLS,
)  # fmt: skip
"""Every tool, in the order in which they are listed."""


PROFILES: dict[str, tuple[Tool, ...]] = {"full": TOOLS, "worker": TOOLS}
"""The tools of each profile that `stoat mcp` serves: what there is so far is all for a worker."""


def offered(profile: str) -> dict[str, Tool]:
    """The tools of a profile by name, in the order of the table."""
    return {tool.name: tool for tool in PROFILES[profile]}
