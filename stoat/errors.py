"""What can go wrong, few and typed; every door maps this tree in one place.

    StoatError            1   it ran, and the answer is bad
    ├── Invalid           3   a document or an argument, with all its problems at once (REST 422)
    ├── Refused           3   a rule says no (REST 409)
    │   └── NotAPerson    3   only a person may decide this (REST 403)
    ├── NotFound          3   no such plan, node, question … (REST 404)
    ├── RefMoved              another writer was first; the store runs the guard again, no door sees it
    └── Unreachable       4   the store or a service could not be reached (REST 503)
        └── StoreUnreadable   4   the store is there and cannot be read: never the same as absent

"Could not see" about the world is a value (`unknown`), not an error.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

INTERRUPTED = 130
"""The exit code of a command that Ctrl-C ended."""

UNDECODABLE = (ValueError, RecursionError)
"""What decoders of JSON and msgpack raise for what others wrote: it is malformed, or nested deeper than they go."""


class Problem(NamedTuple):
    """One thing wrong with a document: where (1-based, 0 when it is nowhere in particular), what, and what to do."""

    line: int
    column: int
    what: str
    do: str

    def __str__(self) -> str:
        return f"{self.what} ({self.do})" if self.do else self.what


class StoatError(Exception):
    """Anything Stoat says no with: the sentence for a person, and a hint that says what to do next."""

    exit_code = 1

    def __init__(self, message: str, hint: str | None = None) -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint


class Invalid(StoatError):
    """Input that cannot be taken, with every problem found in it."""

    exit_code = 3

    def __init__(self, problems: Sequence[Problem], message: str = "", hint: str | None = None) -> None:
        super().__init__(message or "\n".join(str(problem) for problem in problems), hint)
        self.problems = tuple(problems)


class Refused(StoatError):
    """A rule says no; nothing was changed."""

    exit_code = 3


class NotAPerson(Refused):
    """A decision that only a person may take was asked for by something else."""


class NotFound(StoatError):
    """What was named is not there."""

    exit_code = 3


class RefMoved(StoatError):
    """The ref is no longer where the writer read it: read again, decide again."""


class Unreachable(StoatError):
    """The store or a service could not be reached."""

    exit_code = 4


class StoreUnreadable(Unreachable):
    """The store exists and cannot be read; nothing may be initialised or written over it."""
