"""Where a node is worked: its worktree and logs beside the project, its fresh base, and what git shows of its work."""

from __future__ import annotations

from pathlib import Path

from stoat.derive.integration import Tree
from stoat.gitstore.porcelain import git
from stoat.gitstore.work import bases, nodetrees, places, remotes
from stoat.gitstore.work.branches import commits_beyond, is_ancestor
from stoat.gitstore.work.worktrees import Project, git_directory, look
from stoat.plan.ids import node_branch
from stoat.plan.nodes import ISSUE, Node
from stoat.plan.state import Attempt, NodeState, PlanState
from stoat.runner.state import Run, RunState

_SET_UP = "stoat-set-up"


def log_of(project: Project, kind: str, name: str) -> Path:
    """The log beside the project: `stoat-agent-<name>.log`, `stoat-setup-…`, `stoat-verify-…`."""
    return project.root.parent / f"stoat-{kind}-{name}.log"


def place_of(project: Project, plan: str, node: str) -> places.Place:
    """Where the node's worktree is or will be."""
    return places.place(project, plan, node)


def branch_of(plan: str, node: str) -> str:
    """The branch that a node's agent works on."""
    return node_branch(plan, node)


def name_of(project: Project, worktree: Path) -> str:
    """A worktree's name without its project's, as logs carry it."""
    return worktree.name.removeprefix(f"{project.root.name}-")


def shown(path: Path, home: Path) -> str:
    """A path for people: `~/code/app-parser` under their home."""
    try:
        return f"~/{path.relative_to(home)}"
    except ValueError:
        return str(path)


def repo_branch(plan: PlanState, node: Node, repo: str | None) -> str | None:
    """The branch that the plan's `repos:` names for this checkout's repository, if it names one."""
    for alias, declared in plan.header.repos.items():
        if declared.repo == repo and node.repo in (None, alias, declared.repo):
            return declared.branch
    return None


def fresh_base(
    project: Project, plan: PlanState, node: Node, repo: str | None, base: str | None
) -> bases.Base | bases.Hold:
    """What the node's worktree starts from, fetched just now; a Hold when nothing fresh can be had."""
    named = repo_branch(plan, node, repo)
    wanted = [name for name in (plan.header.branch, named, base) if name is not None]
    fetched = remotes.fetch(project.directory, *wanted)
    return bases.base_for_worktree(
        project.directory, fetched, issue=node.kind == ISSUE, integration=plan.header.branch, repo_branch=named,
        base=base,
    )  # fmt: skip


def prepare(
    project: Project, plan: str, node: NodeState, base: bases.Base
) -> nodetrees.Made | nodetrees.Reused | nodetrees.Parked | bases.Hold:
    """The node's worktree, ready for an agent, or why it is not."""
    return nodetrees.ensure(project, places.place(project, plan, node.spec.id), base)


def began_at(node: NodeState, tree: nodetrees.Made | nodetrees.Reused) -> str:
    """The commit beyond which commits on the branch are the node's own.

    A tree that was left as it is keeps the base of the attempt that cut it, as long as its head still holds that.
    """
    if isinstance(tree, nodetrees.Made) or tree.left is None:
        return tree.head
    before = node.attempt.base if node.attempt is not None else None
    if before is not None and is_ancestor(tree.path, before, tree.head):
        return before
    found = git(tree.path, "merge-base", tree.head, tree.base.commit, check=False).out.split()
    return found[0] if found else tree.base.commit


def is_ours(run: Run, state: RunState, attempt: Attempt) -> bool:
    """Whether an attempt is this run's to watch and judge: of this machine and project, and of no other live runner."""
    path = Path(attempt.worktree)
    root = run.project.root
    beside = path.parent == root.parent and path.name.startswith(f"{root.name}-")
    return beside and attempt.machine == run.machine and attempt.runner not in state.others


def look_at(project: Project, attempt: Attempt) -> Tree | None:
    """What git shows of an attempt's worktree; None when there is none any more."""
    path = Path(attempt.worktree)
    seen = look(project, path)
    if not seen.exists:
        if not path.exists():
            return None
        return Tree(head="", commits=None, trouble=seen.problem)
    if seen.operation is not None:
        return Tree(head=seen.head or "", commits=None, trouble=f"a {seen.operation} was left in progress")
    if seen.branch != attempt.branch or seen.head is None:
        on = f"{seen.branch} is checked out" if seen.branch else "no branch is checked out"
        return Tree(head=seen.head or "", commits=None, trouble=f"{on}, not {attempt.branch}")
    own = commits_beyond(path, seen.head, attempt.base)
    return Tree(head=seen.head, commits=None if own is None else len(own), dirty=seen.dirty)


def is_set_up(worktree: Path) -> bool:
    """Whether the setup of this worktree has succeeded."""
    return (git_directory(worktree) / _SET_UP).exists()


def mark_set_up(worktree: Path) -> None:
    """Note, in the worktree's own git directory, that its setup succeeded."""
    (git_directory(worktree) / _SET_UP).touch()


def path_of(attempt: Attempt) -> Path:
    """The attempt's worktree."""
    return Path(attempt.worktree)
