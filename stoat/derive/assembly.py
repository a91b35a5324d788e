"""A node's answer, put together from what was decided of it: the one place where the public shape is filled."""

from __future__ import annotations

from collections.abc import Sequence

from stoat.derive import goahead, review
from stoat.derive.answers import ClaimShown, Decision, NodeAnswer, WaitsOn
from stoat.derive.memo import Local
from stoat.derive.verdict import Verdict
from stoat.derive.wording import commands
from stoat.derive.wording import stance as say
from stoat.plan.nodes import CONSUME, ISSUE, PERSON, PR, repository_of
from stoat.plan.state import Claim, Mark, NodeState, PlanState

_MERGED = frozenset({ISSUE, PR, CONSUME})


def node_answer(
    plan: PlanState, node: NodeState, verdict: Verdict, local: Local, unblocks: int, waits: tuple[WaitsOn, ...],
    root: WaitsOn | None,
) -> NodeAnswer:  # fmt: skip
    """The entry of the status document for a node."""
    spec = node.spec
    done = verdict.status == "done"
    repository = repository_of(plan.header, spec)
    why = local.standing.why
    if root is not None and local.standing.stance == "waiting":
        why = say.waits_on(root, name_of(root, plan.header.plan))
    return NodeAnswer(
        id=spec.id,
        kind=spec.kind,
        title=spec.title or spec.id,
        repo=repository,
        status=verdict.status,
        detail=verdict.detail,
        ready=local.ready,
        readiness=local.readiness,
        depends_on=spec.depends_on,
        unblocks=unblocks,
        stance=local.standing.stance,
        stance_why=why,
        waits_on=waits,
        claim=_claim(local.claim),
        approvable=goahead.approvable(plan, node, verdict.status),
        approved_for_agents=decision(goahead.given(plan, node)),
        expedited=None if done else decision(node.expedited),
        cloud=None if done else _cloud(node),
        assignee=PERSON if spec.kind == PERSON else spec.assignee,
        merge=(spec.merge or "manual-review") if spec.kind in _MERGED else None,
        launch=local.launch,
        prs=verdict.prs,
        steps=verdict.steps,
        attempts=node.attempts,
        spent_usd=node.spent_usd,
        url=verdict.url or _url(node, repository),
        review=review.shown(plan, node),
        root_blocker=root,
        resume=local.standing.owed.resume if local.standing.owed is not None else None,
    )


def name_of(other: WaitsOn, slug: str) -> str:
    """A node as another one of the plan `slug` names it: by its id, or with its plan."""
    return other.node if other.plan == slug else commands.ref(other.plan, other.node)


def names_of(others: Sequence[WaitsOn], slug: str) -> tuple[str, ...]:
    """The same for several."""
    return tuple(name_of(other, slug) for other in others)


def decision(mark: Mark | None) -> Decision | None:
    """Who and when, as shown."""
    return None if mark is None else Decision(mark.by, mark.at)


def _claim(claim: Claim | None) -> ClaimShown | None:
    if claim is None:
        return None
    return ClaimShown(claim.holder, claim.since, claim.expires_at, claim.session, claim.note, claim.where, claim.link)


def _cloud(node: NodeState) -> Decision | None:
    if node.cloud is None and node.spec.agent == "cloud":
        return decision(node.added)
    return decision(node.cloud)


def _url(node: NodeState, repository: str | None) -> str | None:
    if repository is None:
        return None
    if node.spec.issue is not None:
        return commands.issue_url(repository, node.spec.issue)
    return commands.pr_url(repository, node.spec.pr) if node.spec.pr is not None else None
