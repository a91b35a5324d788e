"""The stand-ins of the APIs answer by the script in the prompt, turn by turn, and hold a limit as long as it says."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest
import requests

from tests.support.agent_apis import anthropic, gemini, openai
from tests.support.agent_apis.scripts import OVER, SCRIPTS, Limits, Message, turn_of
from tests.support.agent_apis.serving import serving


def conversation(*texts: str) -> list[Message]:
    """A conversation in which people and the agent take turns; the agent's messages begin with `A:`."""
    return [Message(text.startswith("A:"), text) for text in texts]


def test_each_answer_is_the_next_turn() -> None:
    commit = SCRIPTS["commit"]
    assert turn_of(conversation("hello MOCK:commit there"), Limits()) == commit[0]
    assert turn_of(conversation("MOCK:commit", "A: first", "a result"), Limits()) == commit[1]
    assert turn_of(conversation("MOCK:commit", "A: first", "a result", "A: done", "more?"), Limits()) == OVER


def test_a_prompt_without_a_script_goes_on_with_the_last_one() -> None:
    question = SCRIPTS["question"]
    assert turn_of(conversation("MOCK:question", "A: which?", "Five."), Limits()) == question[1]


def test_the_newest_script_counts_and_none_of_the_agents_own() -> None:
    said = conversation("MOCK:question", "A: MOCK:wait", 'now MOCK-SCRIPT:[{"text":"new"}] and on')
    assert turn_of(said, Limits()) == {"text": "new"}
    assert turn_of(conversation("nothing of that kind"), Limits()) == SCRIPTS["text"][0]


def test_a_limit_holds_everybody_until_it_is_over() -> None:
    limits = Limits()
    turns = '[{"text":"one"},{"limit":"usage","for":%s},{"text":"two"}]'
    long, over = turns % 3600, turns % 0
    assert turn_of(conversation(f"MOCK-SCRIPT:{long}"), limits) == {"text": "one"}
    first = turn_of(conversation(f"MOCK-SCRIPT:{long}", "A: one", "go on"), limits)
    again = turn_of(conversation(f"another agent MOCK-SCRIPT:{long} in another prompt", "A: one", "go on"), limits)
    assert first["limit"] == "usage" and first == again
    assert turn_of(conversation(f"MOCK-SCRIPT:{over}", "A: one", "go on"), limits) == {"text": "two"}


@pytest.mark.parametrize(
    ("api", "path", "prompt", "tools"),
    [
        (anthropic.api, "/v1/messages", {"messages": [{"role": "user", "content": "MOCK:{}"}]}, [{"name": "Bash"}]),
        (openai.api, "/v1/responses", {"input": [{"role": "user", "content": "MOCK:{}"}]}, [{"name": "exec_command"}]),
        (
            gemini.api,
            "/v1beta/models/gemini-3:streamGenerateContent",
            {"contents": [{"role": "user", "parts": [{"text": "MOCK:{}"}]}]},
            [{"functionDeclarations": []}],
        ),
    ],
)
def test_every_api_answers_every_script(api, path: str, prompt: dict[str, object], tools: list[object]) -> None:  # type: ignore[no-untyped-def]
    with serving(api()) as address:
        for name in sorted(set(SCRIPTS) - {"hang"}):
            body = json.loads(json.dumps(prompt).replace("{}", name)) | {"tools": tools}
            reply = requests.post(address + path, json=body, timeout=20)
            assert reply.headers["Content-Type"] in ("application/json", "text/event-stream")
            limited = SCRIPTS[name][0].get("limit")
            expected = {400} if "error" in SCRIPTS[name][0] else {200} if limited is None else {200, 400, 429, 503, 529}
            assert reply.status_code in expected, name
        assert requests.get(address + "/elsewhere", timeout=20).status_code == 404
        assert requests.post(address + "/elsewhere", data="{", timeout=20).status_code == 404


def test_one_is_started_by_hand() -> None:
    command = [sys.executable, "-m", "tests.support.agent_apis", "anthropic", "--port", "0"]
    root = Path(__file__).parents[2]
    process = subprocess.Popen(command, cwd=root, stdout=subprocess.PIPE, text=True)
    try:
        assert process.stdout is not None
        said = process.stdout.readline()
        found = re.fullmatch(r"anthropic at (http://127\.0\.0\.1:\d+)\n", said)
        assert found is not None, said
        body = {"messages": [{"role": "user", "content": "MOCK:text"}], "tools": [{"name": "Bash"}]}
        reply = requests.post(found[1] + "/v1/messages", json=body, timeout=20)
        assert reply.json()["content"] == [{"type": "text", "text": "All done. Nothing needed changing."}]
    finally:
        process.terminate()
        process.wait()
