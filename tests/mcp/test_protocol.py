"""Both eras of the protocol, and what is wrong with a message, without anything that carries it."""

from __future__ import annotations

import json
import logging
from typing import Any

import pytest
from mcp_types import jsonrpc as codes

from stoat.mcp.protocol import Endpoint, Peer, Wrong, checked, client_name, handshake, peer_of
from stoat.mcp.tool import Arguments, Tool
from stoat.mcp.tools import TOOLS, offered
from tests.support.mcp_wire import LEGACY, MODERN, call, initialize, meta, request

TWELVE = [
    "plan_status", "get_node", "report_node", "release_node", "ask_person", "report_activity", "declare_node_steps",
    "submit_review", "run_status", "failing_tests", "await_run_completion", "add_plan_node",
]  # fmt: skip


def answered(endpoint: Endpoint, message: dict[str, Any], peer: Peer | None = None) -> dict[str, Any]:
    return endpoint.answer(message, peer or peer_of(message, Peer()))


@pytest.mark.parametrize("version", LEGACY)
def test_an_older_client_is_answered_in_the_revision_that_it_asked_for(endpoint: Endpoint, version: str) -> None:
    first = initialize(version)
    peer = handshake(first)
    result = answered(endpoint, first, peer)["result"]
    assert result["protocolVersion"] == version
    assert result["serverInfo"]["name"] == "stoat"
    assert "demo/parser" in result["instructions"]
    assert answered(endpoint, request("ping", modern=False), peer)["result"] == {}
    listed = answered(endpoint, request("tools/list", modern=False), peer)["result"]
    assert [tool["name"] for tool in listed["tools"]] == TWELVE
    assert "ttlMs" not in listed


@pytest.mark.parametrize("asked", ["1999-01-01", MODERN, "", None, 7])
def test_a_handshake_for_a_revision_of_no_such_era_gets_the_newest_of_it(asked: object) -> None:
    first = initialize()
    first["params"]["protocolVersion"] = asked
    assert handshake(first).version == LEGACY[-1]


def test_a_client_without_a_handshake_discovers_and_lists(endpoint: Endpoint) -> None:
    found = answered(endpoint, request("server/discover"))["result"]
    assert found["supportedVersions"] == [MODERN]
    assert found["resultType"] == "complete"
    assert found["_meta"]["io.modelcontextprotocol/serverInfo"]["version"] == "1.2.3"
    listed = answered(endpoint, request("tools/list"))["result"]
    assert [tool["name"] for tool in listed["tools"]] == TWELVE
    assert (listed["cacheScope"], listed["resultType"]) == ("private", "complete")


def test_the_list_is_the_same_every_time_and_small(endpoint: Endpoint) -> None:
    first, second = (answered(endpoint, request("tools/list"))["result"]["tools"] for _ in range(2))
    assert first == second
    assert len(json.dumps(first, separators=(",", ":"), ensure_ascii=False)) < 16_000
    for tool in first:
        assert 20 < len(tool["description"]) <= 4096, "clients cut what is longer"
        assert tool["inputSchema"]["additionalProperties"] is False
        assert tool["outputSchema"]["type"] == "object"


def test_the_full_profile_has_all_that_there_is_and_the_worker_its_twelve() -> None:
    assert list(offered("full")) == [tool.name for tool in TOOLS]
    assert list(offered("worker")) == TWELVE


