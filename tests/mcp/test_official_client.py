"""The official SDK's client against the real process, in both eras of the protocol."""

from __future__ import annotations

import asyncio
import os
import sys
from collections.abc import Awaitable, Callable
from concurrent.futures import ThreadPoolExecutor

import anyio
import pytest
from mcp import Client, StdioServerParameters
from mcp.shared.exceptions import MCPError

from tests.support.command import Stoat
from tests.support.mcp_wire import LEGACY, MODERN
from tests.support.waiting import wait_until

pytestmark = pytest.mark.slow

MODES = {"auto": MODERN, "legacy": LEGACY[-1]}

Session = Callable[[Callable[[Client], Awaitable[None]]], None]


@pytest.fixture(params=MODES)
def session(
    request: pytest.FixtureRequest, stoat: Stoat, worker: dict[str, str], home: object, monkeypatch: pytest.MonkeyPatch
) -> Session:
    """Runs a conversation with a server that this client started for the agent on `demo/parser`."""
    # On a busy machine the server takes longer to start than the client waits before it tries the older era.
    monkeypatch.setattr("mcp.client.session.DISCOVER_TIMEOUT_SECONDS", 90.0)
    inherited = {name: value for name, value in os.environ.items() if name.startswith(("GIT_", "HOME", "XDG_"))}
    server = StdioServerParameters(
        command=sys.executable, args=["-m", "stoat", "mcp", "--profile", "worker"], cwd=stoat.directory,
        env={**inherited, **worker},
    )  # fmt: skip

    def talk(conversation: Callable[[Client], Awaitable[None]]) -> None:
        async def run() -> None:
            with anyio.fail_after(120):
                async with Client(server, mode=request.param) as client:
                    assert client.protocol_version == MODES[request.param]
                    await conversation(client)

        # In a thread of its own: a browser test before this one leaves its event loop running in the main thread.
        with ThreadPoolExecutor(1) as thread:
            thread.submit(asyncio.run, run()).result()

    return talk


def test_it_lists_calls_and_is_refused(session: Session, stoat: Stoat) -> None:
    async def conversation(client: Client) -> None:
        assert "demo/parser" in (client.instructions or "")
        listed = await client.list_tools()
        assert len(listed.tools) == 12
        status = await client.call_tool("plan_status", {})
        assert status.structured_content is not None
        assert status.structured_content["plan"] == "demo"
        kept = await client.call_tool("report_node", {"note": "half way"})
        assert (kept.is_error, kept.structured_content["holder"]) == (False, "box/parser")  # type: ignore[index]
        refused = await client.call_tool("get_node", {"node": "nowhere"})
        assert refused.is_error
        assert "no node 'nowhere'" in refused.content[0].text  # type: ignore[union-attr]
        wrong = await client.call_tool("report_node", {"nothing": 1})
        assert wrong.is_error
        with pytest.raises(MCPError, match="no tool"):
            await client.session.call_tool("approve", {})

    session(conversation)
    assert stoat.json("status", "demo")["nodes"][0]["claim"]["note"] == "half way"


def test_an_answer_from_another_process_ends_the_wait_and_progress_comes_before_it(
    session: Session, stoat: Stoat
) -> None:
    told: list[str] = []

    async def progressed(progress: float, total: float | None, message: str | None) -> None:
        told.append(message or "")

    def answered() -> None:
        asked = wait_until(lambda: stoat.json("questions")["questions"], 60, "the question")[0]
        stoat.ok("answer", asked["id"], "spaces")

    async def conversation(client: Client) -> None:
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(anyio.to_thread.run_sync, answered)
            asked = await client.call_tool("ask_person", {"question": "tabs?"}, progress_callback=progressed)
        shown = asked.structured_content
        assert shown is not None
        assert (shown["state"], shown["answer"]["text"]) == ("answered", "spaces")
        assert any(shown["id"] in message for message in told)

    session(conversation)


def test_a_call_that_is_given_up_leaves_the_others_and_the_question(session: Session, stoat: Stoat) -> None:
    async def conversation(client: Client) -> None:
        waits = anyio.Event()

        async def progressed(progress: float, total: float | None, message: str | None) -> None:
            waits.set()

        async with anyio.create_task_group() as tasks:
            tasks.start_soon(
                lambda: client.call_tool("ask_person", {"question": "tabs?"}, progress_callback=progressed)
            )
            await waits.wait()
            tasks.cancel_scope.cancel()
        again = await client.call_tool("plan_status", {})
        assert not again.is_error

    session(conversation)
    assert stoat.json("questions")["questions"][0]["state"] == "open"
