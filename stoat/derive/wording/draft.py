"""The issue that a node becomes on GitHub: its title and its text with the mark."""

from __future__ import annotations

from msgspec import Struct

from stoat.derive.wording.text import one_line
from stoat.plan.ids import NodeRef
from stoat.plan.nodes import Node

LONGEST_TITLE = 256
LONGEST_BODY = 65_536
"""Characters that GitHub takes."""


class Draft(Struct, frozen=True):
    """What GitHub is to be told."""

    title: str
    body: str


def draft(ref: NodeRef, node: Node, mark: str) -> Draft:
    """The node's title and brief, and hidden after them the mark by which the issue is found again."""
    title = one_line(node.title or node.id)[:LONGEST_TITLE]
    hidden = marker(ref, mark)
    brief = (node.brief or "").strip()
    room = LONGEST_BODY - len(hidden) - 2
    return Draft(title, f"{brief[:room]}\n\n{hidden}" if brief else hidden)


def marker(ref: NodeRef, mark: str) -> str:
    """The comment that stands at the end of the issue's text; no id has anything that could end it."""
    return f"<!-- stoat {ref} {mark} -->"
