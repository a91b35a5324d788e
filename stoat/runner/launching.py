"""Claim, then spawn: an agent on each node that the schedule picks.

    worktree → claimed + attempt_started (one commit) → [setup] → process → agent_spawned

A kill anywhere in between leaves an attempt on the ref whose claim marks its process, so that the next runner finds it.
"""

from __future__ import annotations

import uuid
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from stoat.clock import Time
from stoat.derive import claims as may
from stoat.derive import landings, schedule
from stoat.derive.holds import Hold
from stoat.derive.schedule import Offer
from stoat.derive.troubles import Trouble
from stoat.derive.wording import runner as say
from stoat.errors import Refused
from stoat.gitstore.work import nodetrees, remotes
from stoat.plan.events import claims as leases
from stoat.plan.events.attempts import AgentSpawned, AttemptJudged, AttemptStarted
from stoat.plan.events.base import PlanEvent
from stoat.plan.events.claims import ClaimReleased
from stoat.plan.ids import NodeRef
from stoat.plan.nodes import ISSUE, Node
from stoat.plan.state import NodeState, PlanState, State
from stoat.processes import NotStarted, Process, spawn
from stoat.runner import agents, preparing, profiles, workspace
from stoat.runner.filling import fill_shell, values
from stoat.runner.issues import asking, watching
from stoat.runner.options import executable
from stoat.runner.preparing import NotNow, Prepared
from stoat.runner.prompts import assignment, prompt
from stoat.runner.reading import again, append
from stoat.runner.state import Job, Run, RunState
from stoat.service.session import mint


def launch(run: Run, state: RunState) -> RunState:
    """The step: start what slots and resources allow, one every --stagger-seconds; say once what holds the rest."""
    offered = schedule.offers(
        state.plan, state.answer, run.options.scope, repo=run.repo, running=state.jobs,
        unlanded=state.unlanded,
    )  # fmt: skip
    launchable = [offer for offer in offered.launchable if offer.node not in state.by_hand]
    holds = [*offered.holds, *(Hold(node, "finished") for node in state.by_hand)]
    awaited = watching.awaits_first_look(run, state)
    if awaited:
        launchable = [offer for offer in launchable if state.plan.nodes[offer.node].spec.kind != ISSUE]
    if awaited or state.github.problem is not None:  # what keeps all of GitHub from being seen is said once
        holds = [hold for hold in holds if hold.reason != "unseen"]
    held = state.state.machine(run.machine).held
    if held is not None:
        run.narrator.once("machine", say.machine_held(held.by, held.why))
    else:
        run.narrator.forget("machine")
    if state.stop is not None or held is not None:
        return _with_holds(run, state, holds, pending=False)
    left = [offer for offer in launchable if not _is_unlaunchable(state, offer.node)]
    unreachable: remotes.FetchFailed | None = None
    while True:
        # One at a time: a node that cannot start takes neither a slot nor a resource from the next one.
        picked = schedule.pick(
            left, [job.offer for job in state.agents()], parallel=run.options.parallel,
            expedite_slot=run.options.expedite_slot, resources=state.plan.header.resources,
            holding=[job.offer for job in state.jobs.values() if job.kind == "verify"],
        )  # fmt: skip
        if not picked.launch:
            return _with_holds(run, state, [*holds, *picked.holds], pending=False)
        wait = _stagger(run, state)
        if wait is not None:
            due = replace(state, due=_sooner(state.due, wait))
            return _with_holds(run, due, [*holds, *picked.holds], pending=True)
        offer = picked.launch[0]
        # All at once, so that one that GitHub does not answer for puts off no more than itself.
        nodes = [node for one in picked.launch if (node := state.plan.nodes.get(one.node)) is not None]
        unread = {node.spec.id: asking.awaited(run, state, node) for node in nodes}
        wait = unread.get(offer.node)
        if wait is not None:
            due = replace(state, due=_sooner(state.due, wait), reading=True)
            return _with_holds(run, due, [*holds, *picked.holds], pending=True)
        left.remove(offer)
        if offer.node in state.plan.nodes:  # it may have been removed while another one was launched
            state, unreachable = _launch(run, state, offer, unreachable)


