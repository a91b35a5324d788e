"""Starting an agent: its environment, its model, and where it finds our own program."""

from __future__ import annotations

import os
import shlex
import sys
from pathlib import Path

from stoat.observe.replacing import replaced
from stoat.plan import variables
from stoat.plan.nodes import Node
from stoat.plan.state import PlanState
from stoat.processes import agent_environment
from stoat.runner import ports
from stoat.runner.filling import fill, values
from stoat.runner.options import RunOptions
from stoat.runner.state import Run

CLAIM = variables.CLAIM
"""The mark by which a process is found again when its runner was killed between starting and recording it."""


def model_for(options: RunOptions, plan: PlanState, node: Node) -> str | None:
    """The model that the node's agent asks for: the node's word, else the run's, the plan's, the profile's."""
    return node.model or options.model or plan.header.model or options.profile.default_model


def placeholders(options: RunOptions, node: str, worktree: Path) -> dict[str, str]:
    """What the placeholders of the run's flags stand for on a node in its worktree, its ports with them."""
    return values(options.plan, node, worktree, _ports(options, worktree))


def _ports(options: RunOptions, worktree: Path) -> dict[str, int]:
    given = ports.kept(worktree) if options.ports else {}
    return {name: given[name] for name in options.ports if name in given}


def own_variables(options: RunOptions, node: str, worktree: Path) -> dict[str, str]:
    """The node's ports by their names, and the --agent-env variables, filled for the node."""
    given = _ports(options, worktree)
    filled = values(options.plan, node, worktree, given)
    return {name: str(port) for name, port in given.items()} | {
        name: fill(value, filled) for name, value in options.agent_env
    }


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
