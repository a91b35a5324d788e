"""Whether a node's next agent goes on in the session of the last one, or begins afresh.

| the node's last attempt                                               | its next agent        |
|-----------------------------------------------------------------------|-----------------------|
| none, or a person restarted the node since                            | begins                |
| of another launcher, another machine, or without a session            | begins                |
| stopped by a limit of the account                                     | goes on: limited      |
| given back, and every question it asked is settled                    | goes on: answered     |
| to go on itself, and its runner went away before it began             | goes on: unbegun      |
| anything else (failed, nothing, lost …)                               | begins                |

The launcher has to be able to resume, and the worktree to be the same one: that is for the caller to know.
"""

from __future__ import annotations

from typing import Literal

from msgspec import Struct

from stoat.plan.state import NodeState, PlanState, Question


class Resume(Struct, frozen=True):
    """Go on in that session: why it ended, and what became of the questions it asked."""

    session: str
    why: Literal["limited", "answered", "unbegun"]
    asked: tuple[Question, ...] = ()


def decide(plan: PlanState, node: NodeState, *, launcher: str, machine: str) -> Resume | None:
    """The session that the node's next agent goes on in; None when it begins afresh."""
    attempt = node.current_attempt
    if attempt is None or attempt.session is None or (attempt.launcher, attempt.machine) != (launcher, machine):
        return None
    if attempt.outcome == "limited":
        return Resume(attempt.session, "limited")
    asked = tuple(one for one in plan.questions.values() if one.node == node.spec.id)
    if any(one.state == "open" for one in asked):
        return None
    if attempt.outcome == "lost" and attempt.resumes and attempt.process is None:
        return Resume(attempt.session, "unbegun", asked)
    newly = tuple(one for one in asked if one.seq > attempt.seq)
    return Resume(attempt.session, "answered", newly) if attempt.outcome == "given-back" and newly else None
