"""Messages as lines: what is no message, several calls at once, waiting, giving up, and the end."""

from __future__ import annotations

import json
import os
import pty
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from mcp_types import jsonrpc as codes

from stoat.mcp import outbox
from stoat.mcp.stdio import LONGEST_LINE, MOST_CALLS, Times
from stoat.mcp.tools import TOOLS
from tests.mcp.conftest import Serve
from tests.support.command import Stoat
from tests.support.mcp_wire import LEGACY, Wire, call, initialize, request
from tests.support.waiting import wait_until

PING = request("ping", modern=False, id="p")


def calling() -> list[threading.Thread]:
    return [one for one in threading.enumerate() if one.name.startswith("stoat-mcp-")]


@pytest.mark.parametrize("version", LEGACY)
def test_a_handshake_holds_for_what_follows(serve: Serve, version: str) -> None:
    wire = serve()
    assert wire.ask(initialize(version))["result"]["protocolVersion"] == version
    wire.send({"jsonrpc": "2.0", "method": "notifications/initialized"})
    params = {"name": "plan_status", "arguments": {}}
    result = wire.ask(request("tools/call", params, id="x", modern=False))["result"]
    assert result["structuredContent"]["plan"] == "demo"
    assert json.loads(result["content"][0]["text"]) == result["structuredContent"]
    assert "resultType" not in result


def test_both_eras_are_answered_on_one_wire(serve: Serve) -> None:
    wire = serve()
    assert wire.ask(request("server/discover"))["result"]["resultType"] == "complete"
    assert wire.ask(initialize())["result"]["protocolVersion"] == LEGACY[-1]
    assert wire.ask(request("tools/list"))["result"]["resultType"] == "complete"
    assert wire.ask(PING) == {"jsonrpc": "2.0", "id": "p", "result": {}}


HOSTILE = {
    "not JSON": (b"hello\n", codes.PARSE_ERROR),
    "half of it": (b'{"jsonrpc":"2.0",\n', codes.PARSE_ERROR),
    "not UTF-8": (b'{"jsonrpc":"2.0","id":1,"method":"\xff\xfe"}\n', codes.PARSE_ERROR),
    "half a character": (b'{"jsonrpc":"2.0","id":1,"method":"\\ud800"}\n', codes.PARSE_ERROR),
    "nested deeply": (b"[" * 100_000 + b"]" * 100_000 + b"\n", codes.PARSE_ERROR),
    "a number of 6,000 digits": (b'{"jsonrpc":"2.0","id":%b,"method":"ping"}\n' % (b"9" * 6000), codes.PARSE_ERROR),
    "10 MB": (b'{"jsonrpc":"2.0","id":1,"method":"' + b"x" * 10_000_000 + b'"}\n', codes.PARSE_ERROR),
    "a batch": (b"[%b]\n" % json.dumps(PING).encode(), codes.INVALID_REQUEST),
    "an empty batch": (b"[]\n", codes.INVALID_REQUEST),
    "an id that is none": (b'{"jsonrpc":"2.0","id":{"a":1},"method":"ping"}\n', codes.INVALID_REQUEST),
    "another JSON-RPC": (b'{"id":1,"method":"ping"}\n', codes.INVALID_REQUEST),
}


@pytest.mark.parametrize("name", HOSTILE)
def test_a_line_that_is_no_message_is_answered_and_the_stream_goes_on(serve: Serve, name: str) -> None:
    data, code = HOSTILE[name]
    wire = serve()
    writing = threading.Thread(target=wire.raw, args=(data,))
    writing.start()
    assert wire.line()["error"]["code"] == code
    writing.join()
    assert wire.ask(PING)["result"] == {}


def test_what_nobody_asked_is_stepped_over(serve: Serve) -> None:
    wire = serve()
    wire.raw(b"\n  \n\r\n")
    wire.send(
        {"jsonrpc": "2.0", "id": 9, "result": {}}, {"jsonrpc": "2.0", "method": "notifications/initialized"},
        {"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 77}},
        {"jsonrpc": "2.0", "method": "notifications/cancelled"}, {"jsonrpc": "2.0", "method": "no/such"},
        {"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": [1]}},
    )  # fmt: skip
    assert wire.ask(PING)["result"] == {}


def test_a_message_may_be_as_long_as_the_limit(serve: Serve) -> None:
    wire = serve()
    longest = json.dumps(call("ask_person", {"question": ""})).encode()
    padded = longest.replace(b'"question": ""', b'"question": "%b"' % (b"x" * (LONGEST_LINE - len(longest))))
    assert len(padded) == LONGEST_LINE
    writing = threading.Thread(target=wire.raw, args=(padded + b"\n",))
    writing.start()
    assert "at most 20000" in wire.answer()["result"]["content"][0]["text"]
    writing.join()


