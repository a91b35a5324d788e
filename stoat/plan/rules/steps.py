"""What the steps of a gate may say."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from stoat.clock import duration
from stoat.plan import commands
from stoat.plan.ids import node_id_problem
from stoat.plan.nodes import Step
from stoat.plan.rules.finding import Finding, Path, one_line, relative_path
from stoat.plan.variables import RUN_TAG

_VARIABLE = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")


def check_steps(steps: Sequence[Step], path: Path) -> Iterator[Finding]:
    """Everything wrong with a node's steps; `path` is the way to the list."""
    ids: set[str] = set()
    for index, step in enumerate(steps):
        at = (*path, index)
        if not step.id:
            yield Finding((*at, "id"), "a step has no id", "write `- id: tests`")
        elif problem := node_id_problem(step.id):
            yield Finding((*at, "id"), problem.replace("node id", "step id"), "its id is a part of its runs' tags")
        elif step.id in ids:
            yield Finding((*at, "id"), f"two steps have the id {step.id!r}", "rename one")
        ids.add(step.id)
        yield from one_line((*at, "title"), step.title)
        if step.run is not None and not step.run.strip():
            yield Finding((*at, "run"), "the step's command is empty", "write the command, or leave `run` out")
        if step.run is not None and commands.leaves_quote_open(step.run):
            yield Finding(
                (*at, "run"), "a quote in the step's command is never closed", "close it, or write \\ before it"
            )
        yield from relative_path((*at, "cwd"), step.cwd)
        yield from _env(step, (*at, "env"))
        if step.timeout is not None:
            try:
                duration(step.timeout)
            except ValueError as problem:
                yield Finding((*at, "timeout"), str(problem), "write 20m, 90s, 1h30m or 00:20:00")


def _env(step: Step, path: Path) -> Iterator[Finding]:
    for name in step.env:
        if name.upper() == RUN_TAG:
            do = "take it out: every run of a step gets a tag of its own"
            yield Finding((*path, name), f"{RUN_TAG} is Stoat's to set", do, at_key=True)
        elif not _VARIABLE.fullmatch(name):
            do = "write letters, digits and '_', no digit first"
            yield Finding((*path, name), f"{name!r} is not the name of a variable", do, at_key=True)
