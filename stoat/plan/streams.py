"""The names of event streams: the paths in the tree of the ref, without their `/events/NNNNNN.jsonl`."""

from __future__ import annotations

PLANS = "plans/"
MACHINES = "machines/"
GITHUB = "github/"


def of_plan(slug: str) -> str:
    """The stream of a plan."""
    return PLANS + slug


def of_machine(name: str) -> str:
    """The stream of a machine's controls."""
    return MACHINES + name


def of_repository(name: str) -> str:
    """The stream of what was seen of a repository, OWNER/NAME."""
    return GITHUB + name


def repository_of(stream: str) -> str | None:
    """The OWNER/NAME of a repository's stream; None for any other stream."""
    return stream[len(GITHUB) :] if stream.startswith(GITHUB) else None


def plan_of(stream: str) -> str | None:
    """The slug of a plan's stream; None for any other stream."""
    return stream[len(PLANS) :] if stream.startswith(PLANS) else None
