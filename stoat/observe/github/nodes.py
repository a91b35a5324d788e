"""Reading GraphQL's nodes leniently: any field may be null or of another shape than it should be (pure)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from stoat import clock
from stoat.clock import Time
from stoat.plan.ids import is_repository

Node = Mapping[str, Any]


def child(node: Any, *names: str) -> Node:
    """The object that the names lead to; an empty one where the way ends."""
    for name in names:
        node = node.get(name) if isinstance(node, Mapping) else None
    return node if isinstance(node, Mapping) else {}


def items(node: Any, *names: str) -> list[Any]:
    """The nodes of the connection that the names lead to, with None for each one that is not shown."""
    return listed(child(node, *names), "nodes")


def listed(node: Node, name: str) -> list[Any]:
    """A field that is a list; an empty one where it is none."""
    found = node.get(name)
    return found if isinstance(found, list) else []


def shown(node: Any, *names: str) -> list[Node]:
    """As `items`, without what is not shown."""
    return [item for item in items(node, *names) if isinstance(item, Mapping)]


def text(node: Node, name: str) -> str:
    """A field of text; empty where it is none."""
    found = node.get(name)
    return found if isinstance(found, str) else ""


def word(node: Node, name: str) -> str | None:
    """One of GitHub's enumerated words, in lower case; None where there is none."""
    return text(node, name).lower() or None


def number(node: Node, name: str) -> int:
    """A field that counts; 0 where it is none."""
    found = node.get(name)
    return found if isinstance(found, int) and not isinstance(found, bool) else 0


def time(node: Node, name: str) -> Time | None:
    """A moment as Stoat writes it; None where there is none that can be read."""
    try:
        return clock.text(clock.parse(text(node, name)))
    except (ValueError, OverflowError):
        return None


def repository(node: Any) -> str | None:
    """The OWNER/NAME of the repository that a node says it is in; None where it does not say."""
    name = text(child(node, "repository"), "nameWithOwner")
    return name if is_repository(name) else None


def next_page(node: Any, *names: str) -> str | None:
    """The cursor after which a connection goes on; None on its last page."""
    page = child(node, *names, "pageInfo")
    return (text(page, "endCursor") or None) if page.get("hasNextPage") is True else None
