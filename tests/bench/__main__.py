"""Run the measures, print each beside its budget, and end with 1 when one is over.

python -m tests.bench [NAME…]     all, or only those whose name begins with one of the words
"""

from __future__ import annotations

import os
import platform
import sys
import tempfile
from pathlib import Path

from rich.console import Console
from rich.table import Table

from tests.bench import board, monitor, programs, publishing, stores
from tests.bench.measure import Measured


def main(wanted: list[str]) -> int:
    """Measure what is wanted (everything when nothing is named); 0 when every budget holds."""
    rooms = (stores, programs, board, monitor, publishing)
    measures = {name: measure for room in rooms for name, measure in room.MEASURES.items()}
    chosen = {
        name: measure
        for name, measure in measures.items()
        if not wanted or any(name.startswith(word) for word in wanted)
    }
    console = Console()
    rows: list[Measured] = []
    with tempfile.TemporaryDirectory(prefix="stoat bench ") as scratch:
        isolate(Path(scratch))
        for name, measure in chosen.items():
            with console.status(f"measuring {name}"):
                directory = Path(scratch) / name
                directory.mkdir()
                found = measure(directory)
            for row in found:
                console.print(
                    f"{'✓' if row.held else '✗'} {row.what}: {row.shown}  (budget {row.budget})", soft_wrap=True
                )
            rows += found
    table = Table(title=f"{platform.python_implementation()} {platform.python_version()}, {os.cpu_count()} cores")
    for heading in ("what", "measured", "budget", ""):
        table.add_column(heading)
    for row in rows:
        table.add_row(row.what, row.shown, row.budget, "✓" if row.held else "✗ over")
    console.print(table)
    return 0 if all(row.held for row in rows) else 1


def isolate(home: Path) -> None:
    """Measure Stoat and git, not somebody's configuration of them."""
    for name in [name for name in os.environ if name.startswith(("GIT_", "STOAT_"))]:
        del os.environ[name]
    os.environ.update(HOME=str(home), XDG_CONFIG_HOME=str(home), GIT_CONFIG_NOSYSTEM="1", LC_ALL="C.UTF-8")
    (home / ".gitconfig").write_text(
        "[user]\n\tname = Bench\n\temail = bench@example.invalid\n[init]\n\tdefaultBranch = main\n"
    )


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
