"""A pull request in one line, from the public object of it: the same on the card, in the table, and for an agent."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from stoat.derive.wording.text import listed, moment, one_line

Shown = Mapping[str, Any]
"""An entry of a node's `prs`."""

_REVIEWS = {
    "approved": "review: approved", "changes_requested": "review: changes requested",
    "review_required": "review required",
}  # fmt: skip


def line(pr: Shown, repo: str | None) -> str:
    """`#585 open · CI ✕ 1 failed (test)`, on the node of a repository."""
    return f"{name(pr, repo)} {stands(pr)}"


def name(pr: Shown, repo: str | None) -> str:
    """`#585`; with its repository where that is not the node's own."""
    same = repo is not None and pr["repo"].lower() == repo.lower()
    return f"#{pr['number']}" if same else f"{pr['repo']}#{pr['number']}"


def stands(pr: Shown) -> str:
    """How it stands: its state, and while it is open what may keep it from being merged."""
    if pr["state"] == "merged":
        return f"merged {moment(pr['mergedAt'])}" if pr["mergedAt"] else "merged"
    if pr["state"] == "closed":
        return "closed without merging"
    parts = [pr["state"], _merging(pr), checks(pr["ci"]), _REVIEWS.get(pr["review"] or "", "")]
    return " · ".join(part for part in parts if part)


def checks(ci: Mapping[str, Any]) -> str:
    """The verdict on its checks; skipped ones do not count."""
    passed, failed, pending = ci["passed"], ci["failed"], ci["pending"]
    counted = passed + failed + pending
    match ci["verdict"]:
        case "none":
            return "no CI"
        case "passed":
            return f"CI ✓ {passed}/{counted}" if counted else "CI ✓"
        case "failed":
            return " ".join(part for part in ("CI ✕", f"{failed} failed" if failed else "", _names(ci)) if part)
        case _:
            return f"CI ○ {passed}/{counted}" if counted else "CI ○"


def _names(ci: Mapping[str, Any]) -> str:
    failing: Sequence[str] = ci["failing"]
    return f"({listed([one_line(name) for name in failing])})" if failing else ""


def _merging(pr: Shown) -> str:
    base = one_line(pr["base"] or "")
    if pr["mergeable"] == "conflicting":
        return f"conflicts with {base}"
    return f"behind {base}" if pr["mergeState"] == "behind" else ""
