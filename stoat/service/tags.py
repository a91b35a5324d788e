"""Tags of runs that name nothing: mistyped, or of a node or a step that is not there (any more)."""

from __future__ import annotations

from pathlib import Path

from stoat.derive.wording.tags import no_step, stray
from stoat.errors import Invalid
from stoat.gitstore.log import Store
from stoat.plan.ids import NodeRef
from stoat.plan.state import NodeState, State
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
    """What is to be said of a tag that names no node of the store of that common git directory, or no step of its node;
    None where it names one. StoatError where the store cannot be read."""
    state = Store.open(common).state()
    return stray(tag) if is_stray(state, tag) else lost_step(state, tag)


def lost_step(state: State, tag: str) -> str | None:
    """What is to be said of a tag whose node declares steps, and not the tag's. Invalid for what is no tag."""
    of = split_tag(tag)
    plan = state.plan(of.ref.plan)
    node = plan.nodes.get(of.ref.node) if plan is not None else None
    return unknown_step(node, of.ref, of.step) if node is not None else None


def unknown_step(node: NodeState, ref: NodeRef, step: str | None) -> str | None:
    """What is to be said of a step that a node does not declare; None for one that it does, and where it declares
    none at all."""
    declared = [one.id for one in node.spec.steps]
    return no_step(str(ref), step, declared) if declared and step is not None and step not in declared else None
