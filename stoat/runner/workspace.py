"""Where a node is worked: its worktree and logs beside the project, its fresh base, and what git shows of its work."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from stoat.derive.cloud import is_cloud
from stoat.derive.integration import Tree
from stoat.derive.wording import landing as say
from stoat.derive.wording import runner as told
from stoat.gitstore.work import bases, nodetrees, places, remotes
from stoat.gitstore.work.beginnings import merge_base
from stoat.gitstore.work.branches import branch_tip, commits_beyond, is_ancestor
from stoat.gitstore.work.worktrees import Project, checked_out_at, git_directory, look, missing_hooks
from stoat.plan.ids import node_branch, same_repository
from stoat.plan.nodes import ISSUE, Node
from stoat.plan.state import Attempt, NodeState, PlanState
from stoat.runner.state import Run, RunState
from stoat.service.landings import Waiting

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
        meant = node.repo in (None, alias) or same_repository(node.repo, declared.repo)
        if meant and same_repository(declared.repo, repo):
            return declared.branch
    return None


def fetch_for(
    project: Project, plan: PlanState, node: Node, repo: str | None, base: str | None
) -> remotes.Fetched | remotes.FetchFailed:
    """The branches that the node's worktree may start from, fetched just now."""
    wanted = (plan.header.branch, repo_branch(plan, node, repo), base)
    return remotes.fetch(project.directory, *(name for name in wanted if name is not None))


def base_of(
    project: Project, plan: PlanState, node: Node, repo: str | None, base: str | None,
    fetched: remotes.Fetched | remotes.FetchFailed,
) -> bases.Base | bases.Hold:  # fmt: skip
    """What the node's worktree starts from, of what was fetched for it; a Hold when nothing fresh can be had."""
    return bases.base_for_worktree(
        project.directory, fetched, issue=node.kind == ISSUE, integration=plan.header.branch,
        repo_branch=repo_branch(plan, node, repo), base=base,
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
    return merge_base(tree.path, tree.head, tree.base.commit) or tree.base.commit


def is_ours(run: Run, state: RunState, attempt: Attempt) -> bool:
    """Whether an attempt is this run's to watch and judge: of this machine and project, and of no other live runner."""
    path = Path(attempt.worktree)
    root = run.project.root
    beside = path.parent == root.parent and path.name.startswith(f"{root.name}-")
    return beside and attempt.machine == run.machine and attempt.runner not in state.others


def is_ours_in_the_cloud(run: Run, state: RunState, attempt: Attempt) -> bool:
    """The same of an attempt that was handed to a cloud agent: it has no worktree, but a log beside the project."""
    beside = is_cloud(attempt) and Path(attempt.log).parent == run.project.root.parent
    return beside and attempt.machine == run.machine and attempt.runner not in state.others


@dataclass(frozen=True, kw_only=True)
class Work:
    """A node's work as git shows it now: its branch, the commit and the name that it was cut from, and its worktree.

    `path` is None where the branch is checked out nowhere, `tree` where an attempt's worktree is gone.
    """

    branch: str
    base: str
    base_ref: str
    path: Path | None
    tree: Tree | None


def of_attempt(project: Project, attempt: Attempt) -> Work:
    """The work of a runner's attempt."""
    path = Path(attempt.worktree)
    tree = _look_at(project, path, attempt.branch, attempt.base)
    return Work(branch=attempt.branch, base=attempt.base, base_ref=attempt.base_ref, path=path, tree=tree)


def by_hand(project: Project, plan: PlanState, one: Waiting) -> Work | None:
    """The work that somebody did on the node's branch without a runner, beyond what it is to land on.

    None when nothing is known that it could land on.
    """
    directory, branch = project.directory, one.where.branch
    onto = _onto(directory, plan)
    base = merge_base(directory, one.tip, onto[1]) if onto is not None else None
    if onto is None or base is None:
        return None
    there = checked_out_at(project, branch)
    if there:
        tree = _look_at(project, there[0], branch, onto[1])
    else:
        own = commits_beyond(directory, one.tip, onto[1])
        tree = Tree(head=one.tip, commits=None if own is None else len(own))
    return Work(branch=branch, base=base, base_ref=onto[0], path=there[0] if there else None, tree=tree)


def _onto(directory: Path, plan: PlanState) -> tuple[str, str] | None:
    """The branch that a node's finished work goes to, and its commit: the plan's, else the default branch."""
    name = plan.header.branch
    if name is not None:
        tip = branch_tip(directory, name)
        return None if tip is None else (name, tip)
    default = remotes.default_branch(directory, remotes.FetchFailed("here", "not asked"))
    return None if default is None else (default.name, default.commit)


def _look_at(project: Project, path: Path, branch: str, base: str) -> Tree | None:
    """What git shows of a worktree that is for `branch`, beyond `base`; None when there is none any more."""
    seen = look(project, path)
    if not seen.exists:
        return Tree(head="", commits=None, trouble=seen.problem) if path.exists() else None
    if seen.operation is not None:
        return Tree(head=seen.head or "", commits=None, trouble=say.left_in_progress(seen.operation))
    if seen.branch != branch or seen.head is None:
        return Tree(head=seen.head or "", commits=None, trouble=say.other_branch(seen.branch, branch))
    own = commits_beyond(path, seen.head, base)
    return Tree(head=seen.head, commits=None if own is None else len(own), dirty=seen.dirty)


def warn_of_hooks(run: Run, worktree: Path) -> None:
    """Say once when the repository's hooks are in a directory that its worktrees do not have."""
    missing = missing_hooks(worktree)
    if missing is not None:
        run.narrator.once("hooks", told.no_hooks(missing.removeprefix(f"{worktree}/")))


def is_set_up(worktree: Path) -> bool:
    """Whether the setup of this worktree has succeeded."""
    return (git_directory(worktree) / _SET_UP).exists()


def mark_set_up(worktree: Path) -> None:
    """Note, in the worktree's own git directory, that its setup succeeded."""
    (git_directory(worktree) / _SET_UP).touch()
