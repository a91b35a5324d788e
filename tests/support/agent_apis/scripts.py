"""Which turn of which script an agent is at."""

from __future__ import annotations

import json
import re
import threading
import time
from collections.abc import Sequence
from typing import Any, NamedTuple

Turn = dict[str, Any]

COMMIT = (
    "printf 'hello\\n' >> hello.txt && git add hello.txt && "
    "git -c user.name=Agent -c user.email=agent@example.invalid commit -qm 'Add hello.txt' && git log --oneline -1"
)
SCRIPTS: dict[str, list[Turn]] = {
    "text": [{"text": "All done. Nothing needed changing."}],
    "commit": [{"text": "First the file.", "shell": COMMIT}, {"text": "Created hello.txt and committed it."}],
    "question": [
        {"text": "I looked at both designs.\n\nQuestion for a person: should the retry cap be 3 or 5?"},
        {"shell": COMMIT},
        {"text": "Done as you said."},
    ],
    # Not `sleep`: Claude Code refuses to wait for that.
    "wait": [{"shell": "touch waiting; python3 -c 'import time; time.sleep(600)'"}, {"text": "Waited."}],
    "hang": [{"hang": 600, "text": "late"}],
    "usage": [{"limit": "usage", "for": 7200}],
    "weekly": [{"limit": "usage", "for": 3 * 86400, "window": "seven_day"}],
    "limit-in-the-middle": [
        {"text": "First a command.", "shell": "echo one"},
        {"limit": "usage", "for": 7200},
        {"shell": COMMIT},
        {"text": "Went on and finished."},
    ],
    "rate": [{"limit": "rate"}],
    "overloaded": [{"limit": "overloaded"}],
    "spend": [{"limit": "spend"}],
    "expensive": [
        {"shell": "echo spend", "usage": {"input": 200_000, "output": 50_000}},
        {"text": "Spent a lot.", "usage": {"input": 200_000, "output": 50_000}},
    ],
    "refused": [{"error": {"status": 400, "message": "this request is not valid"}}],
}
OVER: Turn = {"text": "(the script is over)"}

_NAMED = re.compile(r"MOCK:([a-z0-9-]+)")
_INLINE = re.compile(r"MOCK-SCRIPT:(?=\[)")


class Message(NamedTuple):
    """A message of a conversation: who said it, and the text of it."""

    is_agent: bool
    text: str


class Limits:
    """The limits that were met, by script and place in it, and when each is over."""

    def __init__(self) -> None:
        self._until: dict[str, float] = {}
        self._lock = threading.Lock()

    def until(self, script: str, place: int, seconds: float) -> float:
        """When a limit is over that lasts so long from when it is first met, in seconds since 1970."""
        with self._lock:
            return self._until.setdefault(f"{place}:{script}", time.time() + seconds)


def turn_of(messages: Sequence[Message], limits: Limits) -> Turn:
    """The turn that a conversation is at; of a limit, with `until`, when it is over."""
    start, script = _script(messages)
    answered = sum(message.is_agent for message in messages[start:])
    turns = _turns(script)
    for place, turn in enumerate(turns):
        if "for" in turn:
            # It takes the place of no answer: once it is over, the turn behind it is the one.
            until = limits.until(script, place, float(turn["for"]))
            if answered == 0 and time.time() < until:
                return {**turn, "until": int(until)}
        elif answered == 0:
            return turn
        else:
            answered -= 1
    return OVER


def _script(messages: Sequence[Message]) -> tuple[int, str]:
    """The newest script that somebody but the agent wrote, and the message it is in."""
    for at in reversed(range(len(messages))):
        message = messages[at]
        if message.is_agent:
            continue
        found = [*_NAMED.finditer(message.text), *_INLINE.finditer(message.text)]
        if found:
            newest = max(found, key=lambda one: one.start())
            return at, _inline(message.text, newest.end()) if newest.re is _INLINE else newest[0]
    return 0, "MOCK:text"


def _inline(text: str, at: int) -> str:
    """The JSON of a script, without the rest of the prompt, which is another one in every attempt."""
    try:
        _, end = json.JSONDecoder().raw_decode(text, at)
    except ValueError as problem:
        return json.dumps([{"text": f"The script cannot be read: {problem}"}])
    return text[at:end]


def _turns(script: str) -> list[Turn]:
    if script.startswith("["):
        return list(json.loads(script))
    name = script.removeprefix("MOCK:")
    return SCRIPTS.get(name, [{"text": f"There is no script {name!r}."}])
