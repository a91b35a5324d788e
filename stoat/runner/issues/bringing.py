"""Merged upstream issues on their way to the plan's branch, before anything that builds on them is launched.

Which merges those are is `derive/upstream.py`; a merge is brought in by a fast-forward or a merge commit, never by a
rebase. Whether it is there is asked of git.
"""

from __future__ import annotations

from dataclasses import replace

from stoat.clock import Time
from stoat.derive import upstream
from stoat.derive.upstream import Merge
from stoat.derive.wording import issues as say
from stoat.derive.wording import landing as told
from stoat.gitstore.porcelain import GitFailed
from stoat.gitstore.work import bases, branches, landed, nodetrees, remotes
from stoat.gitstore.work import landing as git_landing
from stoat.gitstore.work.integration import Integration
from stoat.plan.events.base import PlanEvent
from stoat.plan.events.landings import How, Landed, LandingParked
from stoat.plan.ids import NodeRef, node_branch
from stoat.plan.state import PlanState
from stoat.runner import workspace
from stoat.runner.landing import HOW
from stoat.runner.reading import append
from stoat.runner.state import Run, RunState


def bring(run: Run, state: RunState) -> RunState:
    """The step: bring the plan's branch up to merged upstream issues; what depends on one that is not there waits."""
    ready = state.integration
    if ready is None or state.plan.header.branch != ready.place.branch:
        return state
    state = _as_the_branch_is(run, state, ready.place.branch)
    missing = set()
    for merge in upstream.merges(state.state, state.plan, state.answers, run.repo):
        for commit, branch in merge.commits:
            if commit in state.brought:
                continue
            state, there = _brought(run, state, ready, merge, commit, branch)
            if not there:
                missing.add(_name(run, merge.ref))
                break  # a person is called because of one merge at a time: two would be recorded in turns, poll by poll
    return replace(state, unlanded=state.unlanded | missing)


def _as_the_branch_is(run: Run, state: RunState, onto: str) -> RunState:
    """The state without what is known of a branch that somebody has taken back since: it is asked of git anew."""
    if not state.brought:
        return state
    try:
        tip = branches.branch_tip(run.project.directory, onto) or ""
        if tip == state.brought_on:
            return state
        grown = branches.is_ancestor(run.project.directory, state.brought_on, tip) if tip else None
    except GitFailed:
        grown, tip = None, ""
    return replace(state, brought=state.brought if grown else frozenset(), brought_on=tip)


def _name(run: Run, ref: NodeRef) -> str:
    """A node as `depends_on` of the plan's own nodes names it."""
    return ref.node if ref.plan == run.plan else str(ref)


def _brought(
    run: Run, state: RunState, ready: Integration, merge: Merge, commit: str, branch: str | None
) -> tuple[RunState, bool]:
    """Bring one commit in; whether the plan's branch has it now."""
    name, onto = _name(run, merge.ref), ready.place.branch
    try:
        tip = branches.branch_tip(run.project.directory, onto) or ""
        if state.landing_tried.get(str(merge.ref)) == (commit, tip):
            return state, False
        why = _here(run, commit, branch)
        if why is None and landed.standing_of(run.project.directory, onto, commit).state:
            return _there(run, state, merge.ref, commit, onto, tip)
    except GitFailed as failed:
        why, tip = failed.why, ""
    if why is not None:
        return _not_now(run, state, name, say.not_brought_in(name, onto, why)), False
    outcome = git_landing.bring_in(run.project, ready.place, commit, say.message(str(merge.ref), onto))
    match outcome:
        case git_landing.Landed(how, _, tip, commits):
            state = _record(run, state, merge.ref, commit, onto, tip, HOW[how], len(commits))
            run.narrator.say(say.brought_in(name, commit, onto, HOW[how]))
            return _on_it(state, name, commit, tip), True
        case git_landing.AlreadyLanded():
            return _there(run, state, merge.ref, commit, onto, tip)
        case git_landing.Conflict(files):
            tree = workspace.shown(ready.place.path, run.home)
            state = replace(state, landing_tried={**state.landing_tried, str(merge.ref): (commit, tip)})
            state = _park(run, state, merge.ref, commit, told.conflicts(onto), files)
            run.narrator.once(("bring", name), say.conflicts(name, onto, files, tree, commit))
            return state.with_trouble(name, "conflict"), False
        case git_landing.HookRejected(output):
            why = told.hook_refused(output)
        case git_landing.DirtyLanding(files):
            why = told.dirty(workspace.shown(ready.place.path, run.home), files)
        case git_landing.TargetMoved():
            return replace(state, pending=True), False
        case nodetrees.Parked(why) | git_landing.ToolFailed(why) | bases.Hold(why):
            pass
        case git_landing.NothingToLand():
            return _on_it(state, name, commit, tip), True
    return _not_now(run, state, name, say.not_brought_in(name, onto, why or "")), False


def _here(run: Run, commit: str, branch: str | None) -> str | None:
    """Why the commit cannot be had, None once it is here; the remote is asked for it where it is not."""
    directory = run.project.directory
    if branches.commit_of(directory, commit) is not None:
        return None
    fetched = remotes.fetch(directory, *([branch] if branch is not None else []))
    if isinstance(fetched, remotes.FetchFailed):
        return fetched.why
    return None if branches.commit_of(directory, commit) is not None else say.not_here(commit)


def _not_now(run: Run, state: RunState, name: str, line: str) -> RunState:
    run.narrator.once(("bring", name), line)
    return state.with_trouble(name, "not-landed")


def _on_it(state: RunState, name: str, commit: str, tip: str) -> RunState:
    return replace(state.without_trouble(name), brought=state.brought | {commit}, brought_on=tip)


def _there(run: Run, state: RunState, ref: NodeRef, commit: str, onto: str, tip: str) -> tuple[RunState, bool]:
    """The branch has it by somebody else's doing; a person who was called because of it is called no more."""
    node = state.plan.nodes.get(ref.node) if ref.plan == run.plan else None
    if node is not None and node.parked is not None:
        state = _record(run, state, ref, commit, onto, tip, "observed", 0)
        run.narrator.say(told.seen_landed(ref.node, onto, tip))
    return _on_it(state, _name(run, ref), commit, tip), True


def _record(
    run: Run, state: RunState, ref: NodeRef, commit: str, onto: str, tip: str, how: How, commits: int
) -> RunState:
    if ref.plan != run.plan:
        return state  # what another plan's node is on this plan's branch is none of that plan's history
    event = Landed(
        node=ref.node, branch=node_branch(*ref), commit=commit, onto=onto, tip=tip, how=how, head=commit,
        commits=commits, repo=run.repo,
    )  # fmt: skip

    def decide(plan: PlanState, now: Time) -> list[PlanEvent]:
        return [event] if ref.node in plan.nodes else []

    return append(run, state, f"the merge of {ref.node} is on {onto}", decide)


def _park(run: Run, state: RunState, ref: NodeRef, commit: str, why: str, files: tuple[str, ...]) -> RunState:
    parked = LandingParked(node=ref.node, commit=commit, why=why, files=files)

    def decide(plan: PlanState, now: Time) -> list[PlanEvent]:
        fresh = plan.nodes.get(ref.node)
        known = fresh is None or (fresh.parked is not None and fresh.parked.commit == commit)
        return [] if known else [parked]

    return append(run, state, f"the merge of {ref.node} is parked", decide) if ref.plan == run.plan else state
