"""Finished work on its way: landed on the plan's branch, or (without one) offered to a person with the command.

Whether it may land is `derive/integration.py`; how it lands is `gitstore/work/landing.py`; whether it has
is asked of git.
"""

from __future__ import annotations

import shlex
from dataclasses import replace

from stoat.clock import Time
from stoat.derive import integration
from stoat.derive.answers import NodeAnswer
from stoat.derive.wording import runner as say
from stoat.errors import Refused
from stoat.gitstore.work import bases, branches, nodetrees, places, remotes
from stoat.gitstore.work import landing as git_landing
from stoat.gitstore.work.integration import Integration, ensure_integration
from stoat.plan.events.base import PlanEvent
from stoat.plan.events.landings import How, Landed, LandingParked
from stoat.plan.nodes import CHANGE
from stoat.plan.state import NodeState, PlanState
from stoat.runner import workspace
from stoat.runner.judging import finish_of, verify
from stoat.runner.reading import append
from stoat.runner.state import Run, RunState

_HOW: dict[str, How] = {"fast-forward": "fast-forwarded", "rebase": "rebased", "merge": "merged"}


def prepare_branch(run: Run, plan: PlanState) -> Integration | None:
    """The plan's branch and its worktree, ready to land on; None for a plan without one. Refused with the reason."""
    name = plan.header.branch
    if name is None:
        return None
    where = places.integration_place(run.project, run.plan, name)
    fetched = remotes.fetch(run.project.directory, name, *([run.options.base] if run.options.base else []))
    base = bases.base_for_integration(run.project.directory, fetched, name, run.options.base)
    ready = ensure_integration(run.project, where, base)
    if isinstance(ready, nodetrees.Parked):
        hint = "; ".join(ready.commands) or f"free the branch {name} and its worktree {where.path}, then run again"
        raise Refused(f"cannot land on '{name}': {ready.why}", hint=hint)
    if isinstance(ready, bases.Hold):
        raise Refused(f"cannot land on '{name}': {ready.why}", hint="run again once that is mended")
    return ready


def land(run: Run, state: RunState) -> RunState:
    """The step: see every finished node of ours through, and note which done ones have not landed."""
    branch = state.plan.header.branch
    if branch is not None and (state.integration is None or state.integration.place.branch != branch):
        try:
            state = replace(state, integration=prepare_branch(run, state.plan))
        except Refused as refused:
            run.narrator.once("integration", f"⚠ {refused.message}")
    shown = {answer.id: answer for answer in state.answer.nodes}
    for node_id in list(state.plan.nodes):
        node = state.plan.nodes[node_id]
        if _is_finished(run, state, node, shown[node_id]):
            state = _see_through(run, state, node, shown[node_id])
    return replace(state, unlanded=_unlanded(state))


def _is_finished(run: Run, state: RunState, node: NodeState, shown: NodeAnswer) -> bool:
    attempt, node_id = node.attempt, node.spec.id
    if attempt is None or attempt.outcome is None or node_id in state.jobs or node_id in state.left_alone:
        return False
    if node.current_attempt is None or node.current_landing is not None or not workspace.is_ours(run, state, attempt):
        return False
    return attempt.outcome == "done" if node.spec.kind == CHANGE else shown.status == "done"


def _unlanded(state: RunState) -> frozenset[str]:
    """Done nodes, worked by an attempt, whose work is not on the plan's branch yet."""
    if state.plan.header.branch is None:
        return frozenset()
    return frozenset(
        shown.id
        for shown in state.answer.nodes
        if shown.status == "done"
        and (node := state.plan.nodes[shown.id]).attempt is not None
        and shown.id not in state.left_alone
        and node.current_landing is None
    )


def _see_through(run: Run, state: RunState, node: NodeState, shown: NodeAnswer) -> RunState:
    """Do with a finished node what its branch allows."""
    attempt, node_id = node.attempt, node.spec.id
    assert attempt is not None
    tree = workspace.shown(workspace.path_of(attempt), run.home)
    match finish_of(run, state, node):
        case integration.Elsewhere():
            run.narrator.once(("done", node_id), say.elsewhere(node_id, shown.detail))
            return replace(state, left_alone=state.left_alone | {node_id})
        case integration.Uncommitted(files):
            return _trouble(run, state, node_id, say.uncommitted(node_id, files, tree), "not committed")
        case integration.NeverCommitted():
            return _trouble(run, state, node_id, say.never_committed(node_id, tree), "nothing on its branch")
        case integration.Unusable(why):
            return _trouble(run, state, node_id, say.unusable(node_id, why, tree), "its worktree cannot be used")
        case integration.StepsOpen(steps):
            return _trouble(run, state, node_id, say.steps_open(node_id, steps, run.plan), "its steps are to run again")
        case integration.Verified():
            return _nothing_to_land(run, state, node, shown)
        case integration.ToVerify(commit):
            return verify(run, state, node, commit)
        case integration.Red():
            return replace(state, troubles={**state.troubles, node_id: "its verification is red"})
        case integration.Mergeable(commit):
            if state.plan.header.branch is None:
                return _offer(run, state, node, shown)
            return _land(run, state, node, shown, commit)
    return state


def _trouble(run: Run, state: RunState, node: str, line: str, short: str) -> RunState:
    run.narrator.once(("land", node), line)
    return replace(state, troubles={**state.troubles, node: short})


def _offer(run: Run, state: RunState, node: NodeState, shown: NodeAnswer) -> RunState:
    attempt = node.attempt
    assert attempt is not None
    command = shlex.join(("git", "-C", str(run.project.directory), "merge", attempt.branch))
    if node.spec.kind == CHANGE:
        line = say.change_to_merge(node.spec.id, attempt.detail or shown.detail, command)
    else:
        line = say.merge_when_ready(node.spec.id, shown.detail, command)
    run.narrator.once(("land", node.spec.id), line)
    return _settled(state, node.spec.id)


