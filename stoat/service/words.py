"""What a worker says of a gate: its result, where a person lets a word count, or why it is red.

Both are recorded beside what was seen and never in its place: a result that nobody allowed is refused, and a diagnosis
turns no gate green.
"""

from __future__ import annotations

from stoat.clock import Time
from stoat.errors import Refused
from stoat.gitstore.log import Change
from stoat.observe import tree
from stoat.plan import guards, streams
from stoat.plan.events import evidence as rules
from stoat.plan.ids import NodeRef
from stoat.plan.state import State
from stoat.processes import machine_name
from stoat.service.session import Session, mint, node_of


def result(session: Session, ref: NodeRef, state: str, why: str | None, step: str | None = None) -> str:
    """Say that a gate, or one of its steps, passed or failed; gives the id that the word has among the runs.

    Refused unless a person allowed it for the gate, for a word without its reason, and for a gate with steps when none
    is named; NotFound for a step that it does not declare.
    """
    run, machine, here = mint("w"), machine_name(), tree.tree_of(session.directory)

    def decide(at: State, now: Time) -> Change:
        plan, node = node_of(at, ref)
        guards.not_archived(plan)
        event = rules.assert_result(
            plan, node, run=run, state=state, why=why or "", step=step, machine=machine, tree=here
        )
        return Change([(streams.of_plan(ref.plan), event)], f"{ref.plan}: {session.actor.name} says {ref.node} {state}")

    session.commit(decide)
    return run


def diagnose(session: Session, ref: NodeRef, text: str) -> None:
    """Say why a gate is red and cannot be made green from here: a person decides what becomes of it.

    Refused for what is no gate, or is not red.
    """
    shown = session.answers().by_ref.get(str(ref))

    def decide(state: State, now: Time) -> Change:
        plan, node = node_of(state, ref)
        guards.not_archived(plan)
        event = rules.diagnose(plan, node, text)
        if shown is not None and shown.status not in ("failed", "mismatch", "findings"):
            raise Refused(f"{ref} is not red: it is {shown.status}", hint=f"run it first: stoat gate exec {ref} -- …")
        return Change([(streams.of_plan(ref.plan), event)], f"{ref.plan}: {session.actor.name} diagnoses {ref.node}")

    session.commit(decide)
