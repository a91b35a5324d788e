"""Where a plan's worktrees are: `<project>-<node>` beside the project, and the integration worktree, which wins."""

from __future__ import annotations

import os
from pathlib import Path
from typing import NamedTuple

from stoat.gitstore.work.worktrees import Project, Registered, pointed_at, registry
from stoat.plan.ids import node_branch


class Place(NamedTuple):
    """Where a worktree is or will be.

    path: its directory. branch: the branch it is for. name: the path's name without the project's, as logs use it.
    names: all the names it may have, this one among them; who chooses or uses one has to hold them all (occupancy).
    taken: what is in the way, as a sentence, when no name is free; there is nothing to use at `path` then.
    """

    path: Path
    branch: str
    name: str
    names: tuple[str, ...]
    taken: str | None = None


def place(project: Project, plan: str, node: str) -> Place:
    """The node's worktree: where it already is, else the first of its two names that is free.

    `<project>-<node>`, else `<project>-<plan>-<node>`; a name that could be some plan's integration worktree's gets
    `-node` behind it.
    """
    names = [f"{name}-node" if name.endswith("-integration") else name for name in (node, f"{plan}-{node}")]
    return _choose(project, node_branch(plan, node), tuple(names))


def chosen_again(project: Project, place: Place) -> Place:
    """The same worktree's place as it is by now, since somebody else may have made it or taken its name."""
    return _choose(project, place.branch, place.names)


def integration_place(project: Project, plan: str, branch: str) -> Place:
    """The worktree that work lands in on the plan's branch: `<project>-<plan>-integration`."""
    return _choose(project, branch, (f"{plan}-integration",))


def _choose(project: Project, branch: str, names: tuple[str, ...]) -> Place:
    entries = registry(project)
    places = [Place(project.root.with_name(f"{project.root.name}-{name}"), branch, name, names) for name in names]
    for each in places:
        if any(entry.path.resolve() == each.path and entry.owner == branch for entry in entries):
            return each
    for each in places:
        if moved_here(project, entries, each) is not None:
            return each
    for each in places:
        if not os.path.lexists(each.path) and all(entry.path.resolve() != each.path for entry in entries):
            return each
    taken = " and ".join(str(each.path) for each in places)
    return places[-1]._replace(taken=f"{taken}: something else is there already")


def moved_here(project: Project, entries: list[Registered], place: Place) -> Registered | None:
    """The branch's entry whose worktree stands at `place` though the registry has an older path for it, or None.

    That is how it looks after project and worktrees were moved together. The older path has to be gone: of two
    directories that name the same entry, one is a copy.
    """
    target = pointed_at(place.path)
    if target is None or target.parent.name != "worktrees":
        return None
    if target.exists() and target.parent.parent != project.common:
        return None
    for entry in entries:
        if entry.own is not None and entry.own.name == target.name and entry.owner == place.branch:
            return entry if not os.path.lexists(entry.path) else None
    return None
