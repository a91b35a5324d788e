"""A dispatcher that a run watches: the program that hands a node over to a cloud agent and exits."""

from __future__ import annotations

from dataclasses import dataclass

from stoat.processes import Identity, Process, is_alive


@dataclass(frozen=True, kw_only=True)
class Dispatch:
    """The dispatcher of a node's claim. `process` is None for one that an earlier runner started."""

    node: str
    claim: str
    identity: Identity
    process: Process | None = None

    def ended(self) -> bool:
        """Whether the process is gone."""
        return (self.process.poll() is not None) if self.process is not None else not is_alive(self.identity)

    def code(self) -> int | None:
        """Its exit code, where it is ours to know."""
        return self.process.poll() if self.process is not None else None
