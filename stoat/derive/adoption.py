"""What a runner does with an attempt that nobody judged, on this machine, of a runner that is gone.

| its exit is recorded | what is seen of its process             | then                                           |
|----------------------|-----------------------------------------|------------------------------------------------|
| yes                  | anything                                | let-go of its claim, should that be held       |
| no                   | recorded and alive                      | watch it as ours                               |
| no                   | recorded and dead                       | end: its exit is recorded, it is judged        |
| no                   | not recorded, one with its claim's mark | record it, and watch it                        |
| no                   | the same, and it can only be the setup  | give-back: the setup is ended, nothing used up |
| no                   | not recorded, none anywhere             | end: lost, unless its work is there            |
"""

from __future__ import annotations

from typing import Literal

from stoat.plan.state import NodeState

Seen = Literal["alive", "dead", "marked", "setup", "nowhere"]
"""What is seen of an attempt's process: the recorded one alive or dead; else one with the claim's mark, which may only
be the setup of its worktree; else nothing."""

Action = Literal["nothing", "let-go", "watch", "end", "record", "give-back"]

_BY_SIGHT: dict[Seen, Action] = {
    "alive": "watch", "dead": "end", "marked": "record", "setup": "give-back", "nowhere": "end",
}  # fmt: skip


def decide(node: NodeState, seen: Seen) -> Action:
    """What to do with the node's last attempt, which is not judged."""
    attempt, claim = node.attempt, node.claim
    assert attempt is not None
    if attempt.exited_at is not None:
        return "let-go" if claim is not None and claim.id == attempt.claim else "nothing"
    return _BY_SIGHT[seen]
