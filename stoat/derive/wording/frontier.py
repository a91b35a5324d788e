"""The sentences about a graph of issues: its warnings, and what each class and verdict means."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from stoat.derive.wording.text import counted, listed
from stoat.plan.issue_graph import Selection

if TYPE_CHECKING:
    from stoat.derive.frontier import BlockedBy, Placed

CLASSES: Mapping[str, str] = {
    "ready": "ready: nothing is in the way, lowest number first",
    "human": "a person's: nothing is in the way but the label needs-human",
    "in_flight": "in flight: somebody has it, or a pull request closes it",
    "blocked": "blocked",
    "split": "split: a container, done through its sub-issues",
    "split_complete": "split, and every sub-issue is closed: close it, so that what waits for it can go on",
    "done": "done",
}
"""The classes in the order they are shown, each with what it means."""

VERDICTS: Mapping[str, str] = {
    "running": "running",
    "complete": "complete: nothing in scope is open",
    "deadlocked": "deadlocked: nothing is ready, nothing is in flight, and it is not complete",
}


def cycle(way: Sequence[str], members: int) -> str:
    """Issues that wait for each other; `way` leads around, back to its first."""
    ring = " → ".join(way)
    more = "" if len(way) == members + 1 else f" (of {members} that wait for each other)"
    return f"a cycle that nothing can end: {ring}{more}"


def unreadable_blocker(issue: str, blocker: str | None) -> str:
    """A blocker that is hidden or gone keeps the issue blocked."""
    return f"{issue}: cannot read its blocker {blocker or '(hidden, or deleted)'}, so it counts as blocked"


def unreadable_child(issue: str) -> str:
    """A sub-issue that is hidden or gone keeps its parent a container."""
    return f"{issue}: cannot read one of its sub-issues, so it counts as not finished"


def out_of_scope(issue: str, blocker: str) -> str:
    """An open blocker that nobody here works on."""
    return f"{issue} is blocked by {blocker}, which is open and out of scope: nothing in this scope closes it"


def prose_only(issue: str, named: str, unreadable: bool) -> str:
    """A blocker in words only, which gates nothing."""
    state = "which cannot be read" if unreadable else "which is open"
    return f"{issue} says that {named} blocks it, {state}, but GitHub has no such dependency: the words gate nothing"


def not_planned(issue: str, blocker: str, duplicate: bool) -> str:
    """A blocker that was closed without being done."""
    how = "as a duplicate" if duplicate else "as not planned"
    return f"{issue} no longer waits for {blocker}, which was closed {how}: what it builds on may be missing"


def stale(issue: str, assignees: Sequence[str], days: int) -> str:
    """Somebody has it and nothing happens."""
    return f"{issue} is assigned to {listed(assignees)}, with no open pull request and no activity for {days} days"


def scope(selection: Selection) -> str:
    """What was selected, in words."""
    if selection.parent is not None:
        return f"{selection.repo}: #{selection.parent} and its sub-issues"
    if selection.label is not None:
        return f"{selection.repo}: label {selection.label}"
    if selection.milestone is not None:
        return f"{selection.repo}: milestone {selection.milestone}"
    return f"{selection.repo}: {listed([f'#{number}' for number in selection.issues], 10)}"


def stays_removed(issue: str) -> str:
    """Somebody took the node of an issue out, and an import does not bring it back."""
    return f"{issue} is left out: its node was removed from the plan"


def comes_in(issue: str, node: str) -> str:
    """A blocker outside the scope is a node, so that what it blocks waits."""
    return f"{issue} is out of scope and blocks what is in it: it is the node {node}, kept for a person"


def left_scope(issue: str, node: str) -> str:
    """An import removes nothing."""
    return f"{issue} is no longer in scope: its node {node} stays until somebody removes it"


def cannot_be_a_plan(rings: Sequence[str]) -> str:
    """A plan has no cycles, so a graph that has some cannot become one; each ring as its warning tells it."""
    return "\n".join(["these issues cannot become a plan:", *(f"  {ring}" for ring in rings)])


def counts(classes: Mapping[str, int]) -> str:
    """How many issues there are, and how many of each class that has any."""
    shown = ", ".join(f"{classes[name]} {name.replace('_', ' ')}" for name in CLASSES if classes.get(name))
    return f"{counted(sum(classes.values()), 'issue')}: {shown}" if shown else "no issues"


def line(issue: Placed, home: str) -> str:
    """An issue and why it is where it is, without its title."""
    reasons = {
        "in_flight": _in_flight(issue),
        "blocked": f"by {', '.join(_blocker(one, home) for one in issue.blocked_by if one.state != 'closed')}",
        "split": f"into {', '.join(f'#{number}' for number in issue.children)}" if issue.children else "",
        "split_complete": f"into {', '.join(f'#{number}' for number in issue.children)}",
    }
    reason = reasons.get(issue.standing, "")
    if issue.standing in ("ready", "human", "blocked") and issue.merged_pr is not None:
        reason = f"{reason}; " if reason else ""
        reason += f"its pull request #{issue.merged_pr} is merged, and it is still open"
    return reason


def name(repo: str, number: int, home: str) -> str:
    """`#7`, or `owner/name#7` in another repository than `home`."""
    return f"#{number}" if repo == home else f"{repo}#{number}"


def _in_flight(issue: Placed) -> str:
    parts = [f"assigned to {listed(issue.assignees)}"] if issue.assignees else []
    parts += [f"pull request #{issue.open_pr}"] if issue.open_pr is not None else []
    return ", ".join(parts)


def _blocker(one: BlockedBy, home: str) -> str:
    if one.number is None or one.repo is None:
        return "one that cannot be read"
    said = ["cannot be read"] if one.state == "unknown" else []
    said += [] if one.in_scope else ["out of scope"]
    said += [f"pull request #{one.open_pr}"] if one.open_pr is not None else []
    return name(one.repo, one.number, home) + (f" ({', '.join(said)})" if said else "")
