"""A node claimed with an attempt on it, in one commit, before there is a process; and the end of both."""

from __future__ import annotations

import uuid
from collections.abc import Callable, Sequence

from stoat.clock import Time
from stoat.derive import claims as may
from stoat.derive.resume import Resume
from stoat.derive.wording import runner as say
from stoat.errors import Refused
from stoat.observe.agents import outputs
from stoat.plan.events import claims as leases
from stoat.plan.events.attempts import AttemptJudged, AttemptStarted
from stoat.plan.events.base import PlanEvent
from stoat.plan.events.claims import ClaimReleased
from stoat.plan.ids import NodeRef
from stoat.plan.state import NodeState, PlanState, State
from stoat.runner import agents, workspace
from stoat.runner.preparing import Prepared
from stoat.runner.reading import append
from stoat.runner.reserving import Reserved
from stoat.runner.state import Run, RunState


def claim(
    run: Run, state: RunState, node: NodeState, ready: Prepared, held: Reserved, going_on: Resume | None = None
) -> RunState | Refused:
    """Claim the node and say that an attempt begins, in one commit, before there is a process; or why it may not be.

    `held` is the node's part of the machine, `going_on` the session that its agent goes on in.
    """
    spec, options, tree = node.spec, run.options, ready.tree
    claim_id = held.claim
    session = _session(run, going_on)
    log = workspace.log_of(run.project, "agent", workspace.name_of(run.project, tree.path))
    output = outputs.place(run.session.store.common, claim_id) if options.profile.result != "none" else None

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
                base=ready.began, base_ref=tree.base.label, log=str(log),
                model=agents.model_for(options, plan, spec), session=session,
                output=str(output) if output is not None else None,
                log_from=log.stat().st_size if log.exists() else 0, resumes=going_on is not None,
            ),
        ]  # fmt: skip

    return begin(run, state, spec.id, f"{options.agent} claims {spec.id}", decide)


def begin(
    run: Run, state: RunState, node: str, subject: str, decide: Callable[[PlanState, Time], Sequence[PlanEvent]]
) -> RunState | Refused:
    """Append the claim of a node and the begin of its attempt, which `decide` gives, as one commit.

    Gives why not, where the node may not be claimed on the state that the commit would land on.
    """
    facts, scope = run.session.facts(), run.options.scope

    def guard(folded: State, now: Time) -> None:
        vouched = scope.ignore_dependencies and node in scope.only
        why_not = may.refusal(
            folded, facts, now, NodeRef(run.plan, node), actor="runner", ignore_dependencies=vouched
        )  # fmt: skip
        if why_not is not None:
            raise Refused(why_not.message, hint=why_not.hint)

    try:
        return append(run, state, subject, decide, guard)
    except Refused as refused:
        return refused


def _session(run: Run, going_on: Resume | None) -> str | None:
    if going_on is not None:
        return going_on.session
    return str(uuid.uuid4()) if run.options.profile.session_arguments else None


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