def _with_holds(run: Run, state: RunState, holds: Sequence[Hold], *, pending: bool) -> RunState:
    for hold in holds:
        node = state.plan.nodes.get(hold.node)  # it may have been removed while another one was launched
        attempt = node.attempt if node is not None else None
        if hold.reason == "judging" and attempt is not None and not workspace.is_ours(run, state, attempt):
            hold = Hold(hold.node, hold.reason, f"{attempt.runner} on {attempt.machine}")
        line = say.held(hold, run.plan)
        follows = hold.reason == "upstream" and _lands_by_itself(run, state, hold.what)
        if line is not None and not follows and hold.node not in state.by_hand:
            run.narrator.once(("hold", hold.node), line)
    return replace(state, holds=tuple(holds), pending=state.pending or pending)


def _lands_by_itself(run: Run, state: RunState, upstream: str) -> bool:
    node = state.plan.nodes.get(upstream)
    if node is None:
        return False
    ours = node.attempt is not None and workspace.is_ours(run, state, node.attempt)
    return landings.follows(node, ours=ours, busy=upstream in state.jobs, troubled=upstream in state.troubles)


def _stagger(run: Run, state: RunState) -> float | None:
    """The moment (monotonic) at which the next agent may start, None when that is now."""
    if state.last_spawn is None:
        return None
    due = state.last_spawn + run.options.stagger_seconds
    return due if run.monotonic() < due else None


def _sooner(one: float | None, other: float) -> float:
    return other if one is None else min(one, other)


def _launch(
    run: Run, state: RunState, offer: Offer, unreachable: remotes.FetchFailed | None
) -> tuple[RunState, remotes.FetchFailed | None]:
    """Start the node, or say why it cannot be; and whether the remote is known not to answer."""
    node = state.plan.nodes[offer.node]
    spec = node.spec
    if spec.model and not run.options.profile.model_arguments:
        why = say.takes_no_model(spec.model, run.options.profile.name)
        return _trouble(run, state, spec.id, why), unreachable
    ready = preparing.prepare(run, state, node, unreachable)
    if isinstance(ready, NotNow):
        run.narrator.once(("hold", spec.id), ready.line)
        if ready.parked is not None:
            state = preparing.call_a_person(run, state, spec.id, ready.parked.why, ready.parked.commands)
        return state.with_trouble(spec.id, ready.trouble), ready.unreachable or unreachable
    return _begin(run, state, offer, ready), None


def _begin(run: Run, state: RunState, offer: Offer, ready: Prepared) -> RunState:
    """Claim a node whose worktree is ready, and start its setup or its agent."""
    node, tree = state.plan.nodes[offer.node], ready.tree
    spec = node.spec
    started = _claim(run, state, node, ready)
    if isinstance(started, Refused):
        run.narrator.once(("hold", spec.id), say.not_started(spec.id, started.message))
        return again(run, state)
    run.narrator.forget(("hold", spec.id))
    if node.attempt is not None and node.attempt.detail and node.attempt.outcome != "done":
        started = replace(started, last_words={**started.last_words, spec.id: node.attempt.detail})
    if offer.expedited and node.expedited is not None:
        run.narrator.say(say.expedited(spec.id, node.expedited.by))
    state = replace(started.without_trouble(spec.id), last_spawn=run.monotonic())
    if run.options.agent_setup and not workspace.is_set_up(tree.path):
        return _set_up(run, state, offer)
    return start_agent(run, state, offer, note=_note(tree))


