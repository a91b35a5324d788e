"""What a runner that is gone left behind: its live agents are watched on, its dead ones are judged.

What becomes of which is `derive/adoption.py`. An attempt of another machine, or of a live runner, is left alone.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from stoat.derive import adoption
from stoat.derive.adoption import Seen
from stoat.derive.schedule import Offer
from stoat.derive.wording import runner as say
from stoat.gitstore.porcelain import GitFailed
from stoat.plan.events.attempts import AgentSpawned
from stoat.plan.state import Attempt, NodeState
from stoat.processes import Identity, end_tree, find_marked, is_alive
from stoat.runner import agents, endings, transcribing, workspace
from stoat.runner.claiming import give_back, released
from stoat.runner.reading import append
from stoat.runner.state import Job, Run, RunState


def adopt(run: Run, state: RunState) -> RunState:
    """The step: take over what runners left that are gone; and what a poll of ours began that a failing store or disk
    cut short. On most polls there is nothing."""
    for node in list(state.plan.nodes.values()):
        attempt = node.attempt
        if attempt is None or attempt.outcome is not None or node.spec.id in state.jobs:
            continue
        if workspace.is_ours(run, state, attempt):
            state = _adopt(run, state, node, attempt)
    return state


def _adopt(run: Run, state: RunState, node: NodeState, attempt: Attempt) -> RunState:
    name = node.spec.id
    seen, identity = _look(run, attempt)
    match adoption.decide(node, seen):
        case "let-go":
            subject = f"claim on {name} is released"
            return append(run, state, subject, lambda plan, now: released(plan, name, attempt.claim))
        case "watch" if identity is not None:
            return _watch(run, state, node, attempt, identity)
        case "record" if identity is not None:
            spawned = AgentSpawned(node=name, attempt=attempt.number, process=identity.key)
            state = append(run, state, f"attempt {attempt.number} on {name} is found", lambda plan, now: [spawned])
            return _watch(run, state, node, attempt, identity)
        case "give-back" if identity is not None:
            end_tree(identity, 5.0, marker=(agents.CLAIM, attempt.claim))
            return give_back(run, state, name, say.setup_interrupted())
        case "end":
            return _ended(run, state, node, attempt)
    return state


def _look(run: Run, attempt: Attempt) -> tuple[Seen, Identity | None]:
    """What is seen of an attempt's process, and the process where there is one. All processes are only searched for an
    attempt whose end nobody recorded."""
    if attempt.exited_at is not None:
        return "nowhere", None
    recorded = _identity(attempt)
    if recorded is not None:
        return ("alive", recorded) if is_alive(recorded) else ("dead", None)
    marked = find_marked(agents.CLAIM, attempt.claim)
    if not marked:
        return "nowhere", None
    return "setup" if _is_setup(run, attempt) else "marked", marked[0]


def _identity(attempt: Attempt) -> Identity | None:
    try:
        return Identity.parse(attempt.process) if attempt.process else None
    except ValueError:
        return None


def _is_setup(run: Run, attempt: Attempt) -> bool:
    """Whether what carries the claim's mark can only be the setup: no agent starts before that has succeeded."""
    try:
        return run.options.agent_setup is not None and not workspace.is_set_up(Path(attempt.worktree))
    except GitFailed:
        return False


def _watch(run: Run, state: RunState, node: NodeState, attempt: Attempt, identity: Identity) -> RunState:
    spec = node.spec
    offer = Offer(spec.id, node.expedited is not None, spec.uses, spec.exclusive == "machine")
    job = Job(
        kind="agent", node=spec.id, identity=identity, claim=attempt.claim, attempt=attempt.number,
        worktree=Path(attempt.worktree), log=Path(attempt.log), offer=offer, told=transcribing.size_of(attempt),
    )  # fmt: skip
    run.narrator.say(say.adopted(spec.id, attempt.number, workspace.shown(job.log, run.home)))
    return replace(state, jobs={**state.jobs, spec.id: job})


def _ended(run: Run, state: RunState, node: NodeState, attempt: Attempt) -> RunState:
    name = node.spec.id
    # Once: while the store cannot be written, every poll comes by here again.
    if run.narrator.once(("ended", name), say.found_ended(name, attempt.number)):
        transcribing.tell_end(run, attempt)
    return endings.record(run, state, name, attempt, ending=endings.said(run, attempt, None))
