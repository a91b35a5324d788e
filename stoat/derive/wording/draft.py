"""The issue that a node becomes on GitHub: its title, its text with the mark, and what must not be published."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Literal

from msgspec import Struct

from stoat.derive.wording.text import one_line
from stoat.plan.ids import NodeRef
from stoat.plan.nodes import Node

LONGEST_TITLE = 256
LONGEST_BODY = 65_536
"""Characters that GitHub takes."""

_TOKEN = re.compile(
    r"gh[pousr]_\w{20,}|github_pat_\w{20,}|glpat-[\w-]{20,}|xox[abprs]-[\w-]{10,}|sk-[\w-]{20,}|AKIA[0-9A-Z]{16}"
    r"|-----BEGIN [A-Z ]*PRIVATE KEY-----"
)
_HOME = re.compile(r"(?<![\w/.])/(?:home|Users|root)/[^\s`'\"/]+|\b[A-Za-z]:\\Users\\")
_SHORTEST = 8
"""Characters of the shortest place or secret of this machine that is looked for: a shorter one is a word."""


Private = Literal["token", "place"]
"""What looks like a token or a private key; a directory of somebody's machine."""


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


def private(text: Draft, *, places: Iterable[str], secrets: Iterable[str]) -> Private | None:
    """What of the draft is nobody else's business; None where nothing is seen.

    `places` are directories of this machine, `secrets` tokens that are in use here.
    """
    words = f"{text.title}\n{text.body}"
    if _TOKEN.search(words) or any(one in words for one in secrets if len(one) >= _SHORTEST):
        return "token"
    if _HOME.search(words) or any(one in words for one in places if len(one) >= _SHORTEST):
        return "place"
    return None
