"""The one voice of a run: a line an event, and nothing said twice that has not changed."""

from __future__ import annotations

from collections.abc import Callable


class Narrator:
    """Says lines through `emit`, which knows about terminals, colours and hostile characters."""

    def __init__(self, emit: Callable[[str], None]) -> None:
        self._emit = emit
        self._last: dict[object, str] = {}

    def say(self, line: str) -> None:
        """Say a line, whatever was said before."""
        self._emit(line)

    def once(self, about: object, line: str) -> bool:
        """Say a line about a matter, unless it was the last one said about it; gives whether it was said."""
        if self._last.get(about) == line:
            return False
        self._last[about] = line
        self._emit(line)
        return True

    def first(self, about: object, line: str) -> None:
        """Say a line about a matter, unless anything was said about it before."""
        if about not in self._last:
            self.once(about, line)

    def forget(self, about: object) -> None:
        """The matter is settled: should it come up again, it is news."""
        self._last.pop(about, None)

    def settle(self, about: object, line: str) -> None:
        """Say that a matter is settled and forget it, if anything was said about it."""
        if self._last.pop(about, None) is not None:
            self._emit(line)
