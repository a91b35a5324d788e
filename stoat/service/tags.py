"""Tags of test runs that name nothing: mistyped, or of a node that is not there (any more)."""

from __future__ import annotations

from pathlib import Path

from stoat.derive.wording.tags import stray
from stoat.errors import Invalid
from stoat.gitstore.log import Store
from stoat.plan.state import State
from stoat.service.runs import split_tag


def is_stray(state: State, tag: str | None) -> bool:
    """Whether there is a tag, and no node that it is of: a run with it proves nothing."""
    if not tag:
        return False
    try:
        ref = split_tag(tag).ref
    except Invalid:
        return True
    plan = state.plan(ref.plan)
    return plan is None or ref.node not in plan.nodes


def stray_in(common: Path, tag: str) -> str | None:
    """What is to be said of a tag that names no node of the store of that common git directory; None where it names
    one. StoatError where the store cannot be read."""
    return stray(tag) if is_stray(Store.open(common).state(), tag) else None
