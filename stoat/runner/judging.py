"""Attempts whose agent has gone, judged by their evidence: done, tried again, or given up on, loudly."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from stoat.clock import Time, seconds_between
from stoat.derive import attempts, integration
from stoat.derive.attempts import Judged, Look, Verify, Wait
from stoat.derive.holds import Hold
from stoat.derive.integration import Proof
from stoat.derive.schedule import Offer
from stoat.derive.wording import attempts as words
from stoat.derive.wording import runner as say
from stoat.errors import Refused
from stoat.gitstore.porcelain import GitFailed
from stoat.plan.events.attempts import GOT_NOWHERE, AttemptJudged, GaveUp
from stoat.plan.events.base import PlanEvent
from stoat.plan.nodes import REVIEW
from stoat.plan.state import Attempt, NodeState, PlanState
from stoat.processes import NotStarted, spawn
from stoat.runner import agents, questioning, reserving, workspace
from stoat.runner.claiming import released
from stoat.runner.filling import fill_arguments
from stoat.runner.issues import watching
from stoat.runner.reading import append
from stoat.runner.state import Job, Run, RunState, Verification
from stoat.runner.workspace import Work


def judge(run: Run, state: RunState) -> RunState:
    """The step: judge every attempt of ours that is over and had its time; start the verifications that are due."""
    shown = {answer.id: answer for answer in state.answer.nodes}
    for node_id, node in list(state.plan.nodes.items()):
        if not _is_due(run, state, node):
            continue
        assert node.attempt is not None
        work = workspace.of_attempt(run.project, node.attempt)
        branch = integration.finish(node, work.tree, running=False, proof=proof_of(run, state, node, work))
        verdict = attempts.judge(
            node, shown[node_id], branch, now=state.now, settle=run.options.settle_seconds,
            seen_at=watching.seen_at(run, state, node),
        )  # fmt: skip
        match verdict:
            case Wait(until):
                state = wait(run, state, until)
            case Look():
                state = watching.look_again(run, state, node)
            case Verify(commit):
                state = verify(run, state, node, commit)
            case Judged():
                asking = questioning.ask(run, state, node) if verdict.outcome in GOT_NOWHERE else None
                given_back = Judged("given-back", words.GIVEN_BACK)
                state = record(run, state, node, verdict) if asking is None else record(run, asking, node, given_back)
    return state


def _is_due(run: Run, state: RunState, node: NodeState) -> bool:
    """Whether the node's last attempt is ours, over, and without a verdict yet."""
    attempt = node.current_attempt
    if attempt is None or attempt.outcome is not None or node.spec.id in state.jobs:
        return False
    return attempt.exited_at is not None and workspace.is_ours(run, state, attempt)


def proof_of(run: Run, state: RunState, node: NodeState, work: Work) -> Proof:
    """What the verification says of the commit that the work's tree is at."""
    head = work.tree.head if work.tree is not None else ""
    verified = state.verified.get(node.spec.id)
    known = verified.passed if verified is not None and verified.commit == head else None
    return integration.proof(node, head, _command(run, node), known)


def _command(run: Run, node: NodeState) -> tuple[str, ...]:
    assert node.attempt is not None
    if not run.options.verify_command:
        return ()
    filled = agents.placeholders(run.options, node.spec.id, Path(node.attempt.worktree))
    return fill_arguments(run.options.verify_command, filled, node.spec.specs)


def wait(run: Run, state: RunState, until: Time | None) -> RunState:
    """This run has something to see through; come back when it is time, or when the ref moves."""
    if until is None:
        return replace(state, pending=True)
    moment = run.monotonic() + max(0.0, seconds_between(state.now, until)) + 0.01
    due = moment if state.due is None else min(state.due, moment)
    return replace(state, pending=True, due=due)


