"""The sentences about a graph of issues: its warnings, and what each class and verdict means."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from stoat.derive.wording.text import listed

CLASSES: Mapping[str, str] = {
    "ready": "ready: nothing is in the way, lowest number first",
    "human": "a person's: nothing is in the way but the label needs-human",
    "in_flight": "in flight: somebody has it, or a pull request closes it",
    "blocked": "blocked",
    "split": "split: a container, done through its sub-issues",
    "split_complete": "split, and every sub-issue is closed: close it, so that what waits for it can go on",
    "done": "done",
}
"""The classes in the order they are shown, each with what it means."""

VERDICTS: Mapping[str, str] = {
    "running": "running",
    "complete": "complete: nothing in scope is open",
    "deadlocked": "deadlocked: nothing is ready, nothing is in flight, and it is not complete",
}


def cycle(way: Sequence[str], members: int) -> str:
    """Issues that wait for each other; `way` leads around, back to its first."""
    ring = " → ".join(way)
    more = "" if len(way) == members + 1 else f" (of {members} that wait for each other)"
    return f"a cycle that nothing can end: {ring}{more}"


def unreadable_blocker(issue: str, blocker: str | None) -> str:
    """A blocker that is hidden or gone keeps the issue blocked."""
    return f"{issue}: cannot read its blocker {blocker or '(hidden, or deleted)'}, so it counts as blocked"


def unreadable_child(issue: str) -> str:
    """A sub-issue that is hidden or gone keeps its parent a container."""
    return f"{issue}: cannot read one of its sub-issues, so it counts as not finished"


def out_of_scope(issue: str, blocker: str) -> str:
    """An open blocker that nobody here works on."""
    return f"{issue} is blocked by {blocker}, which is open and out of scope: nothing in this scope closes it"


def prose_only(issue: str, named: str, unreadable: bool) -> str:
    """A blocker in words only, which gates nothing."""
    state = "which cannot be read" if unreadable else "which is open"
    return f"{issue} says that {named} blocks it, {state}, but GitHub has no such dependency: the words gate nothing"


def not_planned(issue: str, blocker: str, duplicate: bool) -> str:
    """A blocker that was closed without being done."""
    how = "as a duplicate" if duplicate else "as not planned"
    return f"{issue} no longer waits for {blocker}, which was closed {how}: what it builds on may be missing"


def stale(issue: str, assignees: Sequence[str], days: int) -> str:
    """Somebody has it and nothing happens."""
    return f"{issue} is assigned to {listed(assignees)}, with no open pull request and no activity for {days} days"