@pytest.mark.parametrize(
    ("message", "code"),
    [
        (request("server/discover", modern=False), codes.INVALID_PARAMS),
        (request("tools/list", {"_meta": {"version": "2027-01-01"}}), codes.UNSUPPORTED_PROTOCOL_VERSION),
        (request("tools/list", {"_meta": {"version": "2025-11-25"}}), codes.UNSUPPORTED_PROTOCOL_VERSION),
        (request("tools/list", {"_meta": {"version": ["x"]}}), codes.UNSUPPORTED_PROTOCOL_VERSION),
        ({"jsonrpc": "2.0", "id": 1, "method": "tools/list", "params": {"_meta": {
            "io.modelcontextprotocol/protocolVersion": MODERN}}}, codes.INVALID_PARAMS),
        (request("initialize"), codes.METHOD_NOT_FOUND),
        (request("ping"), codes.METHOD_NOT_FOUND),
        (request("no/such"), codes.METHOD_NOT_FOUND),
        (request("resources/list"), codes.METHOD_NOT_FOUND),
        (request("prompts/list", modern=False), codes.METHOD_NOT_FOUND),
        (request("server/discover ", modern=False), codes.METHOD_NOT_FOUND),
        (request("tools/list", {"cursor": "x"}), codes.INVALID_PARAMS),
        (request("tools/list", {"cursor": 7}), codes.INVALID_PARAMS),
        (request("tools/call"), codes.INVALID_PARAMS),
        (request("tools/call", {"name": 7}), codes.INVALID_PARAMS),
        (request("tools/call", {"name": "plan_status", "arguments": []}), codes.INVALID_PARAMS),
        (call("approve_node"), codes.INVALID_PARAMS),
        (request("initialize", {"protocolVersion": 7}, modern=False), codes.INVALID_PARAMS),
    ],
)  # fmt: skip
def test_what_is_wrong_with_a_request_has_its_code(endpoint: Endpoint, message: dict[str, Any], code: int) -> None:
    try:
        error = answered(endpoint, message)["error"]
        said = error["code"], error["message"]
    except Wrong as wrong:
        said = wrong.code, wrong.message
    assert said[0] == code
    assert "Traceback" not in said[1]


def test_a_revision_that_is_not_spoken_is_answered_with_those_that_are() -> None:
    with pytest.raises(Wrong) as refused:
        peer_of(request("tools/list", {"_meta": {"version": "2031-01-01"}}), Peer())
    assert refused.value.data == {"supported": [MODERN, *reversed(LEGACY)], "requested": "2031-01-01"}


@pytest.mark.parametrize(
    "document",
    [
        None, 1, "x", [], [request("ping", modern=False)], {}, {"jsonrpc": "1.0", "id": 1, "method": "ping"},
        {"jsonrpc": "2.0", "id": 1}, {"jsonrpc": "2.0", "id": 1, "method": 7},
        *({"jsonrpc": "2.0", "id": odd, "method": "ping"} for odd in (None, True, 1.5, [], {})),
        {"jsonrpc": "2.0", "id": 1, "method": "ping", "params": []},
        {"jsonrpc": "2.0", "id": 1, "method": "ping", "params": "x"},
    ],
)  # fmt: skip
def test_what_is_no_message_is_refused(document: object) -> None:
    with pytest.raises(Wrong):
        checked(document)


def test_params_that_are_null_are_none(endpoint: Endpoint) -> None:
    message = checked({"jsonrpc": "2.0", "id": 1, "method": "ping", "params": None})
    assert answered(endpoint, message)["result"] == {}


def test_a_client_that_names_itself_is_known_by_one_short_line() -> None:
    assert client_name({"name": "claude-code"}) == "claude-code"
    assert client_name({"name": "a\nb\x1b[0m " + "c" * 500}) == ("a b [0m " + "c" * 500)[:100]
    assert [client_name(odd) for odd in (None, {}, {"name": 7}, {"name": " \n"}, [])] == [None] * 5
    assert peer_of(request("tools/list"), Peer()).client == "raw"
    assert peer_of({**request("tools/list"), "params": {"_meta": {**meta(), "io.modelcontextprotocol/clientInfo": 7}}},
                   Peer()).client == "mcp-client"  # fmt: skip


def test_a_defect_of_ours_is_an_internal_error_and_its_traceback_goes_to_the_log(
    endpoint: Endpoint, caplog: pytest.LogCaptureFixture
) -> None:
    def broken(called: object, given: object) -> None:
        raise RuntimeError("secret detail")

    endpoint.tools = {"broken": Tool("broken", "It breaks whenever it is called.", Arguments, broken, {})}
    with caplog.at_level(logging.ERROR):
        error = answered(endpoint, call("broken"))["error"]
    assert error == {"code": codes.INTERNAL_ERROR, "message": "Internal error"}
    assert "secret detail" in caplog.text
