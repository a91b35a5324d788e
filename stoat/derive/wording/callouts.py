"""What a runner says of the needs of its plan: that one was raised, the way back into its agent, that it is settled."""

from __future__ import annotations

from stoat.derive.answers import Need, NeedKind
from stoat.derive.wording.stance import YOURS
from stoat.derive.wording.text import BACK, one_line


def raised(need: Need) -> str:
    """Something waits for a person, and the command or link that settles it."""
    where = f"{need.node}: " if need.node else ""
    return f"✋ {where}{one_line(need.why)} — {need.action}"


def way_back(need: Need, command: str) -> str:
    """How to go on by hand where the agent of a need left off."""
    return f"↩ {need.node}: {BACK}: {command}"


def settled(kind: NeedKind, node: str | None) -> str:
    """It waits for nobody any more."""
    return f"✓ {node}: settled ({YOURS[kind]})" if node else f"✓ settled: {YOURS[kind]}"
