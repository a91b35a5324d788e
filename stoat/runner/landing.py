"""Finished work on its way: landed on the plan's branch, or (without one) offered to a person with the command.

Whose work it is time for is `derive/landings.py`, whether it may land `derive/integration.py`; how it lands is
`gitstore/work/landing.py`; whether it has is asked of git.
"""

from __future__ import annotations

from dataclasses import replace

from stoat.clock import Time
from stoat.derive import integration, landings
from stoat.derive.answers import NodeAnswer
from stoat.derive.troubles import Trouble
from stoat.derive.wording import commands
from stoat.derive.wording import landing as say
from stoat.derive.wording import runner as told
from stoat.errors import Refused
from stoat.gitstore.work import bases, branches, nodetrees, places, remotes
from stoat.gitstore.work import landing as git_landing
from stoat.gitstore.work.integration import Integration, ensure_integration
from stoat.plan.events.base import PlanEvent
from stoat.plan.events.landings import How, Landed, LandingParked
from stoat.plan.nodes import CHANGE
from stoat.plan.state import NodeState, PlanState
from stoat.runner import preparing, workspace
from stoat.runner.judging import proof_of, verify
from stoat.runner.reading import append
from stoat.runner.state import Run, RunState
from stoat.runner.workspace import Work
from stoat.service.landings import waiting

HOW: dict[str, How] = {"fast-forward": "fast-forwarded", "rebase": "rebased", "merge": "merged"}
"""How git brought work to a branch, as the record of a landing says it."""


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
        raise Refused(say.no_landing(name, ready.why), hint=say.free_it(name, str(where.path), ready.commands))
    if isinstance(ready, bases.Hold):
        raise Refused(say.no_landing(name, ready.why), hint=say.RUN_AGAIN)
    return ready


def land(run: Run, state: RunState) -> RunState:
    """The step: see all finished work through, and note which done nodes have not landed."""
    branch = state.plan.header.branch
    if branch is not None and (state.integration is None or state.integration.place.branch != branch):
        try:
            state = replace(state, integration=prepare_branch(run, state.plan))
        except Refused as refused:
            run.narrator.once("integration", told.warning(refused.message))
    shown = {answer.id: answer for answer in state.answer.nodes}
    for node_id in list(state.plan.nodes):
        node = state.plan.nodes[node_id]
        if node_id in state.jobs or node_id in state.left_alone or not landings.finished(node, shown[node_id]):
            continue
        assert node.attempt is not None
        if workspace.is_ours(run, state, node.attempt):
            state = _see_through(run, state, node, shown[node_id])
    state = _by_hand(run, state)
    return replace(state, unlanded=landings.unlanded(state.plan, state.answer, state.left_alone))


def _see_through(run: Run, state: RunState, node: NodeState, shown: NodeAnswer) -> RunState:
    """Do with an attempt's finished work what its branch allows."""
    attempt, node_id = node.attempt, node.spec.id
    assert attempt is not None
    work = workspace.of_attempt(run.project, attempt)
    tree = workspace.shown(work.path, run.home) if work.path is not None else ""
    detail = (attempt.detail if node.spec.kind == CHANGE else shown.detail) or say.READY
    proof = proof_of(run, state, node, work)
    branch = integration.finish(node, work.tree, running=False, proof=proof)
    if not isinstance(branch, integration.Unusable):
        state = preparing.in_order_again(run, state, node_id)
    match branch:
        case integration.Elsewhere():
            run.narrator.once(("done", node_id), say.elsewhere(node_id, shown.detail))
            return replace(state, left_alone=state.left_alone | {node_id})
        case integration.Uncommitted(files):
            return _trouble(run, state, node_id, say.uncommitted(node_id, files, tree), "uncommitted")
        case integration.NeverCommitted():
            return _trouble(run, state, node_id, say.never_committed(node_id, tree), "never-committed")
        case integration.Unusable(why):
            look = (commands.look_at(str(work.path)),)
            state = preparing.call_a_person(run, state, node_id, f"{why} ({work.path})", look)
            return _trouble(run, state, node_id, say.unusable(node_id, why, tree, look), "unusable")
        case integration.StepsOpen(steps):
            others = integration.of_another_command(node, steps)
            return _trouble(run, state, node_id, say.steps_open(node_id, steps, others, run.plan), "steps-open")
        case integration.Verified():
            return _nothing_to_land(run, state, node, work, detail)
        case integration.ToVerify(commit):
            return verify(run, state, node, commit)
        case integration.Red():
            return state.with_trouble(node_id, "red")
        case integration.Mergeable(commit):
            return _deliver(run, state, node, work, commit, detail)
    return state


def _by_hand(run: Run, state: RunState) -> RunState:
    """Deliver the changes that were finished without a runner, on the node's own branch. Unfinished ones are left."""
    shown = {answer.id: answer for answer in state.answer.nodes}
    ready = {
        name
        for name, node in state.plan.nodes.items()
        if name not in state.jobs and name in shown and landings.by_hand(node, shown[name])
    }
    found: set[str] = set()
    for one in waiting(run.project, state.plan, run.repo) if ready else ():
        name = one.node.spec.id
        work = workspace.by_hand(run.project, state.plan, one) if name in ready else None
        if work is None:
            continue
        match integration.finish(one.node, work.tree, running=False):
            case integration.Mergeable(commit, commits) if commits:
                found.add(name)
                state = _deliver(run, state, one.node, work, commit, say.worked_by_hand(commits))
    nodes = state.plan.nodes
    return replace(state, by_hand=frozenset(name for name in found & set(nodes) if not nodes[name].current_landing))


