"""The one form that every text of a plan is stored in, so that the same thing written twice is no change.

Line ends are `\\n`; a brief has no blank at the end of its lines nor of itself (a YAML `|` block's last newline and a
CRLF save are no change); a node of the plan itself is never written `PLAN/NODE`; nothing is listed twice.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from msgspec.structs import astuple, replace

from stoat.plan.nodes import Header, Node, Step


def line(text: str | None) -> str | None:
    """A text without blanks at its ends; None when nothing is left."""
    return (text.strip() or None) if text is not None else None


def block(text: str | None) -> str | None:
    """A text of several lines: `\\n` line ends, no blank at the end of a line or of the text; None when empty."""
    if text is None:
        return None
    lines = text.replace("\r\n", "\n").replace("\r", "\n").split("\n")
    return "\n".join(written.rstrip() for written in lines).rstrip() or None


def normal_node(node: Node, plan: str) -> Node:
    """The node as plan `plan` stores it."""
    changed: dict[str, Any] = {}
    for field, value in zip(Node.__struct_fields__, astuple(node), strict=True):
        if value is None or value == () or isinstance(value, int):
            continue
        form: Any = value
        if field == "brief":
            form = block(value)
        elif field == "steps":
            form = tuple(normal_step(step) for step in value)
        elif field == "depends_on":
            form = _once(_local(on, plan) for on in value)
        elif field == "discovered_from":
            form = line(_local(value, plan))
        elif isinstance(value, tuple):
            form = _once(value)
        elif field not in ("id", "kind"):
            form = line(value)
        if form != value:
            changed[field] = form
    return replace(node, **changed) if changed else node


def normal_step(step: Step) -> Step:
    """The step as it is stored; variables keep their text to the letter."""
    return replace(step, run=block(step.run), title=line(step.title), cwd=line(step.cwd), timeout=line(step.timeout))


def normal_header(header: Header) -> Header:
    """The header as it is stored."""
    return replace(
        header, title=line(header.title), anchor=line(header.anchor), color=line(header.color),
        branch=line(header.branch), model=line(header.model), skills=_once(header.skills),
    )  # fmt: skip


def _once(texts: Iterable[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(stripped for text in texts if (stripped := text.strip())))


def _local(text: str, plan: str) -> str:
    return text.strip().removeprefix(f"{plan}/")
