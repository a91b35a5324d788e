"""Whether a worktree may be removed: only one whose work is over, that nobody uses, and that holds nothing of its own.

    meaning(fact, state, …)     what the plans and pull requests say of it
    judge(fact, meaning, …)     Remove, or Keep with every reason there is

What could not be seen speaks for keeping it.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from typing import NamedTuple

from stoat.clock import Time
from stoat.derive.answers import NodeAnswer, PlanAnswer
from stoat.derive.wording import prune as say
from stoat.plan.facts import Facts
from stoat.plan.github import Pull
from stoat.plan.ids import NodeRef, node_branch
from stoat.plan.state import PlanState, State
from stoat.plan.worktree import WorktreeFact


class Meaning(NamedTuple):
    """What the plans say of a worktree: whether its work is over and why (not), who uses it, if anybody, and the branch
    that is the node's own and so goes with it.
    """

    over: bool
    why: str
    used: str | None = None
    branch: str | None = None


class Remove(NamedTuple):
    """It may go; and with it the local branch `branch`, which the remote has all of."""

    why: str
    branch: str | None


class Keep(NamedTuple):
    """It stays."""

    why: str


class Source(NamedTuple):
    """The remote that commits were looked for on; `problem` says why nothing counts as being there."""

    name: str | None
    problem: str | None = None


def meaning(
    fact: WorktreeFact, state: State, plans: Mapping[str, PlanAnswer], facts: Facts, now: Time,
    pulls: Collection[Pull], beyond: Collection[int], merged: bool = False,
) -> Meaning:  # fmt: skip
    """What the plans, its pull requests (see `pulls_of`) and the live runners say of a worktree.

    `beyond` are the numbers of those pull requests that lack a commit of what it has checked out. `merged`: all that
    it has checked out is on the remote's default branch.
    """
    said_by_pulls = _by_pulls(pulls, beyond)
    if fact.kind == "agent":
        return said_by_pulls or (Meaning(True, say.ON_DEFAULT) if merged else Meaning(False, say.NOTHING_SAYS))
    ref = _node_of(fact, state)
    if ref is not None:
        plan = state.plans[ref.plan]
        answer = next((node for node in plans[ref.plan].nodes if node.id == ref.node), None)
        said = _of_node(plan, answer, said_by_pulls)
        return said._replace(used=_used(fact, plan, ref, facts, now), branch=fact.made_for)
    return _of_integration(fact, state, plans, facts)


def judge(
    fact: WorktreeFact, means: Meaning, source: Source, *, pull: int | None = None, ignored: bool = False
) -> Remove | Keep:
    """Whether it may go. With `pull` only what has one of that pull request's commits checked out, whose work is over
    by the word of whoever asked; with `ignored` its ignored files may go too.
    """
    if fact.kind == "other":
        return Keep(say.NOT_STOATS)
    if fact.locked is not None:
        return Keep(say.locked(fact.locked))
    if fact.gone and not fact.interrupted:
        return Keep(say.GONE)
    if fact.problem is not None:
        return Keep(fact.problem)
    if pull is not None and not fact.in_pull:
        return Keep(say.not_of_pull(pull))
    over = means.over or pull is not None
    against = [*([] if over else [means.why]), *([means.used] if means.used else [])]
    against += _against(fact, source, ignored)
    if against or source.name is None:
        return Keep("; ".join(against) or say.NO_REMOTE)
    why = means.why if pull is None else say.of_pull(pull)
    if fact.landed_as is not None and fact.made_for is not None:
        safe = say.landed(source.name, fact.landed_as, fact.made_for)
    else:
        safe = say.on_the_remote(source.name)
    parts = [why, safe, *([say.with_ignored(fact.ignored)] if fact.ignored else [])]
    return Remove("; ".join(parts), means.branch if fact.landed_as is None else None)


def pulls_of(fact: WorktreeFact, state: State, repo: str | None) -> list[Pull]:
    """The pull requests on record whose branch is the worktree's, or whose head it has checked out."""
    seen = state.repositories().get(repo.lower()) if repo is not None else None
    records = seen.pulls.values() if seen is not None else ()
    branches = {fact.made_for, fact.branch} - {None}
    return [
        record.fact
        for record in records
        if record.fact is not None
        and record.unseen is None
        and ((not record.fact.fork and record.fact.head_branch in branches) or record.fact.head == fact.head)
    ]