def _deliver(run: Run, state: RunState, node: NodeState, work: Work, commit: str, detail: str) -> RunState:
    """Land mergeable work where the plan has a branch, else offer it to a person."""
    if state.plan.header.branch is not None:
        return _land(run, state, node, work, commit, detail)
    command = commands.merge(str(run.project.directory), work.branch)
    to_merge = say.change_to_merge if node.spec.kind == CHANGE else say.merge_when_ready
    run.narrator.once(("land", node.spec.id), to_merge(node.spec.id, detail, command))
    return state.without_trouble(node.spec.id)


def _trouble(run: Run, state: RunState, node: str, line: str, what: Trouble) -> RunState:
    run.narrator.once(("land", node), line)
    return state.with_trouble(node, what)


def _nothing_to_land(run: Run, state: RunState, node: NodeState, work: Work, detail: str) -> RunState:
    onto = state.plan.header.branch or work.base_ref
    head = branches.branch_tip(run.project.directory, work.branch) or work.base
    run.narrator.once(("land", node.spec.id), say.nothing_to_land(node.spec.id, detail))
    tip = state.plan.tip_in(run.repo) or work.base
    return _record(run, state, node, work, head, onto, tip, "nothing", head, 0)


def _land(run: Run, state: RunState, node: NodeState, work: Work, commit: str, detail: str) -> RunState:
    ready, node_id = state.integration, node.spec.id
    if ready is None:
        return state.with_trouble(node_id, "not-landed")
    onto = ready.place.branch
    before = branches.branch_tip(run.project.directory, onto) or ""
    if state.landing_tried.get(node_id) == (commit, before):
        return state
    outcome = git_landing.land(run.project, ready.place, commit, say.message(work.branch, onto))
    why: str
    what: Trouble = "not-landed"
    match outcome:
        case git_landing.Landed(how, _, tip, commits):
            state = _record(run, state, node, work, commit, onto, tip, HOW[how], tip, len(commits))
            run.narrator.say(say.landed(node_id, detail, work.branch, onto, HOW[how], len(commits)))
            return state
        case git_landing.AlreadyLanded(tip):
            state = _record(run, state, node, work, commit, onto, before, "observed", tip, 0)
            run.narrator.say(say.seen_landed(node_id, onto, tip))
            return state
        case git_landing.NothingToLand(tip):
            return _brought_nothing(run, state, node, work, commit, onto, tip, detail)
        case git_landing.Conflict(files):
            state = _park(run, state, node, commit, say.conflicts(onto), files)
            tree = workspace.shown(work.path, run.home) if work.path is not None else None
            state = replace(state, landing_tried={**state.landing_tried, node_id: (commit, before)})
            return _trouble(run, state, node_id, say.parked(node_id, onto, files, tree, work.branch), "conflict")
        case git_landing.HookRejected(output):
            why, what = say.hook_refused(output), "hook"
            state = _park(run, state, node, commit, why, ())
            state = replace(state, landing_tried={**state.landing_tried, node_id: (commit, before)})
        case git_landing.DirtyLanding(files):
            why = say.dirty(workspace.shown(ready.place.path, run.home), files)
        case git_landing.TargetMoved():
            return replace(state, pending=True)
        case nodetrees.Parked(why) | git_landing.ToolFailed(why) | bases.Hold(why):
            pass
    return _trouble(run, state, node_id, say.cannot_land(node_id, onto, why), what)


def _brought_nothing(
    run: Run, state: RunState, node: NodeState, work: Work, commit: str, onto: str, tip: str, detail: str
) -> RunState:
    """The branch has all of it already: put there by somebody under other ids, unless it never was anything."""
    directory = run.project.directory
    empty = branches.tree_of(directory, work.base) == branches.tree_of(directory, commit)
    if not empty:
        run.narrator.say(say.seen_landed(node.spec.id, onto, tip))
        return _record(run, state, node, work, commit, onto, tip, "observed", tip, 0)
    bare = integration.Tree(head=commit, commits=0)
    if isinstance(integration.finish(node, bare, running=False), integration.Verified):
        return _nothing_to_land(run, state, node, work, detail)
    tree = workspace.shown(work.path, run.home) if work.path is not None else work.branch
    return _trouble(run, state, node.spec.id, say.never_committed(node.spec.id, tree), "never-committed")


def _record(
    run: Run, state: RunState, node: NodeState, work: Work, commit: str, onto: str, tip: str, how: How, head: str,
    commits: int,
) -> RunState:  # fmt: skip
    name = node.spec.id
    event = Landed(
        node=name, branch=work.branch, commit=commit, onto=onto, tip=tip, how=how, head=head, commits=commits,
        repo=run.repo,
    )  # fmt: skip

    def decide(plan: PlanState, now: Time) -> list[PlanEvent]:
        fresh = plan.nodes.get(name)
        return [] if fresh is None or fresh.current_landing is not None else [event]

    subject = f"{name} {'has nothing to land' if how == 'nothing' else 'landed'}"
    return append(run, state.without_trouble(name), subject, decide)


def _park(run: Run, state: RunState, node: NodeState, commit: str, why: str, files: tuple[str, ...]) -> RunState:
    parked = LandingParked(node=node.spec.id, commit=commit, why=why, files=files)

    def decide(plan: PlanState, now: Time) -> list[PlanEvent]:
        fresh = plan.nodes.get(node.spec.id)
        if fresh is None or (fresh.parked is not None and (fresh.parked.commit, fresh.parked.why) == (commit, why)):
            return []
        return [parked]

    return append(run, state, f"{node.spec.id} is parked", decide)
