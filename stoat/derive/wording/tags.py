"""What is said of a run whose tag names no node, or no step of its node: it is kept, and proves nothing."""

from __future__ import annotations

from collections.abc import Sequence

NO_NODE = "no such node"
"""Beside the tag in a list of runs."""


def stray(tag: str) -> str:
    """The sentence, with what to do."""
    return f"no plan has a node for the tag {tag!r}: such a run is kept and counts for nothing; see `stoat status`"


def no_step(ref: str, step: str, declared: Sequence[str]) -> str:
    """The same of a step that its node does not declare, with those it does."""
    return f"{ref} has no step {step!r}: such a run counts for nothing; its steps are: {', '.join(declared)}"
