"""A plan's integration branch against the repository where its author stands: what would only fail at the first launch.

Nothing is fetched; the runner asks the remote again before it lands anything.
"""

from __future__ import annotations

from pathlib import Path

from stoat.errors import StoatError
from stoat.gitstore.work.planbranches import why_not_here
from stoat.gitstore.work.remotes import FetchFailed
from stoat.observe.tree import repository_at
from stoat.plan.ids import same_repository
from stoat.plan.nodes import Header
from stoat.plan.rules.branches import plan_branch_problem
from stoat.plan.rules.finding import Finding


def branch_findings(directory: Path, header: Header) -> list[Finding]:
    """Why the plan's branch cannot be one here: it is the default branch, or git cannot keep it beside another one.

    A directory that is in no repository, or in one that the plan does not name, has no say.
    """
    if not header.branch or plan_branch_problem(header.branch) is not None:
        return []
    here = repository_at(directory)
    named = header.repos.values()
    if here is not None and named and not any(same_repository(here, repo.repo) for repo in named):
        return []
    try:
        problem = why_not_here(directory, header.branch, FetchFailed("here", "nothing is fetched to write a plan"))
    except StoatError:
        return []
    return [Finding(("branch",), problem, "name a branch of the plan's own")] if problem else []
