"""Every change of a plan's document in words: as git's log of the store tells it, and as a line of what was changed.

In the Activity the same events are told by `events.py`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple


class _Words(NamedTuple):
    """`does` goes behind a name, in the present tense; `line` is a row of a list of changes."""

    does: str
    line: str


_WORDS = {
    "plan_created": _Words("creates the plan", "created"),
    "plan_header_changed": _Words("changes the header", "header: {fields}"),
    "plan_archived": _Words("archives the plan", "archived"),
    "plan_unarchived": _Words("brings the plan back", "active again"),
    "nodes_reordered": _Words("puts the nodes into another order", "nodes in another order"),
    "node_added": _Words("adds {node}", "+ {node} ({kind})"),
    "node_changed": _Words("changes {node}", "~ {node}: {fields}"),
    "node_removed": _Words("removes {node}", "- {node}"),
    "node_bound": _Words("binds {node} to #{number}", "~ {node}: bound to #{number}"),
    "dependency_added": _Words("lets {node} wait for {on}", "~ {node}: waits for {on}"),
    "issues_imported": _Words("takes over what GitHub says", "taken over from GitHub; the plan had it so already"),
    "dependency_removed": _Words("lets {node} no longer wait for {on}", "~ {node}: no longer waits for {on}"),
}


def subject(changes: Sequence[Mapping[str, Any]]) -> str:
    """What somebody does, as a commit's subject: the first of many changes stands for all."""
    said = [_WORDS[change["type"]].does.format_map(change) for change in changes]
    if len(said) <= 3:
        return ", ".join(said)
    return f"{said[0]} and makes {len(said) - 1} more changes"


def line(change: Mapping[str, Any]) -> str:
    """One change, `{type, node, …}`, with the names of the fields that it changed in `fields`."""
    return _WORDS[change["type"]].line.format_map({**change, "fields": ", ".join(change.get("fields", ()))})
