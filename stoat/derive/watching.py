"""What a sweep looks at on GitHub: what the nodes of the active plans hang on, and nothing where no plan needs GitHub.

A plan is GitHub's when it has an issue or a pr node. The repositories of any other plan only tell checkouts apart, and
may well be somewhere else: nobody is asked about them.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from stoat.plan.github import GitHubState, Numbered, Wanted, numbered
from stoat.plan.ids import node_branch
from stoat.plan.nodes import ISSUE, PR, repository_of
from stoat.plan.state import PlanState, State


@dataclass
class _Sought:
    """What is wanted of one repository, while it is being gathered."""

    name: str
    issues: set[int] = field(default_factory=set)
    pulls: set[int] = field(default_factory=set)
    branches: set[str] = field(default_factory=set)


def wanted(state: State) -> tuple[Wanted, ...]:
    """What to look at, a repository each, in the order of their names; empty when no plan hangs on GitHub.

    Names that differ in case alone are one repository, spelled as GitHub does where it has been seen.
    """
    known = state.repositories()
    sought: dict[str, _Sought] = {}

    def of(name: str) -> _Sought:
        return sought.setdefault(name.lower(), _Sought(_spelled(name, known.get(name.lower()))))

    for plan in state.plans.values():
        if plan.archived is None and on_github(plan):
            for name in _named(plan):
                of(name)
            for node in plan.nodes.values():
                home = repository_of(plan.header, node.spec)
                if home is None:
                    continue
                if node.spec.kind == ISSUE:
                    of(home).branches.add(node_branch(plan.slug, node.spec.id))
                    if node.spec.issue is not None:
                        of(home).issues.add(node.spec.issue)
                elif node.spec.kind == PR and node.spec.pr is not None:
                    of(home).pulls.add(node.spec.pr)
    for at in _moved_to(sought, known):
        of(at.repo).issues.add(at.number)
    return tuple(
        Wanted(
            name=one.name,
            issues=tuple(sorted(one.issues)),
            pulls=tuple(sorted(one.pulls)),
            branches=tuple(sorted(one.branches)),
        )
        for _, one in sorted(sought.items())
    )


def on_github(plan: PlanState) -> bool:
    """Whether a plan hangs on GitHub at all."""
    return any(node.spec.kind in (ISSUE, PR) for node in plan.nodes.values())


def _named(plan: PlanState) -> Iterator[str]:
    for declared in plan.header.repos.values():
        yield declared.repo
    for node in plan.nodes.values():
        name = repository_of(plan.header, node.spec)
        if name is not None:
            yield name


def _spelled(name: str, known: GitHubState | None) -> str:
    seen = known.repository.name if known is not None and known.repository is not None else name
    return seen if seen.lower() == name.lower() else name


def _moved_to(sought: dict[str, _Sought], known: dict[str, GitHubState]) -> set[Numbered]:
    """Where issues that are wanted were transferred to, as far as that is on record."""
    found: set[Numbered] = set()
    todo = [Numbered(name, number) for name, one in sought.items() for number in one.issues]
    while todo:
        at = todo.pop()
        record = known.get(at.repo.lower(), GitHubState()).issues.get(at.number)
        to = record.unseen.to if record is not None and record.unseen is not None else None
        target = numbered(to or "")
        if target is not None and target not in found:
            found.add(target)
            todo.append(target)
    return found
