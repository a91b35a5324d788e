"""What a plan names inside a repository, looked for in a checkout of it; what is missing is a warning, no refusal.

The checkout is the one that the author names, else that of the plan's runner on this machine; without one nothing is
checked.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import islice
from pathlib import Path

from msgspec.structs import replace

from stoat.derive.wording import projects as say
from stoat.observe import live
from stoat.observe.projects import lacks
from stoat.observe.projects.checkout import Checkout
from stoat.observe.tree import repository_at, top_of
from stoat.plan.ids import same_repository
from stoat.plan.nodes import Header, Node, repository_of
from stoat.service.authoring import Authored
from stoat.service.session import Session

MOST = 100
"""Warnings about a checkout."""


def with_doubts(
    authored: Authored, session: Session, checkout: Path | None, header: Header, nodes: Sequence[Node]
) -> Authored:
    """What became of a change, with warnings about what its nodes name and a checkout does not have."""
    doubts = tuple(islice(_doubts(session, checkout, header, nodes), MOST + 1))
    if not doubts:
        return authored
    more = (say.and_more(MOST),) if len(doubts) > MOST else ()
    return replace(authored, warnings=(*authored.warnings, *doubts[:MOST], *more))


def _doubts(session: Session, checkout: Path | None, header: Header, nodes: Sequence[Node]) -> Iterator[str]:
    named = [node for node in nodes if node.steps or node.manifest is not None]
    if not named:
        return
    if checkout is not None and not checkout.is_dir():
        yield say.no_checkout(str(checkout))
        return
    known = [_known(checkout)] if checkout is not None else _of_runners(session, header.plan)
    for node in named:
        wanted = repository_of(header, node)
        fitting = (one for repo, one in known if repo is None or wanted is None or same_repository(wanted, repo))
        found = next(fitting, None)
        if found is not None:
            yield from _missing(found, node)


def _of_runners(session: Session, slug: str) -> list[tuple[str | None, Checkout]]:
    """The checkouts of the plan's runners on this machine, those at work first."""
    found = live.checkouts(live.read_runners(session.store.common), slug)
    return [(repo, Checkout(place)) for place, repo in found]


def _known(checkout: Path) -> tuple[str | None, Checkout]:
    return repository_at(checkout), Checkout(top_of(checkout))


def _missing(checkout: Checkout, node: Node) -> Iterator[str]:
    if node.manifest is not None and not checkout.has_file(node.manifest):
        yield say.no_manifest(node.id, node.manifest)
    for step in node.steps:
        cwd = checkout.place("", step.cwd or ".")
        if cwd is None:
            continue
        if step.cwd is not None and not checkout.has_directory(cwd):
            yield say.no_directory(node.id, step.id, step.cwd)
        elif step.run is not None:
            for lack in lacks(step.run, cwd, checkout):
                yield say.step(node.id, step.id, lack)