def verify(run: Run, state: RunState, node: NodeState, commit: str) -> RunState:
    """Run the verification in the node's worktree, under its tag, as evidence."""
    attempt, spec = node.attempt, node.spec
    assert attempt is not None
    worktree, offer = Path(attempt.worktree), Offer(spec.id, uses=spec.uses)
    try:
        held = reserving.take(run, state, offer, worktree, "verify")
    except (Refused, GitFailed, OSError) as problem:  # the node's own: others may go on all the same
        run.narrator.once(("verify", spec.id), say.verification_stuck(spec.id, problem))
        return state.with_trouble(spec.id, "unreserved")
    if isinstance(held, Hold):
        run.narrator.once(("verify", spec.id), say.verification_waits(held, run.plan))
        return replace(state, pending=True)
    run.narrator.forget(("verify", spec.id))
    if state.troubles.get(spec.id) == "unreserved":
        state = state.without_trouble(spec.id)
    log = workspace.log_of(run.project, "verify", workspace.name_of(run.project, worktree))
    env = agents.environment(
        run, node=spec.id, worktree=worktree, claim=attempt.claim, attempt=attempt.number, session=attempt.session
    )
    env.pop(agents.CLAIM, None)  # the claim is over; what is found by its mark is an agent
    argv = (str(run.stoat), "gate", "exec", f"{run.plan}/{spec.id}", "--", *_command(run, node))
    try:
        process = spawn(argv, cwd=worktree, env=env, output=log)
    except NotStarted:
        return replace(state, verified={**state.verified, spec.id: Verification(commit, False)}, pending=True)
    run.narrator.say(say.verifying(spec.id, workspace.shown(log, run.home)))
    job = Job(
        kind="verify", node=spec.id, identity=process.identity, claim="", attempt=attempt.number, worktree=worktree,
        log=log, offer=offer, process=process, commit=commit,
    )  # fmt: skip
    state = replace(state, jobs={**state.jobs, spec.id: job})
    reserving.look(run, state)
    return state


def record(run: Run, state: RunState, node: NodeState, verdict: Judged) -> RunState:
    """Record what became of the node's attempt, and that it is given up on where no attempt is left; say it."""
    attempt, node_id = node.attempt, node.spec.id
    assert attempt is not None
    judged = AttemptJudged(node=node_id, attempt=attempt.number, outcome=verdict.outcome, detail=verdict.detail)
    counts = verdict.outcome in GOT_NOWHERE
    tries = node.tries + counts
    giving_up = counts and not attempts.another(tries, run.options.max_attempts)

    def decide(plan: PlanState, now: Time) -> list[PlanEvent]:
        fresh = plan.nodes.get(node_id)
        if fresh is None or fresh.attempt is None or fresh.attempt.number != attempt.number or fresh.attempt.outcome:
            return []
        given = [GaveUp(node=node_id, why=verdict.detail)] if giving_up else []
        return [judged, *given, *released(plan, node_id, attempt.claim)]

    state = append(run, state, f"attempt {attempt.number} on {node_id}: {verdict.outcome}", decide)
    state = replace(state, failures=attempts.in_a_row(state.failures, verdict.outcome))
    if node.spec.kind == REVIEW and verdict.outcome == "done":
        run.narrator.say(say.reviewed(node_id, run.plan, verdict.detail))
    _say(run, node_id, attempt, verdict, tries, giving_up)
    if giving_up:
        return state.with_trouble(node_id, "gave-up")
    return state


def _say(run: Run, node: str, attempt: Attempt, verdict: Judged, tries: int, giving_up: bool) -> None:
    detail = verdict.detail
    if verdict.outcome == "given-back":
        run.narrator.say(say.given_back(node, attempt.number, detail))
    elif verdict.outcome == "limited":
        run.narrator.say(say.limited(node, attempt.number, detail))
    elif verdict.outcome != "done":
        allowed = run.options.max_attempts
        run.narrator.say(say.judged_bad(node, verdict.outcome, detail, attempt.number, tries, allowed))
    if giving_up:
        there = attempt.worktree if attempt.worktree and Path(attempt.worktree).exists() else None
        run.narrator.say(say.gave_up(node, run.plan, tries, detail, there))
