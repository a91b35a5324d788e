"""The prompt of an agent that goes on in its own session: why it stopped, what a person said since, and the fences.

What the node is about it knows from before; only what has changed is told, and what must never be forgotten.
"""

from __future__ import annotations

from stoat.derive.resume import Resume
from stoat.plan.state import Attempt, Question
from stoat.runner.fence import Fence
from stoat.runner.prompts import MACHINE, asking

_LIMITED = (
    "Your last run ended because the account had no quota left, and for no other reason. It has some again: carry on "
    "where you stopped. Look first at what is in your worktree; a command may have been cut off."
)
_ANSWERED = "You asked a person, and that is settled. Carry on with your work."
_UNBEGUN = "You were to go on before, and were cut off before you began. Carry on where you stopped."
_DISMISSED = "(The person will not answer. Decide it yourself as the repository's own conventions suggest, and say so.)"


def prompt(ref: str, attempt: Attempt, going_on: Resume, *, takes_mcp: bool) -> str:
    """The prompt of an attempt that resumes a session. `ref` is PLAN/NODE; `takes_mcp` whether it has our tools."""
    place = f"worktree: {attempt.worktree}\nbranch: {attempt.branch}"
    settled = "\n\n".join(_settled(one) for one in going_on.asked)
    fence = Fence([place, settled])
    parts = [
        f"You go on with {ref}. It is claimed for you: claim {attempt.claim}, attempt {attempt.number}. All that you "
        "were told at the beginning still holds.",
        fence.rule(),
    ]
    parts.append({"limited": _LIMITED, "answered": _ANSWERED, "unbegun": _UNBEGUN}[going_on.why])
    if settled:
        parts.append("What you asked, and what a person said:\n" + fence.around("answers", settled))
    parts += ["Your place is the same:\n" + fence.around("place", place), MACHINE, asking(ref, takes_mcp=takes_mcp)]
    return "\n\n".join(parts) + "\n"


def _settled(asked: Question) -> str:
    answer = (asked.answer.why if asked.answer is not None else None) or _DISMISSED
    return f"Question: {asked.question}\nAnswer: {answer}"
