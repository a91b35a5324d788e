"""What became news since the last poll: nodes that are done by somebody else's doing, questions to a person."""

from __future__ import annotations

from dataclasses import replace

from stoat.derive.wording import runner as say
from stoat.plan.nodes import LAUNCHED
from stoat.runner.state import Run, RunState


def announce(run: Run, state: RunState) -> RunState:
    """The step: say what is newly done and newly asked. A node that this machine's attempts finish is landing's to say.

    On the first poll, when nothing is new yet, it is noted which nodes the run leaves alone.
    """
    now = {shown.id: shown.status for shown in state.answer.nodes}
    if state.statuses is None:
        alone = {name for name, status in now.items() if status == "done" and not _pending(state, name)}
        return replace(state, statuses=now, left_alone=frozenset(alone))
    for shown in state.answer.nodes:
        if shown.status != "done" or state.statuses.get(shown.id) == "done" or shown.id in state.jobs:
            continue
        node = state.plan.nodes[shown.id]
        if node.attempt is None:
            outside = shown.kind in LAUNCHED
            run.narrator.once(("done", shown.id), (say.elsewhere if outside else say.done)(shown.id, shown.detail))
    for question in state.plan.questions.values():
        if question.state == "open":
            run.narrator.once(("question", question.id), say.asked(question.node, question.question, question.id))
    return replace(state, statuses=now)


def _pending(state: RunState, node_id: str) -> bool:
    """Whether an attempt on the node is not judged, or finished work of one has still to land on the plan's branch."""
    node = state.plan.nodes[node_id]
    attempt = node.attempt
    if attempt is None:
        return False
    if attempt.outcome is None:
        return True
    return attempt.outcome == "done" and node.landing is None and state.plan.header.branch is not None
