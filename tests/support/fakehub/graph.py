"""Sub-issues and dependencies as GitHub lets them be made."""

from __future__ import annotations

from tests.support.fakehub.model import Issue
from tests.support.fakehub.web import Refused, invalid

MAX_CHILDREN = 100
MAX_DEPTH = 8
MAX_BLOCKERS = 50


def add_child(issue: Issue, child: Issue, replace: bool) -> None:
    """Make `child` a sub-issue; raises Refused."""
    if child is issue or child in issue.ancestors():
        raise invalid("SubIssue", "custom", message="Sub issue may not create a circular dependency")
    if child.repo.owner is not issue.repo.owner:
        raise invalid("SubIssue", "custom", message="Sub issue must belong to the same owner")
    if child.parent is not None and not replace:
        raise invalid(
            "SubIssue",
            "custom",
            message="Issue may not contain duplicate sub-issues and Sub issue may only have one parent",
        )
    if len(issue.children) >= MAX_CHILDREN:
        raise invalid("SubIssue", "custom", message=f"Parent cannot have more than {MAX_CHILDREN} sub-issues")
    if len(list(issue.ancestors())) + 1 >= MAX_DEPTH:
        raise invalid("SubIssue", "custom", message=f"Sub-issues cannot be nested deeper than {MAX_DEPTH} levels")
    issue.adopt(child)


def add_blocker(issue: Issue, blocker: Issue) -> None:
    """Make `issue` blocked by `blocker`; raises Refused."""
    if blocker is issue:
        raise invalid("IssueDependency", "custom", message="An issue cannot be blocked by itself")
    if blocker in issue.blocked_by:
        raise invalid("IssueDependency", "already_exists", message="This dependency already exists")
    if len(issue.blocked_by) >= MAX_BLOCKERS:
        raise Refused(422, f"An issue cannot be blocked by more than {MAX_BLOCKERS} issues")
    if _leads_to(blocker, issue):
        raise invalid("IssueDependency", "custom", message="This dependency would create a circular dependency")
    issue.block(blocker)


def _leads_to(start: Issue, goal: Issue) -> bool:
    """Whether `start` is blocked, however indirectly, by `goal`."""
    seen: set[int] = set()
    waiting = [start]
    while waiting:
        one = waiting.pop()
        if one is goal:
            return True
        if one.id not in seen:
            seen.add(one.id)
            waiting += one.blocked_by
    return False
