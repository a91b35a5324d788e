"""Launch reasons in words."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from stoat.derive.holds import Hold
from stoat.derive.wording import commands, steering
from stoat.derive.wording.text import (
    ASKED_A_PERSON,
    KEPT_FOR_THE_CLOUD,
    PR_DID_NOT_CLOSE,
    PR_OPEN,
    because,
    moment,
)
from stoat.plan.facts import RunnerFact
from stoat.plan.ids import same_repository

NEXT = "its runner launches it next"
JUDGING = "its last attempt is not judged yet"


def held(hold: Hold) -> str:
    """What keeps the node from every runner."""
    what = hold.what
    sentences: Mapping[str, str] = {
        "person": "kept for a person",
        "cloud": KEPT_FOR_THE_CLOUD,
        "creating": "its issue is about to be created",
        "unbound": "not bound to an issue",
        "pr-open": PR_OPEN,
        "claimed": f"held by {what}",
        "question": ASKED_A_PERSON,
        "gave-up": because("given up on", what),
        "go-ahead": "awaiting a person's go-ahead",
        "judging": JUDGING,
        "unseen": what,
        "over": PR_DID_NOT_CLOSE,
        "finished": "finished, waiting to land",
        "upstream": f"waits until the work of `{what}` has landed",
    }
    return sentences[hold.reason]


def no_runner(slug: str, repository: str | None, known: Sequence[RunnerFact], alive: Sequence[RunnerFact]) -> str:
    """Nobody here could launch it, and the command that changes that."""
    if alive and repository:
        works = alive[0].repo or alive[0].checkout
        where = f"in {repository}, and the runner works {works}"
        return f"{where}: {commands.run_plan(slug, f'CHECKOUT-OF-{repository}')}"
    fitting = [runner for runner in known if repository is None or same_repository(runner.repo, repository)]
    last = fitting[-1] if fitting else None
    if last is not None and last.state == "disconnected":
        return f"{steering.silent(last.runner_id)}; {steering.wake(last.pid)}"
    what = f"runner {last.runner_id} is gone" if last else "no runner"
    return f"{what}: {commands.run_plan(slug, last.checkout if last else None)}"


def stopping(runner: RunnerFact) -> str:
    """It finishes what it has and takes nothing new."""
    return f"runner {runner.runner_id} is stopping"


def limited(runner: RunnerFact) -> str:
    """Its agents' account is used up for now."""
    until = f", and goes on at {moment(runner.limited_until)}" if runner.limited_until else ""
    return f"runner {runner.runner_id} waits for a usage limit to reset{until}"


def paused(runner: RunnerFact) -> str:
    """A person paused it."""
    by = f" by {runner.paused_by}" if runner.paused_by else ""
    return f"runner paused{by}{f' at {moment(runner.paused_at)}' if runner.paused_at else ''}"


def no_slot(used: int, parallel: int) -> str:
    """Every slot is taken."""
    return f"waiting for a slot ({used}/{parallel} in use)"
