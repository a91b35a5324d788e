"""How things are printed: rich on a terminal, plain text in a pipe, one JSON document with --json.

Text from outside (titles, notes, file names, agents' words) goes through `clean` before it is shown, so that it can
neither move the cursor, colour the screen nor turn the direction of what is read. All of rich is in here.
"""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Sequence
from typing import IO, Any

import msgspec

from stoat.plan.characters import spelled

_BREAK = re.compile("[\t\n]")

STYLES = {
    "done": "green", "passed": "green", "moving": "cyan", "running": "cyan", "claimed": "cyan", "you": "bold yellow",
    "broken": "bold red", "failed": "bold red", "mismatch": "red", "timed-out": "red", "held": "magenta",
    "stale": "yellow", "partial": "yellow", "waiting": "dim", "unknown": "dim", "unrealized": "dim",
}  # fmt: skip
"""The colour of a word that says where something stands."""


def clean(text: object, *, lines: bool = False) -> str:
    """`text` without anything a terminal would obey: such characters become `\\u001b`, `\\u202e` …

    With `lines` line ends and tabs stay; else they are shown as a space.
    """
    if lines:
        return spelled(str(text).replace("\r\n", "\n"))
    return spelled(_BREAK.sub(" ", str(text)))


def json(document: Any) -> None:
    """Print one JSON document: a Struct, or what is made of dicts, lists and the like."""
    json_bytes(msgspec.json.encode(document))


def json_bytes(data: bytes) -> None:
    """Print a JSON document that is encoded already, ending in a line end; on a terminal escaped where hostile."""
    if sys.stdout.isatty():
        data = spelled(data.decode()).encode()
    sys.stdout.flush()
    sys.stdout.buffer.write(data + b"\n")
    sys.stdout.buffer.flush()


def say(text: str = "") -> None:
    """A line of the answer, on stdout. What came from outside must have been through `clean`."""
    print(text)


def tell(text: str) -> None:
    """A message beside the answer, on stderr: what was done, a warning, a hint. Cleaned here."""
    print(clean(text, lines=True), file=sys.stderr)


def block(text: str, *, indent: int = 2, most: int | None = None) -> None:
    """A text of one or more lines, cleaned, each moved in by `indent`; on a terminal long ones wrap there too.

    Of more than `most` lines the rest is counted; a negative `most` keeps the last lines instead of the first.
    """
    from stoat.derive.wording.zoom import more_lines

    lines = clean(text, lines=True).split("\n")
    if most is not None and len(lines) > abs(most):
        rest = more_lines(len(lines) - abs(most))
        lines = [*lines[:most], rest] if most > 0 else [rest, *lines[most:]]
    if _rich_wanted(sys.stdout):
        _rich_block(lines, indent)
        return
    for line in lines:
        say(f"{' ' * indent}{line}".rstrip())


def table(columns: Sequence[str], rows: Sequence[Sequence[object]], *, empty: str = "") -> None:
    """Rows under their headings, cleaned; `empty` is said when there are none.

    On a terminal the last column wraps and words of STYLES are coloured; in a pipe columns are two blanks apart and
    nothing is cut.
    """
    cells = [["" if cell is None else clean(cell) for cell in row] for row in rows]
    if not cells:
        if empty:
            say(empty)
        return
    if _rich_wanted(sys.stdout):
        _rich_table(columns, cells)
        return
    widths = [max(len(row[index]) for row in [list(columns), *cells]) for index in range(len(columns))]
    for row in [[column.upper() for column in columns], *cells]:
        say("  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip())


def fitted(line: str, cells: int) -> str:
    """A cleaned line cut to so many cells of a terminal, where a wide character takes two; a cut one ends in `…`."""
    from rich.cells import cell_len, chop_cells

    if cell_len(line) <= cells:
        return line
    return f"{chop_cells(line, max(1, cells - 1))[0]}…" if cells > 1 else ""


def _rich_wanted(stream: IO[str]) -> bool:
    return stream.isatty() and os.environ.get("TERM") != "dumb"


def _rich_table(columns: Sequence[str], cells: Sequence[Sequence[str]]) -> None:
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    grid = Table(box=None, pad_edge=False, header_style="bold")
    for index, column in enumerate(columns):
        last = index == len(columns) - 1
        grid.add_column(column.upper(), overflow="fold", no_wrap=False, ratio=1 if last else None)
    for row in cells:
        grid.add_row(*(Text(cell, style=STYLES.get(cell, "")) for cell in row))
    Console(highlight=False, markup=False, emoji=False).print(grid)


def _rich_block(lines: Sequence[str], indent: int) -> None:
    from rich.console import Console
    from rich.padding import Padding
    from rich.text import Text

    console = Console(highlight=False, markup=False, emoji=False)
    console.print(Padding(Text("\n".join(lines)), (0, 0, 0, indent), expand=False))
