"""Which names a plan's integration branch may not have in a repository: what `plan.rules.branches` cannot know by form.

    why_not_a_plan_branch(project, name)         asks the remote which branch is the default one
    why_not_here(directory, name, fetched)       goes by what is known of the remote already
"""

from __future__ import annotations

from pathlib import Path

from stoat.gitstore.porcelain import git
from stoat.gitstore.work.branches import in_the_way
from stoat.gitstore.work.remotes import Fetched, FetchFailed, default_branch, fetch
from stoat.plan.rules.branches import plan_branch_problem


def why_not_a_plan_branch(project: Path, name: str) -> str | None:
    """Why `name` cannot be a plan's integration branch here, as a sentence; None when it can.

    Asks the remote which branch is the default one; unreachable, it goes by what this clone remembers.
    """
    return plan_branch_problem(name) or why_not_here(project, name, fetch(project))


def why_not_here(directory: Path, name: str, fetched: Fetched | FetchFailed) -> str | None:
    """The same by what `fetched` says of the remote (a FetchFailed: what this clone remembers); nothing is fetched."""
    default = default_branch(directory, fetched)
    named = fetched.default if isinstance(fetched, Fetched) else None
    remotes = git(directory, "remote").lines
    for known in (named, default.name if default else None):
        problem = plan_branch_problem(name, known, remotes)
        if problem is not None:
            return problem
    other = in_the_way(directory, name)
    if other is not None:
        return f"{name!r} cannot be a branch: the branch {other!r} exists, and git cannot keep both"
    return None
