"""A plan's integration branch against the repository where its author stands: what would only fail at the first launch.

Nothing is fetched; the runner asks the remote again before it lands anything.
"""

from __future__ import annotations

from pathlib import Path

from stoat.errors import StoatError
from stoat.gitstore.porcelain import git
from stoat.gitstore.work.branches import HEADS
from stoat.gitstore.work.remotes import FetchFailed, default_branch
from stoat.observe.tree import repository_at
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
    if here is not None and header.repos and here not in {repo.repo for repo in header.repos.values()}:
        return []
    try:
        default = default_branch(directory, FetchFailed("here", "nothing is fetched to write a plan"))
        problem = plan_branch_problem(header.branch, default.name if default else None)
        problem = problem or _in_the_way(directory, header.branch)
    except StoatError:
        return []
    return [Finding(("branch",), problem, "name a branch of the plan's own")] if problem else []


def _in_the_way(directory: Path, name: str) -> str | None:
    """A ref is a file: `a` leaves no room for `a/b`, nor `a/b` for `a`."""
    for ref in git(directory, "for-each-ref", "--format=%(refname)", HEADS).out.splitlines():
        branch = ref.removeprefix(HEADS)
        if branch.startswith(f"{name}/") or name.startswith(f"{branch}/"):
            return f"{name!r} cannot be a branch: the branch {branch!r} exists, and git cannot keep both"
    return None
