"""Claim, then spawn: an agent on each node that the schedule picks.

    worktree → claimed + attempt_started (one commit) → [setup] → process → agent_spawned

A kill anywhere in between leaves an attempt on the ref whose claim marks its process, so that the next runner finds it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from typing import get_args

from stoat import clock
from stoat.clock import seconds_between
from stoat.derive import landings, quota, resume, schedule
from stoat.derive.capacity import Scarce, Short
from stoat.derive.holds import Hold
from stoat.derive.reservations import Shared
from stoat.derive.resume import Resume
from stoat.derive.schedule import Offer
from stoat.derive.wording import runner as say
from stoat.derive.wording import workers
from stoat.errors import Refused
from stoat.gitstore.porcelain import GitFailed
from stoat.gitstore.work import nodetrees, remotes
from stoat.plan.nodes import ISSUE
from stoat.plan.state import NodeState
from stoat.runner import preparing, reserving, workspace
from stoat.runner.claiming import claim
from stoat.runner.issues import asking, watching
from stoat.runner.preparing import Prepared
from stoat.runner.reading import again
from stoat.runner.reserving import Reserved
from stoat.runner.starting import not_launched, set_up, start_agent
from stoat.runner.state import Run, RunState

_OTHERS = frozenset({"resource", "alone", "reserved", "cap", "unread"})
"""Holds that end when something on the machine does, of this run or of another one."""


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
    if state.stop is not None or held is not None or state.plan.paused is not None:
        return _with_holds(run, state, holds, pending=False)
    left = [offer for offer in launchable if not _is_unlaunchable(state, offer.node)]
    state, left, limited = _without_limited(run, state, left)
    holds += limited
    reserving.say_limits(run, state)
    unreachable: remotes.FetchFailed | None = None
    turns: set[str] = set()
    while True:
        # One at a time: a node that cannot start takes neither a slot nor a resource from the next one.
        shared = reserving.look(run, state)
        picked = schedule.pick(
            left, len(state.agents()), parallel=run.options.parallel, expedite_slot=run.options.expedite_slot,
            want=partial(reserving.wanted, run, state), shared=shared,
        )  # fmt: skip
        turn = picked.turn
        scarce = reserving.short(run, shared) if picked.launch or turn is not None else None
        if scarce is not None:
            state = _short(run, state, scarce)
            holds += [Hold(offer.node, "scarce", scarce.why) for offer in left]
            return _with_holds(run, state, holds, pending=scarce.of != "disk")
        state = _enough(run, state)
        if not picked.launch and turn is not None and turn.node not in turns:
            turns.add(turn.node)
            state, unreachable, kept = _keep_a_turn(run, state, turn, shared, unreachable)
            if not kept:
                left.remove(turn)
            continue
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
            state, unreachable, hold = _launch(run, state, offer, unreachable)
            holds += [hold] if hold is not None else []


def _keep_a_turn(
    run: Run, state: RunState, offer: Offer, shared: Shared, unreachable: remotes.FetchFailed | None
) -> tuple[RunState, remotes.FetchFailed | None, bool]:
    """Keep the machine for an exclusive node that has to wait until it is free; False where it could not start then."""
    node = state.plan.nodes.get(offer.node)
    if node is None:
        return state, unreachable, False
    if not reserving.has_a_turn(run, offer, shared):
        state, ready, unreachable = _prepare(run, state, node, unreachable)
        if ready is None:
            return state, unreachable, False
    reserving.take_a_turn(run, state, offer)
    return state, unreachable, True


def _short(run: Run, state: RunState, scarce: Short) -> RunState:
    """Say once what the machine has too little of. Disk does not come back by itself: the run ends badly by it."""
    run.narrator.first(("scarce", scarce.of), say.warning(scarce.why))
    return state.with_trouble("", "disk") if scarce.of == "disk" else state


def _enough(run: Run, state: RunState) -> RunState:
    """The machine is short of nothing (any more)."""
    for what in get_args(Scarce):
        run.narrator.forget(("scarce", what))
    return state.without_trouble("") if state.troubles.get("") == "disk" else state


def _without_limited(run: Run, state: RunState, left: list[Offer]) -> tuple[RunState, list[Offer], list[Hold]]:
    """The offers that no limit of the account keeps back, and a hold for each other one; the run waits for its end."""
    who = {"launcher": run.options.profile.name, "machine": run.machine}
    pause = quota.pause(state.state.plans.values(), now=state.now, **who)
    state = replace(state, pause=pause)
    until = {
        offer.node: pause.until
        if pause is not None and quota.holds(pause, node)
        else quota.waits_until(node, now=state.now, **who)
        for offer in left
        if (node := state.plan.nodes.get(offer.node)) is not None
    }
    waiting = {node: moment for node, moment in until.items() if moment is not None}
    if not waiting:
        return state, left, []
    if pause is not None:
        line = say.paused_for_a_limit(pause.kind, pause.text, clock.at_home(pause.until))
        run.narrator.first(("limit", pause.until), line)
    wait = seconds_between(state.now, min(waiting.values()))
    due = _sooner(state.due, run.monotonic() + max(0.0, wait) + 0.01)
    holds = [Hold(node, "limited", moment) for node, moment in waiting.items()]
    return replace(state, due=due, pending=True), [offer for offer in left if offer.node not in waiting], holds


def _with_holds(run: Run, state: RunState, holds: Sequence[Hold], *, pending: bool) -> RunState:
    for hold in holds:
        node = state.plan.nodes.get(hold.node)  # it may have been removed while another one was launched
        attempt = node.attempt if node is not None else None
        if hold.reason == "judging" and attempt is not None and not workspace.is_ours(run, state, attempt):
            hold = Hold(hold.node, hold.reason, f"{attempt.runner} on {attempt.machine}")
        line = say.held(hold, run.plan)
        follows = hold.reason == "upstream" and _lands_by_itself(run, state, hold.what)
        if line is not None and not follows and hold.node not in state.by_hand and not _is_seen_to(run, state, hold):
            run.narrator.once(("hold", hold.node), line)
    reserving.end_turns(run, holds)
    _say_of_the_machine(run, holds)
    others = any(hold.reason in _OTHERS for hold in holds)
    return replace(state, holds=tuple(holds), pending=state.pending or pending or others)


def _is_seen_to(run: Run, state: RunState, hold: Hold) -> bool:
    """Whether another step of the run sees to what holds the node, and says so by itself."""
    return hold.node in state.filed or (hold.reason == "cloud" and run.options.cloud is not None)


def _say_of_the_machine(run: Run, holds: Sequence[Hold]) -> None:
    """What keeps every node is said once, and again only when it was over."""
    for reason in ("reserved", "cap", "unread"):
        first = next((hold for hold in holds if hold.reason == reason), None)
        if first is None:
            run.narrator.forget(reason)
        else:
            run.narrator.first(reason, say.warning(say.why_held(first, run.plan)))


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
) -> tuple[RunState, remotes.FetchFailed | None, Hold | None]:
    """Start the node, or say why it cannot be; whether the remote is known not to answer; and what of the machine the
    node has to wait for after all, since another runner was first."""
    node = state.plan.nodes[offer.node]
    state, ready, unreachable = _prepare(run, state, node, unreachable)
    if ready is None:
        return state, unreachable, None
    try:
        held = reserving.take(run, state, offer, ready.tree.path)
    except (Refused, GitFailed, OSError) as problem:  # the node's own: others may start all the same
        run.narrator.once(("hold", offer.node), say.not_equipped(offer.node, problem))
        return state.with_trouble(offer.node, "unreserved"), unreachable, None
    if isinstance(held, Hold):
        return state, unreachable, held
    return _begin(run, state, offer, ready, held), None, None


def _prepare(
    run: Run, state: RunState, node: NodeState, unreachable: remotes.FetchFailed | None
) -> tuple[RunState, Prepared | None, remotes.FetchFailed | None]:
    """The node's worktree, or None and what is said and noted of why there is none."""
    spec = node.spec
    if spec.model and not run.options.profile.model_arguments:
        why = workers.takes_no_model(spec.model, run.options.profile.name)
        return not_launched(run, state, spec.id, why), None, unreachable
    ready = preparing.prepare(run, state, node, unreachable)
    if isinstance(ready, Prepared):
        return state, ready, None
    run.narrator.once(("hold", spec.id), ready.line)
    if ready.parked is not None:
        state = preparing.call_a_person(run, state, spec.id, ready.parked.why, ready.parked.commands)
    return state.with_trouble(spec.id, ready.trouble), None, ready.unreachable or unreachable


