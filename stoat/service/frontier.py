"""A graph of issues, read from GitHub now: where it stands, and as a plan."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from stoat import clock
from stoat.clock import Time
from stoat.derive.frontier import Frontier
from stoat.derive.frontier import frontier as derived
from stoat.derive.issue_plan import planned
from stoat.derive.wording import frontier as say
from stoat.errors import Invalid, Problem, Refused
from stoat.plan import guards
from stoat.plan.diff import diff
from stoat.plan.events.base import PlanEvent
from stoat.plan.events.issues import IssuesImported
from stoat.plan.issue_graph import Graph, Selection
from stoat.plan.normal import normal_header, normal_node
from stoat.plan.state import State
from stoat.plan.validate import check_plan
from stoat.service.authoring import Authored, author, other_plans
from stoat.service.session import Session

if TYPE_CHECKING:
    from stoat.observe.github.client import Wait


def frontier(selection: Selection, *, wait: Wait, environ: Mapping[str, str] | None = None) -> Frontier:
    """Where the graph stands.

    `environ` stands in for the process's environment. Raises what `observe.github.graph.read` raises.
    """
    return derived(_read(selection, wait, environ), clock.now())


def import_issues(
    session: Session, slug: str, selection: Selection, *, wait: Wait, dry_run: bool = False,
    environ: Mapping[str, str] | None = None,
) -> Authored:  # fmt: skip
    """Make the graph a plan, or bring the plan up to date with it; in one commit, or none when nothing changed.

    Refused when issues wait for each other; raises as well what reading GitHub and importing a plan raise.
    """
    graph = _read(selection, wait, environ)
    found = derived(graph, clock.now())
    if found.cycles:
        rings = [warning.text for warning in found.warnings if warning.kind == "cycle"]
        raise Refused(say.cannot_be_a_plan(rings), hint="take a dependency of each out on GitHub, and import again")

    def decide(state: State, now: Time) -> tuple[Sequence[PlanEvent], Sequence[str]]:
        plan, others = state.plan(slug), other_plans(state, slug)
        if plan is not None:
            guards.not_archived(plan)
        wanted = planned(graph, slug, plan)
        header = normal_header(wanted.header)
        nodes = tuple(normal_node(node, slug) for node in wanted.nodes)
        problems = [Problem(0, 0, wrong.what, wrong.do) for wrong in
                    check_plan(header, [(("nodes", node.id), node) for node in nodes], others)]  # fmt: skip
        if problems:
            raise Invalid(problems)
        events: list[PlanEvent] = list(diff(header, nodes, plan))
        warnings = [*(warning.text for warning in found.warnings), *wanted.warnings]
        if plan is not None:
            warnings += guards.agents_work(plan, events, now)
        if wanted.imported:
            events.append(IssuesImported(issues=wanted.imported))
        return events, warnings

    return author(session, slug, decide, dry_run=dry_run)


def _read(selection: Selection, wait: Wait, environ: Mapping[str, str] | None) -> Graph:
    from stoat.observe.github import graph
    from stoat.observe.github.client import connect

    return graph.read(connect(os.environ if environ is None else environ, wait=wait), selection)
