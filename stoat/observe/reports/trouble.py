"""What is wrong with a report file: where, and what to do."""

from __future__ import annotations

from pathlib import Path

from stoat.errors import Problem


class Trouble(Exception):
    """A report that cannot be taken; line and column count from 1, 0 where there is no such place."""

    def __init__(self, line: int, column: int, what: str, do: str) -> None:
        super().__init__(what)
        self.line, self.column, self.what, self.do = line, column, what, do

    def of(self, file: Path) -> Problem:
        """As the problem of a file."""
        where = f"{file}:{self.line}:{self.column}" if self.line else f"{file}"
        return Problem(self.line, self.column, f"{where}: {self.what}", self.do)
