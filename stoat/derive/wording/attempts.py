"""What became of an attempt, as the fragments of sentences that are recorded with its outcome."""

from __future__ import annotations

from collections.abc import Sequence

from stoat.derive.wording.status import step_mismatch
from stoat.derive.wording.text import ASKED_A_PERSON, counted
from stoat.plan.evidence import Evidence
from stoat.plan.nodes import Step

RED = "its verification is red on the committed branch"
GIVEN_BACK = ASKED_A_PERSON
LOST = "its runner went away around its start"
SESSION_GONE = "its session could not be resumed"
CUT_OFF = "its agent was cut off, and nothing proves that what it committed is all of it"
NO_COMMIT = "its branch has no new commit"
NO_WORKTREE = "it left no worktree to look at"
_MOST_FILES = 5


def committed(commits: int | None) -> str:
    """A change that is finished: how many commits its branch has, None where git cannot tell."""
    return "its branch is ready" if commits is None else f"{counted(commits, 'commit')} on its branch"


def reads(detail: str, status: str) -> str:
    """A node that is not done: why, or at least what it is."""
    return detail or f"it reads {status}"


def no_pull(issue: int | None) -> str:
    """An attempt on an issue that ended in no pull request."""
    return f"no PR was seen that closes #{issue}"


def uncommitted(files: Sequence[str]) -> str:
    """A change with work that no commit has."""
    named = f"{', '.join(files[:_MOST_FILES])}{' …' if len(files) > _MOST_FILES else ''}"
    return f"uncommitted changes in {named}: commit them, or name in .gitignore what only a run leaves behind"


def steps_open(steps: Sequence[str], others: Sequence[tuple[Step, Evidence]]) -> str:
    """A change whose steps prove another commit than its branch's, or nothing yet. `others` ran another command."""
    wrong = {step.id for step, _ in others}
    unproved = [step for step in steps if step not in wrong]
    parts = other_commands(others)
    return "; ".join([*parts, f"not passed on the branch's commit: {', '.join(unproved)}"] if unproved else parts)


def other_commands(others: Sequence[tuple[Step, Evidence]]) -> list[str]:
    """Of each step that ran another command than declared, or elsewhere, which instead of which."""
    return [f"step {step.id} {step_mismatch(run, step)}" for step, run in others]
