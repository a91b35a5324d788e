"""`stoat mcp`: the tools for an agent's program, over MCP on standard input and output."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import Annotated

import typer

from stoat.cli import context, render


def mcp(
    profile: Annotated[
        str, typer.Option("--profile", metavar="full|worker", help="Which tools: all, or those of a worker on a node.")
    ] = "full",
) -> None:
    """Serve Stoat's tools to an agent's program, over MCP on standard input and output. Such a program starts it.

    Whoever calls a tool is an agent, and no tool decides what a person decides. It ends when its input is closed.
    docs/mcp.md says how it is handed to Claude Code, codex and gemini.
    """
    if profile not in ("full", "worker"):
        raise typer.BadParameter(f"{profile!r} is neither full nor worker", param_hint="--profile")

    from stoat.cli import logs
    from stoat.cli.version import version
    from stoat.mcp.desk import Desk
    from stoat.mcp.instructions import instructions
    from stoat.mcp.protocol import Endpoint
    from stoat.mcp.stdio import Server, private_streams
    from stoat.mcp.tools import offered
    from stoat.service.assigned import assigned

    logs.to_stderr()
    if sys.stdin.isatty():
        render.tell("this speaks MCP to an agent's program; Ctrl-C ends it")
        render.tell(f"hint: claude mcp add stoat -- stoat mcp --profile {profile}; docs/mcp.md has the others")
    desk = Desk(Path.cwd(), os.environ, context.store_flag(), context.by_flag())
    endpoint = Endpoint(offered(profile), desk, instructions(assigned(os.environ)), version())
    with private_streams() as (source, sink):
        Server(endpoint, source, sink).run()
