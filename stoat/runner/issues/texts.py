"""Issues' own words, asked of GitHub beside the poll: a hanging GitHub keeps nobody's lease from being renewed.

They are never recorded. An agent whose issue was not read in time is told to read it by itself.
"""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Mapping
from typing import NamedTuple

from stoat.errors import UNDECODABLE, StoatError

PATIENCE = 15.0
"""Seconds for which a launch is put off until GitHub has answered."""
_KEPT = 60.0
"""Seconds after that for which a text is given to a launch that something else has put off."""


class Text(NamedTuple):
    """An issue's title and body."""

    title: str
    body: str


class Texts:
    """The texts that a run asked for: a thread for each node that is about to be launched, one at a time a node.

    `wake` is called as one comes in. The threads end with the process.
    """

    def __init__(self, environ: Mapping[str, str], wake: Callable[[], None], monotonic: Callable[[], float]) -> None:
        self._environ = environ
        self._wake = wake
        self._monotonic = monotonic
        self._asked: dict[str, _Asked] = {}

    def awaited(self, node: str, repo: str, number: int) -> float | None:
        """The moment (monotonic) until which a launch of the node is put off, None when it may begin.

        Asks for the text unless it is there, or asked for: of one node never twice at a time.
        """
        asked, now = self._asked.get(node), self._monotonic()
        if asked is None or (asked.ended and (asked.about != (repo, number) or now >= asked.until + _KEPT)):
            asked = self._asked[node] = _Asked((repo, number), now + PATIENCE)
            threading.Thread(target=self._read, args=(asked,), name="stoat-issue", daemon=True).start()
        waits = asked.about == (repo, number) and not asked.ended and now < asked.until
        return asked.until if waits else None

    def take(self, node: str, repo: str, number: int) -> Text | None:
        """The text, to be asked for anew the next time; None when it did not come in time, or not at all."""
        asked = self._asked.get(node)
        if asked is None or not asked.ended:
            return None
        del self._asked[node]
        return asked.text if asked.about == (repo, number) else None

    def _read(self, asked: _Asked) -> None:
        try:
            asked.text = read(self._environ, *asked.about)
        finally:
            asked.ended = True
            self._wake()


class _Asked:
    """A question: about which issue, how long it is waited for, and what came of it once it has ended."""

    def __init__(self, about: tuple[str, int], until: float) -> None:
        self.about = about
        self.until = until
        self.text: Text | None = None
        self.ended = False


def read(environ: Mapping[str, str], repo: str, number: int) -> Text | None:
    """The text of an issue; None when GitHub does not give it. No limit is waited out."""
    from stoat.observe.github.client import connect

    try:
        client = connect(environ, wait=lambda seconds, why: False)
        answer = json.loads(client.get(f"/repos/{repo}/issues/{number}").body)
        return Text(str(answer["title"]), str(answer.get("body") or ""))
    except (StoatError, LookupError, TypeError, AttributeError, *UNDECODABLE):
        return None