def _begin(run: Run, state: RunState, offer: Offer, ready: Prepared, held: Reserved) -> RunState:
    """Claim a node whose worktree is ready, and start its setup or its agent."""
    node, tree = state.plan.nodes[offer.node], ready.tree
    spec = node.spec
    going_on = _session_of(run, state, node, ready)
    started = claim(run, state, node, ready, held, going_on)
    if isinstance(started, Refused):
        run.narrator.once(("hold", spec.id), say.not_started(spec.id, started.message))
        return again(run, state)
    run.narrator.forget(("hold", spec.id))
    if node.attempt is not None and node.attempt.detail and node.attempt.outcome != "done":
        started = replace(started, last_words={**started.last_words, spec.id: node.attempt.detail})
    if offer.expedited and node.expedited is not None:
        run.narrator.say(say.expedited(spec.id, node.expedited.by))
    resuming = {name: other for name, other in started.resuming.items() if name != spec.id}
    if going_on is not None:
        resuming[spec.id] = going_on
    state = replace(started.without_trouble(spec.id), last_spawn=run.monotonic(), resuming=resuming)
    if run.options.agent_setup and not workspace.is_set_up(tree.path):
        return set_up(run, state, offer)
    return start_agent(run, state, offer, note=_note(tree))


def _session_of(run: Run, state: RunState, node: NodeState, ready: Prepared) -> Resume | None:
    """The session that the node's agent goes on in, where its launcher can do that and its worktree is still there."""
    profile = run.options.profile
    if not profile.resume_arguments or not isinstance(ready.tree, nodetrees.Reused):
        return None
    return resume.decide(state.plan, node, launcher=profile.name, machine=run.machine)


def _note(tree: nodetrees.Made | nodetrees.Reused) -> str:
    if isinstance(tree, nodetrees.Made):
        return say.hooks_said(tree.notes) if tree.notes else ""
    if tree.moved_from is not None:
        return say.moved_up(tree.moved_from)
    return say.left_alone(tree.left) if tree.left else ""


def _is_unlaunchable(state: RunState, node: str) -> bool:
    return state.unlaunchable.get(node) == state.plan.nodes[node].restarted_seq
