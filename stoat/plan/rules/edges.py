"""The edges between nodes, of one plan and across plans: each names a node that is there, and none closes a cycle."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence

from stoat.plan import cycles
from stoat.plan.ids import NodeRef, split_ref
from stoat.plan.nodes import PUBLISH, Node
from stoat.plan.rules.finding import Finding, Path, did_you_mean
from stoat.plan.state import PlanState

Dependencies = Callable[[NodeRef], Sequence[NodeRef]]
Written = tuple[Path, Node]
"""A node that is being written, and the way to it in what was written."""


def check_edges(
    slug: str, nodes: Mapping[str, Node], written: Sequence[Written], others: Mapping[str, PlanState] | None
) -> Iterator[Finding]:
    """What is wrong with the edges of the nodes that are `written`, in a plan that then has `nodes`.

    `others` are the other plans by slug; None leaves edges to other plans unchecked.
    """
    for path, node in written:
        for index, text in enumerate(node.depends_on):
            if text in node.depends_on[:index]:
                yield Finding((*path, "depends_on", index), f"{text!r} is named twice", "take one of them out")
            yield from _dependency(slug, nodes, (*path, "depends_on", index), text, others)
        if node.discovered_from is not None and split_ref(node.discovered_from, slug) is None:
            what = f"{node.discovered_from!r} is not a node"
            yield Finding((*path, "discovered_from"), what, "write NODE or PLAN/NODE")
        if node.bumped_by is not None and (node.bumped_by not in nodes or node.bumped_by == node.id):
            what = f"{node.bumped_by!r} is no other node of this plan"
            yield Finding((*path, "bumped_by"), what, did_you_mean(node.bumped_by, nodes) or "name the node that does")
        if node.rehearses is not None:
            yield from _rehearsal(nodes, node, (*path, "rehearses"))
    yield from _cycles(slug, nodes, written, others or {})


def dependencies_in(slug: str, nodes: Mapping[str, Node], others: Mapping[str, PlanState]) -> Dependencies:
    """A function that gives what a node waits for, in this plan or in another; nothing for a node that is not there."""

    def dependencies(ref: NodeRef) -> Sequence[NodeRef]:
        if ref.plan == slug:
            node = nodes.get(ref.node)
        else:
            plan = others.get(ref.plan)
            state = plan.nodes.get(ref.node) if plan else None
            node = state.spec if state else None
        refs = [split_ref(text, ref.plan) for text in node.depends_on] if node else []
        return [on for on in refs if on is not None]

    return dependencies


def dependents_elsewhere(slug: str, node_id: str, others: Mapping[str, PlanState]) -> list[NodeRef]:
    """The nodes of other active plans that wait for a node of plan `slug`."""
    wanted = f"{slug}/{node_id}"
    return [
        NodeRef(other, waiting)
        for other, plan in others.items()
        if other != slug and plan.archived is None
        for waiting, state in plan.nodes.items()
        if wanted in state.spec.depends_on
    ]


def _dependency(
    slug: str, nodes: Mapping[str, Node], path: Path, text: str, others: Mapping[str, PlanState] | None
) -> Iterator[Finding]:
    ref = split_ref(text, slug)
    if ref is None:
        yield Finding(path, f"{text!r} is not a node", "write NODE, or PLAN/NODE for a node of another plan")
    elif ref.plan == slug:
        if ref.node not in nodes:
            yield Finding(path, f"there is no node {ref.node!r} in this plan", _or_add(ref.node, nodes))
    elif others is not None:
        other = others.get(ref.plan)
        if other is None:
            do = did_you_mean(ref.plan, others) or "import that plan first"
            yield Finding(path, f"there is no plan {ref.plan!r}", do)
        elif ref.node not in other.nodes:
            yield Finding(path, f"plan {ref.plan} has no node {ref.node!r}", _or_add(ref.node, other.nodes))


def _or_add(node_id: str, known: Collection[str]) -> str:
    return did_you_mean(node_id, known) or "add it, or take the dependency out"


def _rehearsal(nodes: Mapping[str, Node], node: Node, path: Path) -> Iterator[Finding]:
    name = node.rehearses or ""
    real = nodes.get(name)
    if real is None or real.id == node.id:
        do = did_you_mean(name, nodes) or "name the real publish it stands in for"
        yield Finding(path, f"{name!r} is no other node of this plan", do)
    elif real.kind != PUBLISH or real.rehearses is not None:
        yield Finding(path, f"{name!r} is not a real publish", "name the real publish it stands in for")
    elif real.package != node.package:
        what = f"{name!r} publishes {real.package}, this packs {node.package}"
        yield Finding(path, what, "rehearse the publish of the same package")


def _cycles(
    slug: str, nodes: Mapping[str, Node], written: Sequence[Written], others: Mapping[str, PlanState]
) -> Iterator[Finding]:
    dependencies = dependencies_in(slug, nodes, others)
    ours = {NodeRef(slug, node.id): (path, node) for path, node in written}
    for group in cycles.groups(ours, dependencies):
        members = set(group)
        first = next((ref for ref in ours if ref in members), None)
        if first is None or (len(group) == 1 and first not in dependencies(first)):
            continue
        way = [*cycles.way_around(first, dependencies, members), first]
        path, node = ours[first]
        leads = next(i for i, text in enumerate(node.depends_on) if split_ref(text, slug) == way[1])
        names = " → ".join(ref.node if ref.plan == slug else str(ref) for ref in way)
        yield Finding((*path, "depends_on", leads), f"a cycle: {names}", "take one of these dependencies out")
