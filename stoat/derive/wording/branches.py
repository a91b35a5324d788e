"""Plans' integration branches in words: that one moved, or cannot be seen."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from stoat.derive.wording.text import counted

if TYPE_CHECKING:
    from stoat.derive.branches import Tip


def subject(tips: Sequence[Tip]) -> str:
    """The subject of the commit that records where branches are."""
    first = tips[0]
    if len(tips) == 1:
        return f"{first.plan}: {first.branch} is at {first.commit[:7]}"
    return f"{counted(len(tips), 'branch', 'branches')} moved: {', '.join(tip.plan for tip in tips[:3])}"


def moved(tip: Tip, before: str | None) -> str:
    """That a plan's branch is somewhere else than it was."""
    if before is None:
        return f"{tip.plan}: the branch {tip.branch} is at {tip.commit[:7]}"
    return f"{tip.plan}: the branch {tip.branch} moved from {before[:7]} to {tip.commit[:7]}"


def unseen(plan: str, branch: str, place: str, why: str) -> str:
    """That nobody knows where a plan's branch is."""
    return f"{plan}: it is not known where the branch {branch} is in {place} ({why})"
