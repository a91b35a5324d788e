"""The rules of a plan, run: over a whole plan, or over the one node that is being written."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from msgspec import to_builtins

from stoat.plan.ids import slug_problem
from stoat.plan.nodes import CONSUME, ISSUE, PR, Header, Node
from stoat.plan.rules.edges import Written, check_edges
from stoat.plan.rules.finding import Finding, no_controls
from stoat.plan.rules.header import check_header
from stoat.plan.rules.node import check_node, check_references
from stoat.plan.state import PlanState


def check_plan(header: Header, written: Sequence[Written], others: Mapping[str, PlanState] | None) -> Iterator[Finding]:
    """Everything wrong with a whole plan. `others` are the other plans; None leaves edges to them unchecked."""
    yield from check_header(header)
    nodes: dict[str, Node] = {}
    for path, node in written:
        yield from check_node(node, header, path)
        if node.id and node.id in nodes:
            yield Finding((*path, "id"), f"two nodes have the id {node.id!r}", "rename one")
        nodes.setdefault(node.id, node)
    # Without a slug of its own the plan still has edges; none of them is wrong for that.
    slug = "this-plan" if slug_problem(header.plan) else header.plan
    yield from check_edges(slug, nodes, written, others)


def check_one(
    header: Header, node: Node, nodes: Mapping[str, Node], others: Mapping[str, PlanState]
) -> Iterator[Finding]:
    """Everything wrong with one node, written by itself, of a plan whose nodes, with it, are `nodes`."""
    for field, value in to_builtins(node).items():
        yield from no_controls((field,), value)
    yield from check_node(node, header)
    yield from check_edges(header.plan, nodes, [((), node)], others)


def check_header_alone(header: Header, nodes: Mapping[str, Node]) -> Iterator[Finding]:
    """Everything wrong with a header, written by itself, of a plan that has `nodes`: also what they need of it."""
    for field, value in to_builtins(header).items():
        yield from no_controls((field,), value)
    yield from check_header(header)
    for node in nodes.values():
        for found in check_references(node, header):
            yield found._replace(what=f"{node.id} needs it: {found.what}")


def doubts(nodes: Sequence[Node]) -> list[str]:
    """What is allowed and probably not meant: warnings, one sentence each."""
    said = []
    for node in nodes:
        if node.repo is not None:
            continue
        if node.kind in (ISSUE, PR) and (number := node.issue or node.pr) is not None:
            said.append(f"{node.id}: {node.kind} {number} of which repository? Without `repo` nobody can look it up")
        if node.kind == CONSUME:
            said.append(f"{node.id}: the pin of which repository? Without `repo` nobody can read it")
    return said
