"""What names may look like: plans, nodes, repositories, events.

A plan's slug and a node's id become parts of a branch (`stoat/<plan>/<node>`), of directory names and of tags, so
what git or a file system would trip over is refused here, once.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from stoat.clock import Time, parse

_SLUG = re.compile(r"[a-z0-9]+(-[a-z0-9]+)*")
_NODE = re.compile(r"[a-z0-9]([a-z0-9._-]*[a-z0-9])?")
_REPOSITORY = re.compile(r"[A-Za-z0-9](?:[A-Za-z0-9-]*[A-Za-z0-9])?/[A-Za-z0-9._-]+")
_ANCHOR = re.compile(rf"{_REPOSITORY.pattern}#[1-9][0-9]*")
DIGITS = "0123456789abcdefghjkmnpqrstvwxyz"
"""Crockford's base 32, in which ids are written: no letter that is read as another."""
LONGEST = 100


class NodeRef(NamedTuple):
    """A node of a plan; written `PLAN/NODE`."""

    plan: str
    node: str

    def __str__(self) -> str:
        return f"{self.plan}/{self.node}"


def slug_problem(slug: str) -> str | None:
    """Why `slug` cannot name a plan, or None when it can."""
    if len(slug) > LONGEST:
        return f"a plan's slug has at most {LONGEST} characters"
    if not _SLUG.fullmatch(slug):
        return f"{slug!r} is not a slug: lower-case letters and digits, words joined by single hyphens"
    return None


def node_id_problem(node_id: str) -> str | None:
    """Why `node_id` cannot name a node, or None when it can."""
    if len(node_id) > LONGEST:
        return f"a node's id has at most {LONGEST} characters"
    if not _NODE.fullmatch(node_id):
        return f"{node_id!r} is not a node id: lower-case letters, digits, '-', '_', '.', a letter or digit at each end"
    if ".." in node_id or node_id.endswith(".lock"):
        return f"{node_id!r} cannot be part of a branch name: no '..' and no '.lock' at the end"
    return None


def is_repository(name: str) -> bool:
    """Whether `name` is written OWNER/NAME."""
    return _REPOSITORY.fullmatch(name) is not None and not name.endswith((".git", "/.", "/.."))


def same_repository(one: str | None, other: str | None) -> bool:
    """Whether two OWNER/NAMEs mean one repository: GitHub minds no case. One that is not known (None) is no other's."""
    return one is not None and other is not None and one.casefold() == other.casefold()


def is_anchor(text: str) -> bool:
    """Whether `text` is an issue written OWNER/NAME#N."""
    return _ANCHOR.fullmatch(text) is not None


def split_ref(text: str, plan: str | None = None) -> NodeRef | None:
    """`PLAN/NODE`, or `NODE` where the plan is known from the context; None when it is neither."""
    if "/" in text:
        slug, _, node_id = text.partition("/")
    elif plan is not None:
        slug, node_id = plan, text
    else:
        return None
    if slug_problem(slug) or node_id_problem(node_id):
        return None
    return NodeRef(slug, node_id)


def event_id(at: Time, noise: bytes) -> str:
    """An id that sorts by time and is unique across machines.

    Ten characters of milliseconds, then sixteen of `noise` (10 bytes), in Crockford's base 32: a ULID in lower case.
    """
    number = int(parse(at).timestamp() * 1000) << 80 | int.from_bytes(noise[:10], "big")
    digits = []
    for _ in range(26):
        number, digit = divmod(number, 32)
        digits.append(DIGITS[digit])
    return "".join(reversed(digits))


def node_branch(plan: str, node: str) -> str:
    """The branch that a node's work is on."""
    return f"stoat/{plan}/{node}"
