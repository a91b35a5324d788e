"""Nodes one by one: added, changed, removed, linked, unlinked, bound and shown.

Every rule is checked on the very state that the change lands on. `change` replaces a node whole.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

from msgspec import to_builtins
from msgspec.structs import replace

from stoat.clock import Time
from stoat.errors import Invalid, Problem, Refused
from stoat.plan import guards
from stoat.plan.diff import change as changes_of
from stoat.plan.events.authoring import DependencyAdded, DependencyRemoved, NodeAdded, NodeBound, NodeRemoved
from stoat.plan.events.base import PlanEvent
from stoat.plan.ids import NodeRef, split_ref
from stoat.plan.nodes import ISSUE, Node
from stoat.plan.normal import normal_node
from stoat.plan.rules.edges import check_edges, dependents_elsewhere
from stoat.plan.rules.finding import Finding, did_you_mean
from stoat.plan.state import PlanState, State
from stoat.plan.validate import check_one, doubts
from stoat.service.authoring import Authored, author, other_plans
from stoat.service.checkouts import with_doubts
from stoat.service.plans import spec_of
from stoat.service.session import Session, node_of, plan_of

Change = Callable[[State, PlanState, Time], tuple[Sequence[PlanEvent], Sequence[str]]]


def add(session: Session, slug: str, node: Node, *, checkout: Path | None = None) -> Authored:
    """Put a new node at the end of a plan. Invalid with every problem at once; Refused when its id is taken.

    What its steps name and a checkout does not have (`checkout`, else the plan's runner's here) is a warning.
    """
    node = normal_node(node, slug)

    def decide(state: State, plan: PlanState, now: Time) -> tuple[Sequence[PlanEvent], Sequence[str]]:
        if node.id in plan.nodes:
            raise Refused(
                f"plan {slug} has a node {node.id!r}", hint=f"replace it whole: stoat node change {slug}/{node.id} …"
            )
        check_right(state, plan, node)
        allowed = guards.with_merge_policy(node, plan, session.actor)
        return [NodeAdded(node=node.id, spec=allowed)], [*doubts([node]), *_origin(state, node, slug)]

    return _doubted(_authored(session, slug, decide), session, checkout, node)


def change(session: Session, slug: str, node: Node, *, checkout: Path | None = None) -> Authored:
    """Replace a node whole: what the new one leaves out is cleared, its go-ahead too. Edges alone keep the go-ahead.

    Warnings as with `add`.
    """
    node = normal_node(node, slug)

    def decide(state: State, plan: PlanState, now: Time) -> tuple[Sequence[PlanEvent], Sequence[str]]:
        _, before = node_of(state, NodeRef(slug, node.id))
        check_right(state, plan, node)
        allowed = guards.with_merge_policy(node, plan, session.actor)
        events = list(changes_of(allowed, normal_node(before.spec, slug)))
        return events, [*doubts([node]), *guards.agents_work(plan, events, now)]

    return _doubted(_authored(session, slug, decide), session, checkout, node)


def remove(session: Session, ref: NodeRef) -> Authored:
    """Take a node out of its plan. Refused while anything depends on it, and while somebody holds it."""

    def decide(state: State, plan: PlanState, now: Time) -> tuple[Sequence[PlanEvent], Sequence[str]]:
        node_of(state, ref)
        guards.nothing_names(plan, ref.node)
        guards.nothing_waits(plan, [ref.node], other_plans(state, ref.plan))
        events = [NodeRemoved(node=ref.node)]
        return events, guards.agents_work(plan, events, now)

    return _authored(session, ref.plan, decide)


def link(session: Session, ref: NodeRef, on: str) -> Authored:
    """Let a node wait for another one, `NODE` or `PLAN/NODE`. Refused for a cycle and for a node that is not there."""

    def decide(state: State, plan: PlanState, now: Time) -> tuple[Sequence[PlanEvent], Sequence[str]]:
        _, node = node_of(state, ref)
        linked = normal_node(replace(node.spec, depends_on=(*node.spec.depends_on, on)), ref.plan)
        if linked.depends_on == normal_node(node.spec, ref.plan).depends_on:
            return (), ()
        specs = {**_specs(plan), ref.node: linked}
        wrong = check_edges(ref.plan, specs, [((), linked)], other_plans(state, ref.plan))
        for found in wrong:
            raise Refused(f"{ref} cannot wait for {on}: {found.what}", hint=found.do or None)
        return [DependencyAdded(node=ref.node, on=linked.depends_on[-1])], ()

    return _authored(session, ref.plan, decide)


def unlink(session: Session, ref: NodeRef, on: str) -> Authored:
    """Let a node no longer wait for another one; Refused when it does not."""

    def decide(state: State, plan: PlanState, now: Time) -> tuple[Sequence[PlanEvent], Sequence[str]]:
        _, node = node_of(state, ref)
        local = on.strip().removeprefix(f"{ref.plan}/")
        if local not in node.spec.depends_on:
            waits = ", ".join(node.spec.depends_on) or "nothing"
            raise Refused(f"{ref} does not wait for {on}", hint=f"it waits for: {waits}")
        return [DependencyRemoved(node=ref.node, on=local)], ()

    return _authored(session, ref.plan, decide)


def bind(session: Session, ref: NodeRef, kind: str, number: int) -> Authored:
    """Give an issue or pr node (`kind` says which) its number. Bound to another, its go-ahead and its turn are gone."""

    def decide(state: State, plan: PlanState, now: Time) -> tuple[Sequence[PlanEvent], Sequence[str]]:
        _, node = node_of(state, ref)
        spec = node.spec
        if spec.kind != kind:
            raise Refused(f"{ref} is a {spec.kind} node, not one of kind {kind}", hint="bind issue and pr nodes")
        if number == (spec.issue if kind == ISSUE else spec.pr):
            return (), ()
        bound = replace(spec, issue=number) if kind == ISSUE else replace(spec, pr=number)
        check_right(state, plan, bound)
        return [NodeBound(node=ref.node, number=number)], doubts([bound])

    return _authored(session, ref.plan, decide)


def show(session: Session, ref: NodeRef) -> dict[str, Any]:
    """All there is of one node: its answer (as in the status document), how it is written, what a review found, what
    waits for the node, and the steps that its holder means to take."""
    from stoat.derive.review import findings
    from stoat.service.working import steps_of

    state = session.state()
    plan, node = node_of(state, ref)
    answer = to_builtins(session.answers().by_ref[str(ref)])
    waiting = [NodeRef(ref.plan, other) for other, seen in plan.nodes.items() if ref.node in seen.spec.depends_on]
    waiting += dependents_elsewhere(ref.plan, ref.node, other_plans(state, ref.plan))
    return {
        "plan": ref.plan,
        **answer,
        "brief": node.spec.brief,
        "dependents": [{"plan": other.plan, "node": other.node} for other in waiting],
        "discoveredFrom": node.spec.discovered_from,
        "findings": to_builtins(findings(plan, node)),
        "spec": spec_of(node.spec),
        "workSteps": to_builtins(steps_of(session, node)),
    }


def _authored(session: Session, slug: str, change: Change) -> Authored:
    def decide(state: State, now: Time) -> tuple[Sequence[PlanEvent], Sequence[str]]:
        plan = plan_of(state, slug)
        guards.not_archived(plan)
        return change(state, plan, now)

    return author(session, slug, decide)


def _doubted(authored: Authored, session: Session, checkout: Path | None, node: Node) -> Authored:
    plan = session.state().plan(authored.plan)
    return authored if plan is None else with_doubts(authored, session, checkout, plan.header, [node])


def _specs(plan: PlanState) -> dict[str, Node]:
    return {node_id: state.spec for node_id, state in plan.nodes.items()}


def check_right(state: State, plan: PlanState, node: Node) -> None:
    """Invalid, with every problem at once, unless a node as it is written may be in the plan."""
    nodes = {**_specs(plan), node.id: node}
    findings: list[Finding] = list(check_one(plan.header, node, nodes, other_plans(state, plan.slug)))
    if findings:
        raise Invalid([Problem(0, 0, found.what, found.do) for found in findings])


def _origin(state: State, node: Node, slug: str) -> Iterator[str]:
    """Where work was found is history, and may be gone; written anew it is probably meant to be there."""
    ref = split_ref(node.discovered_from, slug) if node.discovered_from else None
    plan = state.plan(ref.plan) if ref else None
    if ref is not None and (plan is None or ref.node not in plan.nodes):
        meant = did_you_mean(ref.node, plan.nodes) if plan else None
        yield f"{node.id}: there is no node {ref} that it could have been found in" + (f"; {meant}" if meant else "")
