"""Issues handed to cloud agents: the claim, the dispatcher that takes it over and exits, and the address it printed.

    claimed (where: cloud) + attempt_started, in one commit → dispatcher → claim_renewed with its link

It takes no slot and no worktree, and no limit of the local agents' account keeps it back. One dispatcher at a time.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from stoat import clock
from stoat.clock import Time, seconds_between
from stoat.derive import cloud
from stoat.derive.wording import cloud as say
from stoat.derive.wording.runner import held
from stoat.errors import Refused
from stoat.plan import variables
from stoat.plan.events import claims as leases
from stoat.plan.events.attempts import AttemptStarted
from stoat.plan.events.base import PlanEvent
from stoat.plan.events.claims import LONGEST_LEASE, ClaimRenewed
from stoat.plan.nodes import repository_of
from stoat.plan.state import Attempt, NodeState, PlanState
from stoat.processes import NotStarted, agent_environment, end_tree, spawn
from stoat.runner import agents, claiming, workspace
from stoat.runner.cloud import telling
from stoat.runner.cloud.dispatch import Dispatch, wrapped
from stoat.runner.cloud.launchers import CloudLauncher
from stoat.runner.cloud.links import first_link
from stoat.runner.issues import asking, watching
from stoat.runner.issues.briefing import Brief
from stoat.runner.reading import again, append
from stoat.runner.starting import unlaunchable
from stoat.runner.state import Run, RunState
from stoat.service.session import mint

SECONDS = 300.0
"""How long a dispatcher may take before it is ended."""
_READ = 64 * 1024


def hand_over(run: Run, state: RunState) -> RunState:
    """The step: see dispatchers end, and start the next one that is due."""
    for job in list(state.dispatches.values()):
        state = _look(run, state, job)
    launcher = run.options.cloud
    if launcher is None or _is_held(run, state) or watching.awaits_first_look(run, state):
        return _pending(run, state)
    offered = cloud.offers(state.plan, state.answer, run.options.scope)
    for name in offered.others:
        kind = state.plan.nodes[name].spec.kind
        run.narrator.once(("hold", name), say.issues_only(name, kind, run.plan))
    for hold in offered.holds:
        line = held(hold, run.plan) if hold.reason not in ("claimed", "judging") else None
        if line is not None and hold.node not in state.filed:
            run.narrator.once(("hold", hold.node), line)
    for name in offered.nodes:
        node = state.plan.nodes.get(name)
        if state.dispatches or node is None or state.unlaunchable.get(name) == node.restarted_seq:
            continue
        wait = asking.awaited(run, state, node)
        if wait is None:
            state = _begin(run, state, node, launcher)
        else:
            due = wait if state.due is None else min(state.due, wait)
            state = replace(state, due=due, pending=True, reading=True)
    return _pending(run, state)


def _is_held(run: Run, state: RunState) -> bool:
    """Whether the run takes nothing new. What keeps local agents from their account is nothing to cloud agents."""
    return state.stop is not None or state.plan.paused is not None or state.state.machine(run.machine).held is not None


def _pending(run: Run, state: RunState) -> RunState:
    """The run sees a dispatcher through, one of a single poll too, and comes back when it has had its time."""
    if not state.dispatches:
        return state
    due = run.monotonic() + SECONDS
    return replace(state, pending=True, reading=True, due=due if state.due is None else min(state.due, due))


def _begin(run: Run, state: RunState, node: NodeState, launcher: CloudLauncher) -> RunState:
    name, brief = node.spec.id, asking.brief_of(run, state, node)
    if brief is None:
        run.narrator.once(("hold", name), say.not_claimed(name, say.no_issue()))
        return state
    claimed = _claim(run, state, node, launcher, brief)
    if isinstance(claimed, Refused):
        run.narrator.once(("hold", name), say.not_claimed(name, claimed.message))
        return again(run, state)
    run.narrator.forget(("hold", name))
    before = state.last_words.get(name)
    state = claimed.without_trouble(name)
    node = state.plan.nodes[name]
    attempt = node.attempt
    assert attempt is not None
    order = telling.order(
        run.plan, node.spec, claim=attempt.claim, attempt=attempt.number, holder=run.options.agent, brief=brief,
        longest=launcher.longest, before=before,
    )  # fmt: skip
    log = Path(attempt.log)
    try:
        handover = launcher.hand(order, began=f"{clock.now()[:19]}Z")
        given, record = prompt_of(run, attempt.claim), code_of(run, attempt.claim)
        _write(given, handover.stdin or "")
        process = spawn(
            wrapped(handover.argv, record), cwd=run.project.directory, env=_environment(run, attempt, name),
            output=log, stdin=given,
        )  # fmt: skip
    except (NotStarted, OSError) as problem:
        return _failed(run, state, name, attempt, str(problem))
    run.narrator.say(say.handing(name, attempt.number, launcher.name, workspace.shown(log, run.home)))
    job = Dispatch(node=name, claim=attempt.claim, identity=process.identity, record=record, process=process)
    return replace(state, dispatches={**state.dispatches, name: job})


def _claim(run: Run, state: RunState, node: NodeState, launcher: CloudLauncher, brief: Brief) -> RunState | Refused:
    """Claim the node for as long as a claim may run, and say that an attempt begins; or why it may not be."""
    name, claim = node.spec.id, mint("c")
    log = workspace.log_of(run.project, "cloud", f"{run.plan}-{name}")

    def decide(plan: PlanState, now: Time) -> Sequence[PlanEvent]:
        fresh = plan.nodes.get(name)
        if fresh is None or fresh.spec != node.spec or repository_of(plan.header, fresh.spec) != brief.repo:
            raise Refused(f"{run.plan}/{name} has changed", hint="look again")
        return [
            leases.claim(plan, fresh, claim_id=claim, holder=run.options.agent, lease=LONGEST_LEASE, now=now,
                         where="cloud"),
            AttemptStarted(
                node=name, attempt=fresh.attempts + 1, claim=claim, runner=run.runner_id, machine=run.machine,
                launcher=launcher.name, worktree="", branch=workspace.branch_of(run.plan, name), base="", base_ref="",
                log=str(log), log_from=log.stat().st_size if log.exists() else 0,
            ),
        ]  # fmt: skip

    return claiming.begin(run, state, name, f"{run.options.agent} claims {name} for a cloud agent", decide)


def prompt_of(run: Run, claim: str) -> Path:
    """The file that a dispatcher reads; it is there from before the dispatcher begins until its end is recorded."""
    return run.session.store.common / "stoat" / "cloud" / f"{claim}.in"


def code_of(run: Run, claim: str) -> Path:
    """The file in which a dispatcher's exit code is, from its end until that is recorded."""
    return prompt_of(run, claim).with_suffix(".code")


