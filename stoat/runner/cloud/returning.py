"""What becomes of attempts in the cloud: their end is the end of their claim, and GitHub shows what they did.

What is decided is `derive/cloud.py` and, as of any other attempt on an issue, `derive/attempts.py`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from stoat.clock import Time, seconds_between
from stoat.derive import attempts, cloud
from stoat.derive.attempts import Judged, Look, Verify, Wait
from stoat.derive.integration import Unusable
from stoat.derive.wording import cloud as say
from stoat.plan.events.attempts import AttemptExited
from stoat.plan.events.base import PlanEvent
from stoat.plan.state import Attempt, NodeState, PlanState
from stoat.processes import find_marked
from stoat.runner import agents, judging, workspace
from stoat.runner.claiming import give_back, released
from stoat.runner.cloud.dispatch import Dispatch, recorded
from stoat.runner.cloud.dispatching import code_of, conclude, forget, prompt_of
from stoat.runner.issues import watching
from stoat.runner.reading import append
from stoat.runner.state import Run, RunState


def recall(run: Run, state: RunState) -> RunState:
    """The step: end the attempts in the cloud whose claim is over, and judge those that have ended."""
    for node in list(state.plan.nodes.values()):
        attempt = node.current_attempt
        if attempt is None or not workspace.is_ours_in_the_cloud(run, state, attempt):
            continue
        match cloud.standing(node, state.now):
            case "out":
                state = _out(run, state, node, attempt)
            case "lapsed":
                run.narrator.say(say.lapsed(node.spec.id))
                state = _ended(run, state, node.spec.id, attempt)
            case "over":
                run.narrator.say(say.let_go(node.spec.id))
                state = _ended(run, state, node.spec.id, attempt)
            case "judge":
                state = _judge(run, state, node)
            case "none":
                pass
    return state


def _out(run: Run, state: RunState, node: NodeState, attempt: Attempt) -> RunState:
    """It is with its agent: a run that is not told to stop waits for that, until the claim is over."""
    name, claim = node.spec.id, node.claim
    assert claim is not None
    if name in state.dispatches:
        return state
    if claim.renewed_at == claim.since and attempt.claim not in state.doubted:
        state = _taken_over(run, state, name, attempt)
    if state.stop is not None:
        return state
    moment = run.monotonic() + max(0.0, seconds_between(state.now, claim.expires_at)) + 0.01
    return replace(state, pending=True, due=moment if state.due is None else min(state.due, moment))


def _taken_over(run: Run, state: RunState, name: str, attempt: Attempt) -> RunState:
    """A runner that is gone was handing it over, or a poll of ours that was cut short: its dispatcher is watched on, or
    has ended, or never began."""
    if not prompt_of(run, attempt.claim).exists():
        return give_back(run, state, name, say.never_began())
    marked, record = find_marked(agents.CLAIM, attempt.claim), code_of(run, attempt.claim)
    # Read after the look at processes: one that has ended by then has written its code.
    code = recorded(record)
    if code is None and marked:
        job = Dispatch(node=name, claim=attempt.claim, identity=marked[0], record=record)
        return replace(state, dispatches={**state.dispatches, name: job})
    return conclude(run, state, name, attempt, code)


def _ended(run: Run, state: RunState, name: str, attempt: Attempt) -> RunState:
    def decide(plan: PlanState, now: Time) -> Sequence[PlanEvent]:
        fresh = plan.nodes.get(name)
        current = fresh.attempt if fresh is not None else None
        if current is None or current.number != attempt.number or current.exited_at is not None:
            return []
        lasted = seconds_between(attempt.started, now)
        return [AttemptExited(node=name, attempt=attempt.number, seconds=lasted), *released(plan, name, attempt.claim)]

    forget(run, attempt.claim)
    return replace(append(run, state, f"the cloud agent on {name} has ended", decide), pending=True)


def _judge(run: Run, state: RunState, node: NodeState) -> RunState:
    shown = next((answer for answer in state.answer.nodes if answer.id == node.spec.id), None)
    if shown is None:
        return state
    verdict = attempts.judge(
        node, shown, Unusable(say.NO_PULL_SEEN), now=state.now, settle=run.options.settle_seconds,
        seen_at=watching.seen_at(run, state, node),
    )  # fmt: skip
    match verdict:
        case Wait(until):
            return judging.wait(run, state, until)
        case Look() | Verify():
            return watching.look_again(run, state, node)
        case Judged():
            return judging.record(run, state, node, verdict)
