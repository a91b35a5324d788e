"""What a step's command names in a checkout: projects, test files, scripts, targets. A tool a module, all in one table.

A module's `lacks(command, checkout)` gives what the command names and the checkout does not have. It reads bounded
files as text, runs nothing, and says nothing wherever it cannot be sure.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from stoat.observe.projects import dotnet, make, npm, python
from stoat.observe.projects.checkout import Checkout
from stoat.observe.projects.shell import Simple, simple_commands
from stoat.plan.lack import Lack

Looker = Callable[[Simple, Checkout], Iterator[Lack]]

TOOLS: dict[str, Looker] = {
    "coverage": python.lacks,
    "dotnet": dotnet.lacks,
    "gmake": make.lacks,
    "make": make.lacks,
    "npm": npm.lacks,
    "pnpm": npm.lacks,
    "py.test": python.lacks,
    "pytest": python.lacks,
    "yarn": npm.lacks,
}
"""Who looks at a command, by the name of what is run; Python's interpreters and scripts have no one name."""


def lacks(run: str, cwd: str, checkout: Checkout) -> Iterator[Lack]:
    """What a step's `run:` names and the checkout does not have, each once; it begins in `cwd`, seen from the top."""
    seen: set[Lack] = set()
    for command in simple_commands(run, cwd):
        for lack in _of(command, checkout):
            if lack not in seen:
                seen.add(lack)
                yield lack


def _of(command: Simple, checkout: Checkout) -> Iterator[Lack]:
    if command.words[0] == "cd":
        place = checkout.place(command.cwd, command.words[1])
        if place is not None and not checkout.has_directory(place):
            yield Lack("directory", place)
        return
    if not checkout.has_directory(command.cwd):
        return
    yield from TOOLS.get(command.name, python.lacks)(command, checkout)
    yield from python.script_lacks(command, checkout)