def test_a_last_message_without_a_line_end_is_answered(stoat: Stoat, worker: dict[str, str]) -> None:
    data = json.dumps(call("plan_status")).encode()
    process = stoat.start("mcp", "--profile", "worker", env=worker, stdin=subprocess.PIPE)
    out, err = process.communicate(data, timeout=60)
    assert json.loads(out)["result"]["structuredContent"]["plan"] == "demo"
    assert (process.returncode, err) == (0, b"")


def test_a_call_that_waits_keeps_no_other_from_its_answer(serve: Serve) -> None:
    wire = serve()
    wire.send(call("ask_person", {"question": "tabs?"}, id="waits", token=1))
    assert wire.line()["params"]["progressToken"] == 1
    assert wire.ask(call("get_node", {"github": False}, id="reads"))["id"] == "reads"


def test_a_call_that_waits_gives_signs_of_life_until_its_answer_comes(serve: Serve, stoat: Stoat) -> None:
    wire = serve()
    wire.send(call("ask_person", {"question": "tabs?"}, token="t"))
    beats: list[dict[str, Any]] = []
    while len(beats) < 4 or "asked as q-" not in beats[-1]["message"]:
        beats.append(wire.line()["params"])
    assert [beat["progress"] for beat in beats] == list(range(1, len(beats) + 1))
    assert {beat["progressToken"] for beat in beats} == {"t"}
    (asked,) = stoat.json("questions")["questions"]
    assert asked["id"] in beats[-1]["message"]
    stoat.ok("answer", asked["id"], "spaces")
    result = wire.answer()["result"]["structuredContent"]
    assert (result["state"], result["answer"]["text"], result["hint"]) == ("answered", "spaces", None)
    wire.send(PING)
    assert wire.line()["id"] == "p", "a sign of life of a call that is over"


def test_a_call_that_can_give_no_sign_of_life_is_answered_before_a_client_gives_up(serve: Serve) -> None:
    assert Times().silent < 60 and Times().beat < 25 and Times().patience == 20 * 60
    wire = serve()
    asked = wire.ask(call("ask_person", {"question": "tabs?"}))["result"]["structuredContent"]
    assert asked["state"] == "open"
    assert f"questionId {asked['id']}" in asked["hint"]


def test_a_call_that_was_given_up_waits_no_more_and_is_not_answered(serve: Serve, stoat: Stoat) -> None:
    wire = serve()
    wire.send(call("ask_person", {"question": "tabs?"}, id=5, token=5))
    wire.line()
    assert calling()
    wire.send({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 5, "reason": "tired"}})
    wait_until(lambda: not calling(), what="the end of the wait")
    assert wire.ask(PING)["id"] == "p"
    assert stoat.json("questions")["questions"][0]["state"] == "open"


