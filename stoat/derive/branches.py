"""Whether what is seen of a plan's integration branch is news: it is where the log does not have it in that repository.

A checkout that somebody merely stands in may be one of many clones, and behind the others. It is believed only where
it is not known to be behind.
"""

from __future__ import annotations

from collections.abc import Iterable

from msgspec import Struct

from stoat.plan import streams
from stoat.plan.events.landings import BranchMoved
from stoat.plan.ids import same_repository
from stoat.plan.nodes import repository_of
from stoat.plan.state import PlanState, State


class Tip(Struct, frozen=True):
    """Where a plan's branch was seen: in the repository `repo` (OWNER/NAME, None without a name), at `commit`."""

    plan: str
    branch: str
    repo: str | None
    commit: str


def repositories(plan: PlanState) -> tuple[str, ...]:
    """The OWNER/NAMEs that the plan names, in its header and on its nodes, each once."""
    named = [repo.repo for repo in plan.header.repos.values()]
    named += [repo for node in plan.nodes.values() if (repo := repository_of(plan.header, node.spec)) is not None]
    found: list[str] = []
    for repo in named:
        if not any(same_repository(repo, one) for one in found):
            found.append(repo)
    return tuple(found)


def speaks(named: Iterable[str], repo: str | None) -> bool:
    """Whether a repository's branch may be that of a plan that names these: it is one of them, or nobody knows.

    A plan that names none is of whatever repository it is worked in.
    """
    listed = tuple(named)
    return repo is None or not listed or any(same_repository(repo, one) for one in listed)


def moved(plan: PlanState, tip: Tip) -> BranchMoved | None:
    """The event that says so; None where it is on record, or of another branch than the plan has by now."""
    if plan.archived is not None or tip.branch != plan.header.branch or tip.commit == plan.tip_in(tip.repo):
        return None
    return BranchMoved(branch=tip.branch, tip=tip.commit, repo=tip.repo)


def news(state: State, tips: Iterable[Tip]) -> list[tuple[str, BranchMoved]]:
    """What of it to append, each with its stream."""
    found = []
    for tip in tips:
        plan = state.plan(tip.plan)
        event = moved(plan, tip) if plan is not None else None
        if event is not None:
            found.append((streams.of_plan(tip.plan), event))
    return found