def _claim(run: Run, state: RunState, node: NodeState, ready: Prepared) -> RunState | Refused:
    """Claim the node and say that an attempt begins, in one commit, before there is a process; or why it may not be."""
    spec, options, tree = node.spec, run.options, ready.tree
    claim_id = mint("c")
    session = str(uuid.uuid4()) if options.profile.session_arguments else None
    facts = run.session.facts()

    def decide(plan: PlanState, now: Time) -> list[PlanEvent]:
        fresh = plan.nodes.get(spec.id)
        if fresh is None:
            raise Refused(say.no_node(run.plan, spec.id))
        claimed = leases.claim(plan, fresh, claim_id=claim_id, holder=options.agent, lease=leases.DEFAULT_LEASE,
                               now=now, session=session)  # fmt: skip
        return [
            claimed,
            AttemptStarted(
                node=spec.id, attempt=fresh.attempts + 1, claim=claim_id, runner=run.runner_id, machine=run.machine,
                launcher=options.profile.name, worktree=str(tree.path), branch=workspace.branch_of(run.plan, spec.id),
                base=ready.began, base_ref=tree.base.label, log=str(_log(run, tree.path)),
                model=agents.model_for(options, plan, spec), session=session,
            ),
        ]  # fmt: skip

    def guard(folded: State, now: Time) -> None:
        ref = NodeRef(run.plan, spec.id)
        vouched = options.scope.ignore_dependencies and spec.id in options.scope.only
        why_not = may.refusal(folded, facts, now, ref, actor="runner", ignore_dependencies=vouched)
        if why_not is not None:
            raise Refused(why_not.message, hint=why_not.hint)

    try:
        return append(run, state, f"{options.agent} claims {spec.id}", decide, guard)
    except Refused as refused:
        return refused


def _log(run: Run, worktree: Path) -> Path:
    return workspace.log_of(run.project, "agent", workspace.name_of(run.project, worktree))


def _note(tree: nodetrees.Made | nodetrees.Reused) -> str:
    if isinstance(tree, nodetrees.Made):
        return say.hooks_said(tree.notes) if tree.notes else ""
    if tree.moved_from is not None:
        return say.moved_up(tree.moved_from)
    return say.left_alone(tree.left) if tree.left else ""


def start_agent(run: Run, state: RunState, offer: Offer, note: str = "") -> RunState:
    """Start the process of the node's attempt that is on the ref, and record it."""
    node = state.plan.nodes[offer.node]
    attempt, spec = node.attempt, node.spec
    assert attempt is not None
    worktree, log = Path(attempt.worktree), Path(attempt.log)
    own = agents.own_variables(run.options, spec.id, worktree)
    log_from = log.stat().st_size if log.exists() else 0
    told = assignment(
        state.plan, node, holder=run.options.agent, own_names=tuple(own), before=state.last_words.get(spec.id),
        issue=asking.brief_of(run, state, node),
    )  # fmt: skip
    try:
        argv = profiles.command_line(
            run.options.profile, prompt=prompt(told),
            extra=run.options.agent_args, command=executable(run.options), model=attempt.model,
            budget=run.options.limits.budget_usd, session=attempt.session,
        )  # fmt: skip
        env = agents.environment(
            run, node=spec.id, worktree=worktree, claim=attempt.claim, attempt=attempt.number, session=attempt.session
        )
        process = spawn(argv, cwd=worktree, env=env, output=log)
    except (NotStarted, OSError) as problem:
        state = give_back(run, state, spec.id, say.nothing_started(str(problem)))
        return _trouble(run, state, spec.id, str(problem))
    run.narrator.say(
        say.launched(
            say.Launched(
                spec.id, attempt.number, _tool(run, spec, attempt.model),
                f"{attempt.base_ref} ({attempt.base[:7]})", workspace.shown(worktree, run.home),
                workspace.shown(log, run.home), note, tuple(f"{name}={value}" for name, value in own.items()),
            )
        )
    )  # fmt: skip
    spawned = AgentSpawned(node=spec.id, attempt=attempt.number, process=process.identity.key)
    state = append(run, state, f"attempt {attempt.number} on {spec.id} runs", lambda plan, now: [spawned])
    job = _job("agent", offer, process, attempt.claim, attempt.number, worktree, log)
    jobs = {**state.jobs, spec.id: replace(job, log_from=log_from)}
    return replace(state, jobs=jobs, last_spawn=run.monotonic(), launched=state.launched + 1)


