"""Stoat's MCP server for an agent, handed over on its command line: nothing is written into its worktree.

The server is started by the agent's tool, over stdio, and learns from its environment who it serves. Some tools pass
their environment on and some do not, so what it needs is named.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from stoat.plan import variables

NAME = "stoat"
"""What the server is called: tools show its tools as `mcp__stoat__…`."""

_NEEDED = (
    variables.AGENT, variables.STORE, variables.PLAN, variables.NODE, variables.CLAIM, variables.ATTEMPT,
    variables.SESSION, variables.RUN_TAG,
)  # fmt: skip

_STARTS_WITHIN = 120
"""Seconds that codex gives the server to start: a machine full of agents is slow."""

_WAITS = 3600
"""Seconds that codex lets a tool take: asking a person takes as long as the person."""


@dataclass(frozen=True)
class McpServer:
    """A server to be handed over: a program with its arguments and environment, or an address."""

    command: str = ""
    arguments: tuple[str, ...] = ()
    environment: Mapping[str, str] = field(default_factory=dict)
    url: str | None = None

    @property
    def json(self) -> str:
        """As Claude Code's --mcp-config takes it. Without alwaysLoad a tool is only found by a search for it."""
        server: dict[str, Any]
        if self.url is not None:
            server = {"type": "http", "url": self.url}
        else:
            server = {
                "type": "stdio", "command": self.command, "args": list(self.arguments), "env": dict(self.environment),
            }  # fmt: skip
        return json.dumps({"mcpServers": {NAME: {**server, "alwaysLoad": True}}}, ensure_ascii=False)

    @property
    def toml(self) -> str:
        """The server as an inline table of codex's configuration.

        Codex denies every call that it is not told to approve, and lets an agent begin before the server is there
        unless that is required; then it ends with an error where there is none.
        """
        if self.url is not None:
            said = [f"url={_quoted(self.url)}"]
        else:
            named = ",".join(f"{name}={_quoted(value)}" for name, value in self.environment.items())
            listed = ",".join(map(_quoted, self.arguments))
            said = [f"command={_quoted(self.command)}", f"args=[{listed}]", f"env={{{named}}}"]
        said += [
            'default_tools_approval_mode="approve"', "required=true", f"startup_timeout_sec={_STARTS_WITHIN}",
            f"tool_timeout_sec={_WAITS}",
        ]  # fmt: skip
        return f"{{{','.join(said)}}}"


def _quoted(text: str) -> str:
    """A basic string of TOML: JSON's escapes are TOML's, but for one character that only TOML wants escaped."""
    return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007f")


def address(url: str) -> str:
    """Where a host at that address serves the worker's tools."""
    return f"{url.rstrip('/')}/api/mcp?profile=worker"


def server_for(stoat: Path, environment: Mapping[str, str], url: str | None = None) -> McpServer:
    """The worker's server for an agent that is started with this environment: by the program `stoat`, or at `url`."""
    if url is not None:
        return McpServer(url=address(url))
    needed = {name: environment[name] for name in _NEEDED if name in environment}
    return McpServer(str(stoat), ("mcp", "--profile", "worker"), needed)