def test_a_client_that_does_not_read_can_give_calls_up_make_others_and_end(serve: Serve, stoat: Stoat) -> None:
    wire = serve(Times(patience=60, silent=60, beat=0.02, ending=0.5))
    wire.send(call("ask_person", {"question": "tabs?"}, id="waits", token="t"))
    wire.line()
    wire.send(*(request("tools/list", id=number) for number in range(40)))  # far more than a pipe holds
    wire.send({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": "waits"}})
    wait_until(lambda: not calling(), what="the end of the wait")
    wire.send(call("report_node", {"note": "heard"}, id="told"))
    wait_until(lambda: stoat.json("status", "demo")["nodes"][0]["claim"]["note"] == "heard", 30, "the report")
    answers = [wire.answer() for _ in range(41)]
    assert {one["id"] for one in answers} == {*range(40), "told"}
    wire.send(*(request("tools/list", id=number) for number in range(40)))


def test_a_client_that_leaves_everything_unread_is_taken_as_gone(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(outbox, "MOST_UNREAD", 200_000)
    source, sink = os.pipe()
    gone = threading.Event()
    box = outbox.Outbox(sink, gone.set)
    for _ in range(30):
        box.put(b"x" * 10_000 + b"\n")
    assert gone.wait(20)
    box.close(0)
    for each in (source, sink):
        os.close(each)


def test_an_id_is_used_by_one_call_at_a_time_and_1_is_not_the_text_1(serve: Serve) -> None:
    wire = serve()
    wire.send(call("ask_person", {"question": "one?"}, id=1, token=1))
    wire.line()
    assert wire.ask(call("plan_status", id="1"))["result"]["isError"] is False
    refused = wire.ask(call("plan_status", id=1))
    assert (refused["id"], refused["error"]["code"]) == (1, codes.INVALID_REQUEST)


def test_calls_are_answered_at_the_same_time_and_there_is_a_most_of_them(serve: Serve) -> None:
    wire = serve(Times(patience=20, silent=20, beat=20, ending=10))
    waiting = [call("await_run_completion", {"tag": "demo/suite"}, id=number) for number in range(MOST_CALLS)]
    wire.send(*waiting, call("plan_status", id="one more"))
    refused = wire.answer()
    assert refused["id"] == "one more"
    assert "wait for one" in refused["error"]["message"]


def test_many_calls_at_once_each_get_their_own_answer(serve: Serve) -> None:
    wire = serve()
    wire.send(*(call("get_node", {"node": node, "github": False}, id=f"{node} {number}")
                for number in range(8) for node in ("parser", "suite", "final")))  # fmt: skip
    answers = [wire.answer() for _ in range(24)]
    assert all(one["result"]["structuredContent"]["id"] == one["id"].split()[0] for one in answers)
    assert len({one["id"] for one in answers}) == 24


@pytest.fixture
def process(stoat: Stoat, worker: dict[str, str]) -> Iterator[subprocess.Popen[bytes]]:
    """`stoat mcp` as a client starts it."""
    process = stoat.start("mcp", "--profile", "worker", env=worker, stdin=subprocess.PIPE)
    yield process
    if process.poll() is None:
        process.kill()
    process.communicate()


def wire_to(process: subprocess.Popen[bytes]) -> Wire:
    assert process.stdin is not None and process.stdout is not None
    return Wire(process.stdout.fileno(), process.stdin.fileno())


def test_it_ends_when_its_input_is_closed_though_a_call_waits(process: subprocess.Popen[bytes]) -> None:
    wire = wire_to(process)
    wire.send(call("ask_person", {"question": "tabs?"}, token=1))
    wire.line()
    assert process.stdin is not None
    process.stdin.close()
    assert process.wait(20) == 0
    process.stdin = None


def test_it_ends_quietly_when_nobody_reads_it(process: subprocess.Popen[bytes]) -> None:
    wire = wire_to(process)
    assert wire.ask(PING)["id"] == "p"
    assert process.stdout is not None and process.stderr is not None
    process.stdout.close()
    wire.send(PING)
    assert process.wait(20) == 0
    assert process.stderr.read() == b""
    process.stdout = None


def test_an_interrupt_ends_it(process: subprocess.Popen[bytes]) -> None:
    wire = wire_to(process)
    assert wire.ask(PING)["id"] == "p"
    process.send_signal(signal.SIGINT)
    assert process.wait(20) == 130


def test_a_killed_one_leaves_a_store_that_the_next_one_goes_on_with(
    process: subprocess.Popen[bytes], stoat: Stoat, worker: dict[str, str]
) -> None:
    wire = wire_to(process)
    wire.send(*(call("report_node", {"note": f"note {number}"}, id=number) for number in range(20)))
    assert wire.answer()["result"]["isError"] is False
    process.kill()
    process.wait(20)
    assert stoat.json("status", "demo")["nodes"][0]["claim"]["note"].startswith("note ")
    stoat.ok("report", "demo/parser", "--note", "after", env=worker)


def test_where_there_is_no_store_it_starts_and_every_tool_says_so(tmp_path: Path) -> None:
    process = Stoat(tmp_path).start("mcp", stdin=subprocess.PIPE)
    needed = {
        "ask_person": {"question": "x", "node": "demo/a"}, "report_activity": {"activity": "x", "node": "demo/a"},
        "declare_node_steps": {"steps": [], "node": "demo/a"}, "submit_review": {"findings": []},
        "add_plan_node": {"id": "x"},
    }  # fmt: skip
    calls = [call(tool.name, needed.get(tool.name), id=tool.name) for tool in TOOLS]
    out, _ = process.communicate(b"".join(json.dumps(one).encode() + b"\n" for one in calls), timeout=60)
    answers = [json.loads(line) for line in out.splitlines()]
    assert len(answers) == len(TOOLS)
    for answer in answers:
        assert answer["result"]["isError"] is True
        assert "hint: " in answer["result"]["content"][0]["text"]


def test_a_stray_print_of_a_command_that_it_starts_reaches_no_client(stoat: Stoat, worker: dict[str, str]) -> None:
    code = (
        "import os, subprocess, sys\n"
        "from stoat.mcp.stdio import private_streams\n"
        "with private_streams() as (source, sink):\n"
        "    print('stray'); os.system('echo stray; cat')\n"
        "    os.write(sink, os.read(source, 9))\n"
    )
    ran = subprocess.run([sys.executable, "-c", code], input=b"the wire\n", capture_output=True, timeout=60)
    assert ran.stdout == b"the wire\n"
    assert ran.stderr.count(b"stray") == 2


def test_who_starts_it_in_a_terminal_is_told_what_it_is(stoat: Stoat) -> None:
    ours, theirs = pty.openpty()
    process = stoat.start("mcp", stdin=theirs)
    os.close(theirs)
    assert process.stderr is not None
    told = process.stderr.readline() + process.stderr.readline()
    assert b"speaks MCP" in told
    assert b"claude mcp add stoat" in told
    os.write(ours, b"\x04")
    assert process.wait(30) == 0
    process.communicate()
    os.close(ours)


def test_a_profile_that_there_is_not_is_wrong_usage(stoat: Stoat) -> None:
    ran = stoat.run("mcp", "--profile", "boss")
    assert ran.code == 2
    assert "neither full nor worker" in ran.err
