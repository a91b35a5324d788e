"""What git shows of branches that nobody told Stoat about: finished work that somebody merged, a plan's branch moved.

Nothing is fetched and nothing moves; who wants news of a remote fetches first.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from stoat.clock import Time
from stoat.derive.branches import Tip, moved
from stoat.derive.landings import Expected, expected
from stoat.gitstore.log import Change
from stoat.gitstore.work import beginnings, branches, landed, remotes
from stoat.gitstore.work.branches import HEADS
from stoat.gitstore.work.tips import known_tip
from stoat.gitstore.work.worktrees import Project
from stoat.plan import streams
from stoat.plan.events.base import PlanEvent
from stoat.plan.events.landings import Landed
from stoat.plan.ids import node_branch, same_repository
from stoat.plan.nodes import CHANGE, repository_of
from stoat.plan.state import NodeState, PlanState, State
from stoat.service.session import Session, plan_of


class Waiting(NamedTuple):
    """A node whose work is on a branch here and has no landing on record: where it is, and its commit."""

    node: NodeState
    where: Expected
    tip: str


class Observed(NamedTuple):
    """What was recorded: the landings; and of landed work what was reverted, as (node, the commit that did it)."""

    landed: tuple[Landed, ...]
    reverted: tuple[tuple[str, str], ...]


def observe(session: Session, project: Project, slug: str, repo: str | None) -> Observed:
    """Record, in one commit, what is on a branch by somebody else's doing and where the plan's branch stands.

    `repo` is the OWNER/NAME of the project, whose git is asked; nodes of another repository are left alone. NotFound
    when there is no such plan.
    """
    plan = plan_of(session.state(), slug)
    targets = list(_targets(project.directory, plan))
    seen: list[Landed] = []
    reverted = []
    for one in waiting(project, plan, repo):
        found, by = _seen(project.directory, repo, one, targets)
        seen += [found] if found is not None else []
        reverted += [(one.node.spec.id, by)] if by is not None else []
    name = plan.header.branch
    commit = known_tip(project.directory, name) if name is not None else None
    tip = Tip(slug, name, repo, commit) if name is not None and commit is not None else None

    def decide(state: State, now: Time) -> Change | None:
        fresh = plan_of(state, slug)
        events: list[PlanEvent] = [event for event in seen if _is_news(fresh, event)]
        news = moved(fresh, tip) if tip is not None and all(event.onto != name for event in seen) else None
        events += [news] if news is not None else []
        names = ", ".join(event.node for event in seen)
        what = f"{names} seen landed" if names else f"{name} is at {(commit or '')[:7]}"
        return Change([(streams.of_plan(slug), event) for event in events], f"{slug}: {what}") if events else None

    session.commit(decide)
    return Observed(tuple(seen), tuple(reverted))


def waiting(project: Project, plan: PlanState, repo: str | None) -> list[Waiting]:
    """The plan's nodes whose work is on a branch of this repository and has no landing on record."""
    found = []
    tips: dict[str, str] | None = None
    for node in plan.nodes.values():
        where = expected(plan.slug, node)
        wanted = repository_of(plan.header, node.spec)
        if where is None or (wanted is not None and not same_repository(wanted, repo)):
            continue
        tips = beginnings.tips_below(project.directory, node_branch(plan.slug, "")) if tips is None else tips
        tip = tips.get(where.branch)
        if tip is not None and tip not in (where.base, where.before):
            found.append(Waiting(node, where, tip))
    return found


class _Target(NamedTuple):
    """A branch that work may be on: its name, the commit it is at, and whether it is the plan's own."""

    name: str
    tip: str
    own: bool


def _targets(directory: Path, plan: PlanState) -> Iterator[_Target]:
    name = plan.header.branch
    tip = branches.branch_tip(directory, name) if name is not None else None
    if name is not None and tip is not None:
        yield _Target(name, tip, True)
    default = remotes.default_branch(directory, remotes.FetchFailed("here", "asked elsewhere"))
    if default is not None:
        for ref in dict.fromkeys((default.ref, HEADS + default.name)):
            commit = branches.commit_of(directory, ref)
            if commit is not None:
                yield _Target(default.name, commit, False)


def _seen(
    directory: Path, repo: str | None, one: Waiting, targets: list[_Target]
) -> tuple[Landed | None, str | None]:
    """The landing that git shows of a node's work, on the plan's branch or (a change) on the default branch; and the
    commit that reverted it there."""
    for onto in targets:
        if onto.own:
            standing = landed.standing_of(directory, onto.name, one.tip)
            head = standing.tip if standing.state else None
        else:
            on_it = one.node.spec.kind == CHANGE and branches.is_ancestor(directory, one.tip, onto.tip)
            head = one.tip if on_it else None
        base = one.where.base or (beginnings.began_at(directory, one.where.branch, one.tip, onto.tip) if head else None)
        own = branches.commits_beyond(directory, one.tip, base) if head is not None and base is not None else None
        if head is None or not own:
            continue
        by = landed.landed(directory, onto.name, one.tip, base=base).reverted_by if onto.own else None
        event = Landed(
            node=one.node.spec.id, branch=one.where.branch, commit=one.tip, onto=onto.name, tip=onto.tip,
            how="observed", head=head, commits=len(own), repo=repo,
        )  # fmt: skip
        return event, by
    return None, None


def _is_news(plan: PlanState, event: Landed) -> bool:
    node = plan.nodes.get(event.node)
    return node is not None and expected(plan.slug, node) is not None
