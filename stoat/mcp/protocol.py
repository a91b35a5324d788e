"""JSON-RPC as MCP has it, in both eras, whatever carries the messages.

    2024-11-05 … 2025-11-25   `initialize` says the revision once; whoever carries the messages remembers it
    2026-07-28                `server/discover`, and the revision in the `_meta` of every request

A handler a method gives a plain dict; the official wire types check what comes in and give what goes out the shape that
its revision has.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from mcp_types import jsonrpc as codes
from mcp_types import methods
from mcp_types.version import (
    HANDSHAKE_PROTOCOL_VERSIONS,
    KNOWN_PROTOCOL_VERSIONS,
    LATEST_HANDSHAKE_VERSION,
    LATEST_MODERN_VERSION,
    MODERN_PROTOCOL_VERSIONS,
)
from pydantic import ValidationError

from stoat.mcp.calling import call
from stoat.mcp.desk import Desk
from stoat.mcp.schemas import arguments_schema
from stoat.mcp.tool import LONGEST_NAME, Tool, Waiting

VERSION_KEY = "io.modelcontextprotocol/protocolVersion"
CAPABILITIES_KEY = "io.modelcontextprotocol/clientCapabilities"
CLIENT_KEY = "io.modelcontextprotocol/clientInfo"
SERVER_KEY = "io.modelcontextprotocol/serverInfo"

UNSAID_VERSION = "2025-03-26"
"""The revision of who says none: the newest one that did not need to."""
SOMEBODY = "mcp-client"
"""The name of a client that gives none."""
KEPT_MS = 300_000
"""Milliseconds for which a client may keep a list: the tools of a process stay as they are."""

Message = dict[str, Any]

_log = logging.getLogger(__name__)


class Wrong(Exception):
    """A message that is answered with an error of the protocol."""

    def __init__(self, code: int, message: str, data: Any = None) -> None:
        super().__init__(message)
        self.code, self.message, self.data = code, message, data


@dataclass(frozen=True)
class Peer:
    """Who asks: in which revision of the protocol, and under which name of a program."""

    version: str = UNSAID_VERSION
    client: str = SOMEBODY

    @property
    def modern(self) -> bool:
        """Whether the revision is one without a handshake."""
        return self.version in MODERN_PROTOCOL_VERSIONS


def checked(document: Any) -> Message:
    """A decoded message, if it is one of JSON-RPC 2.0; Wrong otherwise. One with a method is a request if it has an
    `id`, else a notification; one without is an answer."""
    if not isinstance(document, dict) or document.get("jsonrpc") != "2.0":
        raise Wrong(codes.INVALID_REQUEST, "this is not one JSON-RPC 2.0 message")
    if "id" in document and (isinstance(document["id"], bool) or not isinstance(document["id"], int | str)):
        raise Wrong(codes.INVALID_REQUEST, "the id of a request is a string or a whole number")
    if "method" not in document:
        if "result" in document or "error" in document:
            return dict(document)
        raise Wrong(codes.INVALID_REQUEST, "the message has no method")
    if not isinstance(document["method"], str):
        raise Wrong(codes.INVALID_REQUEST, "a method is a string")
    if document.get("params", {}) is None:
        document = {name: value for name, value in document.items() if name != "params"}
    if not isinstance(document.get("params", {}), dict):
        raise Wrong(codes.INVALID_PARAMS, "params is an object")
    return dict(document)


def peer_of(request: Message, known: Peer) -> Peer:
    """Who makes a request: by its own `_meta` in the modern era, else `known`. Wrong for a revision that is not spoken.

    `known` is what a handshake said, or a header of the carrier.
    """
    meta = request.get("params", {}).get("_meta")
    meta = meta if isinstance(meta, dict) else {}
    if VERSION_KEY not in meta:
        if request["method"] == "server/discover" or known.modern:
            raise Wrong(codes.INVALID_PARAMS, f"_meta lacks {VERSION_KEY}")
        return known
    version = meta[VERSION_KEY]
    if version not in MODERN_PROTOCOL_VERSIONS:
        data = {"supported": list(reversed(KNOWN_PROTOCOL_VERSIONS)), "requested": str(version)[:LONGEST_NAME]}
        raise Wrong(codes.UNSUPPORTED_PROTOCOL_VERSION, "this revision of the protocol is not spoken here", data)
    if not isinstance(meta.get(CAPABILITIES_KEY), dict):
        raise Wrong(codes.INVALID_PARAMS, f"_meta lacks {CAPABILITIES_KEY}")
    return Peer(version, client_name(meta.get(CLIENT_KEY)) or known.client)


def client_name(info: Any) -> str | None:
    """The name that a client gives of itself, in one line; None where it gives none."""
    name = info.get("name") if isinstance(info, dict) else None
    if not isinstance(name, str):
        return None
    return " ".join("".join(part if part.isprintable() else " " for part in name).split())[:LONGEST_NAME] or None


def handshake(request: Message) -> Peer:
    """Who begins with `initialize`: the revision that was asked for where it is spoken, else the newest of its era."""
    params = request.get("params", {})
    asked = params.get("protocolVersion")
    version = asked if asked in HANDSHAKE_PROTOCOL_VERSIONS else LATEST_HANDSHAKE_VERSION
    return Peer(version, client_name(params.get("clientInfo")) or SOMEBODY)


def failure(request_id: Any, code: int, message: str, data: Any = None) -> Message:
    """The answer that says what is wrong with a request; `request_id` is None where none could be read."""
    error = {"code": code, "message": message, **({} if data is None else {"data": data})}
    return {"jsonrpc": "2.0", "id": request_id, "error": error}


class Endpoint:
    """The methods of the protocol over a set of tools. Threads may share it."""

    def __init__(self, tools: Mapping[str, Tool], desk: Desk, instructions: str, version: str) -> None:
        self.tools = tools
        self._desk = desk
        self._instructions = instructions
        self._server = {"name": "stoat", "title": "Stoat", "version": version}
        self._methods: dict[str, Callable[[Message, Peer, Waiting], Message]] = {
            "initialize": self._initialize,
            "ping": lambda params, peer, waiting: {},
            "server/discover": self._discover,
            "tools/list": self._list,
            "tools/call": self._call,
        }

    def answer(self, request: Message, peer: Peer, waiting: Waiting | None = None) -> Message:
        """The answer to a request, which may take as long as the tool that it calls. Never raises."""
        try:
            result = self._result(request, peer, waiting or Waiting())
        except Wrong as wrong:
            return failure(request["id"], wrong.code, wrong.message, wrong.data)
        except Exception:
            _log.exception("%s failed", str(request["method"])[:LONGEST_NAME])
            return failure(request["id"], codes.INTERNAL_ERROR, "Internal error")
        return {"jsonrpc": "2.0", "id": request["id"], "result": result}

    def tool_of(self, request: Message) -> Tool | None:
        """The tool that a request calls; None when it calls none."""
        name = request.get("params", {}).get("name")
        return self.tools.get(name) if request["method"] == "tools/call" and isinstance(name, str) else None

    def _result(self, request: Message, peer: Peer, waiting: Waiting) -> Message:
        method, params = request["method"], request.get("params", {})
        try:
            methods.validate_client_request(method, peer.version, request.get("params"))
        except KeyError:
            raise Wrong(codes.METHOD_NOT_FOUND, f"there is no method {method[:LONGEST_NAME]!r}") from None
        except ValidationError as wrong:
            where = {".".join(str(part) for part in one["loc"]) for one in wrong.errors(include_input=False)}
            raise Wrong(codes.INVALID_PARAMS, f"wrong: {', '.join(sorted(where)) or 'params'}"[:1000]) from None
        handler = self._methods.get(method)
        if handler is None:
            raise Wrong(codes.METHOD_NOT_FOUND, f"{method} is not offered here")
        result = handler(params, peer, waiting)
        if peer.modern:
            result = {"resultType": "complete", **result, "_meta": {SERVER_KEY: self._server}}
        return methods.serialize_server_result(method, peer.version, result)

    def _initialize(self, params: Message, peer: Peer, waiting: Waiting) -> Message:
        return {
            "protocolVersion": peer.version, "capabilities": {"tools": {}}, "serverInfo": self._server,
            "instructions": self._instructions,
        }  # fmt: skip

    def _discover(self, params: Message, peer: Peer, waiting: Waiting) -> Message:
        return {
            "supportedVersions": [LATEST_MODERN_VERSION], "capabilities": {"tools": {}},
            "instructions": self._instructions, "ttlMs": KEPT_MS, "cacheScope": "private",
        }  # fmt: skip

    def _list(self, params: Message, peer: Peer, waiting: Waiting) -> Message:
        if params.get("cursor") is not None:
            raise Wrong(codes.INVALID_PARAMS, "there is no such cursor: the list has one page")
        listed = [listing(tool) for tool in self.tools.values()]
        return {"tools": listed, "ttlMs": KEPT_MS, "cacheScope": "private"}

    def _call(self, params: Message, peer: Peer, waiting: Waiting) -> Message:
        tool = self.tools.get(params["name"])
        if tool is None:
            raise Wrong(codes.INVALID_PARAMS, f"there is no tool {params['name'][:LONGEST_NAME]!r}")
        return call(tool, params.get("arguments") or {}, self._desk, peer.client, waiting)


def listing(tool: Tool) -> Message:
    """A tool as it is listed."""
    hints = {"readOnlyHint": tool.reads, "destructiveHint": False, "openWorldHint": tool.outside}
    return {
        "name": tool.name, "description": tool.description, "inputSchema": arguments_schema(tool.arguments),
        "outputSchema": tool.schema, "annotations": hints,
    }  # fmt: skip
