"""A runner's sentences about finished work: what its branch is, where it lands, why it does not. Signs: runner.py."""

from __future__ import annotations

from collections.abc import Sequence

from stoat.derive.wording import commands
from stoat.derive.wording.attempts import other_commands
from stoat.derive.wording.text import counted, listed, one_line
from stoat.plan.evidence import Evidence
from stoat.plan.nodes import Step

RUN_AGAIN = "run again once that is mended"
READY = "its branch is ready"


def commits(count: int) -> str:
    """How much work a branch has, as a fragment."""
    return f"{counted(count, 'commit')} on its branch"


def worked_by_hand(count: int) -> str:
    """Work that no runner began, as a fragment."""
    return f"{commits(count)}, worked without a runner"


def message(branch: str, onto: str) -> str:
    """The subject of a merge commit."""
    return f"Merge branch '{branch}' into {onto}"


def no_landing(branch: str, why: str) -> str:
    """The plan's branch cannot be landed on at all."""
    return f"cannot land on '{branch}': {why}"


def free_it(branch: str, worktree: str, settle: Sequence[str]) -> str:
    """What a person does about that: these commands, where git has any."""
    return "; ".join(settle) or f"free the branch {branch} and its worktree {worktree}, then run again"


def conflicts(onto: str) -> str:
    """Why work is parked, as a fragment."""
    return f"it conflicts with {onto}"


def hook_refused(output: str) -> str:
    """A hook of the repository said no, as a fragment."""
    return f"a hook refused it: {output}"


def dirty(worktree: str, files: Sequence[str]) -> str:
    """The integration worktree has changes of somebody's, as a fragment."""
    return f"{worktree} has changes that are not Stoat's: {listed(files, 10)}"


def left_in_progress(operation: str) -> str:
    """A worktree amid a rebase or a merge, as a fragment."""
    return f"a {operation} was left in progress"


def other_branch(branch: str | None, wanted: str) -> str:
    """A worktree with something else checked out, as a fragment."""
    on = f"{branch} is checked out" if branch else "no branch is checked out"
    return f"{on}, not {wanted}"


def branch_cut(branch: str, base: str, commit: str) -> str:
    """The integration branch was made."""
    return f"'{branch}' is cut from {base} ({commit[:7]}); finished work lands on it, never on the default branch"


def branch_used(branch: str, commit: str) -> str:
    """The integration branch was there."""
    return f"finished work lands on '{branch}' (at {commit[:7]}), never on the default branch"


def nothing_to_land(node: str, detail: str) -> str:
    """A node is done and verified, and its branch has nothing new."""
    return f"✓ '{node}' is done — {detail}; verified, with nothing to land"


def merge_when_ready(node: str, detail: str, command: str) -> str:
    """Green work that a person merges; the command is on a line of its own, to be copied."""
    return f"✓ '{node}' is done — {detail} on the committed branch. Merge when ready:\n{command}"


def change_to_merge(node: str, detail: str, command: str) -> str:
    """A finished change that a person merges, which is what makes it done."""
    return f"✓ '{node}' is finished — {detail}. It is done once it is merged. Merge when ready:\n{command}"


def landed(node: str, detail: str, branch: str, onto: str, how: str, commits: int) -> str:
    """Finished work reached the integration branch."""
    what = {
        "rebased": f"rebased {branch} onto {onto} and fast-forwarded ({commits} commit(s))",
        "fast-forwarded": f"fast-forwarded to {branch} ({commits} commit(s))",
        "merged": f"merged {branch} (--no-ff; a rebase conflicts)",
    }[how]
    return f"✓ '{node}' is done — {detail} — and landed on '{onto}': {what}."


def seen_landed(node: str, onto: str, commit: str) -> str:
    """Git shows the work on the branch, and no landing of ours put it there."""
    return f"✓ '{node}' is on '{onto}' ({commit[:7]}) — seen in git"


def reverted(node: str, commit: str) -> str:
    """Landed work was reverted by somebody; it stays landed."""
    return f"⚠ '{node}' was landed, and {commit[:7]} reverted it; it is not landed again"


def parked(node: str, onto: str, files: Sequence[str], worktree: str | None, branch: str) -> str:
    """Rebase and merge both conflict. `worktree` is None where the branch has none."""
    where = f"in {worktree}" if worktree else f"on {branch}"
    return (
        f"⚠ '{node}' is done and conflicts with '{onto}' in {listed(files, 10)}: nothing moved. Resolve it by hand "
        f"{where}, commit, and run again"
    )


def cannot_land(node: str, onto: str, why: str) -> str:
    """A landing that did not happen, for another reason than a conflict."""
    return f"⚠ '{node}' is done and cannot land on '{onto}' now: {one_line(why)}"


def uncommitted(node: str, files: Sequence[str], worktree: str) -> str:
    """Green, with changes that no commit has."""
    return (
        f"✗ '{node}' is done and not mergeable until these are committed or discarded: {listed(files, 10)} "
        f"(in {worktree})"
    )


def never_committed(node: str, worktree: str) -> str:
    """Green, with nothing on the branch."""
    return (
        f"✗ '{node}' is done, but its branch has no commit: the green run was of code that never reached it "
        f"(in {worktree})"
    )


def steps_open(node: str, steps: Sequence[str], others: Sequence[tuple[Step, Evidence]], plan: str) -> str:
    """The branch moved on since the steps passed, or the newest run of some was of another command."""
    first = f"{commands.gate_run(plan, node)} --step {steps[0]}" if steps else ""
    why = f": {'; '.join(other_commands(others))}" if others else " moved on since its steps passed"
    return f"✗ '{node}'{why}: run {listed(steps, 10)} again on its last commit — {first}"


def unusable(node: str, why: str, worktree: str, settle: Sequence[str] = ()) -> str:
    """A worktree that only a person can put right, with the commands that would."""
    tries = "".join(f"; try: {command}" for command in settle)
    return f"✗ the worktree of '{node}' cannot be used: {one_line(why)}{tries} ({worktree})"


def elsewhere(node: str, detail: str) -> str:
    """Done by somebody else's run."""
    return f"✓ '{node}' is done — {detail}; done by a run outside this one, so there is nothing here to merge"


def finished_on(branch: str, base: str | None) -> str:
    """Where finished work is, at the end of a run with an integration branch."""
    onto = f" to {base}" if base else ""
    return (
        f"Finished work is on '{branch}'. Open the PR from it{onto} when the plan is done; that merge stays a person's."
    )
