"""What is said of the base drifting away from the plan's branch."""

from __future__ import annotations

from stoat.derive.wording.text import counted, listed, one_line
from stoat.plan.facts import DriftFact

_NAMED = 5


def conflict(branch: str, seen: DriftFact) -> str:
    """Merging the base would conflict: the files, and what changed them there. One sentence, for lines and cards."""
    files = listed([one_line(name) for name in seen.conflicts], _NAMED)
    line = f"merging {seen.base} into {branch} would conflict in {files}"
    return f"{line}; changed there by {listed([one_line(one) for one in seen.commits])}" if seen.commits else line


def conflict_line(branch: str, seen: DriftFact) -> str:
    """The callout on the runner's output."""
    return f"⚠ drift: {conflict(branch, seen)} — merge it in when it suits; nothing was merged"


def gone_line(branch: str, seen: DriftFact) -> str:
    """The conflict that was called out is no more."""
    return f"✓ drift: {branch} no longer conflicts with {seen.base}"


def unknown_line(branch: str, why: str) -> str:
    """It cannot be told."""
    return f"⚠ drift: how {branch} stands to its base is unknown: {one_line(why)}"


def standing(branch: str, seen: DriftFact) -> str:
    """How the branch stands, for the panel."""
    if seen.problem is not None:
        return f"how {branch} stands to its base is unknown: {one_line(seen.problem)}"
    if seen.conflicts:
        return conflict(branch, seen)
    if not seen.behind:
        return f"{branch} has all of {seen.base}"
    return f"{branch} is {counted(seen.behind, 'commit')} behind {seen.base}, and would merge cleanly"
