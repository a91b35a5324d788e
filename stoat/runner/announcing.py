"""What became news since the last poll: nodes that are done by somebody else's doing, questions to a person."""

from __future__ import annotations

from dataclasses import replace

from stoat.derive import landings
from stoat.derive.wording import landing
from stoat.derive.wording import runner as say
from stoat.plan.nodes import LAUNCHED
from stoat.runner.state import Run, RunState


def announce(run: Run, state: RunState) -> RunState:
    """The step: say what is newly done and newly asked. A node that this machine's attempts finish is landing's to say.

    On the first poll, when nothing is new yet, it is noted which nodes the run leaves alone.
    """
    now = {shown.id: shown.status for shown in state.answer.nodes}
    if state.statuses is None:
        done = [node for name, node in state.plan.nodes.items() if now.get(name) == "done"]
        alone = frozenset(node.spec.id for node in done if not landings.pending(state.plan, node))
        return replace(state, statuses=now, left_alone=alone)
    for shown in state.answer.nodes:
        if shown.status != "done" or state.statuses.get(shown.id) == "done" or shown.id in state.jobs:
            continue
        node = state.plan.nodes[shown.id]
        if shown.kind in landings.NEVER_LANDED or (node.attempt is None and node.landing is None):
            outside = shown.kind in LAUNCHED - landings.NEVER_LANDED
            run.narrator.once(("done", shown.id), (landing.elsewhere if outside else say.done)(shown.id, shown.detail))
    for question in state.plan.questions.values():
        if question.state == "open":
            run.narrator.once(("question", question.id), say.asked(question.node, question.question, question.id))
    return replace(state, statuses=now)
