"""What makes a run end badly, by node."""

from __future__ import annotations

from typing import Literal

Trouble = Literal[
    "gave-up", "uncommitted", "never-committed", "unusable", "steps-open", "red", "conflict", "hook", "not-landed",
    "no-base", "busy", "setup", "copy", "not-launched", "unreserved", "failures",
    "disk",
]  # fmt: skip
"""gave-up: no attempt is left · uncommitted … red: its branch cannot be merged as it is · conflict, hook, not-landed:
it could not be landed · no-base, busy, setup, copy, not-launched, unreserved: no agent was started on it · failures,
disk: the run's own, attempts in a row got nowhere, and nothing may be started for want of disk."""
