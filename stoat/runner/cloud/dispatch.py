"""A dispatcher that a run watches: the program that hands a node over to a cloud agent and exits.

It runs in a wrapper that writes down its exit code, so that a run which did not start it knows how it ended.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from stoat.processes import Identity, Process, is_alive

# In a subshell of its own, a program is never taken for a builtin of the shell; the code is whole or not there.
_WRAPPER = """\
record=$1
shift
(exec "$@")
code=$?
echo "$code" >"$record.part" && mv -f "$record.part" "$record"
exit "$code"
"""


@dataclass(frozen=True, kw_only=True)
class Dispatch:
    """The dispatcher of a node's claim. `record` is where its exit code is written.

    `process` is None for one that an earlier runner started, or a poll that was cut short.
    """

    node: str
    claim: str
    identity: Identity
    record: Path
    process: Process | None = None

    def ended(self) -> bool:
        """Whether the process is gone."""
        return (self.process.poll() is not None) if self.process is not None else not is_alive(self.identity)

    def code(self) -> int | None:
        """Its exit code (128 + the signal that ended it); None while it runs, and where nobody saw its end."""
        return self.process.poll() if self.process is not None else recorded(self.record)


def wrapped(argv: Sequence[str], record: Path) -> tuple[str, ...]:
    """The argument list that runs `argv`, exits with its code, and has it in the file `record` by then."""
    return ("sh", "-c", _WRAPPER, "stoat", str(record), *argv)


def recorded(record: Path) -> int | None:
    """The exit code that a dispatcher's wrapper wrote there; None where it wrote none."""
    try:
        return int(record.read_text(encoding="ascii"))
    except (OSError, ValueError):
        return None
