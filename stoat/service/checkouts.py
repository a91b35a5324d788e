"""What a plan names inside a repository, looked for in a checkout of it; what is missing is a warning, no refusal."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

from stoat.observe.tree import repository_at
from stoat.plan.ids import same_repository
from stoat.plan.nodes import Header, Node, repository_of


def checkout_doubts(checkout: Path | None, header: Header, nodes: Sequence[Node]) -> list[str]:
    """Warnings about directories of steps and manifests that a checkout does not have; none without a checkout.

    Nodes of other repositories are passed over, where the checkout says which one it is.
    """
    if checkout is None:
        return []
    if not checkout.is_dir():
        return [f"there is no checkout at {checkout}: nothing was checked against it"]
    here = repository_at(checkout)
    return [
        doubt
        for node in nodes
        if here is None or (wanted := repository_of(header, node)) is None or same_repository(wanted, here)
        for doubt in _missing(checkout, node)
    ]


def _missing(checkout: Path, node: Node) -> Iterator[str]:
    if node.manifest is not None and not (checkout / node.manifest).is_file():
        yield f"{node.id}: the checkout has no {node.manifest}"
    for step in node.steps:
        if step.cwd is not None and not (checkout / step.cwd).is_dir():
            yield f"{node.id}, step {step.id}: the checkout has no directory {step.cwd}"
