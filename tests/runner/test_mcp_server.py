"""Stoat's MCP server as it is handed to an agent."""

from __future__ import annotations

import json
import tomllib
from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

from stoat.runner.mcp_server import McpServer, server_for

ENVIRONMENT = {
    "PATH": "/bin", "STOAT_AGENT": "r", "STOAT_STORE": "/s p/.git", "STOAT_PLAN": "p", "STOAT_NODE": "n",
    "STOAT_CLAIM": "c-1", "STOAT_ATTEMPT": "2", "BOBCAT_RUN_TAG": "p/n", "STOAT_GITHUB_API": "x",
}  # fmt: skip


def test_the_server_is_told_whom_it_serves_and_nothing_else() -> None:
    server = server_for(Path("/x/stoat"), ENVIRONMENT)
    told = {name: value for name, value in ENVIRONMENT.items() if name not in ("PATH", "STOAT_GITHUB_API")}
    assert json.loads(server.json) == {
        "mcpServers": {
            "stoat": {
                "type": "stdio", "command": "/x/stoat", "args": ["mcp", "--profile", "worker"], "env": told,
                "alwaysLoad": True,
            }
        }
    }  # fmt: skip


def test_a_session_that_is_known_is_told_as_well() -> None:
    assert server_for(Path("/x"), {**ENVIRONMENT, "STOAT_SESSION": "u"}).environment["STOAT_SESSION"] == "u"


def test_a_host_is_named_by_its_address() -> None:
    server = server_for(Path("/x"), ENVIRONMENT, "http://127.0.0.1:5526/")
    address = "http://127.0.0.1:5526/api/mcp?profile=worker"
    assert json.loads(server.json)["mcpServers"]["stoat"] == {"type": "http", "url": address, "alwaysLoad": True}
    assert tomllib.loads(f"stoat={server.toml}")["stoat"]["url"] == address


@given(st.text(st.characters(codec="utf-8", exclude_characters="\0")))
def test_whatever_a_path_holds_arrives_as_it_is(text: str) -> None:
    server = McpServer(text, (text,), {"STOAT_STORE": text})
    read = tomllib.loads(f"mcp_servers.stoat={server.toml}")["mcp_servers"]["stoat"]
    assert (read["command"], read["args"], read["env"]) == (text, [text], {"STOAT_STORE": text})
    shown = json.loads(server.json)["mcpServers"]["stoat"]
    assert (shown["command"], shown["args"], shown["env"]) == (text, [text], {"STOAT_STORE": text})