def _job(kind: str, offer: Offer, process: Process, claim: str, number: int, worktree: Path, log: Path) -> Job:
    return Job(
        kind="setup" if kind == "setup" else "agent", node=offer.node, identity=process.identity, claim=claim,
        attempt=number, worktree=worktree, log=log, offer=offer, process=process,
    )  # fmt: skip


def _tool(run: Run, spec: Node, model: str | None) -> str:
    if model is None:
        return run.options.profile.name
    return f"{model} (node)" if spec.model else model


def _set_up(run: Run, state: RunState, offer: Offer) -> RunState:
    """Begin the setup of the node's new worktree; its agent starts when that has succeeded."""
    node = state.plan.nodes[offer.node]
    attempt, spec = node.attempt, node.spec
    assert attempt is not None and run.options.agent_setup is not None
    worktree = Path(attempt.worktree)
    log = workspace.log_of(run.project, "setup", workspace.name_of(run.project, worktree))
    command = fill_shell(run.options.agent_setup, values(run.plan, spec.id, worktree))
    env = agents.environment(
        run, node=spec.id, worktree=worktree, claim=attempt.claim, attempt=attempt.number, session=attempt.session
    )
    try:
        process = spawn(("sh", "-c", command), cwd=worktree, env=env, output=log)
    except NotStarted as problem:
        return setup_failed(run, state, spec.id, None, log, str(problem))
    run.narrator.say(say.setting_up(spec.id, workspace.shown(log, run.home)))
    job = _job("setup", offer, process, attempt.claim, attempt.number, worktree, log)
    return replace(state, jobs={**state.jobs, spec.id: job})


def setup_failed(run: Run, state: RunState, node: str, code: int | None, log: Path, why: str = "") -> RunState:
    """Release the claim and give the attempt back: nothing was started."""
    run.narrator.say(say.setup_failed(node, code, workspace.shown(log, run.home)))
    state = give_back(run, state, node, why or say.setup_ended(code))
    return _unlaunchable(state, node, "setup")


def give_back(run: Run, state: RunState, node: str, detail: str) -> RunState:
    """Judge the node's attempt as not counting, and release its claim, in one commit."""

    def decide(plan: PlanState, now: Time) -> list[PlanEvent]:
        attempt = plan.nodes[node].attempt
        if attempt is None or attempt.outcome is not None:
            return []
        judged = AttemptJudged(node=node, attempt=attempt.number, outcome="given-back", detail=detail)
        return [judged, *released(plan, node, attempt.claim)]

    return append(run, state, f"attempt on {node} is given back", decide)


def released(plan: PlanState, node: str, claim: str) -> list[PlanEvent]:
    """The release of exactly that claim, if it is still the node's."""
    held = plan.nodes[node].claim
    return [ClaimReleased(node=node, claim=claim)] if held is not None and held.id == claim else []


def _trouble(run: Run, state: RunState, node: str, why: str) -> RunState:
    run.narrator.once(("hold", node), say.not_started(node, why))
    return _unlaunchable(state, node, "not-launched")


def _unlaunchable(state: RunState, node: str, why: Trouble) -> RunState:
    """Not tried again by this run, until a person restarts the node: it would fail the same way."""
    mark = state.plan.nodes[node].restarted_seq
    return replace(state.with_trouble(node, why), unlaunchable={**state.unlaunchable, node: mark})


def _is_unlaunchable(state: RunState, node: str) -> bool:
    return state.unlaunchable.get(node) == state.plan.nodes[node].restarted_seq