def forget(run: Run, claim: str) -> None:
    """Remove the files of a dispatcher whose end is on record."""
    for place in (code_of(run, claim), prompt_of(run, claim)):
        place.unlink(missing_ok=True)


def _write(place: Path, text: str) -> None:
    place.parent.mkdir(parents=True, exist_ok=True)
    handle = os.open(place, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_CLOEXEC, 0o600)
    with os.fdopen(handle, "wb") as file:
        file.write(text.encode(errors="replace"))


def _environment(run: Run, attempt: Attempt, node: str) -> dict[str, str]:
    given = agent_environment(run.environ)
    given.pop(variables.SESSION, None)
    own = {variables.AGENT: run.options.agent, variables.PLAN: run.plan, variables.NODE: node}
    return {**given, **own, agents.CLAIM: attempt.claim}


def _look(run: Run, state: RunState, job: Dispatch) -> RunState:
    """See whether a dispatcher has ended; one that takes too long, or that nobody wants any more, is ended."""
    node = state.plan.nodes.get(job.node)
    attempt = node.attempt if node is not None else None
    if attempt is None or attempt.claim != job.claim or node is None or node.current_attempt is None:
        wanted, hung = None, not job.ended()
    else:
        wanted = attempt
        hung = not job.ended() and seconds_between(attempt.started, state.now) >= SECONDS
    if hung:
        end_tree(job.identity, 5.0, marker=(agents.CLAIM, job.claim))
    elif not job.ended():
        return state
    left = {name: other for name, other in state.dispatches.items() if name != job.node}
    state = replace(state, dispatches=left)
    if wanted is None:
        forget(run, job.claim)
        return state
    if hung:
        return _failed(run, state, job.node, wanted, say.hung(SECONDS))
    return conclude(run, state, job.node, wanted, job.code())


def conclude(run: Run, state: RunState, name: str, attempt: Attempt, code: int | None) -> RunState:
    """Record what came of a dispatcher that ended with `code`; where nobody saw that, the claim stands and it is said.

    Only a dispatcher that succeeded has handed the node over, whatever it printed: an error may name an address too.
    """
    if code is None:
        run.narrator.say(say.unsure(name, run.plan))
        return replace(state, doubted=state.doubted | {attempt.claim})
    if code != 0:
        return _failed(run, state, name, attempt, say.failed(code))
    return _handed(run, state, name, attempt, first_link(_said(attempt)))


def _handed(run: Run, state: RunState, name: str, attempt: Attempt, link: str | None) -> RunState:
    """Record that a cloud agent has the node, and the address where its dispatcher printed one; the lease runs from
    now."""

    def decide(plan: PlanState, now: Time) -> Sequence[PlanEvent]:
        fresh = plan.nodes.get(name)
        claim = fresh.claim if fresh is not None else None
        if claim is None or claim.id != attempt.claim:
            return []
        return [ClaimRenewed(node=name, claim=claim.id, lease=LONGEST_LEASE, link=link)]

    state = append(run, state, f"{name} is with a cloud agent", decide)
    node = state.plan.nodes.get(name)
    if node is not None and node.claim is not None and node.claim.id == attempt.claim:
        run.narrator.say(say.handed(name, link, clock.at_home(node.claim.expires_at)))
    # Only now: until it is on record that it was handed over, the files say to a successor that it may have been.
    forget(run, attempt.claim)
    return replace(state, pending=True)


def _said(attempt: Attempt) -> str:
    """What the attempt's dispatcher printed."""
    try:
        with Path(attempt.log).open("rb") as file:
            file.seek(attempt.log_from)
            return file.read(_READ).decode("utf-8", "replace")
    except OSError:
        return ""


def _failed(run: Run, state: RunState, name: str, attempt: Attempt, why: str) -> RunState:
    """Give the claim back, and leave the node alone until a person restarts it."""
    state = claiming.give_back(run, state, name, why)
    # Only now, as above: without its prompt a successor would take it for one that never began.
    forget(run, attempt.claim)
    run.narrator.say(say.not_handed(name, why, workspace.shown(Path(attempt.log), run.home)))
    return unlaunchable(state, name, "not-launched") if name in state.plan.nodes else state
