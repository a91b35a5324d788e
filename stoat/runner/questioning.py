"""The question that an agent ended with, put to a person in its name."""

from __future__ import annotations

from stoat.clock import Time
from stoat.derive.wording import runner as say
from stoat.observe.agents.questions import question_of
from stoat.plan.events import questions as rules
from stoat.plan.events.base import PlanEvent
from stoat.plan.state import Attempt, NodeState, PlanState
from stoat.runner import endings
from stoat.runner.reading import append
from stoat.runner.state import Run, RunState
from stoat.service.session import mint


def has_asked(plan: PlanState, node: str, attempt: Attempt) -> bool:
    """Whether a question about the node came after the attempt began."""
    return any(one.node == node and one.seq > attempt.seq for one in plan.questions.values())


def ask(run: Run, state: RunState, node: NodeState) -> RunState | None:
    """Ask what the node's last agent ended with; None where it asked nothing, or asked already by itself."""
    attempt, name = node.attempt, node.spec.id
    assert attempt is not None
    if has_asked(state.plan, name, attempt):
        return None
    text = question_of(endings.said(run, attempt, attempt.exit_code).final or "")
    if text is None:
        return None

    def decide(plan: PlanState, now: Time) -> list[PlanEvent]:
        # An agent that ended cannot be told to say it in fewer words.
        asked = rules.ask(plan.nodes[name], mint("q"), rules.shortened(text))
        return [] if has_asked(plan, name, attempt) else [asked]

    state = append(run, state, f"{run.options.agent} asks about {name}", decide)
    for one in state.plan.questions.values():
        if one.node == name and one.state == "open":
            run.narrator.once(("question", one.id), say.asked(name, one.question, one.id))
    return state
