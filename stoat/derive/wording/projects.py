"""What a step names and a checkout does not have, in words: warnings, never a refusal."""

from __future__ import annotations

from collections.abc import Callable

from stoat.derive.wording.text import listed
from stoat.plan.lack import Kind, Lack
from stoat.plan.rules.finding import did_you_mean

_LONGEST = 200


def step(node: str, step_id: str, lack: Lack) -> str:
    """A step and what it names that is not there."""
    return f"{node}, step {step_id}: {_SENTENCES[lack.kind](lack)}"


def no_directory(node: str, step_id: str, cwd: str) -> str:
    """A step that is to run in a directory that is not there."""
    return step(node, step_id, Lack("directory", cwd))


def no_manifest(node: str, manifest: str) -> str:
    """A pin in a file that is not there."""
    return f"{node}: the checkout has no {manifest}"


def no_checkout(place: str) -> str:
    """The checkout that was named is none."""
    return f"there is no checkout at {place}: nothing was checked against it"


def and_more(most: int) -> str:
    """There was so much to warn of that the rest was left out."""
    return f"these are the first {most} warnings about the checkout; it was not looked at further"


def _there(place: str) -> str:
    return place[:_LONGEST] or "the top of the checkout"


def _among(lack: Lack) -> str:
    meant = did_you_mean(lack.name, lack.known)
    if meant is not None:
        return f" ({meant})"
    return f" (it has {listed(lack.known)})" if lack.known else ""


_SENTENCES: dict[Kind, Callable[[Lack], str]] = {
    "path": lambda lack: f"the checkout has no {_there(lack.name)}",
    "directory": lambda lack: f"the checkout has no directory {_there(lack.name)}",
    "project": lambda lack: f"the checkout has no project {_there(lack.name)}",
    "no-project": lambda lack: f"{_there(lack.name)} has no project and no solution",
    "many-projects": lambda lack: f"{_there(lack.name)} has several projects ({listed(lack.known)}): name one",
    "no-tests": lambda lack: f"{_there(lack.name)} is no test project",
    "framework": lambda lack: f"{_there(lack.where)} does not target {lack.name[:_LONGEST]} (but {listed(lack.known)})",
    "test": lambda lack: f"{_there(lack.where)} has no {lack.name[:_LONGEST]}",
    "script": lambda lack: f"{_there(lack.where)} has no script {lack.name[:_LONGEST]!r}{_among(lack)}",
    "package-json": lambda lack: f"there is no package.json in {_there(lack.name)}, nor above it",
    "target": lambda lack: f"{_there(lack.where)} has no target {lack.name[:_LONGEST]!r}{_among(lack)}",
    "makefile": lambda lack: f"there is no makefile in {_there(lack.name)}",
    "module": lambda lack: f"the package {_there(lack.where)} has no module {lack.name[:_LONGEST]}",
    "main": lambda lack: f"{_there(lack.where)} has no __main__.py, so `-m {lack.name[:_LONGEST]}` cannot run it",
}
