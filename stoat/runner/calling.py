"""What waits for a person is called out once, and once more when it is settled.

Callouts of which another step has just told the same are not told again: they are only settled here.
"""

from __future__ import annotations

from dataclasses import replace

from stoat.derive.answers import NeedKind
from stoat.derive.wording import callouts as say
from stoat.runner.state import Run, RunState

_TOLD_ALREADY: frozenset[NeedKind] = frozenset(
    {"question", "give-up", "unmergeable", "merge", "fix", "go-ahead", "cloud", "main-red", "drift", "limit", "disk"}
)
"""Raised by the step that came upon it, in its own words."""
_SETTLED_ALREADY: frozenset[NeedKind] = frozenset({"drift", "limit"})
"""Of these another step says as well that they are over."""


def call(run: Run, state: RunState) -> RunState:
    """The step: say what is newly a person's, with the way back into its agent's session, and what is no more."""
    now = {
        (need.kind, need.node): need
        for need in state.answers.needs
        if need.plan == run.plan and (need.node is None or run.options.scope.takes(need.node))
    }
    for key, need in now.items():
        if key not in state.called and need.kind not in _TOLD_ALREADY:
            run.narrator.say(say.raised(need))
        if need.resume is not None:
            run.narrator.once(("back", key), say.way_back(need, need.resume))
        else:
            run.narrator.forget(("back", key))
    for kind, node in sorted(state.called - now.keys(), key=str):
        if kind not in _SETTLED_ALREADY:
            run.narrator.say(say.settled(kind, node))
    return replace(state, called=frozenset(now))