def _settled(state: RunState, node: str) -> RunState:
    return replace(state, troubles={name: why for name, why in state.troubles.items() if name != node})


def _nothing_to_land(run: Run, state: RunState, node: NodeState, shown: NodeAnswer) -> RunState:
    attempt = node.attempt
    assert attempt is not None
    onto = state.plan.header.branch or attempt.base_ref
    head = branches.branch_tip(run.project.directory, attempt.branch) or attempt.base
    run.narrator.once(("land", node.spec.id), say.nothing_to_land(node.spec.id, shown.detail))
    tip = state.plan.branch_tip or attempt.base
    return _record(run, _settled(state, node.spec.id), node, head, onto, tip, "nothing", head, 0)


def _land(run: Run, state: RunState, node: NodeState, shown: NodeAnswer, commit: str) -> RunState:
    ready, attempt, node_id = state.integration, node.attempt, node.spec.id
    assert attempt is not None
    if ready is None:
        return replace(state, troubles={**state.troubles, node_id: "could not be landed"})
    onto = ready.place.branch
    before = branches.branch_tip(run.project.directory, onto) or ""
    if state.landing_tried.get(node_id) == (commit, before):
        return state
    outcome = git_landing.land(run.project, ready.place, commit, f"Merge branch '{attempt.branch}' into {onto}")
    detail = (attempt.detail if node.spec.kind == CHANGE else shown.detail) or "its branch is ready"
    match outcome:
        case git_landing.Landed(how, _, tip, commits):
            done = say.landed(node_id, detail, attempt.branch, onto, _HOW[how], len(commits))
            state = _record(run, _settled(state, node_id), node, commit, onto, tip, _HOW[how], tip, len(commits))
            run.narrator.say(done)
            return state
        case git_landing.AlreadyLanded(tip):
            state = _record(run, _settled(state, node_id), node, commit, onto, before, "observed", tip, 0)
            run.narrator.say(say.seen_landed(node_id, onto, tip))
            return state
        case git_landing.NothingToLand(tip):
            return _brought_nothing(run, state, node, shown, commit, onto, tip)
        case git_landing.Conflict(files):
            state = _park(run, state, node, commit, f"it conflicts with {onto}", files)
            tree = workspace.shown(workspace.path_of(attempt), run.home)
            line, short = say.parked(node_id, onto, files, tree), "conflicts"
        case git_landing.HookRejected(output):
            state = _park(run, state, node, commit, f"a hook refused it: {output}", ())
            line, short = say.cannot_land(node_id, onto, f"a hook refused it: {output}"), "refused by a hook"
        case git_landing.DirtyLanding(files):
            where = workspace.shown(ready.place.path, run.home)
            why = f"{where} has changes that are not Stoat's: {', '.join(files[:10])}"
            return _trouble(run, state, node_id, say.cannot_land(node_id, onto, why), "could not be landed")
        case git_landing.TargetMoved():
            return replace(state, pending=True)
        case nodetrees.Parked(why) | git_landing.ToolFailed(why) | bases.Hold(why):
            return _trouble(run, state, node_id, say.cannot_land(node_id, onto, why), "could not be landed")
    tried = {**state.landing_tried, node_id: (commit, before)}
    return _trouble(run, replace(state, landing_tried=tried), node_id, line, short)


def _brought_nothing(
    run: Run, state: RunState, node: NodeState, shown: NodeAnswer, commit: str, onto: str, tip: str
) -> RunState:
    """The branch has all of it already: put there by somebody under other ids, unless it never was anything."""
    attempt = node.attempt
    assert attempt is not None
    directory = run.project.directory
    empty = branches.tree_of(directory, attempt.base) == branches.tree_of(directory, commit)
    if not empty:
        run.narrator.say(say.seen_landed(node.spec.id, onto, tip))
        return _record(run, _settled(state, node.spec.id), node, commit, onto, tip, "observed", tip, 0)
    where = workspace.shown(workspace.path_of(attempt), run.home)
    bare = integration.Tree(head=commit, commits=0)
    if isinstance(integration.finish(node, bare, running=False), integration.Verified):
        return _nothing_to_land(run, state, node, shown)
    return _trouble(run, state, node.spec.id, say.never_committed(node.spec.id, where), "nothing on its branch")


def _record(
    run: Run, state: RunState, node: NodeState, commit: str, onto: str, tip: str, how: How, head: str, commits: int
) -> RunState:
    attempt = node.attempt
    assert attempt is not None
    event = Landed(
        node=node.spec.id, branch=attempt.branch, commit=commit, onto=onto, tip=tip, how=how, head=head, commits=commits
    )

    def decide(plan: PlanState, now: Time) -> list[PlanEvent]:
        fresh = plan.nodes.get(node.spec.id)
        return [] if fresh is None or fresh.current_landing is not None else [event]

    return append(run, state, f"{node.spec.id} {'has nothing to land' if how == 'nothing' else 'landed'}", decide)


def _park(run: Run, state: RunState, node: NodeState, commit: str, why: str, files: tuple[str, ...]) -> RunState:
    parked = LandingParked(node=node.spec.id, commit=commit, why=why, files=files)

    def decide(plan: PlanState, now: Time) -> list[PlanEvent]:
        fresh = plan.nodes.get(node.spec.id)
        if fresh is None or (fresh.parked is not None and (fresh.parked.commit, fresh.parked.why) == (commit, why)):
            return []
        return [parked]

    return append(run, state, f"{node.spec.id} is parked", decide)
