"""What git shows of branches that nobody told the runner about: finished work that a person merged, the plan's branch
moved by someone else."""

from __future__ import annotations

from dataclasses import replace

from stoat.clock import Time
from stoat.derive.wording import runner as say
from stoat.gitstore.work import branches, landed, remotes
from stoat.gitstore.work.branches import HEADS
from stoat.plan.events.base import PlanEvent
from stoat.plan.events.landings import BranchMoved, Landed
from stoat.plan.nodes import CHANGE
from stoat.plan.state import NodeState, PlanState
from stoat.runner.reading import append
from stoat.runner.state import Run, RunState

FETCH_EVERY = 60.0
"""Seconds between two looks at the remote while finished work waits for a person's merge."""


def observe(run: Run, state: RunState) -> RunState:
    """The step: record what is on a branch by somebody else's doing, and where the plan's branch stands."""
    waiting = [node for node in state.plan.nodes.values() if awaited(node)]
    state = _fetched(run, state) if any(node.spec.kind == CHANGE for node in waiting) else state
    seen = [event for node in waiting if (event := _seen(run, state.plan, node)) is not None]
    if seen:
        known = {event.node: event for event in seen}

        def decide(plan: PlanState, now: Time) -> list[PlanEvent]:
            return [known[node.spec.id] for node in plan.nodes.values() if node.spec.id in known and awaited(node)]

        names = ", ".join(known)
        state = append(run, state, f"{names} seen landed", decide)
        for event in seen:
            run.narrator.say(say.seen_landed(event.node, event.onto, event.tip))
    return _branch(run, state)


def awaited(node: NodeState) -> bool:
    """Whether an attempt finished the node's work and no landing of it is on record."""
    attempt = node.current_attempt
    return attempt is not None and attempt.outcome == "done" and node.current_landing is None


def _fetched(run: Run, state: RunState) -> RunState:
    """The remote as it is now, at most once in FETCH_EVERY; a remote that cannot be reached has simply no news."""
    now = run.monotonic()
    if state.last_fetch is not None and now - state.last_fetch < FETCH_EVERY:
        return state
    remotes.fetch(run.project.directory, *([run.options.base] if run.options.base else []))
    return replace(state, last_fetch=now)


def _seen(run: Run, plan: PlanState, node: NodeState) -> Landed | None:
    """The landing that git shows of a finished node: on the plan's branch, or (a change) on the default branch."""
    attempt, directory = node.attempt, run.project.directory
    assert attempt is not None
    tip = branches.branch_tip(directory, attempt.branch)
    if tip is None or tip == attempt.base:
        return None
    own = branches.commits_beyond(directory, tip, attempt.base)
    if not own:
        return None
    if plan.header.branch is not None:
        standing = landed.landed(directory, plan.header.branch, tip, base=attempt.base)
        if standing.state and standing.tip is not None:
            if standing.reverted_by is not None:
                run.narrator.once(("reverted", node.spec.id), say.reverted(node.spec.id, standing.reverted_by))
            now = branches.branch_tip(directory, plan.header.branch) or standing.tip
            return _landed(node, tip, plan.header.branch, now, standing.tip, len(own))
    if node.spec.kind != CHANGE:
        return None
    default = remotes.default_branch(directory, remotes.FetchFailed("here", "asked elsewhere"))
    if default is None:
        return None
    for ref in dict.fromkeys((default.ref, HEADS + default.name)):
        onto = branches.commit_of(directory, ref)
        if onto is not None and branches.is_ancestor(directory, tip, onto):
            return _landed(node, tip, default.name, onto, tip, len(own))
    return None


def _landed(node: NodeState, commit: str, onto: str, tip: str, head: str, commits: int) -> Landed:
    attempt = node.attempt
    assert attempt is not None
    return Landed(
        node=node.spec.id, branch=attempt.branch, commit=commit, onto=onto, tip=tip, how="observed", head=head,
        commits=commits,
    )  # fmt: skip


def _branch(run: Run, state: RunState) -> RunState:
    """Record the plan's branch at a tip that no landing of ours made."""
    name = state.plan.header.branch
    tip = branches.branch_tip(run.project.directory, name) if name is not None else None
    if name is None or tip is None or tip == state.plan.branch_tip:
        return state
    moved = BranchMoved(branch=name, tip=tip)

    def decide(plan: PlanState, now: Time) -> list[PlanEvent]:
        return [moved] if plan.branch_tip != tip else []

    return append(run, state, f"{name} is at {tip[:7]}", decide)
