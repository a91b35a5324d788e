"""Processes: who one is, starting one, waiting for it, ending all of it, running a command untouched."""

from __future__ import annotations

from stoat.processes.ending import end_tree, interrupt, wait_for_end
from stoat.processes.environment import agent_environment
from stoat.processes.identity import (
    Identity,
    find_marked,
    identity_of,
    is_alive,
    is_dead,
    is_known_dead,
    machine_name,
)
from stoat.processes.spawning import NotStarted, Process, spawn
from stoat.processes.untouched import Outcome, run_untouched

__all__ = [
    "Identity",
    "NotStarted",
    "Outcome",
    "Process",
    "agent_environment",
    "end_tree",
    "find_marked",
    "identity_of",
    "interrupt",
    "is_alive",
    "is_dead",
    "is_known_dead",
    "machine_name",
    "run_untouched",
    "spawn",
    "wait_for_end",
]
