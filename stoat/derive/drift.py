"""What a runner says of how its plan's branch drifts from the base: a conflict, once; that it is gone; that nothing can
be seen.

| what was seen                                    | is said                                                       |
|--------------------------------------------------|---------------------------------------------------------------|
| nothing, for a reason that was not said last     | unknown; it neither makes a conflict nor ends one             |
| a conflict, with other files or commits than the last | conflict                                                 |
| none, after one                                  | gone                                                          |
| behind or level, and before that as well         | nothing: how far behind is for the panel                      |
"""

from __future__ import annotations

from typing import Literal

from msgspec import Struct

from stoat.plan.facts import DriftFact

Word = Literal["unknown", "conflict", "gone"]


class Told(Struct, frozen=True):
    """What was said last: the files and commits of the conflict that stands, and why nothing could be seen."""

    conflict: tuple[tuple[str, ...], tuple[str, ...]] | None = None
    problem: str | None = None


def decide(told: Told, seen: DriftFact) -> tuple[Word | None, Told]:
    """What to say of what was just seen, and what has been said then."""
    if seen.problem is not None:
        word: Word | None = "unknown" if seen.problem != told.problem else None
        return word, Told(told.conflict, seen.problem)
    if not seen.conflicts:
        return ("gone" if told.conflict is not None else None), Told()
    conflict = (seen.conflicts, seen.commits)
    return (None if conflict == told.conflict else "conflict"), Told(conflict)
