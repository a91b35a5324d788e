"""How old a run is among those of its node: its place in the plan's stream.

| a run                                                | its place                                            |
|------------------------------------------------------|------------------------------------------------------|
| whose start is on record                             | of its start                                         |
| heard of without its start                           | of its end                                           |
| found late in an archive, its start not on record    | before what was heard of after it, and before a      |
|                                                      | restart or a wish to prove it again after it         |

What its publisher says of the time places no run: its clock may be wrong.
"""

from __future__ import annotations

from stoat.clock import Time
from stoat.plan.evidence import EXEC, PLACES, Evidence
from stoat.plan.state import NodeState


def began(node: NodeState, run: str, otherwise: int) -> int:
    """The place in the stream at which a run began: of its start, where one is on record."""
    known = _known(node, run)
    return known.order if known is not None else node.places.get(run, otherwise)


def place(node: NodeState, run: str, found: Time | None, otherwise: int) -> tuple[int, frozenset[str]]:
    """The place of a run that is recorded now, and the runs that are newer than it wherever theirs is.

    `found` is when a run was heard of that is recorded late; without it, and without a start, its place is `otherwise`.
    """
    if found is None or run in node.places or _known(node, run) is not None:
        return began(node, run, otherwise), frozenset()
    known = (*node.evidence.values(), *node.running.values())
    later = [one for one in known if _heard(one) > found]
    places = [one.order for one in later]
    for mark, place_of_mark in ((node.restarted, node.restarted_seq), (node.reverify_asked, node.reverify_seq)):
        if mark is not None and mark.at > found:
            places.append(place_of_mark)
    if not places:
        return otherwise, frozenset()
    before = min(places) - 1
    if any(one.order == before for one in known if one not in later):
        # No place is left between the two: a command's round begins behind the command.
        before += 1
    return max(1, before), frozenset(one.run for one in later)


def first_heard(node: NodeState, run: str, found: Time | None) -> Time | None:
    """When a run that is recorded now was first heard of, where that was before now."""
    known = _known(node, run)
    return _heard(known) if known is not None else found


def remembered(node: NodeState, run: str, place: int) -> dict[str, int]:
    """The node's places with that of one run more, without the oldest where they are too many."""
    places = {**node.places, run: place}
    if len(places) > PLACES:
        del places[min(places, key=lambda one: places[one])]
    return places


def with_newest(
    evidence: dict[str, Evidence], seen: Evidence, newer: frozenset[str] = frozenset()
) -> dict[str, Evidence]:
    """The evidence with one run more, unless a run of the same that is newer ended already: it began later, or is among
    the `newer`."""
    known = evidence.get(seen.key)
    older = known is not None and (known.order > seen.order or known.run in newer)
    return evidence if older else {**evidence, seen.key: seen}


def _known(node: NodeState, run: str) -> Evidence | None:
    return node.running.get(run) or next((one for one in node.evidence.values() if one.run == run), None)


def _heard(run: Evidence) -> Time:
    """When a run was first heard of, by the clock of who recorded it."""
    own = run.source == EXEC or run.state in ("running", "lost")
    return run.heard or (run.started if own else None) or run.at
