"""The way back into the session of the agent that a need comes from: `cd WORKTREE && claude --resume SESSION`.

There is one when all of this holds:

| what                                                                                        |
|---------------------------------------------------------------------------------------------|
| the need is about that agent's work: no go-ahead, no limit, nothing of the plan as a whole  |
| the node's last attempt ran on this machine, with a tool whose sessions can be opened again |
| it has a session, of a name that is no flag to the tool                                     |
| its agent is not at work any more: it exited, or its process is known to be dead            |
| nobody else holds the node                                                                  |
"""

from __future__ import annotations

from stoat.derive.answers import NeedKind
from stoat.derive.wording import commands
from stoat.plan.facts import Facts
from stoat.plan.state import Claim, NodeState

OF_AN_AGENT: frozenset[NeedKind] = frozenset(
    {"question", "review", "merge", "fix", "unmergeable", "give-up", "partial", "findings"}
)
"""The kinds of need that an agent's work leads to."""


def way_back(node: NodeState, kind: NeedKind, claim: Claim | None, facts: Facts) -> str | None:
    """The command that goes back into the session of the node's last agent; None where there is no way, or no need.

    `claim` is the node's running lease, `facts` says which machine this is and which processes are dead.
    """
    attempt = node.current_attempt
    if kind not in OF_AN_AGENT or attempt is None or attempt.session is None:
        return None
    if attempt.session.startswith("-"):  # it came out of the tool's output, and a person will run the command
        return None
    if attempt.machine != facts.machine or (claim is not None and claim.id != attempt.claim):
        return None
    over = attempt.exited_at is not None or (attempt.process is not None and attempt.process in facts.dead)
    return commands.go_back(attempt.launcher, attempt.worktree, attempt.session) if over else None
