"""A runner's sentences about issues: their pull requests, GitHub, and merged work on its way. Signs: runner.py."""

from __future__ import annotations

from collections.abc import Sequence

from stoat.derive.wording.text import PR_OPEN, listed, one_line
from stoat.derive.wording.zoom import UNREAD


def pr_open(node: str) -> str:
    """An issue's agent has come as far as an agent comes."""
    return f"✓ '{node}' {PR_OPEN}"


def merge_on_green(node: str) -> str:
    """A policy that this version does not act on."""
    return f"⚠ {node}: merge-on-green — merging on green comes with a later version; a person merges it"


def a_persons(node: str, why: str) -> str:
    """A pull request that is red or conflicts: `why` is the sentence of its card."""
    return f"✗ '{node}': {one_line(why)} — needs a person"


def main_red(why: str) -> str:
    """A base that is red itself: `why` is the sentence of the need."""
    return f"⚠ {one_line(why)}"


def waiting(node: str, why: str | None) -> str:
    """An attempt that cannot be judged before GitHub is seen."""
    seen = f": {one_line(why)}" if why else ""
    return f"⚠ {node}: GitHub has not been seen since its agent exited{seen} — its attempt is judged once it is"


def unseen(why: str, fix: str | None) -> str:
    """GitHub cannot be read just now."""
    return f"⚠ {UNREAD}: {one_line(why)}{f' — {one_line(fix)}' if fix else ''}"


def brought_in(upstream: str, commit: str, onto: str, how: str) -> str:
    """Merged work of an issue reached the plan's branch."""
    what = "fast-forwarded to it" if how == "fast-forwarded" else "merged"
    return f"✓ the merge of '{upstream}' ({commit[:7]}) is brought into '{onto}': {what}"


def conflicts(upstream: str, onto: str, files: Sequence[str], worktree: str, commit: str) -> str:
    """Merged work of an issue conflicts with the plan's branch."""
    return (
        f"⚠ the merge of '{upstream}' ({commit[:7]}) conflicts with '{onto}' in {listed(files, 10)}: nothing moved, "
        f"and what depends on it waits. Merge {commit[:7]} by hand in {worktree}"
    )


def not_brought_in(upstream: str, onto: str, why: str) -> str:
    """Merged work of an issue could not be brought in for another reason."""
    return f"⚠ the merge of '{upstream}' cannot be brought into '{onto}' now: {one_line(why)}"


def message(upstream: str, onto: str) -> str:
    """The subject of the merge commit that brings it in."""
    return f"Bring the merge of {upstream} into {onto}"


def not_here(commit: str) -> str:
    """A merge commit that the remote did not give, as a fragment."""
    return f"the remote has no commit {commit[:7]} on the branches asked for"