def _node_of(fact: WorktreeFact, state: State) -> NodeRef | None:
    made_for = fact.made_for or ""
    for plan in state.plans.values():
        node = made_for.removeprefix(node_branch(plan.slug, ""))
        if node != made_for and node in plan.nodes:
            return NodeRef(plan.slug, node)
    return None


def _by_pulls(pulls: Collection[Pull], beyond: Collection[int]) -> Meaning | None:
    """What the pull requests say: one that is open outweighs all that are over, and so does work that went on after
    the newest one; None when there are none.
    """
    going = [pull for pull in pulls if pull.state in ("open", "draft")]
    if going:
        return Meaning(False, say.pull_open(going[0].number))
    over = max(pulls, key=lambda pull: pull.number, default=None)
    if over is not None and over.number in beyond:
        return Meaning(False, say.beyond_pull(over.number))
    return Meaning(True, say.pull_over(over.number, over.state)) if over is not None else None


def _of_node(plan: PlanState, answer: NodeAnswer | None, by_pulls: Meaning | None) -> Meaning:
    if by_pulls is not None and not by_pulls.over:
        return by_pulls
    if answer is not None and answer.status == "done":
        return Meaning(True, say.DONE)
    if plan.archived is not None:
        return Meaning(True, say.ARCHIVED)
    return by_pulls or Meaning(False, say.not_finished(answer.status if answer is not None else "unknown"))


def _used(fact: WorktreeFact, plan: PlanState, ref: NodeRef, facts: Facts, now: Time) -> str | None:
    node = plan.nodes[ref.node]
    lease = node.lease(now, facts)
    if lease is not None:
        return say.claimed(lease.holder)
    for runner in facts.runners:
        if runner.state != "gone" and runner.plan == ref.plan and ref.node in {**runner.running, **runner.was}:
            return say.run_by(runner.runner_id)
    attempt = node.attempt
    if attempt is None or attempt.outcome is not None or attempt.exited_at is not None:
        return None
    here = attempt.machine == facts.machine and attempt.worktree == fact.path
    return say.NOT_JUDGED if here and attempt.process not in facts.dead else None


def _of_integration(fact: WorktreeFact, state: State, plans: Mapping[str, PlanAnswer], facts: Facts) -> Meaning:
    mine = [plan for plan in state.plans.values() if plan.header.branch == fact.made_for is not None]
    if not mine:
        return Meaning(False, say.UNKNOWN_MARK)
    slugs = {plan.slug for plan in mine}
    busy = [runner.runner_id for runner in facts.runners if runner.state != "gone" and runner.plan in slugs]
    used = say.run_by(busy[0]) if busy else None
    for plan in mine:
        answer = plans[plan.slug]
        if plan.archived is None and not 0 < answer.total == answer.done:
            return Meaning(False, say.plan_not_finished(answer.done, answer.total), used)
    return Meaning(True, say.ARCHIVED if mine[0].archived is not None else say.FINISHED, used)


def _against(fact: WorktreeFact, source: Source, ignored: bool) -> Iterator[str]:
    """Every reason in the worktree itself."""
    if fact.processes is None:
        yield say.UNSEEN
    elif fact.processes:
        yield say.stood_in(fact.processes)
    if fact.operation is not None:
        yield say.in_progress(fact.operation)
    if fact.busy:
        yield say.at_work(fact.busy)
    if fact.inside:
        yield say.holds(fact.inside)
    if fact.changed:
        yield say.changed(fact.changed)
    if fact.hidden:
        yield say.hidden(fact.hidden)
    if fact.ignored and not ignored:
        yield say.ignored(fact.ignored)
    if fact.submodules:
        yield say.submodules(fact.submodules)
    if fact.stashes:
        yield say.stashed(fact.stashes)
    if fact.unproven:
        yield say.unproven(fact.unproven, source.name, source.problem)
    if fact.forgotten:
        yield say.forgotten(fact.forgotten, source.name)
