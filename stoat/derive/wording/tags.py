"""What is said of a test run whose tag names no node: it is kept, and proves nothing."""

from __future__ import annotations

NO_NODE = "no such node"
"""Beside the tag in a list of runs."""


def stray(tag: str) -> str:
    """The sentence, with what to do."""
    return f"no plan has a node for the tag {tag!r}: such a run is kept and counts for nothing; see `stoat status`"
