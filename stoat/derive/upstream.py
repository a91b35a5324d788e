"""Merges on GitHub that a plan's branch has to have before anything that builds on them begins.

An issue's pull request goes to the default branch, so its work is on the plan's branch only once it was brought there.
Which commits those are says GitHub: a squash leaves nothing that git could find by itself. Whether the branch has them
already is git's to say.
"""

from __future__ import annotations

from collections.abc import Iterator

from msgspec import Struct

from stoat.derive import pulls
from stoat.derive.answers import Answers
from stoat.derive.watched import Watched
from stoat.plan.github import GitHubNow
from stoat.plan.ids import NodeRef, node_branch, same_repository, split_ref
from stoat.plan.nodes import ISSUE, LAUNCHED, repository_of
from stoat.plan.state import PlanState, State


class Merge(Struct, frozen=True):
    """A done issue that undone nodes build on: the node, and each of its merge commits with the branch it went into
    (None: not known)."""

    ref: NodeRef
    commits: tuple[tuple[str, str | None], ...]


def merges(state: State, plan: PlanState, answers: Answers, repo: str | None) -> tuple[Merge, ...]:
    """What the plan's branch in a checkout of `repo` needs of merged upstream issues; nothing without a branch.

    An issue that builds on another one starts from the default branch, which has it.
    """
    if plan.header.branch is None:
        return ()
    github = Watched(state.repositories(), GitHubNow())
    found: dict[NodeRef, Merge | None] = {}
    for node in plan.nodes.values():
        shown = answers.by_ref.get(str(NodeRef(plan.slug, node.spec.id)))
        home = repository_of(plan.header, node.spec)
        starts_there = node.spec.kind in LAUNCHED - {ISSUE} and (home is None or same_repository(home, repo))
        if shown is None or shown.status == "done" or not starts_there:
            continue
        for name in node.spec.depends_on:
            ref = split_ref(name, plan.slug)
            if ref is not None and ref not in found:
                found[ref] = _merge(state, github, answers, ref, repo)
    return tuple(merge for merge in found.values() if merge is not None)


def _merge(state: State, github: Watched, answers: Answers, ref: NodeRef, repo: str | None) -> Merge | None:
    plan, shown = state.plan(ref.plan), answers.by_ref.get(str(ref))
    node = plan.nodes.get(ref.node) if plan is not None else None
    if plan is None or node is None or shown is None or (shown.kind, shown.status) != (ISSUE, "done"):
        return None
    home = repository_of(plan.header, node.spec)
    if home is None or node.spec.issue is None or not same_repository(home, repo):
        return None
    commits = tuple(dict(_commits(github, home, node.spec.issue, node_branch(*ref))).items())
    return Merge(ref, commits) if commits else None


def _commits(github: Watched, home: str, number: int, branch: str) -> Iterator[tuple[str, str | None]]:
    """The merge commits of an issue's pull requests in its own repository, and the branches they went into."""
    record = github.issue(home, number)
    issue = record.fact if record is not None else None
    by = issue.closed_by.repo if issue is not None and issue.closed_by is not None else None
    if issue is not None and issue.closed_commit and same_repository(by, home):
        yield issue.closed_commit, None
    for pull in pulls.of_issue(github, home, issue, branch)[0]:
        if pull.fact.state == "merged" and pull.fact.merge_commit and same_repository(pull.repo, home):
            yield pull.fact.merge_commit, pull.fact.base
