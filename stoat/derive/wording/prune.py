"""Why a worktree goes or stays, as fragments; the last sentence counts them."""

from __future__ import annotations

from collections.abc import Sequence

from stoat.derive.wording.text import counted, listed

NOT_STOATS = "it is not one of Stoat's"
GONE = "its directory is gone, so there is nothing to remove"
UNSEEN = "it cannot be seen which processes stand in it"
UNKNOWN_MARK = "no plan here knows its branch"
NO_REMOTE = "there is no remote that has its commits"
NOT_JUDGED = "its last attempt is still at work"
RESTLESS = "it changes all the time"
NOTHING_SAYS = "nothing says that its work is over; `--pr N` names the pull request that it was for"
ON_DEFAULT = "the remote's default branch has all that it has checked out"
ARCHIVED = "its plan is archived"
FINISHED = "every node of its plan is done"
DONE = "its node is done"


def locked(reason: str) -> str:
    """Somebody locked it."""
    return f"it is locked: {reason}" if reason else "it is locked"


def not_finished(status: str) -> str:
    """Its node has more to come."""
    return f"its node is not done ({status})"


def plan_not_finished(done: int, total: int) -> str:
    """Of an integration worktree: its plan has more to come."""
    return f"its plan is not finished ({done} of {counted(total, 'node')} done)"


def pull_open(number: int) -> str:
    """An agent may have to go on in it."""
    return f"its pull request #{number} is open"


def pull_over(number: int, state: str) -> str:
    """Its pull request was merged or closed."""
    return f"its pull request #{number} is {state}"


def beyond_pull(number: int) -> str:
    """Somebody went on in it after its pull request was over."""
    return f"it has commits that its pull request #{number} does not have"


def of_pull(number: int) -> str:
    """It was asked for by its pull request."""
    return f"its commit is one of pull request #{number}"


def not_of_pull(number: int) -> str:
    """Another pull request was asked for."""
    return f"its commit is none of pull request #{number}"


def claimed(holder: str) -> str:
    """Somebody has its node."""
    return f"{holder} holds its node"


def run_by(runner: str) -> str:
    """A live runner works in it, or may at any moment."""
    return f"the runner {runner} uses it"


def stood_in(processes: Sequence[int]) -> str:
    """Somebody's working directory is in it."""
    return f"{listed([f'process {pid}' for pid in processes])} {'stands' if len(processes) == 1 else 'stand'} in it"


def in_progress(operation: str) -> str:
    """git was left in the middle of something."""
    return f"a {operation} is in progress"


def at_work(locks: Sequence[str]) -> str:
    """git holds a lock there, or died while it did."""
    return f"a git is at work in it ({listed(locks)})"


def holds(places: Sequence[str]) -> str:
    """Repositories, worktrees or mounts inside."""
    return f"it holds another repository, worktree or mount: {listed(places)}"


def changed(files: Sequence[str]) -> str:
    """Files that no commit has."""
    return f"uncommitted changes in {listed(files)}"


def hidden(files: Sequence[str]) -> str:
    """skip-worktree or assume-unchanged."""
    return f"git was told not to see changes in {listed(files)}"


def ignored(files: Sequence[str]) -> str:
    """Ignored files, which git would delete without a word."""
    return f"ignored files: {listed(files)} (`--ignored` removes them too)"


def submodules(troubles: Sequence[str]) -> str:
    """Submodules with something of their own."""
    return f"submodule {listed(troubles)}"


def stashed(entries: Sequence[str]) -> str:
    """Stash entries made on its branch."""
    return f"stashed from it: {listed(entries)}"


def unproven(commits: Sequence[str], remote: str | None, problem: str | None) -> str:
    """Commits that are nowhere else."""
    if remote is None:
        return NO_REMOTE
    return problem or f"{counted(len(commits), 'commit')} not on {remote}: {_short(commits)}"


def forgotten(commits: Sequence[str], remote: str | None) -> str:
    """Commits of an amend, a rebase or a reset: nothing but the reflog leads to them."""
    where = f" and not on {remote}" if remote is not None else ""
    return f"{counted(len(commits), 'commit')} only in its reflog{where}: {_short(commits)}"


def on_the_remote(remote: str) -> str:
    """Nothing is lost."""
    return f"clean, and all its commits are on {remote}"


def landed(remote: str, commit: str, branch: str) -> str:
    """Its commits were rebased onto a branch that the remote has; the branch keeps them as they were."""
    return f"clean, and its work is on {remote} as {commit[:7]}; the branch {branch} stays"


def with_ignored(files: Sequence[str]) -> str:
    """What goes with it, as it was asked for."""
    return f"ignored files go with it: {listed(files, 10)}"


def total(going: int, all_of_them: int, size: str, applied: bool) -> str:
    """The last line of the answer."""
    worktrees = counted(all_of_them, "worktree")
    if applied:
        return f"{going} of {worktrees} removed, {size} freed"
    add = "; with --apply they would be" if going else ""
    return f"nothing was removed: {going} of {worktrees} can go, {size}{add}"


def branches(names: Sequence[str]) -> str:
    """Local branches that went with their worktrees."""
    return f"deleted here, for the remote has all of them: {listed(names, 20)}"


def _short(commits: Sequence[str]) -> str:
    return listed([commit[:7] for commit in commits])
