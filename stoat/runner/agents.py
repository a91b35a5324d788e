"""Starting an agent: its environment, its model, its argument list, its process; and what it says it cost."""

from __future__ import annotations

import json
import os
import shlex
import sys
from pathlib import Path
from typing import NamedTuple

from stoat.errors import UNDECODABLE
from stoat.observe.replacing import replaced
from stoat.plan import variables
from stoat.plan.nodes import Node
from stoat.plan.state import PlanState
from stoat.processes import agent_environment
from stoat.runner.filling import fill, values
from stoat.runner.options import RunOptions
from stoat.runner.profiles import Profile
from stoat.runner.state import Run

CLAIM = variables.CLAIM
"""The mark by which a process is found again when its runner was killed between starting and recording it."""

_TAIL = 4 * 1024 * 1024


class Cost(NamedTuple):
    """What an agent reported as it ended."""

    usd: float
    turns: int
    session: str | None


def model_for(options: RunOptions, plan: PlanState, node: Node) -> str | None:
    """The model that the node's agent asks for: the node's word, else the run's, the plan's, the profile's."""
    return node.model or options.model or plan.header.model or options.profile.default_model


def own_variables(options: RunOptions, node: str, worktree: Path) -> dict[str, str]:
    """The --agent-env variables, filled for the node."""
    filled = values(options.plan, node, worktree)
    return {name: fill(value, filled) for name, value in options.agent_env}


def environment(
    run: Run, *, node: str, worktree: Path, claim: str, attempt: int, session: str | None
) -> dict[str, str]:
    """The whole environment of an agent, of its setup and of its verification."""
    base = agent_environment(run.environ)
    for name in (variables.SESSION, variables.AGENT):
        base.pop(name, None)
    base.update(own_variables(run.options, node, worktree))
    base.update(
        {
            variables.AGENT: run.options.agent,
            variables.PLAN: run.plan,
            variables.NODE: node,
            variables.ATTEMPT: str(attempt),
            variables.STORE: str(run.session.store.common),
            variables.RUN_TAG: f"{run.plan}/{node}",
            CLAIM: claim,
            "PATH": os.pathsep.join(part for part in (str(run.stoat.parent), base.get("PATH")) if part),
        }
    )
    if session is not None:
        base[variables.SESSION] = session
    return base


def own_command(common_dir: Path) -> Path:
    """A program `stoat` that is the one that runs here, alone in its directory, which goes first on agents' PATH.

    The directory that it is installed in would bring that environment's python along.
    """
    place = common_dir / "stoat" / "bin" / "stoat"
    # -P: an agent may stand in a checkout of Stoat, and that is not the one to run.
    script = f'#!/bin/sh\nexec {shlex.quote(sys.executable)} -P -m stoat "$@"\n'
    if not place.is_file() or place.read_bytes() != script.encode():
        replaced(place, script.encode(), 0o755)
    return place


def cost_of(profile: Profile, log: Path, start: int) -> Cost | None:
    """What the agent that wrote `log` from byte `start` on said it cost; None when it said nothing that can be read.

    Only `claude-json` results name a cost. The result is the last line (or the whole output) that is a JSON object.
    """
    if profile.result != "claude-json":
        return None
    try:
        with log.open("rb") as file:
            size = file.seek(0, 2)
            file.seek(max(start, size - _TAIL))
            text = file.read().decode("utf-8", "replace")
    except OSError:
        return None
    for candidate in (*reversed(text.strip().splitlines()), text):
        found = _result(candidate)
        if found is not None:
            return found
    return None


def _result(text: str) -> Cost | None:
    if not text.lstrip().startswith("{"):
        return None
    try:
        written = json.loads(text)
    except UNDECODABLE:
        return None
    usd = written.get("total_cost_usd") if isinstance(written, dict) else None
    if isinstance(usd, bool) or not isinstance(usd, int | float) or not 0 <= usd < 1e6:
        return None
    turns, session = written.get("num_turns"), written.get("session_id")
    return Cost(float(usd), turns if isinstance(turns, int) else 0, session if isinstance(session, str) else None)
