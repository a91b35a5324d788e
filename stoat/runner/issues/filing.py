"""Asking GitHub for an issue, and looking for one, beside the poll: a slow GitHub keeps nobody's lease from being
renewed. One question at a time."""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping
from queue import Empty, SimpleQueue
from typing import NamedTuple

from stoat.clock import Time
from stoat.derive.wording.draft import Draft
from stoat.errors import StoatError


class Found(NamedTuple):
    """The issue is there already."""

    number: int


class NotThere(NamedTuple):
    """It was looked for, from `at` on, and is not there."""

    at: Time


class Unseen(NamedTuple):
    """It could not be looked for."""

    why: str


class Answer(NamedTuple):
    """What came of a question about a node's issue in a repository: of `writing`, or one of those above."""

    node: str
    repo: str
    outcome: object


class Filing:
    """The questions of one run. `wake` is called after each; a thread that is asking ends with the process."""

    def __init__(self, environ: Mapping[str, str], wake: Callable[[], None]) -> None:
        self._environ = environ
        self._wake = wake
        self._answers: SimpleQueue[Answer] = SimpleQueue()
        self.asking: str | None = None
        """The node whose issue is asked for or looked for just now."""

    def create(self, node: str, repo: str, draft: Draft) -> None:
        """Ask GitHub for the issue. The answer's outcome is a `Written`."""
        self._start(node, repo, lambda: _create(self._environ, repo, draft))

    def look(self, node: str, repo: str, marker: str, since: Time, now: Time) -> None:
        """Look for the issue with that marker. The answer's outcome is Found, NotThere or Unseen."""
        self._start(node, repo, lambda: _look(self._environ, repo, marker, since, now))

    def take(self) -> Answer | None:
        """An answer that came since, if any."""
        try:
            answer = self._answers.get_nowait()
        except Empty:
            return None
        self.asking = None
        return answer

    def _start(self, node: str, repo: str, ask: Callable[[], object]) -> None:
        assert self.asking is None
        self.asking = node

        def run() -> None:
            outcome: object = Unseen("Stoat failed in asking")
            try:
                outcome = ask()
            finally:
                self._answers.put(Answer(node, repo, outcome))
                self._wake()

        threading.Thread(target=run, name="stoat-filing", daemon=True).start()


def _create(environ: Mapping[str, str], repo: str, draft: Draft) -> object:
    from stoat.observe.github.writing import create_issue

    return create_issue(environ, repo, draft.title, draft.body)


def _look(environ: Mapping[str, str], repo: str, marker: str, since: Time, now: Time) -> object:
    from stoat.observe.github.marked import find_marked

    try:
        number = find_marked(environ, repo, marker, since)
    except StoatError as problem:
        return Unseen(problem.message)
    return NotThere(now) if number is None else Found(number)
